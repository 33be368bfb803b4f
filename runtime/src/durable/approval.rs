//! Consent to pending calls, and its refusal. Both are decisions from outside: they look at a record and name the
//! version they saw, so that of several only one wins.

use super::digest::digest;
use super::ending::{Ending, end_at_rest};
use super::execution::{Execution, Status};
use super::failure::{CodeError, ErrorKind};
use super::finish::HookWish;
use super::id::{OwnerId, Seq};
use super::journal::{Decision, Entry, EntryState};
use super::recovery::next_pass;
use super::write::Write;

/// One call that a person approves: what they were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Which call.
    pub seq: Seq,
    /// The digest that its pending item carried.
    pub digest: String,
}

/// What an approval covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picks {
    /// Whatever is pending at this instant. For library callers that showed everything.
    AllPending,
    /// Exactly these.
    These(Vec<Pick>),
}

/// What an approval does.
#[derive(Clone, Debug, PartialEq)]
pub enum Approved {
    /// The execution was paused: the next pass begins under the new token.
    Resume {
        /// To be committed on the version that was seen.
        writes: Vec<Write>,
        /// The execution as it is then.
        execution: Box<Execution>,
    },
    /// A pass runs: the decisions are stored and take effect at its next pause.
    Stored {
        /// To be committed on the version that was seen.
        writes: Vec<Write>,
        /// Which calls.
        seqs: Vec<Seq>,
    },
}

/// The digest that an approval must name: connector, method, canonical arguments and the declared contract.
#[must_use]
pub fn call_digest(entry: &Entry) -> String {
    let (connector, method) = entry.request.path();
    let args = entry.request.args().map_or_else(|| "absent".to_owned(), |a| format!("={}", a.canonical()));
    digest(&[connector, method, &args, &entry.terms.contract])
}

/// Approves calls of an execution. `contract` gives the digest of a method's contract as it is configured now.
///
/// # Errors
/// Why not, for the caller to show; nothing changes then.
pub fn approve(
    execution: &Execution,
    entries: &[Entry],
    picks: &Picks,
    configured: &[&str],
    contract: impl Fn(&str, &str) -> Option<String>,
    decision: &Decision,
    owner: OwnerId,
) -> Result<Approved, CodeError> {
    check_connectors(execution, configured)?;
    if execution.status.is_terminal() {
        return Err(not_paused(execution));
    }
    let chosen = choose(execution, entries, picks)?;
    let decided = entries.iter().any(Entry::has_consent);
    if chosen.is_empty() && !decided && execution.status == Status::Paused {
        check_doubts(execution, entries)?;
    }
    if chosen.is_empty() && !decided && matches!(picks, Picks::These(_)) {
        return Err(CodeError::new(ErrorKind::NotResumable, "the approval names no call")
            .with_hint("list what is pending and approve what it shows"));
    }
    for entry in &chosen {
        check_contract(entry, &contract)?;
    }
    let mut writes: Vec<Write> =
        chosen.iter().map(|e| Write::Decided { op: e.op, decision: decision.clone() }).collect();
    if execution.status == Status::Running {
        if chosen.is_empty() {
            return Err(not_paused(execution));
        }
        return Ok(Approved::Stored { writes, seqs: chosen.iter().filter_map(|e| e.seq).collect() });
    }
    let (moved, next) = resume(execution, owner, decision.at);
    writes.extend(moved);
    Ok(Approved::Resume { writes, execution: Box::new(next) })
}

/// The writes that begin the next pass of a paused execution whose decisions are stored already.
#[must_use]
pub fn resume(execution: &Execution, owner: OwnerId, at: u64) -> (Vec<Write>, Execution) {
    let (moved, next) = next_pass(execution, owner, at);
    (vec![moved], next)
}

