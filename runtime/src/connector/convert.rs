//! Between the records of the contract and our own types; the only place that does it. What comes from a guest is cut
//! and clamped here.

use super::{CallContext, ConfigKey, Description, Flag, Hooks, Method, Reverted, Values};
use crate::bindings::connector::codemode::component::types as wit;
use crate::durable::execution::Status;
use crate::durable::failure::{EffectState, Failure, code};
use crate::durable::journal::{Answer, Approval, Effect, Repeatable, ReplayPolicy};
use crate::durable::value::{Json, ValueLimits};

/// The longest message of a failure, in characters.
const MAX_MESSAGE: usize = 10_000;
/// The longest code of a failure, and the longest name of an exception, in characters.
const MAX_WORD: usize = 128;

pub(super) fn context(context: &CallContext) -> wit::CallContext {
    wit::CallContext {
        execution_id: context.execution.as_str().to_owned(),
        seq: context.seq.0,
        pass: context.pass,
        idempotency_key: context.idempotency_key.clone(),
        attempt: context.attempt,
        remaining_ms: context.remaining_ms,
        extras: Vec::new(),
    }
}

pub(super) fn description(from: wit::Description) -> Description {
    let tagged = from.extras.iter().any(|(key, value)| key == "values" && value.trim() == "\"tagged\"");
    Description {
        suggested_name: from.suggested_name,
        instructions: from.instructions,
        methods: from.methods.into_iter().map(method).collect(),
        config: from.config.into_iter().map(config_key).collect(),
        origins: from.origins,
        hooks: Hooks {
            pass_ended: flag(from.hooks.contains(wit::Hooks::PASS_ENDED)),
            execution_ended: flag(from.hooks.contains(wit::Hooks::EXECUTION_ENDED)),
        },
        values: if tagged { Values::Tagged } else { Values::Plain },
    }
}

fn method(from: wit::Method) -> Method {
    Method {
        name: from.name,
        description: from.description,
        input_schema: from.input_schema,
        output_schema: from.output_schema,
        approval: if from.requires_approval { Approval::Required } else { Approval::NotNeeded },
        replay: match from.replay {
            wit::ReplayPolicy::Recorded => ReplayPolicy::Recorded,
            wit::ReplayPolicy::Reexecute => ReplayPolicy::Reexecute,
        },
        effect: match from.effect {
            wit::Effect::Unknown => Effect::Unknown,
            wit::Effect::ReadOnly => Effect::ReadOnly,
            wit::Effect::Write => Effect::Write,
        },
        repeatable: match from.repeatable {
            wit::Repeatable::No => Repeatable::No,
            wit::Repeatable::WithKey => Repeatable::WithKey,
            wit::Repeatable::Always => Repeatable::Always,
        },
        destructive: from.destructive.map(flag),
        revertible: flag(from.revertible),
    }
}

fn config_key(from: wit::ConfigKey) -> ConfigKey {
    ConfigKey {
        name: from.name,
        description: from.description,
        required: flag(from.required),
        secret: flag(from.secret),
    }
}

fn flag(on: bool) -> Flag {
    if on { Flag::Yes } else { Flag::No }
}

/// A failure that a connector gave. Details that are no JSON are dropped: the failure itself matters more.
pub(super) fn failure(from: wit::CallError, values: Values) -> Failure {
    let name = from.extras.iter().find(|(key, _)| key == "name");
    let name = name.and_then(|(_, text)| serde_json::from_str::<String>(text).ok()).filter(|n| !n.is_empty());
    let code = if from.code.is_empty() { code::INTERNAL.to_owned() } else { cut(from.code, MAX_WORD) };
    let message = if from.message.is_empty() { format!("failed with code `{code}`") } else { from.message };
    Failure {
        code,
        message: cut(message, MAX_MESSAGE),
        name: name.map(|n| cut(n, MAX_WORD)),
        details: from.details.and_then(|text| {
            let limits = ValueLimits::default();
            match values {
                Values::Plain => Json::from_plain(&text, &limits),
                Values::Tagged => Json::from_tagged(&text, &limits),
            }
            .ok()
        }),
        effect: match from.effect {
            wit::EffectState::None => EffectState::None,
            wit::EffectState::Possible => EffectState::Possible,
            wit::EffectState::Happened => EffectState::Happened,
        },
        retry_after_ms: from.retry_after_ms,
    }
}

