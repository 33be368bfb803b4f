//! Who may write, and that a refused batch leaves no trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::id::{Op, Token, Version};
use codemode_runtime::durable::journal::EntryState;
use codemode_runtime::durable::write::{Hook, HookKind, Scope, StateKey, StateWrite, Write};
use codemode_runtime::store::{Barrier, Query, StoreError};

use super::Open;
use super::samples::{answered, append, asked, begin, decision, entry, execution, id, load, moved, pending};

fn line(text: &str) -> Write {
    Write::Logged { lines: vec![text.to_owned()] }
}

/// A second beginning is refused and changes nothing.
pub fn an_id_begins_once(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(entry(0))]);
    let again = vec![Write::Begin(Box::new(execution(&id)))];
    let refused = store.append(&id, Token(1), again, Barrier::Now).wait();
    assert_eq!(refused, Err(StoreError::Conflict(id.clone())));
    assert_eq!(load(&*store, &id).entries.len(), 1);
}

/// Also when the old owner's writes were already queued.
pub fn a_stale_token_is_fenced_off(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(entry(0))]);
    store.commit(&id, Version(1), vec![moved(Status::Running, 2, 3_000)]).expect("takes over");
    for token in [0, 1, 3] {
        let writes = vec![answered(0, "1", 4_000), line("stale")];
        let refused = store.append(&id, Token(token), writes, Barrier::Now).wait();
        assert_eq!(refused, Err(StoreError::Fenced(id.clone())), "token {token}");
    }
    assert_eq!(load(&*store, &id).entries[0].state, EntryState::Executing);
    assert_eq!(load(&*store, &id).execution.logs.len(), 1);
    store.append(&id, Token(2), vec![answered(0, "1", 4_000)], Barrier::Now).wait().expect("the owner writes");
    assert_eq!(load(&*store, &id).entries[0].state, EntryState::Applied);
}

/// There is nobody to be fenced off yet; what follows needs the token of the first row.
pub fn a_batch_that_begins_ignores_the_token(open: Open<'_>) {
    let store = open();
    let id = id(1);
    let writes = vec![Write::Begin(Box::new(execution(&id))), asked(entry(0))];
    store.append(&id, Token(77), writes, Barrier::Now).wait().expect("begins");
    assert_eq!(load(&*store, &id).execution.token, Token(1));
    append(&*store, &id, vec![asked(entry(1))]);
}

/// And leaves no trace.
pub fn a_decision_on_an_old_version_conflicts(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(pending(0)), moved(Status::Paused, 1, 3_000)]);
    let decide = |version| {
        store.commit(&id, Version(version), vec![line("decided"), Write::Decided { op: Op(0), decision: decision(1) }])
    };
    for version in [0, 1, 3] {
        assert_eq!(decide(version), Err(StoreError::Conflict(id.clone())), "version {version}");
    }
    assert_eq!(load(&*store, &id).entries[0].decision, None);
    assert_eq!(decide(2), Ok(Version(3)));
    assert_eq!(load(&*store, &id).execution.version, Version(3));
}

