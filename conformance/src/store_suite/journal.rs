//! What is written comes back, and in which order.

use codemode_runtime::durable::execution::{Execution, Status};
use codemode_runtime::durable::id::{ExecutionId, Op, Token, Version};
use codemode_runtime::durable::journal::{Delivery, Entry, EntryState, Request, Rerun};
use codemode_runtime::durable::write::{Hook, HookKind, Write};
use codemode_runtime::store::{Barrier, Query, Store, StoreError};

use super::Open;
use super::samples::{
    all_kinds, answered, append, asked, begin, decision, entry, execution, id, json, load, moved, pending,
};

/// Every field of executions, entries and hooks survives.
pub fn a_record_comes_back_as_it_was_written(open: Open<'_>) {
    let store = open();
    let id = id(1);
    let begun = execution(&id);
    let entries = all_kinds();
    let mut writes = vec![Write::Begin(Box::new(begun.clone()))];
    writes.extend(entries.iter().cloned().map(asked));
    append(&*store, &id, writes);
    let record = load(&*store, &id);
    assert_eq!(record.entries, entries);
    assert_eq!(record.execution, Execution { updated_at: 3_000, ..begun });

    for (status, at) in [(Status::Error, 4_000), (Status::Completed, 5_000)] {
        append(&*store, &id, vec![moved(status, 1, at)]);
        let execution = load(&*store, &id).execution;
        assert_eq!((execution.status, execution.pass, execution.owner, execution.updated_at), (status, 2, None, at));
        assert_eq!(execution.error.is_some(), status == Status::Error);
        assert_eq!(execution.result.is_some(), status == Status::Completed);
    }
    assert_eq!(store.load(&super::samples::id(2)), Ok(None));
}

/// No text is cut at a NUL, and half a surrogate pair keeps its escape (JSX-11).
pub fn text_with_nul_and_lone_surrogates_comes_back(open: Open<'_>) {
    let store = open();
    let id = ExecutionId::from_text("exec_a\0b");
    let mut begun = execution(&id);
    begun.start.code = "x\0y".to_owned();
    begun.logs = vec!["l\0l".to_owned(), String::new()];
    let name = "n\0ame".to_owned();
    let asks = [
        Entry { request: Request::Step { name: name.clone() }, ..entry(0) },
        Entry {
            request: Request::Call {
                connector: "c\0".to_owned(),
                method: name,
                args: Some(json("[\"\\u0000\",\"\\ud800\",\"k\\u0000\"]")),
            },
            ..entry(1)
        },
    ];
    let mut writes = vec![Write::Begin(Box::new(begun.clone()))];
    writes.extend(asks.iter().cloned().map(asked));
    writes.push(answered(1, "\"\\udfff\"", 2_500));
    append(&*store, &id, writes);
    let record = load(&*store, &id);
    assert_eq!(record.execution.start, begun.start);
    assert_eq!(record.execution.logs, begun.logs);
    assert_eq!(record.entries[0], asks[0]);
    assert_eq!(record.entries[1].request, asks[1].request);
    assert_eq!(record.entries[1].answer, Some(Ok(Some(json("\"\\udfff\"")))));
    let listed = store.list(&Query { id_prefix: Some("exec_a\0".to_owned()), ..Query::default() }).expect("lists");
    assert_eq!((listed.len(), listed[0].code_start.as_str()), (1, "x\0y"));
    let none = store.list(&Query { id_prefix: Some("exec_a\0c".to_owned()), ..Query::default() }).expect("lists");
    assert!(none.is_empty());
}

