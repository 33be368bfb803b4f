//! Undoing as rules: what is never touched, what is never lost, and what a report counts.

use proptest::prelude::*;

use super::super::drawn;
use super::super::write::{Hook, HookKind};
use super::*;

const CONFIGURED: [Configured; 3] = [Configured::Revertible, Configured::NotRevertible, Configured::Missing];

fn may_be_undone() -> impl Strategy<Value = Entry> {
    drawn::entry().prop_filter("offered", |e| offer(e, Configured::Revertible) == Offer::Revert)
}

fn one(entry: &Entry, write: Write) -> Entry {
    drawn::after(vec![entry.clone()], &[write]).remove(0)
}

/// A revert that was begun and then answered.
fn attempted(entry: &Entry, outcome: Result<Reverted, Failure>, status: Status) -> (Entry, Undone) {
    let (write, attempt) = begin_revert(entry, 5);
    let (write, undone) = end_revert(&one(entry, write), attempt, outcome, status, 6);
    (one(entry, write), undone)
}

proptest! {
    #![proptest_config(drawn::config())]

    #[test]
    fn what_never_happened_is_undone_already_or_is_no_call_is_passed_over(entry in drawn::entry()) {
        let untouched = matches!(
            entry.state,
            EntryState::Executing | EntryState::Pending | EntryState::Reverted | EntryState::Withdrawn
        );
        let failed = entry.answer.as_ref().and_then(|a| a.as_ref().err()).filter(|_| entry.state == EntryState::Failed);
        let no_effect = failed.is_some_and(|f| f.effect == EffectState::None);
        let is_call = matches!(entry.request, Request::Call { .. });
        for configured in CONFIGURED {
            let passed_over = offer(&entry, configured) == Offer::Pass;
            prop_assert_eq!(passed_over, untouched || no_effect || !is_call, "{:?}", entry);
        }
    }

    #[test]
    fn what_may_have_happened_is_asked_for_or_named(entry in may_be_undone()) {
        let read_only = entry.terms.effect == Effect::ReadOnly;
        let reported = |undone: Undone| Offer::Report(if read_only { Undone::NothingToRevert } else { undone });
        prop_assert_eq!(offer(&entry, Configured::NotRevertible), reported(Undone::NoRevert));
        prop_assert_eq!(offer(&entry, Configured::Missing), reported(Undone::ConnectorMissing));
    }

    #[test]
    fn a_revert_that_failed_leaves_the_call_as_it_was(
        entry in may_be_undone(),
        failure in drawn::failure(),
        status in drawn::status(),
    ) {
        let (left, undone) = attempted(&entry, Err(failure.clone()), status);
        prop_assert_eq!(left.state, original_state(&entry));
        prop_assert_eq!(&left.answer, &entry.answer);
        prop_assert!(left.is_not_reverted());
        prop_assert_eq!(undone.failure(), Some(&failure));
        prop_assert!(undone.is_left());
        let sure = matches!(undone, Undone::Failed(_));
        prop_assert_eq!(sure, failure.effect == EffectState::None);
        // Nothing is lost by it: it is offered again, as the same.
        prop_assert_eq!(offer(&left, Configured::Revertible), Offer::Revert);
        prop_assert_eq!(original_state(&left), original_state(&entry));
    }

    #[test]
    fn a_call_that_was_undone_is_undone_once(entry in may_be_undone(), status in drawn::status()) {
        let (left, undone) = attempted(&entry, Ok(Reverted::Reverted), status);
        prop_assert_eq!((left.state, undone), (EntryState::Reverted, Undone::Reverted));
        prop_assert!(!left.is_not_reverted());
        prop_assert_eq!(original_state(&left), original_state(&entry));
        for configured in CONFIGURED {
            prop_assert_eq!(offer(&left, configured), Offer::Pass);
        }
    }

    #[test]
    fn what_was_not_there_is_settled_unless_the_code_still_waits_for_it(
        entry in may_be_undone(),
        status in drawn::status(),
    ) {
        let (left, undone) = attempted(&entry, Ok(Reverted::NothingToRevert), status);
        prop_assert_eq!(undone, Undone::NothingToRevert);
        let goes_on = status == Status::Paused;
        prop_assert_eq!(left.state, if goes_on { original_state(&entry) } else { EntryState::Reverted });
        prop_assert!(!left.is_not_reverted());
        prop_assert_eq!(left.answer, entry.answer);
    }

    #[test]
    fn attempts_are_counted_over_interruptions_and_never_forget_what_the_call_was(
        entry in may_be_undone(),
        interruptions in 0..5_u32,
    ) {
        let (from, before) = (original_state(&entry), entry.revert.as_ref().map_or(0, |r| r.number));
        let mut left = entry;
        for n in 0..=interruptions {
            let (write, attempt) = begin_revert(&left, 5);
            prop_assert_eq!((attempt.from, attempt.number), (from, before + n + 1));
            prop_assert_eq!(attempt.failure, None);
            left = one(&left, write);
            prop_assert_eq!(left.state, EntryState::Reverting);
        }
        // Where nobody can be asked again, that is a failure like others.
        let ended = one(&left, end_interrupted(&left, 7).unwrap());
        prop_assert_eq!((ended.state, ended.is_not_reverted()), (from, true));
        prop_assert_eq!(ended.revert.unwrap().number, before + interruptions + 1);
    }

    #[test]
    fn only_what_was_interrupted_is_ended_as_such(entry in drawn::entry()) {
        prop_assert_eq!(end_interrupted(&entry, 7).is_some(), entry.state == EntryState::Reverting);
    }

    #[test]
    fn a_rolled_back_execution_has_nothing_open_and_keeps_all_but_its_status(
        execution in drawn::execution(),
        journal in drawn::journal(),
    ) {
        let writes = rolled_back(&execution, 8);
        let left = drawn::after(journal.clone(), &writes);
        for (before, after) in journal.iter().zip(&left) {
            let open = matches!(before.state, EntryState::Pending | EntryState::Executing);
            prop_assert_eq!(after.state, if open { EntryState::Withdrawn } else { before.state });
        }
        let moved = drawn::moved(&writes);
        prop_assert_eq!(moved.status, Status::RolledBack);
        prop_assert_eq!((moved.pass, moved.token, moved.owner), (execution.pass, execution.token, execution.owner));
        prop_assert_eq!((&moved.result, &moved.error), (&execution.result, &execution.error));
    }

    #[test]
    fn the_end_of_a_rollback_is_told_to_whoever_wants_to_know_of_ends(
        execution in drawn::execution(),
        wishes in drawn::wishes(),
    ) {
        let writes = due_at_end(&execution, &wishes);
        prop_assert_eq!(drawn::due(&writes), drawn::wanting(&wishes, HookKind::ExecutionEnded));
        let of_this = |h: &Hook| h.status == Status::RolledBack && h.pass == execution.pass;
        prop_assert!(writes.iter().all(|w| matches!(w, Write::HookDue(h) if of_this(h))), "{:?}", writes);
    }

    #[test]
    fn a_preview_has_the_calls_in_reverse_and_says_of_each_what_would_be_done(journal in drawn::journal()) {
        let configured = |e: &Entry| CONFIGURED[e.op.0 as usize % 3];
        let preview = preview(&journal, configured);
        let expected: Vec<(Seq, Offer)> = journal
            .iter()
            .rev()
            .map(|e| (e, offer(e, configured(e))))
            .filter(|(_, offer)| *offer != Offer::Pass)
            .map(|(e, offer)| (e.seq.unwrap(), offer))
            .collect();
        prop_assert_eq!(preview.into_iter().map(|c| (c.seq, c.offer)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_report_counts_each_call_once(undone in prop::collection::vec(undone(), 0..9)) {
        let call = |(n, undone): (usize, Undone)| UndoneCall {
            seq: Seq(u32::try_from(n).unwrap()),
            connector: "c".into(),
            method: "m".into(),
            undone,
        };
        let calls: Vec<UndoneCall> = undone.into_iter().enumerate().map(call).collect();
        let report = RollbackReport { execution: ExecutionId::from_text("e"), status: None, calls };
        let settled = report.calls.iter().filter(|c| !c.undone.is_left()).count();
        prop_assert_eq!(report.left() + settled, report.calls.len());
        prop_assert!(report.reverted() <= settled && report.failed() <= report.left());
        let error = report.error();
        prop_assert_eq!(error.is_some(), report.failed() > 0);
        if let Some(error) = error {
            let counts = format!("{} reverted, {} failed: c.m: it failed", report.reverted(), report.failed());
            prop_assert!(error.starts_with(&counts), "{}", error);
            prop_assert_eq!(error.matches("c.m: it failed").count(), report.failed());
        }
    }
}

fn undone() -> impl Strategy<Value = Undone> {
    prop_oneof![
        Just(Undone::Reverted),
        Just(Undone::NothingToRevert),
        Just(Undone::NoRevert),
        Just(Undone::ConnectorMissing),
        drawn::failure().prop_map(Undone::Failed),
        drawn::failure().prop_map(Undone::Unknown),
    ]
}
