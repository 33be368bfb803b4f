//! Laws of two looks at one execution: what is recorded stays, and nothing recorded happens again.

use codemode_runtime::{Entry, EntryState, Status};

use super::{Seen, require};
use crate::fixtures::EventKind;

/// Checks that a record only grew: what was asked, answered and delivered stays as it is; what was recorded is not
/// performed again; what has ended changes no more, except that it is undone.
///
/// # Errors
/// What changed.
pub fn check_growth(before: &Seen<'_>, after: &Seen<'_>) -> Result<(), String> {
    kept(before, after)
        .and_then(|()| not_again(before, after))
        .and_then(|()| ended(before, after))
        .map_err(|what| after.broken("what is recorded stays, and does not happen again", &what))
}

fn kept(before: &Seen<'_>, after: &Seen<'_>) -> Result<(), String> {
    let (old, new) = (&before.record.entries, &after.record.entries);
    require(old.len() <= new.len(), || format!("{} rows, then {}", old.len(), new.len()))?;
    for (old, new) in old.iter().zip(new) {
        let asked = (old.op, old.seq, &old.request, &old.terms, old.asked_at, old.asked_event)
            == (new.op, new.seq, &new.request, &new.terms, new.asked_at, new.asked_event);
        let answered = old.answer.is_none() || (&old.answer, old.rerun) == (&new.answer, new.rerun);
        let delivered = old.delivery.is_none() || old.delivery == new.delivery;
        let consent = old.decision.is_none() || old.decision == new.decision;
        let stays = asked && answered && delivered && consent && may_become(old, new);
        require(stays, || format!("{old:?}\nbecame {new:?}"))?;
    }
    Ok(())
}

/// Whether a row may have gone from one state to the other.
fn may_become(old: &Entry, new: &Entry) -> bool {
    use EntryState::{Applied, Executing, Failed, Pending, Reverted, Reverting, Unknown, Unrecordable, Withdrawn};
    match (old.state, new.state) {
        (from, to) if from == to => true,
        (Executing | Pending | Unknown, _) => true,
        (Applied | Failed | Unrecordable, to) => matches!(to, Reverting | Reverted),
        (Reverting, to) => !matches!(to, Executing | Pending | Withdrawn),
        (Reverted | Withdrawn, _) => false,
    }
}

fn not_again(before: &Seen<'_>, after: &Seen<'_>) -> Result<(), String> {
    let known = before.of_kind(EventKind::Performed).count();
    for event in after.of_kind(EventKind::Performed).skip(known) {
        let recorded = before.entry_of(&event.key).filter(|e| e.answer.is_some() && !e.is_ephemeral());
        require(recorded.is_none(), || format!("{event:?} is recorded: {recorded:?}"))?;
    }
    Ok(())
}

fn ended(before: &Seen<'_>, after: &Seen<'_>) -> Result<(), String> {
    let (old, new) = (&before.record.execution, &after.record.execution);
    let legal = old.status == new.status || old.status.may_become(new.status) || old.status == Status::Paused;
    require(legal, || format!("{} became {}", old.status, new.status))?;
    if !old.status.is_terminal() {
        return Ok(());
    }
    let same = (&old.result, &old.error, old.pass, old.ended_at, &old.logs)
        == (&new.result, &new.error, new.pass, new.ended_at, &new.logs);
    require(same && before.record.entries.len() == after.record.entries.len(), || format!("{old:?}\nbecame {new:?}"))?;
    let happened = |seen: &Seen<'_>| seen.of_kind(EventKind::Performed).count();
    require(happened(before) == happened(after), || "something happened after the end".to_owned())
}
