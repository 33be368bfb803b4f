//! Connector state: scopes, versions, conflicts.

use codemode_runtime::durable::id::{ExecutionId, Token, Version};
use codemode_runtime::durable::write::{Scope, StateKey, StateRead, StateWrite, Write};
use codemode_runtime::store::{Barrier, StateQuery, Store, StoreError};

use super::Open;
use super::samples::{append, asked, begin, entry, load};

fn at(scope: Scope, key: &str) -> StateKey {
    StateKey { connector: "shelf".to_owned(), scope, key: key.to_owned() }
}

fn set(scope: Scope, key: &str, value: &[u8]) -> Write {
    Write::State(StateWrite { at: at(scope, key), value: Some(value.to_vec()) })
}

fn expect(scope: Scope, key: &str, version: u64) -> Write {
    Write::Expect(StateRead { at: at(scope, key), version })
}

fn version(store: &dyn Store, key: &str) -> u64 {
    store.state("shelf", None, key).expect("reads").map_or(0, |v| v.version)
}

fn value(store: &dyn Store, execution: Option<&ExecutionId>, key: &str) -> Option<Vec<u8>> {
    store.state("shelf", execution, key).expect("reads").map(|v| v.value)
}

/// The connector's own, and one for each execution, under the same key.
pub fn state_is_kept_with_its_scope(open: Open<'_>) {
    let store = open();
    let (one, two) = (begin(&*store, 1), begin(&*store, 2));
    append(&*store, &one, vec![set(Scope::Execution, "k", b"one"), set(Scope::Connector, "k", b"own")]);
    append(&*store, &two, vec![set(Scope::Execution, "k", b"two")]);
    let all = |key| [value(&*store, None, key), value(&*store, Some(&one), key), value(&*store, Some(&two), key)];
    assert_eq!(all("k"), [Some(b"own".to_vec()), Some(b"one".to_vec()), Some(b"two".to_vec())]);
    assert_eq!(all("j"), [None, None, None]);
    assert_eq!(store.state("other", None, "k"), Ok(None));
    append(&*store, &one, vec![Write::State(StateWrite { at: at(Scope::Execution, "k"), value: None })]);
    store.commit(&two, Version(1), vec![Write::Delete]).expect("deletes");
    assert_eq!(all("k"), [Some(b"own".to_vec()), None, None], "what is the connector's own outlives executions");
}

/// Across keys, removals and executions; never 0.
pub fn versions_of_state_only_grow(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let mut last = 0;
    for n in 0..10u8 {
        let key = if n % 2 == 0 { "a" } else { "b" };
        append(&*store, &id, vec![Write::State(StateWrite { at: at(Scope::Connector, key), value: None })]);
        assert_eq!(version(&*store, key), 0);
        append(&*store, &id, vec![set(Scope::Connector, key, &[n])]);
        assert!(version(&*store, key) > last);
        last = version(&*store, key);
    }
}

/// Entries, lines and other keys included.
pub fn an_expectation_that_fails_refuses_the_whole_batch(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![set(Scope::Connector, "k", b"1")]);
    let seen = version(&*store, "k");
    append(&*store, &id, vec![set(Scope::Connector, "k", b"2")]);
    for barrier in [Barrier::Now, Barrier::Later] {
        let writes = vec![
            asked(entry(0)),
            set(Scope::Connector, "other", b"x"),
            expect(Scope::Connector, "k", seen),
            set(Scope::Connector, "k", b"3"),
        ];
        assert_eq!(store.append(&id, Token(1), writes, barrier).wait(), Err(StoreError::StateConflict));
    }
    assert_eq!(value(&*store, None, "k"), Some(b"2".to_vec()));
    assert_eq!(value(&*store, None, "other"), None);
    assert_eq!(load(&*store, &id).entries.len(), 0);
    let again = vec![expect(Scope::Connector, "k", version(&*store, "k")), set(Scope::Connector, "k", b"3")];
    append(&*store, &id, again);
    assert_eq!(value(&*store, None, "k"), Some(b"3".to_vec()));
}