/// A late answer is dropped, alone (design part 4, late results).
pub fn an_answer_is_taken_only_in_the_states_it_names(open: Open<'_>) {
    let store = open();
    for (n, state) in (1..).zip(EntryState::ALL) {
        let id = begin(&*store, n);
        append(&*store, &id, vec![asked(Entry { state, ..entry(0) })]);
        let answer = Write::Answered {
            op: Op(0),
            from: &[EntryState::Executing, EntryState::Unknown],
            state: EntryState::Applied,
            answer: Some(Ok(None)),
            rerun: Rerun::Yes,
            at: 9_000,
            event: None,
        };
        append(&*store, &id, vec![answer, Write::Logged { lines: vec!["after".to_owned()] }]);
        let record = load(&*store, &id);
        let taken = matches!(state, EntryState::Executing | EntryState::Unknown);
        let expected = if taken {
            let entry = entry(0);
            Entry {
                state: EntryState::Applied,
                answer: Some(Ok(None)),
                rerun: Rerun::Yes,
                answered_at: Some(9_000),
                ..entry
            }
        } else {
            Entry { state, ..entry(0) }
        };
        assert_eq!(record.entries, [expected], "{state:?}");
        assert_eq!(record.execution.logs.last().map(String::as_str), Some("after"));
    }
}

/// Only a pending entry can be decided on.
pub fn a_decision_is_taken_only_while_its_entry_is_pending(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![asked(pending(0)), asked(entry(1))]);
    for op in [0, 1, 7] {
        append(&*store, &id, vec![Write::Decided { op: Op(op), decision: decision(8_000 + u64::from(op)) }]);
    }
    let record = load(&*store, &id);
    assert_eq!(record.entries[0].decision, Some(decision(8_000)));
    assert_eq!(record.entries[1].decision, None);
    assert_eq!(record.execution.updated_at, 8_000);
}

/// Pending ones are withdrawn, the rest stays.
pub fn a_sweep_changes_only_entries_in_the_states_it_names(open: Open<'_>) {
    let store = open();
    let (id, other) = (begin(&*store, 1), begin(&*store, 2));
    let all = (0u32..).zip(EntryState::ALL).map(|(op, state)| Entry { state, ..entry(op) }).collect::<Vec<_>>();
    append(&*store, &id, all.iter().cloned().map(asked).collect());
    append(&*store, &other, vec![asked(pending(0))]);
    let from: &[EntryState] = &[EntryState::Pending, EntryState::Executing];
    append(&*store, &id, vec![Write::Sweep { from, to: EntryState::Withdrawn, at: 7_000 }]);
    let swept = |e: Entry| match from.contains(&e.state) {
        true => Entry { state: EntryState::Withdrawn, answered_at: Some(7_000), ..e },
        false => e,
    };
    assert_eq!(load(&*store, &id).entries, all.into_iter().map(swept).collect::<Vec<_>>());
    assert_eq!(load(&*store, &other).entries, [pending(0)]);
}

/// Within a batch and across batches, with and without a barrier.
pub fn writes_are_applied_in_order(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    for op in 0..200 {
        let delivery = Delivery { place: op, now: u64::from(op) };
        let later = |writes| store.append(&id, Token(1), writes, Barrier::Later).wait();
        later(vec![asked(entry(op))]).expect("asked");
        later(vec![answered(op, &op.to_string(), 3_000), answered(op, "\"late\"", 4_000)]).expect("answered");
        later(vec![Write::Delivered { op: Op(op), delivery }]).expect("delivered");
    }
    append(&*store, &id, vec![Write::TimerLeft { op: Op(5), remaining_ms: 1 }]);
    let record = load(&*store, &id);
    for (op, entry) in (0u32..).zip(&record.entries) {
        assert_eq!(entry.answer, Some(Ok(Some(json(&op.to_string())))));
        assert_eq!(entry.delivery, Some(Delivery { place: op, now: u64::from(op) }));
        assert_eq!(entry.remaining_ms, (op == 5).then_some(1));
    }
    assert_eq!(record.entries.len(), 200);
}

/// A row begun anew keeps nothing of the old one.
pub fn an_entry_asked_again_replaces_the_whole_row(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let kinds = all_kinds();
    append(&*store, &id, kinds.iter().cloned().map(asked).collect());
    let again = Entry { op: Op(4), attempt: 2, ..entry(4) };
    append(&*store, &id, vec![asked(again.clone())]);
    let record = load(&*store, &id);
    assert_eq!(record.entries[4], again);
    assert_eq!(record.entries.len(), kinds.len());
}

