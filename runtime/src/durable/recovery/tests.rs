//! Recovery as rules: something is always to be done, and whoever takes over fences whoever was there.

use proptest::prelude::*;

use super::super::drawn;
use super::*;

fn hooks() -> impl Strategy<Value = Vec<Hook>> {
    let hook =
        Hook { id: 1, kind: HookKind::ExecutionEnded, connector: "c".into(), pass: 1, status: Status::RolledBack };
    (0..3_usize).prop_map(move |n| vec![hook.clone(); n])
}

proptest! {
    #![proptest_config(drawn::config())]

    #[test]
    fn whatever_was_left_is_a_pass_a_rollback_or_hooks(
        execution in drawn::execution(),
        journal in drawn::journal(),
        hooks in hooks(),
    ) {
        let reverting = journal.iter().any(|e| e.state == EntryState::Reverting);
        let untold = execution.status == Status::RolledBack && hooks.is_empty();
        let expected = match execution.status {
            Status::Running => Work::Pass,
            _ if reverting || untold => Work::Rollback,
            _ => Work::Hooks,
        };
        prop_assert_eq!(left_undone(&execution, &journal, &hooks), expected);
    }

    #[test]
    fn whoever_takes_over_begins_the_next_pass_under_a_token_of_its_own(
        execution in drawn::execution(),
        wishes in drawn::wishes(),
    ) {
        let (writes, next) = take_over(&execution, OwnerId(77), &wishes, 50);
        prop_assert!(next.token > execution.token, "what the lost process still appends is refused");
        prop_assert_eq!((next.status, next.pass, next.owner), (Status::Running, execution.pass + 1, Some(OwnerId(77))));
        prop_assert_eq!(&next.start, &execution.start);
        let moved = drawn::moved(&writes);
        prop_assert_eq!((moved.status, moved.pass), (next.status, next.pass));
        prop_assert_eq!((moved.token, moved.owner), (next.token, next.owner));
        // The lost pass ended, and nothing else did.
        prop_assert_eq!(drawn::due(&writes), drawn::wanting(&wishes, HookKind::PassEnded));
        let of_the_lost = |w: &Write| match w {
            Write::HookDue(h) => h.pass == execution.pass && h.status == Status::Error,
            _ => true,
        };
        prop_assert!(writes.iter().all(of_the_lost), "{:?}", writes);
    }

    #[test]
    fn a_claim_changes_nothing_but_the_ownership(execution in drawn::execution()) {
        let (writes, claimed) = claim(&execution, OwnerId(77));
        prop_assert!(claimed.token > execution.token);
        prop_assert_eq!(writes, vec![Write::Owned { token: claimed.token, owner: Some(OwnerId(77)) }]);
        prop_assert_eq!(Execution { token: execution.token, owner: execution.owner, ..claimed }, execution);
    }
}
