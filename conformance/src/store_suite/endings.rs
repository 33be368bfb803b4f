//! Who works on an execution, who wants it to stop, and what is removed when enough others have ended.

use std::sync::Arc;

use codemode_runtime::durable::execution::{Execution, Status};
use codemode_runtime::durable::id::{ExecutionId, OwnerId, Token, Version};
use codemode_runtime::durable::write::{Hook, HookKind, Scope, StateKey, StateWrite, Write};
use codemode_runtime::store::{Barrier, Query, Store, StoreError};

use super::Open;
use super::samples::{append, asked, begin, entry, execution, id, load, moved};

fn owned(token: u64, owner: Option<u64>) -> Write {
    Write::Owned { token: Token(token), owner: owner.map(OwnerId) }
}

/// An execution that ended at that time and is at rest.
fn ended(store: &dyn Store, n: u64, at: u64) -> ExecutionId {
    let id = begin(store, n);
    append(store, &id, vec![moved(Status::Completed, 1, at)]);
    id
}

fn left(store: &dyn Store) -> Vec<ExecutionId> {
    let mut ids: Vec<_> = store.list(&Query::default()).expect("lists").into_iter().map(|s| s.id).collect();
    ids.reverse();
    ids
}

/// In the order of their beginning, whatever their status; not at rest.
pub fn what_somebody_works_on_is_listed_with_its_owner(open: Open<'_>) {
    let store = open();
    for n in [3, 1, 2, 4] {
        begin(&*store, n);
    }
    append(&*store, &id(1), vec![moved(Status::Completed, 1, 2_000), owned(2, Some(7))]);
    append(&*store, &id(2), vec![moved(Status::Paused, 1, 2_000)]);
    let expected = vec![(id(3), OwnerId(1)), (id(1), OwnerId(7)), (id(4), OwnerId(1))];
    assert_eq!(store.owned(), Ok(expected));
    store.commit(&id(3), Version(1), vec![Write::Delete]).expect("deletes");
    store.append(&id(1), Token(2), vec![owned(2, None)], Barrier::Later).wait().expect("rests");
    assert_eq!(store.owned(), Ok(vec![(id(4), OwnerId(1))]));
}

/// It counts as a change of the row and fences the former owner off; nothing else of the row changes.
pub fn a_change_of_ownership_changes_nothing_else(open: Open<'_>) {
    let store = open();
    let id = ended(&*store, 1, 3_000);
    let before = load(&*store, &id).execution;
    assert_eq!(store.commit(&id, Version(2), vec![owned(2, Some(5))]), Ok(Version(3)));
    let claimed = Execution { version: Version(3), token: Token(2), owner: Some(OwnerId(5)), ..before.clone() };
    assert_eq!(load(&*store, &id).execution, claimed);
    let late = store.append(&id, Token(1), vec![owned(1, None)], Barrier::Now).wait();
    assert_eq!(late, Err(StoreError::Fenced(id.clone())));
    assert_eq!(store.commit(&id, Version(2), vec![owned(9, None)]), Err(StoreError::Conflict(id.clone())));
    store.append(&id, Token(2), vec![owned(2, None)], Barrier::Now).wait().expect("rests");
    assert_eq!(load(&*store, &id).execution, Execution { version: Version(4), token: Token(2), ..before });
}

/// And nobody lives who never was.
pub fn an_owner_lives_until_it_is_released(open: Open<'_>) {
    let store = open();
    let (one, two) = (store.claim_owner().expect("claims"), store.claim_owner().expect("claims"));
    let alive = |owner| store.owner_is_alive(owner).expect("can be found out");
    assert_eq!((alive(one), alive(two), alive(OwnerId(two.0 + 1)), alive(OwnerId(0))), (true, true, false, false));
    // What was appended is there before anybody takes over.
    let id = begin(&*store, 1);
    store.append(&id, Token(1), vec![asked(entry(0))], Barrier::Later).wait().expect("taken");
    store.release_owner(one);
    assert_eq!((alive(one), alive(two), load(&*store, &id).entries.len()), (false, true, 1));
    store.release_owner(one);
    assert!(store.claim_owner().expect("claims").0 > two.0, "numbers are not used again");
    assert_eq!((alive(one), alive(two)), (false, true));
}

