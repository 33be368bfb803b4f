//! One bad row must not cost the others, and a bad file must be said so (SQL-05).

use super::*;

/// Damages that SQL can do to a good row, and what the reason names.
const DAMAGES: [(&str, &str); 12] = [
    ("UPDATE executions SET status = 'sleeping' WHERE n = 2", "status"),
    ("UPDATE executions SET result = '{\"x\":' WHERE n = 2", "result"),
    ("UPDATE executions SET result = CAST(x'22ff22' AS TEXT) WHERE n = 2", "result"),
    ("UPDATE executions SET result = '1e999' WHERE n = 2", "result"),
    ("UPDATE executions SET error = '{}' WHERE n = 2", "error"),
    ("UPDATE executions SET namespaces = 'x' WHERE n = 2", "namespaces"),
    ("UPDATE entries SET state = 'asleep' WHERE key = 2 << 24", "state"),
    ("UPDATE entries SET args = '{\"$cm\":1}' WHERE key = 2 << 24", "args"),
    ("UPDATE entries SET terms = '' WHERE key = 2 << 24", "terms"),
    ("UPDATE entries SET answer = 'value', answer_body = NULL WHERE key = 2 << 24", "answer"),
    ("DELETE FROM entries WHERE key = 2 << 24", "op 0"),
    ("UPDATE executions SET seed = x'00' WHERE n = 2", "seed"),
];

#[test]
fn a_damaged_row_is_shown_and_can_be_deleted_and_the_others_work() {
    for (sql, reason_names) in DAMAGES {
        let place = place();
        let store = open(&place.path);
        for n in 1..=3 {
            let id = begin(&store, n);
            now(&store, &id, everything()).expect("writes");
        }
        let other = raw(&place.path);
        other.execute_batch("PRAGMA ignore_check_constraints = ON").expect("sets");
        other.execute_batch(sql).expect("damages");
        match store.load(&id(2)) {
            Err(StoreError::Damaged { id: damaged, reason }) => {
                assert_eq!(damaged, id(2));
                assert!(reason.contains(reason_names), "{sql}: {reason}");
            }
            other => panic!("{sql}: {other:?}"),
        }
        let listed = store.list(&Query::default()).expect("lists");
        assert_eq!(listed.iter().map(|s| s.id.clone()).collect::<Vec<_>>(), [id(3), id(2), id(1)]);
        // A list does not read what was said in a journal, so it does not know of damage there.
        let visible = sql.contains("executions") && !sql.contains("seed") || sql.contains("asleep");
        assert_eq!(listed.iter().map(|s| s.damaged.is_some()).collect::<Vec<_>>(), [false, visible, false], "{sql}");
        for n in [1, 3] {
            assert_eq!(load(&store, &id(n)).entries.len(), 2);
            let healthy = store.commit(&id(n), Version(0), vec![Write::Delete]);
            assert_eq!(healthy, Err(StoreError::Conflict(id(n))), "only what is damaged goes without a version");
        }
        store.commit(&id(2), Version(0), vec![Write::Delete]).expect("deletes");
        assert_eq!(store.load(&id(2)), Ok(None));
        assert_eq!(count(&place.path, "SELECT count(*) FROM entries WHERE key >> 24 = 2"), 0);
        begin(&store, 4);
    }
}

#[test]
fn a_damaged_file_is_said_so_and_left_as_it_is() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    (0..50).for_each(|op| now(&store, &id, vec![asked(op, 2_000)]).expect("writes"));
    drop(store);
    let good = std::fs::read(&place.path).expect("reads");
    let damaged = |from: usize, to: usize| {
        let mut bytes = good.clone();
        bytes[from..to].fill(0xa5);
        std::fs::write(&place.path, &bytes).expect("writes");
        let refused = SqliteStore::open(&place.path, quick())
            .and_then(|store| store.load(&id).and_then(|_| store.list(&Query::default())))
            .map(drop);
        (refused, std::fs::read(&place.path).expect("reads") == bytes)
    };
    let (refused, untouched) = damaged(100, 4_096);
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "the schema: {refused:?}");
    assert!(untouched);
    let (refused, untouched) = damaged(0, 16);
    assert!(matches!(refused, Err(StoreError::NotAStore { .. })), "the first bytes: {refused:?}");
    assert!(untouched);
    let (refused, untouched) = damaged(4_096, good.len());
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "all other pages: {refused:?}");
    assert!(untouched);
    std::fs::write(&place.path, &good[..good.len() / 2]).expect("writes");
    let refused = SqliteStore::open(&place.path, quick()).and_then(|store| store.load(&id)).map(drop);
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "half of it is missing: {refused:?}");
}
