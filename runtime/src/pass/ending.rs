//! Says in the words of the journal how a run of the sandbox came to its end.

use super::dispatch::Pass;
use super::hint::hint;
use super::refusal::unrecordable;
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::finish::Ended;
use crate::durable::json::cut;
use crate::durable::limits::Breach;
use crate::durable::replay::End;
use crate::durable::value::{Json, ValueError, ValueLimits};
use crate::executor::{Ran, Thrown};
use crate::normalize::{Normalized, source_line};

/// The end, and the real value where there is one. `source` is the code as it was submitted.
pub(super) fn ended(pass: &mut Pass, ran: Ran, source: &str, normalized: &Normalized) -> (Ended, Option<Json>) {
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
        Ran::Threw(thrown) => (Ended::Failed(code_error(pass, thrown, source, normalized)), None),
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

fn code_error(pass: &Pass, thrown: Thrown, source: &str, normalized: &Normalized) -> CodeError {
    let limits = &pass.setting.limits;
    let units = limits.value_units as usize;
    let at = thrown.line.zip(thrown.column).map(|(line, column)| normalized.source_position(line, column));
    let (line, column) = (at.map(|a| a.0), at.map(|a| a.1));
    let kind =
        if thrown.name == "SyntaxError" && thrown.stack.is_none() { ErrorKind::Syntax } else { ErrorKind::Thrown };
    let value = thrown.value.as_deref().and_then(|v| Json::from_tagged(v, &pass.value_limits()).ok());
    // A code tool has methods that are members of `codemode` itself.
    let connectors = pass.setting.catalogue.names().into_iter().filter(|name| *name != "codemode");
    let globals: Vec<&str> = connectors.chain(["codemode"]).collect();
    let hint = hint(&thrown.name, &thrown.message, &globals);
    CodeError {
        name: cut(&thrown.name, 128).into_owned(),
        message: cut(&thrown.message, units).into_owned(),
        line,
        column,
        source_line: line.map(|line| source_line(source, line)),
        stack: thrown.stack.map(|s| cut(&s, 10_000).into_owned()),
        hint,
        value,
        ..CodeError::new(kind, "")
    }
}
