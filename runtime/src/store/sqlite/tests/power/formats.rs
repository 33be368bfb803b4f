//! Files of older formats: everything in them is found, and a power cut while they are brought to ours leaves one format
//! or the other.

use super::super::super::schema::FORMAT;
use super::*;
use crate::durable::journal::Answer;

/// Made by the version that wrote format 1.
const FIRST: &[u8] = include_bytes!("../formats/1.store");

/// Their ids, oldest first, with what became of each.
fn executions(store: &dyn Store) -> Vec<Record> {
    let mut listed = store.list(&Query::default()).expect("lists");
    listed.reverse();
    listed.iter().map(|summary| load(store, &summary.id)).collect()
}

/// Finds everything that was in the file of format 1.
fn finds_everything(store: &dyn Store) {
    let records = executions(store);
    let statuses: Vec<_> = records.iter().map(|r| r.execution.status.as_str()).collect();
    assert_eq!(statuses, ["completed", "error", "error", "rejected", "running", "paused"]);
    let states: Vec<Vec<_>> = records.iter().map(|r| r.entries.iter().map(|e| e.state.as_str()).collect()).collect();
    let expected: [&[&str]; 6] = [
        &["applied", "applied"],
        &["applied", "applied", "failed"],
        &["applied"],
        &["withdrawn"],
        &["applied", "executing"],
        &["pending"],
    ];
    assert_eq!(states, expected);
    let first = &records[0];
    assert_eq!(first.execution.logs.len(), 1);
    assert!(first.execution.result.as_ref().is_some_and(|r| r.as_str().contains("[\"bigint\",\"42\"]")));
    assert_eq!(first.entries[1].answer, Some(Answer::Ok(Some(json("{\"$cm\":[\"bigint\",\"42\"]}")))));
    assert!(records[1].execution.error.as_ref().is_some_and(|e| e.message.contains("deleteNote")));
    assert_eq!(records[4].execution.owner, Some(OwnerId(10)));
    assert_eq!(store.owner_is_alive(OwnerId(10)), Ok(false));
    let query = StateQuery { connector: "notes", execution: None, prefix: "note/", after: None, limit: 100 };
    let notes = store.state_keys(&query).expect("reads");
    assert_eq!(notes.len(), 4);
    let note = store.state("notes", None, &notes[3]).expect("reads").expect("is there");
    assert!(String::from_utf8_lossy(&note.value).contains("\"text\":\"four\""));
    // What came with a later format is empty.
    assert_eq!(store.cancelled(OwnerId(10)), Ok(Vec::new()));
    assert!(records.iter().flat_map(|r| &r.entries).all(|e| e.revert.is_none() && e.resolution.is_none()));
    let ended: Vec<_> = records.iter().map(|r| r.execution.ended_at.is_some()).collect();
    assert_eq!(ended, [true, true, true, true, false, false]);
}

#[test]
fn a_store_of_format_1_is_brought_to_ours_with_everything_in_it() {
    let place = place();
    std::fs::write(&place.path, FIRST).expect("writes");
    assert_eq!(SqliteStore::integrity_check_of(&place.path, &quick()), Ok(Vec::new()));
    assert_eq!(std::fs::read(&place.path).expect("reads"), FIRST, "looking for damage changes no format");
    for _ in 0..2 {
        let store = open(&place.path);
        finds_everything(&store);
        assert_eq!(store.integrity_check(), Ok(Vec::new()));
    }
    assert_eq!(count(&place.path, "PRAGMA user_version"), i64::from(FORMAT));
    // And it is used like any other.
    let store = open(&place.path);
    let paused = executions(&store).pop().expect("six");
    let taken = moved(Status::Running, 2, Some(OwnerId(1)));
    store.commit(paused.execution.id(), paused.execution.version, vec![taken]).expect("goes on");
    assert_eq!(store.prune(1), Ok(3), "those that had ended are counted");
}

#[test]
fn damage_in_a_store_of_format_1_is_found_before_it_is_opened() {
    let place = place();
    std::fs::write(&place.path, FIRST).expect("writes");
    raw(&place.path).execute_batch("UPDATE executions SET namespaces = '' WHERE n = 1").expect("damages");
    // With a log, as a running process has it.
    raw(&place.path).pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).expect("sets");
    let before = std::fs::read(&place.path).expect("reads");
    let found = SqliteStore::integrity_check_of(&place.path, &quick()).expect("can be looked at");
    assert!(found.len() == 1 && found[0].contains("namespaces"), "{found:?}");
    assert_eq!(std::fs::read(&place.path).expect("reads"), before);
}

#[test]
fn a_format_above_ours_is_refused_and_left_as_it_is() {
    for log in ["delete", "wal"] {
        let place = place();
        std::fs::write(&place.path, FIRST).expect("writes");
        let other = raw(&place.path);
        other.pragma_update_and_check(None, "journal_mode", log, |_| Ok(())).expect("sets");
        other.pragma_update(None, "user_version", FORMAT + 1).expect("sets");
        drop(other);
        let before = std::fs::read(&place.path).expect("reads");
        let refused = SqliteStore::open(&place.path, quick()).map(drop);
        assert!(matches!(refused, Err(StoreError::Newer { found, .. }) if found == FORMAT + 1), "{refused:?}");
        assert_eq!(std::fs::read(&place.path).expect("reads"), before, "{log}");
    }
}

/// What a file says it has.
fn schema(connection: &rusqlite::Connection) -> (u32, Vec<String>) {
    let format = connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("reads");
    let mut statement = connection
        .prepare("SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
        .expect("prepares");
    let all = statement.query_map([], |row| row.get(0)).expect("reads").map(|line| line.expect("reads"));
    (format, all.collect())
}

#[test]
fn a_power_cut_while_the_format_changes_leaves_one_or_the_other() {
    let machine = Machine::holding(FIRST.to_vec());
    let first = schema(&machine.raw().expect("opens"));
    drop(machine.open(Durability::Full).expect("opens"));
    let ours = schema(&machine.raw().expect("opens"));
    assert_eq!((first.0, ours.0), (1, FORMAT));
    let history = machine.disk().history();
    let mut seen = [0; 2];
    for loss in [|_| Loss::Process, |_| Loss::Everything, Loss::Some] {
        let mut files = Files::new(&machine.start);
        for (event, instant) in history.iter().zip(1..) {
            files.happens(event);
            let again = machine.again(files.left(loss(instant)));
            let found = schema(&again.raw().expect("opens"));
            assert!(found == first || found == ours, "{instant} of {}: {found:#?}", history.len());
            seen[usize::from(found == ours)] += 1;
            let store = again.open(Durability::Full).unwrap_or_else(|error| panic!("{instant}: {error}"));
            finds_everything(&store);
            assert_eq!(store.integrity_check(), Ok(Vec::new()), "{instant}");
        }
    }
    assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
}