/// In both scopes.
pub fn an_absent_key_is_expected_as_version_zero(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    for scope in [Scope::Connector, Scope::Execution] {
        append(&*store, &id, vec![expect(scope, "k", 0), set(scope, "k", b"1")]);
        let writes = vec![expect(scope, "k", 0)];
        assert_eq!(store.append(&id, Token(1), writes, Barrier::Now).wait(), Err(StoreError::StateConflict));
        let writes = vec![expect(scope, "absent", 1)];
        assert_eq!(store.append(&id, Token(1), writes, Barrier::Now).wait(), Err(StoreError::StateConflict));
    }
}

/// What a call read is what was committed before it, so its own writes do not count.
pub fn expectations_look_at_the_state_before_the_batch(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    append(&*store, &id, vec![set(Scope::Connector, "k", b"1"), expect(Scope::Connector, "k", 0)]);
    assert_eq!(value(&*store, None, "k"), Some(b"1".to_vec()));
}

const KEYS: [&str; 12] = ["", "%", "%a", "*", "A", "[x]", "_", "a", "a\0b", "ab", "ä", "\u{10ffff}z"];

fn listed(store: &dyn Store, prefix: &str, after: Option<&str>, limit: u32) -> Vec<String> {
    store.state_keys(&StateQuery { connector: "shelf", execution: None, prefix, after, limit }).expect("lists")
}

fn fill(store: &dyn Store) {
    let id = begin(store, 1);
    append(store, &id, KEYS.iter().rev().map(|key| set(Scope::Connector, key, b"")).collect());
    append(store, &id, vec![set(Scope::Execution, "a of an execution", b"")]);
}

/// No sign is a pattern (SQL-08).
pub fn keys_are_listed_in_byte_order_and_by_literal_prefix(open: Open<'_>) {
    let store = open();
    fill(&*store);
    for prefix in KEYS.iter().copied().chain(["[", "a\0", "\u{10ffff}", "b", "%%", "?"]) {
        let expected: Vec<_> = KEYS.into_iter().filter(|k| k.starts_with(prefix)).collect();
        assert_eq!(listed(&*store, prefix, None, 100), expected, "{prefix:?}");
    }
    let query =
        StateQuery { connector: "shelf", execution: Some(&super::samples::id(1)), prefix: "", after: None, limit: 9 };
    assert_eq!(store.state_keys(&query), Ok(vec!["a of an execution".to_owned()]));
    let nobody = super::samples::id(99);
    assert_eq!(store.state_keys(&StateQuery { execution: Some(&nobody), ..query }), Ok(vec![]));
}

/// After the last key of a page, within the prefix.
pub fn keys_can_be_paged(open: Open<'_>) {
    let store = open();
    fill(&*store);
    for limit in 1..5 {
        let mut all = Vec::new();
        loop {
            let page = listed(&*store, "", all.last().map(String::as_str), limit);
            if page.is_empty() {
                break;
            }
            all.extend(page);
        }
        assert_eq!(all, KEYS);
    }
    assert_eq!(listed(&*store, "a", Some("a"), 1), ["a\0b"]);
    assert_eq!(listed(&*store, "a", Some("A"), 1), ["a"]);
    assert_eq!(listed(&*store, "a", Some("b"), 9), Vec::<String>::new());
    assert_eq!(listed(&*store, "", None, 0), Vec::<String>::new());
}

/// All bytes, nothing at all, and a megabyte.
pub fn any_bytes_and_names_can_be_kept(open: Open<'_>) {
    let store = open();
    let id = begin(&*store, 1);
    let long = "k".repeat(1_024);
    for bytes in [Vec::new(), (0..=255).collect(), vec![0; 1 << 20]] {
        for key in ["\0", "a'b\"c;--", "\n", &long] {
            append(&*store, &id, vec![set(Scope::Connector, key, &bytes)]);
            assert_eq!(value(&*store, None, key).as_ref(), Some(&bytes), "{key:?}");
        }
    }
}