/// Only its owner sees it. A change of ownership alone does not take it back.
pub fn a_wish_to_stop_stands_until_the_next_move(open: Open<'_>) {
    let store = open();
    for n in [2, 1, 3] {
        begin(&*store, n);
    }
    assert_eq!(store.cancelled(OwnerId(1)), Ok(vec![]));
    for n in [1, 2] {
        assert_eq!(store.commit(&id(n), Version(1), vec![Write::Cancel]), Ok(Version(2)));
        assert_eq!(load(&*store, &id(n)).execution, Execution { version: Version(2), ..execution(&id(n)) });
    }
    assert_eq!(store.cancelled(OwnerId(1)), Ok(vec![id(2), id(1)]), "in the order of their beginning");
    assert_eq!(store.cancelled(OwnerId(2)), Ok(vec![]));
    assert_eq!(store.commit(&id(3), Version(7), vec![Write::Cancel]), Err(StoreError::Conflict(id(3))));
    assert_eq!(store.commit(&id(9), Version(1), vec![Write::Cancel]), Err(StoreError::NotFound(id(9))));

    append(&*store, &id(1), vec![owned(1, Some(2))]);
    assert_eq!((store.cancelled(OwnerId(1)), store.cancelled(OwnerId(2))), (Ok(vec![id(2)]), Ok(vec![id(1)])));
    append(&*store, &id(1), vec![moved(Status::Running, 1, 4_000)]);
    store.commit(&id(2), Version(2), vec![Write::Delete]).expect("deletes");
    begin(&*store, 2);
    assert_eq!((store.cancelled(OwnerId(1)), store.cancelled(OwnerId(2))), (Ok(vec![]), Ok(vec![])));
}

/// Not those that began last; of those that ended in the same millisecond, those that began last.
pub fn pruning_keeps_those_that_ended_last(open: Open<'_>) {
    let store = open();
    for (n, at) in [(1, 9_000), (2, 3_000), (3, 5_000), (4, 5_000), (5, 4_000)] {
        ended(&*store, n, at);
    }
    for (keep, gone, expected) in [
        (5, 0, vec![1, 2, 3, 4, 5]),
        (3, 2, vec![1, 3, 4]),
        (2, 1, vec![1, 4]),
        (u32::MAX, 0, vec![1, 4]),
        (0, 2, vec![]),
    ] {
        assert_eq!(store.prune(keep), Ok(gone), "keep {keep}");
        assert_eq!(left(&*store), expected.into_iter().map(id).collect::<Vec<_>>(), "keep {keep}");
    }
    assert_eq!(store.prune(0), Ok(0));
}

/// Every terminal status may go; a rollback does not make an old end a new one.
pub fn pruning_takes_only_what_has_ended_and_is_at_rest(open: Open<'_>) {
    let store = open();
    for (n, status) in (1..).zip(Status::ALL) {
        begin(&*store, n);
        append(&*store, &id(n), vec![moved(status, 1, 2_000 + n)]);
    }
    assert_eq!(store.prune(2), Ok(2));
    assert_eq!(left(&*store), [id(1), id(2), id(5), id(6)], "running, paused, rejected, rolled back");
    // Somebody works on the older one: it stays, and no other goes in its place.
    append(&*store, &id(5), vec![owned(1, Some(1))]);
    assert_eq!((store.prune(1), store.prune(0)), (Ok(0), Ok(1)));
    assert_eq!(left(&*store), [id(1), id(2), id(5)]);
    append(&*store, &id(5), vec![moved(Status::RolledBack, 1, 9_000)]);
    ended(&*store, 7, 8_000);
    assert_eq!(store.prune(1), Ok(1));
    assert_eq!(left(&*store), [id(1), id(2), id(7)], "it ended first, and was rolled back since");
}

/// Entries, lines, hooks and state go with it; what is the connector's own stays.
pub fn what_is_pruned_leaves_nothing_behind(open: Open<'_>) {
    let store = open();
    let hook =
        Hook { id: 0, kind: HookKind::ExecutionEnded, connector: "a".to_owned(), pass: 1, status: Status::Error };
    let state = |scope, byte| {
        let at = StateKey { connector: "shelf".to_owned(), scope, key: "k".to_owned() };
        Write::State(StateWrite { at, value: Some(vec![byte]) })
    };
    for n in [1, 2] {
        begin(&*store, n);
        let filled = vec![
            asked(entry(0)),
            Write::Logged { lines: vec!["x".to_owned()] },
            Write::HookDue(hook.clone()),
            state(Scope::Execution, 1),
            state(Scope::Connector, 2),
            Write::Cancel,
            moved(Status::Error, 1, 2_000),
        ];
        append(&*store, &id(n), filled);
    }
    let untouched = load(&*store, &id(2));
    assert_eq!(store.prune(1), Ok(1));
    assert_eq!((store.load(&id(1)), store.state("shelf", Some(&id(1)), "k")), (Ok(None), Ok(None)));
    let late = store.append(&id(1), Token(1), vec![asked(entry(1))], Barrier::Now).wait();
    assert_eq!(late, Err(StoreError::NotFound(id(1))));
    begin(&*store, 1);
    let record = load(&*store, &id(1));
    assert_eq!((record.entries.len(), record.hooks.len(), record.execution.logs.len()), (0, 0, 1));
    assert_eq!(load(&*store, &id(2)), untouched);
    for kept in [None, Some(&id(2))] {
        assert!(store.state("shelf", kept, "k").expect("reads").is_some());
    }
}

