//! Ends outside of a pass as rules: nothing is left open, and no call that was begun is called undone.

use proptest::prelude::*;

use super::super::drawn;
use super::*;

const AT: u64 = 60;

fn at_rest() -> impl Strategy<Value = Execution> {
    drawn::execution().prop_filter("not over", |e| !e.status.is_terminal())
}

fn begun_outside(entry: &Entry) -> bool {
    let may_be_seen =
        matches!(entry.request, Request::Call { .. } | Request::Fetch { .. }) && entry.terms.needs_barrier();
    entry.state == EntryState::Executing && entry.attempt > 0 && may_be_seen
}

proptest! {
    #![proptest_config(drawn::config())]

    #[test]
    fn nothing_is_left_open_and_what_was_begun_stays_in_doubt(journal in drawn::journal()) {
        let left = drawn::after(journal.clone(), &close_open(&journal, AT));
        for (before, after) in journal.iter().zip(&left) {
            let expected = match before.state {
                _ if begun_outside(before) => EntryState::Unknown,
                EntryState::Pending | EntryState::Executing => EntryState::Withdrawn,
                other => other,
            };
            prop_assert_eq!(after.state, expected, "{:?}", before);
        }
        // Once more changes nothing.
        prop_assert_eq!(drawn::after(left.clone(), &close_open(&left, AT)), left);
    }

    #[test]
    fn a_paused_execution_ends_as_rejected_and_an_abandoned_one_as_error(
        execution in at_rest(),
        journal in drawn::journal(),
        wishes in drawn::wishes(),
    ) {
        let error = CodeError::new(ErrorKind::Expired, "nobody came");
        let ending = Ending { wishes: &wishes, owner: OwnerId(77), at: AT };
        let writes = end_at_rest(&execution, &journal, error.clone(), ending);
        let moved = drawn::moved(&writes);
        let expected = if execution.status == Status::Paused { Status::Rejected } else { Status::Error };
        prop_assert_eq!(moved.status, expected);
        prop_assert!(execution.status.may_become(moved.status));
        prop_assert!(moved.token > execution.token, "a late answer is refused");
        prop_assert_eq!((&moved.error, &moved.result, moved.pass), (&Some(error), &None, execution.pass));
        // No pass ended, so only the end itself is told; while that is to be done, somebody owns it.
        let wanting = drawn::wanting(&wishes, HookKind::ExecutionEnded);
        prop_assert_eq!(moved.owner, (!wanting.is_empty()).then_some(OwnerId(77)));
        prop_assert_eq!(drawn::due(&writes), wanting);
        let open = |e: &Entry| matches!(e.state, EntryState::Pending | EntryState::Executing);
        prop_assert!(!drawn::after(journal, &writes).iter().any(open));
    }

    #[test]
    fn what_is_deleted_ends_first_and_says_why(execution in at_rest(), journal in drawn::journal()) {
        let writes = dispose(&execution, &journal, Ending { wishes: &[], owner: OwnerId(77), at: AT });
        let kind = drawn::moved(&writes).error.as_ref().unwrap().kind;
        let expected = if execution.status == Status::Running { ErrorKind::Abandoned } else { ErrorKind::Cancelled };
        prop_assert_eq!(kind, expected);
    }
}
