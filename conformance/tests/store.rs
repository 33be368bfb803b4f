//! Every property of stores on both stores, and the two against each other.

#[path = "properties/mod.rs"]
mod cases;
#[path = "store/differential.rs"]
mod differential;
#[path = "store/drafts.rs"]
mod drafts;

use std::sync::Arc;

use codemode_conformance::store_suite::PROPERTIES;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Durability, Options, SqliteStore};

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
    what_somebody_works_on_is_listed_with_its_owner
    a_change_of_ownership_changes_nothing_else
    an_owner_lives_until_it_is_released
    a_wish_to_stop_stands_until_the_next_move
    pruning_keeps_those_that_ended_last
    pruning_takes_only_what_has_ended_and_is_at_rest
    what_is_pruned_leaves_nothing_behind
    a_beginning_prunes_in_its_own_batch
    a_batch_never_prunes_its_own_execution
    prunings_at_once_never_remove_too_much
    idle_ones_are_found_by_the_last_change_of_their_row
    an_attempt_to_undo_is_kept_on_its_entry
    executions_in_doubt_are_listed_newest_first
    a_word_is_taken_only_while_its_call_is_in_doubt
    a_snippet_comes_back_as_it_was_saved
    saving_again_replaces_the_whole_snippet
    snippets_are_listed_in_byte_order
    names_of_snippets_are_taken_literally
    snippets_outlive_executions
    many_save_at_once
    what_needs_attention_is_found
    lines_are_counted_for_the_pass_that_wrote_them
}