/// What the journal knows of a call, in the form that the connector speaks.
///
/// # Errors
/// The recorded value cannot be said in plain JSON.
pub(super) fn recorded(outcome: Option<Answer>, values: Values) -> Result<wit::Recorded, Failure> {
    Ok(match outcome {
        None => wit::Recorded::Unknown,
        Some(Ok(value)) => wit::Recorded::Returned(value.map(|json| text(&json, values)).transpose()?),
        Some(Err(failure)) => wit::Recorded::Failed(wit::CallError {
            code: failure.code,
            message: failure.message,
            details: failure.details.and_then(|json| text(&json, values).ok()),
            effect: match failure.effect {
                EffectState::None => wit::EffectState::None,
                EffectState::Possible => wit::EffectState::Possible,
                EffectState::Happened => wit::EffectState::Happened,
            },
            retry_after_ms: failure.retry_after_ms,
            extras: Vec::new(),
        }),
    })
}

/// A journaled value in the form that a connector speaks.
///
/// # Errors
/// It cannot be said in plain JSON.
pub(super) fn text(json: &Json, values: Values) -> Result<String, Failure> {
    match values {
        Values::Tagged => Ok(json.as_str().to_owned()),
        Values::Plain => json.to_plain().map_err(|e| Failure::new(code::INVALID_ARGUMENTS, e.to_string())),
    }
}

pub(super) fn reverted(from: wit::Reverted) -> Reverted {
    match from {
        wit::Reverted::Reverted => Reverted::Reverted,
        wit::Reverted::NothingToRevert => Reverted::NothingToRevert,
    }
}

/// `None`: no such end of a pass.
pub(super) fn pass_status(status: Status) -> Option<wit::PassStatus> {
    match status {
        Status::Completed => Some(wit::PassStatus::Completed),
        Status::Error => Some(wit::PassStatus::Error),
        Status::Paused => Some(wit::PassStatus::Paused),
        Status::Running | Status::Rejected | Status::RolledBack => None,
    }
}

/// `None`: no end at all.
pub(super) fn end_status(status: Status) -> Option<wit::EndStatus> {
    match status {
        Status::Completed => Some(wit::EndStatus::Completed),
        Status::Error => Some(wit::EndStatus::Error),
        Status::Rejected => Some(wit::EndStatus::Rejected),
        Status::RolledBack => Some(wit::EndStatus::RolledBack),
        Status::Running | Status::Paused => None,
    }
}

fn cut(text: String, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => text[..at].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> wit::CallError {
        wit::CallError {
            code: "busy".to_owned(),
            message: "m".to_owned(),
            details: None,
            effect: wit::EffectState::Happened,
            retry_after_ms: Some(3),
            extras: Vec::new(),
        }
    }

    #[test]
    fn a_guests_failure_is_cut_and_never_without_words() {
        let long = failure(wit::CallError { message: "é".repeat(20_000), ..error() }, Values::Plain);
        assert_eq!(long.message.chars().count(), MAX_MESSAGE);
        let empty = failure(wit::CallError { code: String::new(), message: String::new(), ..error() }, Values::Plain);
        assert_eq!((empty.code.as_str(), empty.message.as_str()), ("internal", "failed with code `internal`"));
    }

    #[test]
    fn the_name_of_the_exception_comes_from_the_extras() {
        let extras = vec![("other".to_owned(), "{".to_owned()), ("name".to_owned(), "\"RateLimit\"".to_owned())];
        let named = failure(wit::CallError { extras, ..error() }, Values::Plain);
        assert_eq!(named.name.as_deref(), Some("RateLimit"));
        assert_eq!((named.effect, named.retry_after_ms), (EffectState::Happened, Some(3)));
    }

    #[test]
    fn details_follow_the_form_that_the_connector_speaks() {
        let tagged = r#"{"$cm":["bigint","10"]}"#;
        let give =
            |text: &str, values| failure(wit::CallError { details: Some(text.to_owned()), ..error() }, values).details;
        assert_eq!(give(tagged, Values::Tagged).unwrap().as_str(), tagged);
        assert_eq!(give(tagged, Values::Plain).unwrap().as_str(), r#"{"$$cm":["bigint","10"]}"#);
        assert_eq!(give("{", Values::Plain), None);
    }

    #[test]
    fn a_recorded_value_goes_back_as_it_came() {
        let json = Json::from_plain("{\"$cm\":1}", &ValueLimits::default()).unwrap();
        let back = |values| match recorded(Some(Ok(Some(json.clone()))), values).unwrap() {
            wit::Recorded::Returned(text) => text.unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(back(Values::Plain), r#"{"$cm":1}"#);
        assert_eq!(back(Values::Tagged), r#"{"$$cm":1}"#);
        assert!(matches!(recorded(None, Values::Plain), Ok(wit::Recorded::Unknown)));
    }

    #[test]
    fn only_ends_are_told_to_hooks() {
        let passes = Status::ALL.into_iter().filter(|s| pass_status(*s).is_some()).count();
        let ends = Status::ALL.into_iter().filter(|s| end_status(*s).is_some()).count();
        assert_eq!((passes, ends), (3, 4));
    }
}