/// One clear winner, and everybody else knows.
pub fn of_fifty_deciders_one_wins(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let (won, lost) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for n in 0..50 {
            let (store, id, won, lost) = (Arc::clone(&store), &id, &won, &lost);
            scope.spawn(move || match store.commit(id, Version(1), vec![line(&format!("decider {n}"))]) {
                Ok(version) => {
                    assert_eq!(version, Version(2));
                    won.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => {
                    assert_eq!(error, StoreError::Conflict(id.clone()));
                    lost.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((won.into_inner(), lost.into_inner()), (1, 49));
    assert_eq!(load(&*store, &id).execution.logs.len(), 2);
}

/// By one per batch, however many moves it has; calls do not count.
pub fn versions_count_decisions_and_moves(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let version = || load(&*store, &id).execution.version;
    assert_eq!(version(), Version(1));
    append(&*store, &id, vec![asked(entry(0)), line("x"), answered(0, "1", 2_000)]);
    assert_eq!(version(), Version(1));
    append(&*store, &id, vec![moved(Status::Paused, 1, 3_000), moved(Status::Paused, 1, 3_001)]);
    assert_eq!(version(), Version(2));
    assert_eq!(store.commit(&id, Version(2), vec![line("y")]), Ok(Version(3)));
    assert_eq!(store.commit(&id, Version(3), vec![moved(Status::Running, 2, 4_000)]), Ok(Version(4)));
    assert_eq!(version(), Version(4));
}

/// Not even by halves: a late result after a delete is nothing.
pub fn nothing_is_written_to_what_does_not_exist(open: Open<'_>) {
    let store = open();
    let id = id(1);
    let own = StateKey { connector: "shelf".to_owned(), scope: Scope::Connector, key: "k".to_owned() };
    let state = Write::State(StateWrite { at: own, value: Some(vec![1]) });
    let gone = Err(StoreError::NotFound(id.clone()));
    let writes = vec![state.clone(), answered(0, "1", 1)];
    assert_eq!(store.append(&id, Token(1), writes, Barrier::Now).wait(), gone);
    assert_eq!(store.commit(&id, Version(1), vec![state.clone(), line("x")]), Err(StoreError::NotFound(id.clone())));
    assert_eq!(store.commit(&id, Version(0), vec![state]), Err(StoreError::NotFound(id.clone())));
    assert_eq!(store.state("shelf", None, "k"), Ok(None));
    assert_eq!(store.load(&id), Ok(None));

    let id = begin(&*store, 1);
    let writes = vec![line("before"), Write::Delete, line("after")];
    assert_eq!(store.append(&id, Token(1), writes, Barrier::Now).wait(), gone);
    assert_eq!(load(&*store, &id).execution.logs.len(), 1, "the batch was refused as a whole");
}

/// The same id can begin again and finds itself empty (DUR-23).
pub fn what_is_deleted_leaves_nothing_behind(open: Open<'_>) {
    let store = open();
    let (id, other) = (begin(&*store, 1), begin(&*store, 2));
    let hook =
        Hook { id: 0, kind: HookKind::ExecutionEnded, connector: "a".to_owned(), pass: 1, status: Status::Error };
    let fill = |id| {
        let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Execution, key: "k".to_owned() };
        let state = Write::State(StateWrite { at, value: Some(vec![1]) });
        append(&*store, id, vec![asked(entry(0)), asked(entry(1)), line("x"), Write::HookDue(hook.clone()), state]);
    };
    fill(&id);
    fill(&other);
    let untouched = load(&*store, &other);
    assert_eq!(store.commit(&id, Version(1), vec![Write::Delete]), Ok(Version(2)));
    assert_eq!(store.load(&id), Ok(None));
    assert_eq!(store.list(&Query::default()).expect("lists").len(), 1);
    assert_eq!(store.state("shelf", Some(&id), "k"), Ok(None));
    let again = begin(&*store, 1);
    let record = load(&*store, &again);
    assert_eq!((record.entries.len(), record.hooks.len(), record.execution.logs.len()), (0, 0, 1));
    assert_eq!(store.state("shelf", Some(&id), "k"), Ok(None));
    assert_eq!(load(&*store, &other), untouched);
    assert!(store.state("shelf", Some(&other), "k").expect("reads").is_some());
}

/// In the same process nobody waits for a barrier to see something.
pub fn appends_are_seen_at_once_by_readers(open: Open<'_>) {
    let store = open();
    let id = id(1);
    let later = |writes| store.append(&id, Token(1), writes, Barrier::Later).wait().expect("taken");
    later(vec![Write::Begin(Box::new(execution(&id)))]);
    assert_eq!(load(&*store, &id).entries.len(), 0);
    for op in 0..20u32 {
        later(vec![asked(entry(op))]);
        assert_eq!(u32::try_from(load(&*store, &id).entries.len()), Ok(op + 1));
        later(vec![answered(op, "1", 2_000)]);
        assert_eq!(store.list(&Query::default()).expect("lists")[0].calls, op + 1);
    }
    later(vec![moved(Status::Paused, 1, 3_000)]);
    assert_eq!(store.commit(&id, Version(2), vec![line("decided on what was queued")]), Ok(Version(3)));
}

/// An answer that comes too late takes its state writes with it, whatever the barrier.
pub fn a_missed_requirement_refuses_the_whole_batch(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(entry(0))]);
    let late = |op, barrier| {
        let require = Write::Require { op: Op(op), states: &[EntryState::Executing, EntryState::Unknown] };
        let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Connector, key: "k".to_owned() };
        let state = Write::State(StateWrite { at, value: Some(vec![1]) });
        store.append(&id, Token(1), vec![state, answered(op, "1", 5), require], barrier).wait()
    };
    for barrier in [Barrier::Now, Barrier::Later] {
        assert_eq!(late(1, barrier), Err(StoreError::Stale), "no such entry");
    }
    assert_eq!(store.state("shelf", None, "k"), Ok(None));
    assert_eq!(late(0, Barrier::Later), Ok(()));
    let first = store.state("shelf", None, "k").expect("reads").expect("is there");
    assert_eq!(late(0, Barrier::Now), Err(StoreError::Stale), "it is applied now");
    assert_eq!(store.state("shelf", None, "k"), Ok(Some(first)));
    append(&*store, &id, vec![asked(entry(1))]);
}

/// However many there were.
pub fn owners_get_different_numbers(open: Open<'_>) {
    let store = open();
    let mut owners: Vec<_> = (0..20).map(|_| store.claim_owner().expect("claims")).collect();
    owners.dedup();
    assert_eq!(owners.len(), 20);
    assert!(owners.is_sorted());
}

/// Each in its own order, none in the other's way.
pub fn many_executions_append_at_once(open: Open<'_>) {
    let store = open();
    std::thread::scope(|scope| {
        for n in 0..16 {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                let id = begin(&*store, n);
                for op in 0..40 {
                    append(&*store, &id, vec![asked(entry(op))]);
                    let writes = vec![answered(op, "1", 2_000)];
                    store.append(&id, Token(1), writes, Barrier::Later).wait().expect("taken");
                    let stale = store.append(&id, Token(9), vec![line("stale")], Barrier::Now).wait();
                    assert_eq!(stale, Err(StoreError::Fenced(id.clone())));
                }
                append(&*store, &id, vec![moved(Status::Completed, 1, 3_000)]);
            });
        }
    });
    let listed = store.list(&Query { status: Some(Status::Completed), ..Query::default() }).expect("lists");
    assert_eq!(listed.iter().map(|s| s.calls).collect::<Vec<_>>(), [40; 16]);
    for summary in listed {
        assert!(load(&*store, &summary.id).entries.iter().all(|e| e.state == EntryState::Applied));
    }
}
