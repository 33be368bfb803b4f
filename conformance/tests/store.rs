//! Every property of stores on both stores, and the two against each other.

use std::sync::Arc;

use codemode_conformance::store_suite::PROPERTIES;
use codemode_conformance::store_suite::samples::{
    self, all_kinds, answered, asked, decision, entry, execution, moved, pending,
};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::id::{ExecutionId, Op, Token, Version};
use codemode_runtime::durable::journal::{Delivery, EntryState};
use codemode_runtime::durable::write::{Hook, HookKind, Scope, StateKey, StateRead, StateWrite, Write};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};
use codemode_runtime::store::{Barrier, Query, StateQuery, Store, StoreError};
use proptest::prelude::*;

fn sqlite(path: &std::path::Path) -> SqliteStore {
    SqliteStore::open(path, Options { durability: Durability::Process, ..Options::default() }).expect("the store opens")
}

fn holds_on_both(name: &str) {
    let (_, property) = PROPERTIES.iter().find(|(n, _)| *n == name).expect("a property of that name");
    property(&|| Arc::new(MemoryStore::new()));
    let folder = tempfile::tempdir().expect("a folder");
    let next = std::cell::Cell::new(0);
    property(&|| {
        next.set(next.get() + 1);
        Arc::new(sqlite(&folder.path().join(format!("{}.db", next.get()))))
    });
}

macro_rules! on_both {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            holds_on_both(stringify!($name));
        })+

        #[test]
        fn no_property_is_forgotten() {
            let run = [$(stringify!($name)),+];
            assert_eq!(PROPERTIES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), run);
        }
    };
}

on_both! {
    a_record_comes_back_as_it_was_written
    text_with_nul_and_lone_surrogates_comes_back
    an_answer_is_taken_only_in_the_states_it_names
    a_decision_is_taken_only_while_its_entry_is_pending
    a_sweep_changes_only_entries_in_the_states_it_names
    writes_are_applied_in_order
    an_entry_asked_again_replaces_the_whole_row
    a_gap_in_the_ops_is_refused_as_a_whole
    lines_of_code_and_hooks_keep_their_order
    hooks_stay_until_they_are_done
    the_end_is_the_first_end
    lists_are_newest_first_by_insertion
    lists_can_be_paged_even_when_the_cursor_is_deleted
    prefixes_of_ids_are_taken_literally
    lists_count_calls_and_pending_ones
    a_list_shows_the_start_of_the_code_only
    recording_a_call_counts_as_the_last_change
    an_id_begins_once
    a_stale_token_is_fenced_off
    a_batch_that_begins_ignores_the_token
    a_decision_on_an_old_version_conflicts
    of_fifty_deciders_one_wins
    versions_count_decisions_and_moves
    nothing_is_written_to_what_does_not_exist
    what_is_deleted_leaves_nothing_behind
    appends_are_seen_at_once_by_readers
    a_missed_requirement_refuses_the_whole_batch
    owners_get_different_numbers
    many_executions_append_at_once
    state_is_kept_with_its_scope
    versions_of_state_only_grow
    an_expectation_that_fails_refuses_the_whole_batch
    an_absent_key_is_expected_as_version_zero
    expectations_look_at_the_state_before_the_batch
    keys_are_listed_in_byte_order_and_by_literal_prefix
    keys_can_be_paged
    any_bytes_and_names_can_be_kept
}

/// The tiny universe of the differential test.
const IDS: u64 = 3;
const STATE_KEYS: [&str; 3] = ["a", "a%", "b"];

#[derive(Clone, Debug)]
enum Step {
    Append { id: u64, token: u64, writes: Vec<Write> },
    Commit { id: u64, version: Chosen, writes: Vec<Write> },
    Reopen,
}

/// Which version a decider names.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Current,
    Fixed(u64),
}

fn arb_states() -> impl Strategy<Value = &'static [EntryState]> {
    prop_oneof![
        Just(&[EntryState::Executing][..]),
        Just(&[EntryState::Executing, EntryState::Unknown, EntryState::Pending][..]),
        Just(&EntryState::ALL[..]),
    ]
}

