//! Backups: one instant of a store that is used, whole and durable, or nothing.

use super::super::Progress;
use super::*;

fn target(place: &Place) -> PathBuf {
    place.folder.path().join("copy.db")
}

/// The names in a folder, without the store's own files.
fn beside(place: &Place) -> Vec<String> {
    let names = std::fs::read_dir(place.folder.path()).expect("reads").map(|e| e.expect("an entry").file_name());
    let mut names: Vec<_> =
        names.map(|n| n.to_string_lossy().into_owned()).filter(|n| !n.starts_with("store")).collect();
    names.sort();
    names
}

#[test]
fn a_backup_is_a_store_with_everything_that_was_appended() {
    let place = place();
    let store = open(&place.path);
    let owner = store.claim_owner().expect("claims");
    let id = begin(&store, 1);
    now(&store, &id, everything()).expect("writes");
    let other = begin(&store, 2);
    now(&store, &other, vec![moved(Status::Paused, 1, None)]).expect("writes");
    later(&store, &id, vec![line("nobody waited for this")]).expect("is taken");
    let made = store.backup(&target(&place)).expect("is made");
    assert_eq!((made.executions, made.running, made.paused), (2, 1, 1));
    assert_eq!(made.path, target(&place));
    assert_eq!(made.bytes, std::fs::metadata(target(&place)).expect("is there").len());
    assert_eq!(beside(&place), ["copy.db"], "one file, and nothing is left of the making");
    let bytes = std::fs::read(target(&place)).expect("reads");
    assert_eq!(bytes[18..20], [1, 1], "it needs no log, so it can be read where nothing may be written");
    assert_eq!(SqliteStore::integrity_check_of(target(&place), &quick()), Ok(Vec::new()));
    assert_eq!(beside(&place), ["copy.db"]);
    let copy = open(&target(&place));
    for id in [&id, &other] {
        assert_eq!(load(&copy, id), load(&store, id));
    }
    // The copy has the owner's row, but nobody there holds its lock: what runs here is abandoned there.
    assert_eq!((store.owner_is_alive(owner), copy.owner_is_alive(owner)), (Ok(true), Ok(false)));
    assert_eq!(copy.owned(), Ok(vec![(id, owner)]));
    assert!(copy.claim_owner().expect("claims") > owner);
}

#[test]
fn writers_do_not_wait_for_a_backup_and_what_they_write_meanwhile_is_not_in_it() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    (0..90).for_each(|op| now(&store, &id, vec![asked(op, 100_000)]).expect("writes"));
    let mut reports: Vec<Progress> = Vec::new();
    let made = store.backup_with(&target(&place), &mut |progress| {
        // Inside of the copying: this would never come back if a writer had to wait for its end.
        now(&store, &id, vec![line("meanwhile")]).expect("writes");
        reports.push(progress);
    });
    let made = made.expect("is made");
    assert!(reports.len() > 2, "{reports:?}");
    assert!(reports.is_sorted_by(|a, b| a.done < b.done && a.total == b.total), "{reports:?}");
    assert_eq!(reports.last(), Some(&Progress { done: made.bytes, total: made.bytes }));
    assert_eq!(load(&open(&target(&place)), &id).execution.logs.len(), 0);
    assert_eq!(load(&store, &id).execution.logs.len(), reports.len());
}

#[test]
fn a_backup_is_of_one_instant_however_much_is_written() {
    let place = place();
    let store = open(&place.path);
    store.claim_owner().expect("claims");
    let ids: Vec<_> = (1..=3).map(|n| begin(&store, n)).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for id in &ids {
            let (store, stop) = (&store, &stop);
            scope.spawn(move || {
                for op in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // The entry, its line and the state belong together.
                    let at = StateKey { connector: "c".to_owned(), scope: Scope::Execution, key: op.to_string() };
                    let state = Write::State(StateWrite { at, value: Some(vec![1]) });
                    now(store, id, vec![asked(op, 500), line("said"), state]).expect("writes");
                }
            });
        }
        let _ending = Ending(&stop);
        let mut seen = 0;
        for n in 0..3 {
            let told: Vec<_> = ids.iter().map(|id| load(&store, id).entries.len()).collect();
            let to = place.folder.path().join(format!("copy-{n}.db"));
            store.backup(&to).expect("is made");
            assert_eq!(SqliteStore::integrity_check_of(&to, &quick()), Ok(Vec::new()));
            let copy = open(&to);
            for (id, told) in ids.iter().zip(told) {
                let record = load(&copy, id);
                assert!(record.entries.len() >= told, "what was there before the backup began is in it");
                assert_eq!(record.execution.logs.len(), record.entries.len());
                seen += record.entries.len();
            }
            let entries = count(&to, "SELECT count(*) FROM entries");
            assert_eq!(count(&to, "SELECT count(*) FROM state"), entries);
        }
        assert!(seen > 0);
    });
}

#[test]
fn nothing_is_ever_replaced() {
    let place = place();
    let store = open(&place.path);
    std::fs::write(target(&place), "mine").expect("writes");
    assert_eq!(store.backup(&target(&place)), Err(StoreError::Exists(target(&place).display().to_string())));
    assert_eq!(std::fs::read(target(&place)).expect("reads"), b"mine");
    for taken in [&place.path, place.folder.path()] {
        assert!(matches!(store.backup(taken), Err(StoreError::Exists(_))), "{}", taken.display());
    }
    #[cfg(unix)]
    {
        let link = place.folder.path().join("link.db");
        std::os::unix::fs::symlink("nowhere", &link).expect("links");
        assert!(matches!(store.backup(&link), Err(StoreError::Exists(_))), "a link to nowhere is there as well");
        std::fs::remove_file(&link).expect("removes");
    }
    assert_eq!(beside(&place), ["copy.db"]);
    assert_eq!(store.backup(&place.folder.path().join("no/copy.db")).map_err(|e| e.code()), Err("store_read_only"));
}

#[test]
fn a_damaged_store_makes_no_backup_that_somebody_would_trust() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    (0..20).for_each(|op| now(&store, &id, vec![asked(op, 9_000)]).expect("writes"));
    drop(store);
    let mut bytes = std::fs::read(&place.path).expect("reads");
    let end = bytes.len();
    bytes[end - 3 * 4_096..end - 2 * 4_096].fill(0xa5);
    std::fs::write(&place.path, &bytes).expect("writes");
    let refused = open(&place.path).backup(&target(&place));
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{refused:?}");
    assert_eq!(beside(&place), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_store_and_its_backup_are_for_their_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let store = open(&place.path);
    begin(&store, 1);
    store.backup(&target(&place)).expect("is made");
    for path in [&place.path, &place.path.with_extension("db-wal"), &target(&place)] {
        let mode = std::fs::metadata(path).expect("is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}
