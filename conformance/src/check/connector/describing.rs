//! Whether the component is a connector at all, and what it says of itself.

use codemode_runtime::connector::component::ComponentConnector;
use codemode_runtime::connector::{Description, Method, check_description};
use codemode_runtime::durable::journal::{Approval, ReplayPolicy};
use codemode_runtime::host::LoadError;

use super::subject::{Came, Subject, judged};
use super::{Bench, Steps};
use crate::check::generate::Shape;
use crate::check::rule::Rule;

/// The component, compiled.
pub(super) type Loaded = Result<ComponentConnector, LoadError>;

/// What it says of itself, unchecked; or why it says nothing.
pub(super) type Described = Result<Description, String>;

pub(super) fn loaded(bench: &Bench, bytes: &[u8], config: &[(String, String)], call_ms: u64) -> Loaded {
    Subject::load(&bench.engine, bytes, config, call_ms)
}

pub(super) fn described(bench: &Bench, connector: Option<&ComponentConnector>) -> Described {
    let Some(connector) = connector else { return Err("it was not loaded".to_owned()) };
    bench.wait(connector.describe_unchecked()).map_err(|failure| match judged(failure, "describe") {
        Came::Stopped(reason) => format!("`describe` {reason}"),
        other => format!("`describe`: {}", other.told()),
    })
}

pub(super) fn check(
    bench: &Bench,
    rule: &'static Rule,
    steps: &mut Steps<'_>,
    loaded: &Loaded,
    described: &Described,
    again: (&[u8], &[(String, String)]),
) {
    let call_ms = steps.options.call_ms;
    let is_foreign = |error: &LoadError| matches!(error, LoadError::Imports { .. });
    match (rule.id, loaded, described) {
        ("CONN-LOAD-01", loaded, _) => steps.rule(rule, "", |trial| {
            trial.case(match loaded {
                Err(error) if !is_foreign(error) => Err(error.to_string()),
                _ => Ok(()),
            });
        }),
        ("CONN-LOAD-02", Err(error), _) if !is_foreign(error) => steps.blocked(rule, "CONN-LOAD-01"),
        ("CONN-LOAD-02", loaded, _) => steps.rule(rule, "", |trial| {
            trial.case(loaded.as_ref().map(drop).map_err(ToString::to_string));
        }),
        (_, Err(error), _) => steps.blocked(rule, if is_foreign(error) { "CONN-LOAD-02" } else { "CONN-LOAD-01" }),
        ("CONN-DESC-01", _, described) => steps.rule(rule, "", |trial| {
            trial.case(described.as_ref().map(drop).map_err(Clone::clone));
        }),
        (_, _, Err(_)) => steps.blocked(rule, "CONN-DESC-01"),
        ("CONN-DESC-02", _, Ok(first)) => steps.rule(rule, "", |trial| {
            let other = self::loaded(bench, again.0, again.1, call_ms);
            trial.case(same(first, &self::described(bench, other.as_ref().ok())));
            trial.case(same(first, &self::described(bench, loaded.as_ref().ok())));
        }),
        ("CONN-DESC-03", _, Ok(description)) => steps.rule(rule, "", |trial| trial.case(names(description))),
        ("CONN-DESC-04", _, Ok(description)) => steps.rule(rule, "it has no schemas", |trial| {
            for (place, text) in schemas(description) {
                trial.case(Shape::read(Some(text)).map(drop).map_err(|reason| format!("{place} {reason}")));
            }
        }),
        (_, _, Ok(description)) => steps.rule(rule, "it has no methods", |trial| {
            for method in &description.methods {
                let twice = method.replay == ReplayPolicy::Reexecute && method.approval == Approval::Required;
                let said = format!("`{}` requires approval and is `reexecute`", method.name);
                trial.case(if twice { Err(said) } else { Ok(()) });
            }
        }),
    }
}

fn same(first: &Description, second: &Described) -> Result<(), String> {
    match second {
        Err(reason) => Err(format!("the first time it answered, the second time not: {reason}")),
        Ok(second) if second == first => Ok(()),
        Ok(second) => {
            let pairs = first.methods.iter().zip(&second.methods);
            let differing = pairs.into_iter().find(|(a, b)| a != b).map(|(a, _)| a.name.clone());
            Err(match differing {
                Some(name) => format!("two instances describe `{name}` in two ways"),
                None => "two instances give two descriptions".to_owned(),
            })
        }
    }
}

/// The rule that has to be kept before anything can be called; `None`: calls can be made.
pub(super) fn obstacle(loaded: &Loaded, described: &Described) -> Option<&'static str> {
    match (loaded, described) {
        (Err(LoadError::Imports { .. }), _) => Some("CONN-LOAD-02"),
        (Err(_), _) => Some("CONN-LOAD-01"),
        (_, Err(_)) => Some("CONN-DESC-01"),
        (_, Ok(description)) if names(description).is_err() => Some("CONN-DESC-03"),
        (_, Ok(description)) => check_description("connector", description).is_err().then(|| {
            let is_twice = |m: &Method| m.replay == ReplayPolicy::Reexecute && m.approval == Approval::Required;
            if description.methods.iter().any(is_twice) { "CONN-DESC-05" } else { "CONN-DESC-04" }
        }),
    }
}

/// The host's own rule, without what other rules are about.
fn names(description: &Description) -> Result<(), String> {
    let mut bare = description.clone();
    for method in &mut bare.methods {
        (method.input_schema, method.output_schema, method.replay) = (None, None, ReplayPolicy::Recorded);
    }
    check_description("connector", &bare).map_err(|failure| failure.message)
}

fn schemas(description: &Description) -> impl Iterator<Item = (String, &str)> {
    description.methods.iter().flat_map(|method| {
        let each = [("input", &method.input_schema), ("output", &method.output_schema)];
        each.into_iter().filter_map(move |(which, text)| {
            Some((format!("the {which} schema of `{}`", method.name), text.as_deref()?))
        })
    })
}
