//! What any store must do, as one function per property. Each takes a function that opens a fresh, empty store, and
//! panics where the property does not hold. Run [`PROPERTIES`] against a store of your own; the differential test in
//! `tests/store.rs` compares it with the reference store on top.

mod journal;
mod ownership;
pub mod samples;
mod state;

use std::sync::Arc;

use codemode_runtime::store::Store;

/// Opens a fresh, empty store.
pub type Open<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// One property.
pub type Property = fn(Open<'_>);

macro_rules! properties {
    ($($module:ident: $($name:ident),+;)+) => {
        $($(pub use $module::$name;)+)+

        /// All properties by name.
        pub const PROPERTIES: &[(&str, Property)] = &[$($((stringify!($name), $module::$name as Property)),+),+];
    };
}

properties! {
    journal:
        a_record_comes_back_as_it_was_written,
        text_with_nul_and_lone_surrogates_comes_back,
        an_answer_is_taken_only_in_the_states_it_names,
        a_decision_is_taken_only_while_its_entry_is_pending,
        a_sweep_changes_only_entries_in_the_states_it_names,
        writes_are_applied_in_order,
        an_entry_asked_again_replaces_the_whole_row,
        a_gap_in_the_ops_is_refused_as_a_whole,
        lines_of_code_and_hooks_keep_their_order,
        hooks_stay_until_they_are_done,
        the_end_is_the_first_end,
        lists_are_newest_first_by_insertion,
        lists_can_be_paged_even_when_the_cursor_is_deleted,
        prefixes_of_ids_are_taken_literally,
        lists_count_calls_and_pending_ones,
        a_list_shows_the_start_of_the_code_only,
        recording_a_call_counts_as_the_last_change;
    ownership:
        an_id_begins_once,
        a_stale_token_is_fenced_off,
        a_batch_that_begins_ignores_the_token,
        a_decision_on_an_old_version_conflicts,
        of_fifty_deciders_one_wins,
        versions_count_decisions_and_moves,
        nothing_is_written_to_what_does_not_exist,
        what_is_deleted_leaves_nothing_behind,
        appends_are_seen_at_once_by_readers,
        a_missed_requirement_refuses_the_whole_batch,
        owners_get_different_numbers,
        many_executions_append_at_once;
    state:
        state_is_kept_with_its_scope,
        versions_of_state_only_grow,
        an_expectation_that_fails_refuses_the_whole_batch,
        an_absent_key_is_expected_as_version_zero,
        expectations_look_at_the_state_before_the_batch,
        keys_are_listed_in_byte_order_and_by_literal_prefix,
        keys_can_be_paged,
        any_bytes_and_names_can_be_kept;
}
