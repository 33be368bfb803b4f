//! Replays a bundle: the code runs once in a real sandbox, and everything it asks for is answered from the bundle. Nothing
//! is performed and nothing is stored, so neither connectors nor a store are needed.

use std::sync::Arc;

use super::judge::judge;
use super::rewind::{Recorded, rewound};
use super::verdict::{Note, Report, Verdict};
use super::{Bundle, Standing};
use crate::durable::execution::{Determinism, Execution, REPLAY_VERSION, Status};
use crate::durable::id::{Token, Version};
use crate::durable::limits::Limits;
use crate::error::Error;
use crate::executor::Executor;
use crate::normalize::normalize;
use crate::pass::{PlayEnd, Played, play};

/// Replays the last pass of a bundle in this executor, within these limits, and compares it with what is recorded.
///
/// Another executor than the recorded one is a note, not an error: whether it replays old records is worth asking.
///
/// # Errors
/// [`Error::ReplayVersion`] where the rules of replay of that version are not known here; [`Error::Lost`] where the
/// executor breaks its contract. What the code does is a verdict.
pub async fn replay(executor: Arc<dyn Executor>, bundle: &Bundle, limits: &Limits) -> Result<Report, Error> {
    let start = &bundle.start;
    if start.replay_version != REPLAY_VERSION {
        let (found, supported) = (start.replay_version, REPLAY_VERSION);
        return Err(Error::ReplayVersion { id: start.id.clone(), found, supported });
    }
    let recorded = Recorded::of(bundle);
    let mut notes = notes(bundle, executor.digest());
    let Played { asks, logs, end } = played(executor, bundle, limits).await?;
    let verdict = judge(&recorded, &bundle.entries, asks, end);
    if verdict == Verdict::Same {
        notes.extend(console(&bundle.standing, &logs));
    }
    let recorded = u32::try_from(bundle.entries.len()).unwrap_or(u32::MAX);
    Ok(Report { execution: start.id.clone(), verdict, asks, recorded, notes })
}

async fn played(executor: Arc<dyn Executor>, bundle: &Bundle, limits: &Limits) -> Result<Played, Error> {
    let normalized = match normalize(&bundle.start.code) {
        Ok(normalized) => normalized,
        Err(error) => {
            let error = Some(error.into_error());
            let end = PlayEnd::Ended { status: Status::Error, result: None, error, asking: None };
            return Ok(Played { asks: 0, logs: Vec::new(), end });
        }
    };
    let execution = execution(bundle);
    let entries = rewound(&bundle.entries);
    let limits = limits.clone();
    let runtime = executor.runtime();
    let task = runtime.spawn(async move { play(executor, limits, &execution, entries, &normalized).await });
    task.await.map_err(|error| Error::Lost(error.to_string()))?
}

/// The execution in its last pass, as far as a pass looks at it.
fn execution(bundle: &Bundle) -> Execution {
    Execution {
        start: bundle.start.clone(),
        status: Status::Running,
        pass: bundle.standing.pass,
        version: Version(1),
        token: Token(1),
        owner: None,
        result: None,
        error: None,
        logs: Vec::new(),
        logged: Vec::new(),
        updated_at: bundle.standing.updated_at,
        ended_at: None,
    }
}

fn notes(bundle: &Bundle, used: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    if bundle.start.executor != used {
        notes.push(Note::OtherExecutor { recorded: bundle.start.executor.clone(), used: used.to_owned() });
    }
    if bundle.start.determinism == Determinism::Live {
        notes.push(Note::Live);
    }
    if bundle.standing.status == Status::Running {
        notes.push(Note::Running);
    }
    notes
}

/// Whether the replay said the same as the recorded pass, where that is known.
fn console(standing: &Standing, lines: &[String]) -> Option<Note> {
    if standing.logs.iter().any(|line| line.pass.is_none()) {
        return None;
    }
    let of_pass = standing.logs.iter().filter(|line| line.pass == Some(standing.pass));
    let recorded: Vec<&str> = of_pass.map(|line| line.text.as_str()).collect();
    let same = recorded.iter().zip(lines).take_while(|(a, b)| *a == b).count();
    (same < recorded.len().max(lines.len())).then_some(Note::Console { line: same + 1 })
}
