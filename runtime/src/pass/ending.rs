//! Says in the words of the journal how a run of the sandbox came to its end.

use super::dispatch::Pass;
use super::refusal::unrecordable;
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::finish::Ended;
use crate::durable::json::cut;
use crate::durable::limits::Breach;
use crate::durable::replay::End;
use crate::durable::value::{Json, ValueError, ValueLimits};
use crate::executor::{Ran, Thrown};
use crate::normalize::Normalized;

/// The end, and the real value where there is one.
pub(super) fn ended(pass: &mut Pass, ran: Ran, normalized: &Normalized) -> (Ended, Option<Json>) {
    // What the host decided wins over what the guest says about it.
    let over = match ran {
        Ran::Over => pass.take_over().or_else(|| pass.stopped()),
        _ => pass.take_over(),
    };
    match over {
        Some(End::Paused) => return (Ended::Paused, None),
        Some(End::Failed(error)) => return (Ended::Failed(error), None),
        None => {}
    }
    let limits = pass.setting.limits.clone();
    let failed = |breach: Breach| (Ended::Failed(breach.into_error()), None);
    match ran {
        Ran::Returned(_) if pass.replay.is_replaying() => {
            let error = CodeError::new(
                ErrorKind::Divergence,
                "replay divergence: the code ended before it asked for everything that is recorded",
            );
            (Ended::Failed(error), None)
        }
        Ran::Returned(None) => (Ended::Fulfilled(None), None),
        Ran::Returned(Some(text)) => {
            let bounds = ValueLimits { units: u64::from(limits.outcome_units), depth: limits.depth };
            match Json::from_tagged(&text, &bounds) {
                Ok(value) => (Ended::Fulfilled(Some(value.clone())), Some(value)),
                Err(ValueError::TooLarge { .. }) => failed(Breach::Outcome(limits.outcome_units)),
                Err(error) => (Ended::Failed(unrecordable(&error, "the final result".to_owned())), None),
            }
        }
        Ran::Threw(thrown) => (Ended::Failed(code_error(pass, thrown, normalized)), None),
        Ran::CpuLimit => failed(Breach::Cpu(limits.cpu_ms)),
        Ran::MemoryLimit => failed(Breach::Memory(limits.memory_bytes)),
        Ran::Over => failed(Breach::PassTime(limits.pass_ms)),
        Ran::Broke(reason) => {
            let error = CodeError::new(ErrorKind::Sandbox, format!("the sandbox broke: {reason}"))
                .with_hint("run the code again; if it breaks again, simplify it");
            (Ended::Failed(error), None)
        }
    }
}

fn code_error(pass: &Pass, thrown: Thrown, normalized: &Normalized) -> CodeError {
    let limits = &pass.setting.limits;
    let units = limits.value_units as usize;
    let at = thrown.line.zip(thrown.column).map(|(line, column)| normalized.source_position(line, column));
    let (line, column) = (at.map(|a| a.0), at.map(|a| a.1));
    let kind =
        if thrown.name == "SyntaxError" && thrown.stack.is_none() { ErrorKind::Syntax } else { ErrorKind::Thrown };
    let value = thrown.value.as_deref().and_then(|v| Json::from_tagged(v, &pass.value_limits()).ok());
    let hint = is_not_defined(&thrown.message).then(|| {
        let names: Vec<&str> = pass.setting.catalogue.names();
        let globals: Vec<&str> = names.into_iter().chain(["codemode"]).collect();
        format!("the only globals besides standard JavaScript are: {}", globals.join(", "))
    });
    CodeError {
        name: cut(&thrown.name, 128).into_owned(),
        message: cut(&thrown.message, units).into_owned(),
        line,
        column,
        stack: thrown.stack.map(|s| cut(&s, 10_000).into_owned()),
        hint,
        value,
        ..CodeError::new(kind, "")
    }
}

/// RUN-12: the words, on word boundaries.
fn is_not_defined(message: &str) -> bool {
    let words = "is not defined";
    message.match_indices(words).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let before = message[..at].chars().next_back();
        let after = message[at + words.len()..].chars().next();
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}

#[cfg(test)]
mod tests {
    use super::is_not_defined;

    #[test]
    fn the_hint_on_globals_needs_the_whole_words() {
        assert!(is_not_defined("host is not defined"));
        assert!(is_not_defined("is not defined."));
        assert!(!is_not_defined("this not definedly"));
        assert!(!is_not_defined("x is not definedx"));
    }
}