fn arb_write() -> impl Strategy<Value = Write> {
    let op = 0..6u32;
    let at = 0..9_999u64;
    let place = (prop_oneof![Just(Scope::Connector), Just(Scope::Execution)], prop::sample::select(&STATE_KEYS[..]))
        .prop_map(|(scope, key)| StateKey { connector: "shelf".to_owned(), scope, key: key.to_owned() });
    let state = prop::sample::select(&EntryState::ALL[..]);
    let status = prop::sample::select(&Status::ALL[..]);
    prop_oneof![
        6 => (op.clone(), 0..10usize).prop_map(|(op, kind)| {
            let kinds = all_kinds();
            let mut new = kinds.get(kind).cloned().unwrap_or_else(|| pending(op));
            new.op = Op(op);
            asked(new)
        }),
        3 => (op.clone(), at.clone()).prop_map(|(op, at)| answered(op, "[1]", at)),
        2 => (op.clone(), arb_states(), state.clone(), at.clone()).prop_map(|(op, from, state, at)| Write::Answered {
            op: Op(op), from, state, answer: None, rerun: entry(op).rerun, at, event: None,
        }),
        2 => (op.clone(), arb_states()).prop_map(|(op, states)| Write::Require { op: Op(op), states }),
        2 => (op.clone(), 0..9u32).prop_map(|(op, place)| Write::Delivered {
            op: Op(op), delivery: Delivery { place, now: 5 },
        }),
        1 => op.clone().prop_map(|op| Write::TimerLeft { op: Op(op), remaining_ms: 3 }),
        2 => (op, at.clone()).prop_map(|(op, at)| Write::Decided { op: Op(op), decision: decision(at) }),
        1 => (arb_states(), state, at.clone()).prop_map(|(from, to, at)| Write::Sweep { from, to, at }),
        3 => (status.clone(), 1..3u64, at).prop_map(|(status, token, at)| moved(status, token, at)),
        1 => Just(Write::Logged { lines: vec!["a".to_owned(), "b".to_owned()] }),
        1 => (0..4u32, status).prop_map(|(pass, status)| Write::HookDue(Hook {
            id: 0, kind: HookKind::PassEnded, connector: "shelf".to_owned(), pass, status,
        })),
        1 => (0..9u64).prop_map(|id| Write::HookDone { id }),
        3 => (place.clone(), prop::option::of(0..9u8)).prop_map(|(at, value)| Write::State(StateWrite {
            at, value: value.map(|v| vec![v]),
        })),
        1 => (place, 0..6u64).prop_map(|(at, version)| Write::Expect(StateRead { at, version })),
        1 => Just(Write::Delete),
    ]
}

fn arb_step() -> impl Strategy<Value = Step> {
    let writes = || prop::collection::vec(arb_write(), 0..4);
    let version = prop_oneof![4 => Just(Chosen::Current), 1 => (0..9u64).prop_map(Chosen::Fixed)];
    prop_oneof![
        3 => (0..IDS, writes()).prop_map(|(id, mut writes)| {
            writes.insert(0, Write::Begin(Box::new(execution(&samples::id(id)))));
            Step::Append { id, token: 1, writes }
        }),
        8 => (0..IDS, 1..3u64, writes()).prop_map(|(id, token, writes)| Step::Append { id, token, writes }),
        4 => (0..IDS, version, writes()).prop_map(|(id, version, writes)| Step::Commit { id, version, writes }),
        1 => Just(Step::Reopen),
    ]
}

/// The errors' words may differ where they are for people only.
fn kind<T>(result: Result<T, StoreError>) -> Result<T, &'static str> {
    result.map_err(|error| error.code())
}

fn same(memory: &dyn Store, sqlite: &dyn Store) -> Result<(), TestCaseError> {
    let ids: Vec<ExecutionId> = (0..IDS).map(samples::id).collect();
    for id in &ids {
        prop_assert_eq!(sqlite.load(id), memory.load(id));
    }
    for query in [
        Query::default(),
        Query { status: Some(Status::Paused), ..Query::default() },
        Query { before: Some(samples::id(1)), limit: Some(1), ..Query::default() },
    ] {
        prop_assert_eq!(sqlite.list(&query), memory.list(&query));
    }
    for execution in ids.iter().map(Some).chain([None]) {
        for key in STATE_KEYS {
            prop_assert_eq!(sqlite.state("shelf", execution, key), memory.state("shelf", execution, key));
        }
        let query = StateQuery { connector: "shelf", execution, prefix: "a", after: None, limit: 9 };
        prop_assert_eq!(sqlite.state_keys(&query), memory.state_keys(&query));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn both_stores_do_the_same(steps in prop::collection::vec(arb_step(), 1..40)) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.db");
        let memory = MemoryStore::new();
        let mut file = Some(sqlite(&path));
        for step in steps {
            let store = file.get_or_insert_with(|| sqlite(&path));
            match step {
                Step::Append { id, token, writes } => {
                    let id = samples::id(id);
                    let outcome = store.append(&id, Token(token), writes.clone(), Barrier::Now).wait();
                    let expected = memory.append(&id, Token(token), writes, Barrier::Now).wait();
                    prop_assert_eq!(kind(outcome), kind(expected));
                }
                Step::Commit { id, version, writes } => {
                    let id = samples::id(id);
                    let version = match version {
                        Chosen::Fixed(version) => Version(version),
                        Chosen::Current => memory.load(&id).expect("reads").map_or(Version(1), |r| r.execution.version),
                    };
                    let outcome = store.commit(&id, version, writes.clone());
                    prop_assert_eq!(kind(outcome), kind(memory.commit(&id, version, writes)));
                }
                Step::Reopen => file = None,
            }
            same(&memory, file.get_or_insert_with(|| sqlite(&path)))?;
        }
    }
}
