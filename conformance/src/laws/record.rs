//! Laws of the record alone, and of the record beside the model.

use codemode_runtime::durable::journal::{Approval, Request};
use codemode_runtime::{Entry, EntryState, Status};

use super::{Law, Seen, is_open, require};
use crate::model::Expected;

pub(super) const LAWS: &[Law] = &[
    Law { text: "ops and seqs are dense from 0, in the order of asking", holds: numbers_are_dense },
    Law { text: "places of delivery are dense from 0, and the code's clock never goes back", holds: places_are_dense },
    Law { text: "each event has a number of its own, and answers come after asks", holds: events_are_numbered },
    Law { text: "a paused execution waits for somebody, and nothing of it runs", holds: a_pause_waits },
    Law { text: "what has ended has nothing open, and nobody owns what is at rest", holds: an_end_is_an_end },
    Law { text: "an answer is there exactly where a row says so", holds: answers_fit_states },
    Law { text: "the record never has more calls and steps than the program", holds: no_more_than_the_program },
    Law { text: "a completed program has all its calls, all consents and the model's result", holds: completed },
];

fn numbers_are_dense(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let entries = &seen.record.entries;
    let ops = entries.iter().map(|e| e.op.0).eq(0..count(entries.len()));
    let seqs: Vec<u32> = entries.iter().filter_map(|e| e.seq).map(|s| s.0).collect();
    let numbered = entries.iter().all(|e| e.seq.is_some() == e.request.is_numbered());
    require(ops && numbered && seqs.iter().copied().eq(0..count(seqs.len())), || format!("{seqs:?}"))
}

fn places_are_dense(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let mut places: Vec<_> = seen.record.entries.iter().filter_map(|e| e.delivery).map(|d| (d.place, d.now)).collect();
    places.sort_unstable();
    let dense = places.iter().map(|p| p.0).eq(0..count(places.len()));
    require(dense && places.is_sorted_by_key(|p| p.1), || format!("{places:?}"))
}

fn events_are_numbered(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let numbers = |e: &Entry| [e.seq.map(|_| e.asked_event), e.answered_event];
    let mut events: Vec<u64> = seen.record.entries.iter().flat_map(numbers).flatten().collect();
    events.sort_unstable();
    let distinct = events.windows(2).all(|two| two[0] < two[1]) && events.first() != Some(&0);
    let after = seen.record.entries.iter().all(|e| e.answered_event.is_none_or(|n| n > e.asked_event));
    require(distinct && after, || format!("{events:?}"))
}

fn a_pause_waits(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    if seen.record.execution.status != Status::Paused {
        return Ok(());
    }
    let waits = |e: &Entry| matches!(e.state, EntryState::Pending | EntryState::Unknown);
    let runs = |e: &&Entry| e.state == EntryState::Executing && matches!(e.request, Request::Call { .. });
    require(seen.record.entries.iter().any(waits), || "nothing waits".to_owned())?;
    let running = seen.record.entries.iter().find(runs);
    require(running.is_none(), || format!("{running:?}"))
}

fn an_end_is_an_end(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let execution = &seen.record.execution;
    if !execution.status.is_terminal() {
        return require(execution.ended_at.is_none(), || format!("{:?}", execution.ended_at));
    }
    let open = |e: &&Entry| matches!(e.state, EntryState::Executing | EntryState::Pending | EntryState::Reverting);
    let open = seen.record.entries.iter().find(open);
    require(open.is_none(), || format!("{open:?}"))?;
    require(execution.owner.is_none() && execution.ended_at.is_some(), || format!("{execution:?}"))
}

fn answers_fit_states(seen: &Seen<'_>, _: &Expected) -> Result<(), String> {
    let fits = |e: &Entry| match e.state {
        EntryState::Applied => matches!(e.answer, Some(Ok(_))),
        EntryState::Failed => matches!(e.answer, Some(Err(_))),
        EntryState::Executing | EntryState::Pending | EntryState::Unknown | EntryState::Withdrawn => e.answer.is_none(),
        EntryState::Unrecordable | EntryState::Reverting | EntryState::Reverted => true,
    };
    let undelivered = |e: &Entry| e.delivery.is_none() || e.answer.is_some();
    let wrong = seen.record.entries.iter().find(|e| !fits(e) || !undelivered(e));
    require(wrong.is_none(), || format!("{wrong:?}"))
}

fn no_more_than_the_program(seen: &Seen<'_>, expected: &Expected) -> Result<(), String> {
    let numbered = numbered(seen);
    require(numbered <= expected.entries, || format!("{numbered} of {}", expected.entries))
}

fn completed(seen: &Seen<'_>, expected: &Expected) -> Result<(), String> {
    let execution = &seen.record.execution;
    if execution.status != Status::Completed {
        return Ok(());
    }
    let result = execution.result.as_ref().map_or("", |r| r.as_str());
    require(result == expected.result, || format!("{result}, not {}", expected.result))?;
    let numbered = numbered(seen);
    require(numbered == expected.entries, || format!("{numbered} calls and steps, not {}", expected.entries))?;
    let approved = seen.record.entries.iter().filter(|e| e.terms.approval == Approval::Required);
    let consents = count(approved.filter(|e| e.decision.is_some()).count());
    require(consents == expected.approvals, || format!("{consents} consents, not {}", expected.approvals))?;
    let open = seen.record.entries.iter().find(|e| e.seq.is_some() && is_open(e));
    require(open.is_none(), || format!("{open:?}"))
}

fn numbered(seen: &Seen<'_>) -> u32 {
    count(seen.record.entries.iter().filter(|e| e.seq.is_some()).count())
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
