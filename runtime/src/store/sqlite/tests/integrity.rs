//! Looking for damage: what is found, that nothing is changed by looking, and that nothing is too damaged to be looked
//! at.

use super::super::MAX_FINDINGS;
use super::*;

/// A store with three executions, one of them ended, state and a snippet.
fn sample() -> Place {
    let place = place();
    let store = open(&place.path);
    store.claim_owner().expect("claims");
    for n in 1..=3 {
        let id = begin(&store, n);
        now(&store, &id, everything()).expect("writes");
    }
    let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Connector, key: "k".to_owned() };
    let state = Write::State(StateWrite { at, value: Some(vec![7]) });
    now(&store, &id(3), vec![state, asked(2, 9_000), moved(Status::Completed, 1, None)]).expect("writes");
    drop(store);
    raw(&place.path)
        .execute("INSERT INTO snippets (name, connectors, saved_at, code) VALUES ('s', '[]', 1, 'x')", [])
        .expect("inserts");
    place
}

fn damage(place: &Place, sql: &str) {
    let other = raw(&place.path);
    other.execute_batch("PRAGMA ignore_check_constraints = ON").expect("sets");
    other.execute_batch(sql).expect("damages");
}

/// What SQL can do to a good store, and what is said of it.
const DAMAGES: [(&str, &str); 20] = [
    (
        "UPDATE entries SET key = 9 << 24 WHERE key = 2 << 24 | 1",
        "entries: 1 of execution number 9, which does not exist",
    ),
    (
        "UPDATE logs SET key = 9 << 24 WHERE key = 2 << 24 | 1",
        "logs: 1 lines of execution number 9, which does not exist",
    ),
    ("UPDATE hooks SET execution = 9 WHERE execution = 2", "hooks: hook 2 of execution number 9, which does not exist"),
    ("UPDATE state SET execution = 9 WHERE execution = 2", "state: 1 keys of execution number 9, which does not exist"),
    ("DELETE FROM entries WHERE key = 2 << 24", "op 0 is missing"),
    ("DELETE FROM logs WHERE key = 2 << 24", "lacks lines: it has 1 up to place 1"),
    ("UPDATE executions SET owner = 5 WHERE n = 2", "belongs to owner 5, which is unknown"),
    ("UPDATE executions SET owner = NULL WHERE n = 2", "is running and belongs to nobody"),
    ("UPDATE executions SET ended_at = 5 WHERE n = 2", "is running and has an end"),
    ("UPDATE executions SET ended_at = NULL WHERE n = 3", "is completed and has no end"),
    ("UPDATE meta SET value = 4 WHERE name = 'ended'", "ended is 4, counted are 1"),
    ("UPDATE meta SET value = 1 WHERE name = 'state_version'", "state_version is 1, a key of state has version 4"),
    ("DELETE FROM meta WHERE name = 'ended'", "meta: there is no ended"),
    ("UPDATE entries SET seq = 5 WHERE key = 2 << 24 | 1", "has seq 5 at op 1, where seq 1 belongs"),
    ("UPDATE executions SET status = 'sleeping' WHERE n = 2", "cannot be read back: status"),
    ("UPDATE entries SET terms = '' WHERE key = 2 << 24", "cannot be read back: terms"),
    ("UPDATE hooks SET kind = 'x' WHERE execution = 2", "cannot be read back: hook kind"),
    ("UPDATE snippets SET connectors = ''", "snippets: \"s\" cannot be read back: connectors"),
    ("DROP INDEX executions_by_owner; DROP TABLE owners", "schema: no such table: owners"),
    ("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'executions_by_status'", "file: "),
];

#[test]
fn a_sound_store_has_no_findings_while_it_is_used_and_after() {
    let place = sample();
    let store = open(&place.path);
    assert_eq!(store.integrity_check(), Ok(Vec::new()));
    later(&store, &id(1), vec![asked(2, 1)]).expect("is taken");
    assert_eq!(store.integrity_check(), Ok(Vec::new()));
    assert_eq!(SqliteStore::integrity_check_of(&place.path, &quick()), Ok(Vec::new()), "beside its user");
    drop(store);
    assert_eq!(SqliteStore::integrity_check_of(&place.path, &quick()), Ok(Vec::new()));
}

#[test]
fn each_damage_is_said_and_none_is_repaired() {
    for (sql, says) in DAMAGES {
        let place = sample();
        damage(&place, sql);
        let before = std::fs::read(&place.path).expect("reads");
        let found = SqliteStore::integrity_check_of(&place.path, &quick()).expect("can be looked at");
        assert!(found.iter().any(|line| line.contains(says)), "{sql}: {found:#?}");
        assert_eq!(std::fs::read(&place.path).expect("reads"), before, "{sql}");
        let again = open(&place.path).integrity_check();
        assert_eq!(again.as_ref(), Ok(&found), "{sql}: looking repairs nothing");
    }
}

#[test]
fn findings_are_bounded_and_the_rest_is_counted() {
    for (count, more) in [(MAX_FINDINGS, 0), (MAX_FINDINGS + 1, 1), (MAX_FINDINGS + 5, 5)] {
        let place = sample();
        let rows = format!(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
            INSERT INTO hooks (execution, kind, connector, pass, status) SELECT 9, 'pass_ended', 'c', 1, 'paused' FROM n"
        );
        damage(&place, &rows);
        let found = open(&place.path).integrity_check().expect("can be looked at");
        assert_eq!(found.len(), MAX_FINDINGS + usize::from(more > 0));
        assert_eq!(
            found.last().is_some_and(|line| *line == format!("and {more} more")),
            more > 0,
            "{:?}",
            found.last()
        );
    }
}