/// Ops are dense; a batch with a hole leaves nothing of itself.
pub fn a_gap_in_the_ops_is_refused_as_a_whole(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let writes = vec![asked(entry(0)), asked(entry(2)), Write::Logged { lines: vec!["no".to_owned()] }];
    let refused = store.append(&id, Token(1), writes, Barrier::Now).wait();
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    let record = load(&*store, &id);
    assert_eq!((record.entries.len(), record.execution.logs.len()), (0, 1));
}

/// Over many batches.
pub fn lines_of_code_and_hooks_keep_their_order(open: Open<'_>) {
    let store = open();
    let (id, other) = (begin(&*store, 1), begin(&*store, 2));
    for n in 0..20 {
        for id in [&id, &other] {
            let lines = vec![format!("{n} a"), format!("{n} b")];
            append(&*store, id, vec![Write::Logged { lines }, Write::HookDue(hook(n))]);
        }
    }
    let record = load(&*store, &id);
    let expected: Vec<_> = (0..20).flat_map(|n| [format!("{n} a"), format!("{n} b")]).collect();
    assert_eq!(record.execution.logs[1..], expected);
    assert_eq!(record.hooks.iter().map(|h| h.pass).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
}

fn hook(pass: u32) -> Hook {
    Hook { id: 0, kind: HookKind::PassEnded, connector: "shelf".to_owned(), pass, status: Status::Paused }
}

/// The outbox: due with the batch that says so, gone with the one that ran it, its number never used again.
pub fn hooks_stay_until_they_are_done(open: Open<'_>) {
    let store = open();
    let (id, other) = (begin(&*store, 1), begin(&*store, 2));
    append(
        &*store,
        &id,
        vec![Write::HookDue(hook(1)), Write::HookDue(Hook { kind: HookKind::ExecutionEnded, ..hook(2) })],
    );
    let due = load(&*store, &id).hooks;
    assert_eq!(due.len(), 2);
    assert!(due[0].id != 0 && due[0].id < due[1].id);
    assert_eq!(due[1], Hook { id: due[1].id, kind: HookKind::ExecutionEnded, ..hook(2) });
    append(&*store, &other, vec![Write::HookDone { id: due[0].id }]);
    assert_eq!(load(&*store, &id).hooks, due, "another execution's hooks are not touched");
    append(&*store, &id, due.iter().map(|h| Write::HookDone { id: h.id }).collect());
    append(&*store, &id, vec![Write::HookDue(hook(3))]);
    let next = load(&*store, &id).hooks;
    assert!(next.len() == 1 && next[0].id > due[1].id);
}

/// Retention ranks by it, so a rollback must not renew it (SQL-09).
pub fn the_end_is_the_first_end(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![moved(Status::Paused, 1, 2_000)]);
    assert_eq!(load(&*store, &id).execution.ended_at, None);
    append(&*store, &id, vec![moved(Status::Completed, 1, 3_000)]);
    append(&*store, &id, vec![moved(Status::RolledBack, 1, 4_000)]);
    let execution = load(&*store, &id).execution;
    assert_eq!((execution.ended_at, execution.updated_at), (Some(3_000), 4_000));
}

/// Not by clock (WEAK-35).
pub fn lists_are_newest_first_by_insertion(open: Open<'_>) {
    let store = open();
    for n in [3, 1, 2] {
        begin(&*store, n);
    }
    append(&*store, &id(1), vec![moved(Status::Paused, 1, 9_000)]);
    assert_eq!(ids(&*store, &Query::default()), [id(2), id(1), id(3)]);
    assert_eq!(ids(&*store, &Query { status: Some(Status::Paused), ..Query::default() }), [id(1)]);
    assert_eq!(ids(&*store, &Query { status: Some(Status::Error), ..Query::default() }), []);
    assert_eq!(ids(&*store, &Query { limit: Some(0), ..Query::default() }), []);
}