/// Rejects one pending call, which ends the execution (REJECT-01). `None`: that call is not pending, or the execution
/// not paused; nothing changes then (REJECT-02, REJECT-08).
#[must_use]
pub fn reject(
    execution: &Execution,
    entries: &[Entry],
    seq: Seq,
    decision: &Decision,
    wishes: &[HookWish],
    owner: OwnerId,
) -> Option<Vec<Write>> {
    if execution.status != Status::Paused {
        return None;
    }
    let entry = entries.iter().find(|e| e.seq == Some(seq) && e.state == EntryState::Pending)?;
    let mut message = format!("{} was rejected by {}", entry.request.title(), decision.actor);
    if let Some(reason) = &decision.reason {
        message = format!("{message}: {reason}");
    }
    let error =
        CodeError::new(ErrorKind::Rejected, message).with_hint("earlier calls stay done; roll back to undo them");
    let mut writes = vec![Write::Decided { op: entry.op, decision: decision.clone() }];
    let ending = Ending { wishes, owner, at: decision.at };
    writes.extend(end_at_rest(execution, entries, error, ending));
    Some(writes)
}

fn choose<'a>(execution: &Execution, entries: &'a [Entry], picks: &Picks) -> Result<Vec<&'a Entry>, CodeError> {
    let pending = |e: &&Entry| e.state == EntryState::Pending && e.decision.is_none();
    let Picks::These(picks) = picks else {
        return Ok(entries.iter().filter(pending).collect());
    };
    let mut chosen = Vec::new();
    for pick in picks {
        let Some(entry) = entries.iter().filter(pending).find(|e| e.seq == Some(pick.seq)) else {
            return Err(CodeError::new(
                ErrorKind::NotResumable,
                format!("seq {} of execution {} is not pending", pick.seq, execution.id()),
            )
            .with_hint("list what is pending and approve what it shows; the call may have been decided already"));
        };
        if entry.digest.as_deref() != Some(pick.digest.as_str()) {
            return Err(CodeError::new(
                ErrorKind::NotResumable,
                format!("the digest given for seq {} is not that of the pending {}", pick.seq, entry.request.title()),
            )
            .with_hint("look at the pending call again: it is not the one that was shown"));
        }
        // Said twice is said once: whoever drives a runtime may repeat a pick as often as it likes.
        if chosen.iter().all(|other: &&Entry| other.seq != entry.seq) {
            chosen.push(entry);
        }
    }
    Ok(chosen)
}

/// Consent does not help where somebody has to say what happened.
fn check_doubts(execution: &Execution, entries: &[Entry]) -> Result<(), CodeError> {
    let doubts = entries.iter().filter(|e| e.state == EntryState::Unknown && !e.terms.may_repeat());
    let names: Vec<String> =
        doubts.filter_map(|e| e.seq.map(|seq| format!("{} (seq {seq})", e.request.title()))).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(CodeError::new(
        ErrorKind::Unresolved,
        format!("execution {} waits for the word whether {} happened", execution.id(), names.join(" and ")),
    )
    .with_hint("find out on the other side, then resolve the call: as applied, as failed, or to be tried again"))
}

/// Whether everything that the execution recorded is configured (APPROVE-09).
///
/// # Errors
/// Names what is missing.
pub fn check_connectors(execution: &Execution, configured: &[&str]) -> Result<(), CodeError> {
    let missing = execution.missing_connectors(configured);
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = missing.iter().map(|m| format!("\"{m}\"")).collect();
    Err(CodeError::new(
        ErrorKind::MissingConnector,
        format!("execution {} requires connector(s) {} that are not configured", execution.id(), names.join(", ")),
    )
    .with_hint("configure them under the same names and approve again; the execution stays paused"))
}

fn check_contract(entry: &Entry, contract: &impl Fn(&str, &str) -> Option<String>) -> Result<(), CodeError> {
    let (connector, method) = entry.request.path();
    match contract(connector, method) {
        Some(now) if now == entry.terms.contract => Ok(()),
        Some(_) => Err(CodeError::new(
            ErrorKind::ContractChanged,
            format!(
                "{connector}.{method} changed since approval was asked for: its schema or its declared effects differ"
            ),
        )
        .with_hint("reject the call and run the code again, so that a person sees what would happen now")),
        None => {
            Err(CodeError::new(ErrorKind::ContractChanged, format!("{connector}.{method} does not exist any more"))
                .with_hint("configure the connector with that method again, or reject the call"))
        }
    }
}

fn not_paused(execution: &Execution) -> CodeError {
    CodeError::new(
        ErrorKind::NotResumable,
        format!("execution {} is not paused: its status is {}", execution.id(), execution.status),
    )
    .with_hint("only a paused execution can be resumed")
}

#[cfg(test)]
mod tests;