#[test]
fn a_page_of_rubbish_anywhere_is_found_or_refused_and_left_as_it_is() {
    let place = sample();
    let good = std::fs::read(&place.path).expect("reads");
    // Only what connectors keep is beyond finding: any bytes are right there.
    for page in 0..good.len() / 4_096 {
        for rubbish in [0x00, 0xa5] {
            let mut bytes = good.clone();
            bytes[page * 4_096..][..4_096].fill(rubbish);
            std::fs::write(&place.path, &bytes).expect("writes");
            match SqliteStore::integrity_check_of(&place.path, &quick()) {
                Ok(found) => assert!(!found.is_empty(), "page {page} of {rubbish:#x}"),
                Err(StoreError::NotAStore { .. }) => assert_eq!(page, 0),
                Err(other) => panic!("page {page} of {rubbish:#x}: {other}"),
            }
            assert_eq!(std::fs::read(&place.path).expect("reads"), bytes, "page {page} of {rubbish:#x}");
        }
    }
}

#[test]
fn a_file_that_was_cut_anywhere_is_found_or_refused_and_left_as_it_is() {
    let place = sample();
    let first = load(&open(&place.path), &id(1));
    let good = std::fs::read(&place.path).expect("reads");
    // SQLite counts one byte as none.
    for length in (2..good.len()).step_by(1_000) {
        std::fs::write(&place.path, &good[..length]).expect("writes");
        match SqliteStore::integrity_check_of(&place.path, &quick()) {
            Ok(found) => assert!(!found.is_empty(), "{length}"),
            Err(StoreError::NotAStore { .. }) => assert!(length < 4_096, "{length}"),
            Err(other) => panic!("{length}: {other}"),
        }
        assert_eq!(std::fs::read(&place.path).expect("reads"), &good[..length], "{length}");
        match SqliteStore::open(&place.path, quick()) {
            Err(StoreError::Corrupt(_) | StoreError::NotAStore { .. }) => {}
            // Only the last page lacks something, and what has nothing on it is as good as before.
            Ok(store) => {
                assert!(length > good.len() - 4_096, "{length}");
                assert_eq!(store.load(&id(1)).map(|r| r.as_ref() == Some(&first)), Ok(true), "{length}");
            }
            Err(other) => panic!("{length}: {other}"),
        }
        assert_eq!(std::fs::read(&place.path).expect("reads"), &good[..length], "{length}");
    }
}

#[test]
fn what_is_no_store_is_said_so() {
    let place = place();
    let check = || SqliteStore::integrity_check_of(&place.path, &quick());
    assert!(matches!(check(), Err(StoreError::ReadOnly(_))), "there is none, and none is made: {:?}", check());
    assert!(!place.path.exists());
    std::fs::write(&place.path, "").expect("writes");
    assert!(matches!(check(), Err(StoreError::NotAStore { .. })), "{:?}", check());
    std::fs::write(&place.path, "some text of somebody").expect("writes");
    assert!(matches!(check(), Err(StoreError::NotAStore { .. })), "{:?}", check());
    std::fs::remove_file(&place.path).expect("removes");
    begin(&open(&place.path), 1);
    raw(&place.path).pragma_update(None, "user_version", 99).expect("sets");
    assert!(matches!(check(), Err(StoreError::Newer { found: 99, .. })), "{:?}", check());
}

#[test]
fn an_empty_file_with_a_log_is_damage_and_the_log_stays() {
    let place = sample();
    let store = open(&place.path);
    now(&store, &id(1), vec![line("x")]).expect("writes");
    let log = place.path.with_extension("db-wal");
    let bytes = std::fs::read(&log).expect("there is a log");
    drop(store);
    std::fs::write(&place.path, "").expect("writes");
    std::fs::write(&log, &bytes).expect("writes");
    let refused = SqliteStore::open(&place.path, quick()).map(drop);
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{refused:?}");
    assert_eq!(std::fs::read(&log).expect("reads"), bytes, "it is all that is left");
}

#[test]
fn the_log_of_a_process_that_died_is_read_and_stays() {
    let (place, crashed) = (sample(), place());
    let store = open(&place.path);
    now(&store, &id(1), vec![line("in the log only")]).expect("writes");
    let both = |path: &Path| [path.to_owned(), path.with_extension("db-wal")];
    for (from, to) in both(&place.path).iter().zip(both(&crashed.path)) {
        std::fs::copy(from, to).expect("copies");
    }
    let bytes = || both(&crashed.path).map(|path| std::fs::read(path).expect("reads"));
    let before = bytes();
    assert_eq!(SqliteStore::integrity_check_of(&crashed.path, &quick()), Ok(Vec::new()));
    let copy = crashed.folder.path().join("copy.db");
    SqliteStore::backup_of(&crashed.path, &quick(), &copy, &mut |_| {}).expect("is made");
    assert_eq!(bytes(), before);
    assert_eq!(load(&open(&copy), &id(1)), load(&store, &id(1)), "what was in the log is in the copy");
}