fn ids(store: &dyn Store, query: &Query) -> Vec<ExecutionId> {
    store.list(query).expect("lists").into_iter().map(|s| s.id).collect()
}

/// A page starts below the last one's end, also when that execution is gone.
pub fn lists_can_be_paged_even_when_the_cursor_is_deleted(open: Open<'_>) {
    let store = open();
    (1..=9).for_each(|n| drop(begin(&*store, n)));
    let page =
        |before: Option<u64>| ids(&*store, &Query { before: before.map(id), limit: Some(4), ..Query::default() });
    assert_eq!(page(None), [id(9), id(8), id(7), id(6)]);
    assert_eq!(page(Some(6)), [id(5), id(4), id(3), id(2)]);
    store.commit(&id(6), Version(1), vec![Write::Delete]).expect("deletes");
    assert_eq!(page(Some(6)), [id(5), id(4), id(3), id(2)]);
    assert_eq!(page(Some(1)), []);
    assert_eq!(page(Some(0)), []);
}

/// No sign is a pattern (SQL-08).
pub fn prefixes_of_ids_are_taken_literally(open: Open<'_>) {
    let store = open();
    let names = ["50%_off", "50x_off", "a'b\"c", "[x]*?", "x\\y", "DROP TABLE x;--", "a\nb", "A", "ä", "_", "*", "é\0"];
    for name in names {
        let id = ExecutionId::from_text(name);
        append(&*store, &id, vec![Write::Begin(Box::new(execution(&id)))]);
    }
    for prefix in names.iter().copied().chain(["%", "50%", "[", "'", "\\", "?", "a", "", "Ä", "é", "no"]) {
        let found = ids(&*store, &Query { id_prefix: Some(prefix.to_owned()), ..Query::default() });
        let expected: Vec<_> =
            names.iter().rev().filter(|n| n.starts_with(prefix)).map(|n| ExecutionId::from_text(n)).collect();
        assert_eq!(found, expected, "{prefix:?}");
    }
    store.commit(&ExecutionId::from_text("50%_off"), Version(1), vec![Write::Delete]).expect("deletes");
    assert_eq!(ids(&*store, &Query::default()).len(), names.len() - 1);
}

/// Timers and discovery are no calls.
pub fn lists_count_calls_and_pending_ones(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let timer = Entry { seq: None, request: Request::Sleep { ms: 1 }, ..entry(1) };
    append(&*store, &id, vec![asked(pending(0)), asked(timer), asked(pending(2)), asked(entry(3))]);
    begin(&*store, 2);
    let counts: Vec<_> =
        store.list(&Query::default()).expect("lists").into_iter().map(|s| (s.calls, s.pending, s.damaged)).collect();
    assert_eq!(counts, [(0, 0, None), (3, 2, None)]);
}

/// 200 characters, not bytes.
pub fn a_list_shows_the_start_of_the_code_only(open: Open<'_>) {
    let store = open();
    let id = id(1);
    let mut begun = execution(&id);
    begun.start.code = "ü".repeat(100_000);
    append(&*store, &id, vec![Write::Begin(Box::new(begun))]);
    let listed = store.list(&Query::default()).expect("lists");
    assert_eq!(listed[0].code_start, "ü".repeat(200));
    assert_eq!(load(&*store, &id).execution.start.code.len(), 200_000);
}

/// In a record and in a list alike.
pub fn recording_a_call_counts_as_the_last_change(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    for (writes, expected) in [
        (vec![asked(entry(0))], 2_000),
        (vec![answered(0, "1", 6_000)], 6_000),
        (vec![asked(Entry { asked_at: 500, ..entry(1) })], 6_000),
        (vec![moved(Status::Paused, 1, 5_000)], 6_000),
        (vec![moved(Status::Paused, 1, 7_000)], 7_000),
    ] {
        append(&*store, &id, writes);
        let listed = store.list(&Query::default()).expect("lists");
        assert_eq!((load(&*store, &id).execution.updated_at, listed[0].updated_at), (expected, expected));
        assert_eq!(listed[0].created_at, 1_000);
    }
}