/// In the batch that begins it: none of both without the other (RUN-06). The new one does not count.
pub fn a_beginning_prunes_in_its_own_batch(open: Open<'_>) {
    let store = open();
    (1..=4).for_each(|n| drop(ended(&*store, n, 2_000 + n)));
    let begins = |n: u64| vec![Write::Begin(Box::new(execution(&id(n)))), Write::Prune { keep: 2 }];
    let refused = store.append(&id(4), Token(1), begins(4), Barrier::Now).wait();
    assert_eq!(refused, Err(StoreError::Conflict(id(4))));
    assert_eq!(left(&*store).len(), 4);
    append(&*store, &id(5), begins(5));
    assert_eq!(left(&*store), [id(3), id(4), id(5)]);
    append(&*store, &id(5), vec![moved(Status::Paused, 1, 3_000)]);
    append(&*store, &id(6), begins(6));
    assert_eq!(left(&*store), [id(3), id(4), id(5), id(6)]);
}

/// An execution outlives its own batch, and what it writes after pruning is its own.
pub fn a_batch_never_prunes_its_own_execution(open: Open<'_>) {
    let store = open();
    (1..=3).for_each(|n| drop(ended(&*store, n, 2_000 + n)));
    let version = load(&*store, &id(1)).execution.version;
    let writes = vec![Write::Prune { keep: 0 }, asked(entry(0)), Write::Logged { lines: vec!["after".to_owned()] }];
    store.commit(&id(1), version, writes).expect("commits");
    assert_eq!(left(&*store), [id(1)]);
    let record = load(&*store, &id(1));
    assert_eq!((record.entries.len(), record.execution.logs.len()), (1, 2));
    assert_eq!(store.prune(0), Ok(1));
    assert_eq!(left(&*store), []);
}

/// However many want it at the same moment, from as many sides.
pub fn prunings_at_once_never_remove_too_much(open: Open<'_>) {
    let store = open();
    for round in 0..10 {
        (0..10).for_each(|n| drop(ended(&*store, 100 * round + n, 2_000 + n)));
        let gone: u64 = std::thread::scope(|scope| {
            let prune = |n: u64| {
                let store = Arc::clone(&store);
                let begins =
                    vec![Write::Begin(Box::new(execution(&id(100 * round + 50 + n)))), Write::Prune { keep: 4 }];
                scope.spawn(move || {
                    if n.is_multiple_of(2) {
                        return store.prune(4).expect("prunes");
                    }
                    append(&*store, &id(100 * round + 50 + n), begins);
                    0
                })
            };
            let pruning: Vec<_> = (0..8).map(prune).collect();
            pruning.into_iter().map(|thread| thread.join().expect("ends")).sum()
        });
        assert!(gone <= 10, "{gone}");
        let kept: Vec<_> = store
            .list(&Query { status: Some(Status::Completed), ..Query::default() })
            .expect("lists")
            .into_iter()
            .map(|s| s.ended_at)
            .collect();
        assert_eq!(kept, [2_009, 2_008, 2_007, 2_006].map(Some), "those that ended last");
        store.prune(0).expect("prunes");
        assert_eq!(
            store.list(&Query { status: Some(Status::Running), ..Query::default() }).expect("lists").len(),
            4 * (usize::try_from(round).expect("small") + 1)
        );
    }
}

/// The row's own time counts, which a call that is recorded does not touch: nothing is missing, some may be too many.
pub fn idle_ones_are_found_by_the_last_change_of_their_row(open: Open<'_>) {
    let store = open();
    for (n, at) in [(1, 2_000), (2, 4_000), (3, 3_000)] {
        begin(&*store, n);
        append(&*store, &id(n), vec![moved(Status::Paused, 1, at)]);
    }
    begin(&*store, 4);
    let idle = |idle_since, status, limit| {
        let query = Query { idle_since: Some(idle_since), status, limit, ..Query::default() };
        store.list(&query).expect("lists").into_iter().map(|s| s.id).collect::<Vec<_>>()
    };
    assert_eq!(idle(999, None, None), []);
    assert_eq!(idle(1_000, None, None), [id(4)]);
    assert_eq!(idle(2_999, Some(Status::Paused), None), [id(1)]);
    assert_eq!(idle(3_000, Some(Status::Paused), None), [id(3), id(1)]);
    assert_eq!(idle(u64::from(u32::MAX), Some(Status::Paused), Some(2)), [id(3), id(2)]);
    append(&*store, &id(3), vec![asked(entry(0))]);
    assert_eq!(idle(3_000, Some(Status::Paused), None), [id(3), id(1)]);
    append(&*store, &id(3), vec![moved(Status::Paused, 1, 3_001)]);
    assert_eq!(idle(3_000, Some(Status::Paused), None), [id(1)]);
}
