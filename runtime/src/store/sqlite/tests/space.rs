//! Full disks, and files that must not grow without bound.

use super::*;

fn limited(path: &Path, pages: u32) -> SqliteStore {
    SqliteStore::open(path, Options { max_pages: Some(pages), ..quick() }).expect("opens")
}

fn is_sound(path: &Path) {
    let answer: String = raw(path).query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checks");
    assert_eq!(answer, "ok");
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged_and_work_goes_on_when_there_is_space() {
    let place = place();
    let store = limited(&place.path, 60);
    let (old, id) = (begin(&store, 1), begin(&store, 2));
    now(&store, &old, (0..10).map(|op| asked(op, 4_000)).collect()).expect("fits");
    let kept = (0..).find(|op| now(&store, &id, vec![asked(*op, 4_000)]).is_err()).expect("gets full");
    assert_eq!(u32::try_from(load(&store, &id).entries.len()), Ok(kept));
    let full = |outcome: Result<(), StoreError>| assert!(matches!(outcome, Err(StoreError::Full(_))), "{outcome:?}");
    full(now(&store, &id, vec![asked(kept, 1)]));
    store.commit(&old, Version(1), vec![Write::Delete]).expect("there is always room to delete");
    full(now(&store, &id, vec![asked(kept, 1)]));
    full(later(&store, &id, vec![asked(kept, 1)]));
    let resumed = vec![moved(Status::Running, 1, Some(OwnerId(1)))];
    assert_eq!(store.commit(&id, Version(1), resumed), Ok(Version(2)));
    now(&store, &id, vec![asked(kept, 4_000)]).expect("there is space again");
    assert_eq!(load(&store, &id).entries.len(), usize::try_from(kept).expect("small") + 1);
    drop(store);
    is_sound(&place.path);
}

#[test]
fn a_loss_that_nobody_waited_for_stops_everything_after_it() {
    let place = place();
    let store = limited(&place.path, 60);
    let (id, other) = (begin(&store, 1), begin(&store, 2));
    later(&store, &id, vec![asked(0, 300_000)]).expect("is taken");
    // They share a transaction, but not the loss.
    now(&store, &other, vec![asked(0, 10)]).expect("fits");
    for barrier in [Barrier::Now, Barrier::Later] {
        let refused = store.append(&id, Token(1), vec![line("after")], barrier).wait();
        assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    }
    let record = load(&store, &id);
    assert_eq!((record.entries.len(), record.execution.logs.len()), (0, 0));
    now(&store, &other, vec![asked(1, 10)]).expect("others go on");
    // The same id may be tried again when it never came to be.
    let third = self::id(3);
    later(&store, &third, vec![begun(&third), asked(0, 300_000)]).expect("is taken");
    assert!(matches!(now(&store, &third, vec![line("x")]), Err(StoreError::Full(_))));
    now(&store, &third, vec![begun(&third)]).expect("begins");
    now(&store, &third, vec![line("x")]).expect("writes");
}

#[test]
fn wherever_the_disk_gets_full_a_batch_is_all_there_or_not_at_all() {
    let place = place();
    drop(open(&place.path));
    let empty = std::fs::read(&place.path).expect("reads");
    let pages = u32::try_from(empty.len() / 4_096).expect("small");
    let id = id(1);
    let (mut taken, mut refused) = (0, 0);
    for spare in 0..40 {
        std::fs::write(&place.path, &empty).expect("writes");
        let store = limited(&place.path, pages + spare);
        let mut writes = vec![begun(&id)];
        writes.extend((0..4).flat_map(|op| [asked(op, 9_000), line("a"), Write::State(state(op))]));
        writes.push(moved(Status::Paused, 1, None));
        match now(&store, &id, writes) {
            Ok(()) => {
                let record = load(&store, &id);
                assert_eq!((record.entries.len(), record.execution.logs.len()), (4, 4));
                taken += 1;
            }
            Err(StoreError::Full(_)) => {
                assert_eq!(store.load(&id), Ok(None));
                drop(store);
                for table in ["entries", "logs", "state", "executions"] {
                    assert_eq!(count(&place.path, &format!("SELECT count(*) FROM {table}")), 0);
                }
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(taken > 0 && refused > 5, "{taken} taken, {refused} refused");
}

fn state(n: u32) -> StateWrite {
    let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Connector, key: n.to_string() };
    StateWrite { at, value: Some(vec![7; 5_000]) }
}

#[test]
fn deleted_executions_leave_no_rows_and_the_file_stops_growing() {
    let place = place();
    let store = open(&place.path);
    let mut sizes = Vec::new();
    for round in 0..10u64 {
        let ids: Vec<_> = (1..=40).map(|n| begin(&store, round * 100 + n)).collect();
        for id in &ids {
            now(&store, id, everything()).expect("writes");
            later(&store, id, (2..30).map(|op| asked(op, 200)).collect()).expect("is taken");
        }
        for id in &ids {
            store.commit(id, Version(1), vec![Write::Delete]).expect("deletes");
        }
        for table in ["executions", "entries", "logs", "hooks", "state"] {
            assert_eq!(count(&place.path, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
        }
        sizes.push(count(&place.path, "PRAGMA page_count"));
    }
    assert_eq!(sizes[2..].iter().max(), sizes[2..].iter().min(), "{sizes:?}");
}

fn log_size(place: &Place) -> u64 {
    std::fs::metadata(place.path.with_extension("db-wal")).map_or(0, |m| m.len())
}

#[test]
fn a_half_read_list_does_not_keep_the_log_growing() {
    let place = place();
    let store = open(&place.path);
    (0..20).for_each(|n| drop(begin(&store, n)));
    let mut before = Some(id(10));
    let mut op = 0;
    while let Some(cursor) = before {
        for _ in 0..200 {
            now(&store, &id(19), vec![asked(op, 4_000)]).expect("writes");
            op += 1;
        }
        let query = Query { before: Some(cursor), limit: Some(1), ..Query::default() };
        before = store.list(&query).expect("lists").pop().map(|s| s.id);
        let _ = load(&store, &id(3));
    }
    assert!(log_size(&place) < 16 << 20, "{}", log_size(&place));
}

#[test]
fn the_log_shrinks_when_a_long_reader_of_another_process_ends() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    let reader = raw(&place.path);
    reader.execute_batch("BEGIN").expect("begins");
    let _: i64 = reader.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).expect("counts");
    (0..200).for_each(|op| now(&store, &id, vec![asked(op, 100_000)]).expect("writes"));
    assert!(log_size(&place) > 16 << 20, "the reader keeps all of it");
    reader.execute_batch("COMMIT").expect("ends");
    (200..210).for_each(|op| now(&store, &id, vec![asked(op, 100_000)]).expect("writes"));
    assert!(log_size(&place) <= 8 << 20, "{}", log_size(&place));
}
