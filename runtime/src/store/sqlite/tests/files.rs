//! Opening: which files are taken, by how many at once, and who is alive.

use super::super::schema::FORMAT;
use super::*;

#[test]
fn what_was_written_is_there_after_reopening() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    now(&store, &id, everything()).expect("writes");
    later(&store, &id, vec![line("nobody waited for this")]).expect("is taken");
    let record = load(&store, &id);
    drop(store);
    // Nobody had to list or load anything before a decision (APR-12).
    let store = open(&place.path);
    assert_eq!(store.commit(&id, Version(1), vec![moved(Status::Paused, 1, None)]), Ok(Version(2)));
    let again = load(&store, &id);
    assert_eq!((again.entries, again.hooks), (record.entries, record.hooks));
    assert_eq!(again.execution.logs, record.execution.logs);
    drop(store);
    assert!(!place.path.with_extension("db-wal").exists(), "the last to close empties the log");
}

#[test]
fn rows_that_nobody_waits_for_reach_the_file_by_themselves() {
    let place = place();
    let (store, other) = (open(&place.path), open(&place.path));
    let id = id(1);
    later(&store, &id, vec![begun(&id)]).expect("is taken");
    while other.load(&id).expect("reads").is_none() {
        std::thread::yield_now();
    }
}

#[test]
fn many_may_open_a_new_file_at_once() {
    for durability in [Durability::Full, Durability::Process] {
        let place = place();
        let options = Options { durability, ..Options::default() };
        std::thread::scope(|scope| {
            for n in 0..8 {
                let (path, options) = (&place.path, options.clone());
                scope.spawn(move || drop(begin(&SqliteStore::open(path, options).expect("opens"), n)));
            }
        });
        assert_eq!(open(&place.path).list(&Query::default()).expect("lists").len(), 8);
    }
}

#[test]
fn two_handles_see_each_other_and_fence_each_other_off() {
    let place = place();
    let (server, cli) = (open(&place.path), open(&place.path));
    let id = begin(&server, 1);
    assert_eq!(cli.commit(&id, Version(1), vec![moved(Status::Running, 2, Some(OwnerId(2)))]), Ok(Version(2)));
    assert_eq!(now(&server, &id, vec![line("late")]), Err(StoreError::Fenced(id.clone())));
    later(&server, &id, vec![line("late")]).expect("is taken");
    assert_eq!(load(&server, &id).execution.logs.len(), 0);
    assert_eq!(server.commit(&id, Version(1), vec![]), Err(StoreError::Conflict(id.clone())));
    cli.commit(&id, Version(2), vec![Write::Delete]).expect("deletes");
    assert_eq!(now(&cli, &id, vec![begun(&id)]), Ok(()));
    assert_eq!(
        server.append(&id, Token(2), vec![line("late")], Barrier::Now).wait(),
        Err(StoreError::Fenced(id.clone()))
    );
    assert_eq!(load(&server, &id).execution.version, Version(1));
}

#[test]
fn a_lock_that_is_held_too_long_is_said_so_and_nothing_is_lost_after_it() {
    let place = place();
    let store = SqliteStore::open(&place.path, Options { busy_timeout_ms: 30, ..quick() }).expect("opens");
    let id = begin(&store, 1);
    let other = raw(&place.path);
    other.execute_batch("BEGIN IMMEDIATE").expect("locks");
    assert_eq!(store.commit(&id, Version(1), vec![line("x")]), Err(StoreError::Busy(30)));
    assert_eq!(now(&store, &id, vec![line("x")]), Err(StoreError::Busy(30)));
    assert_eq!(load(&store, &id).execution.logs.len(), 0);
    other.execute_batch("COMMIT").expect("unlocks");
    assert_eq!(now(&store, &id, vec![line("y")]), Err(StoreError::Busy(30)), "its journal would have a hole");
    let taken = store.commit(&id, Version(1), vec![moved(Status::Running, 1, Some(OwnerId(1)))]);
    assert_eq!(taken, Ok(Version(2)));
    now(&store, &id, vec![line("z")]).expect("writes again");
    assert_eq!(load(&store, &id).execution.logs, ["z"]);
}

#[test]
fn what_is_not_a_store_is_left_as_it_is() {
    let place = place();
    let refused = |path: &Path| match SqliteStore::open(path, quick()) {
        Err(StoreError::NotAStore { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert!(refused(place.folder.path()).contains("folder"));
    for bytes in [b"hello".to_vec(), vec![7; 10_000], b"SQLite format 2\0 and so on".repeat(100)] {
        std::fs::write(&place.path, &bytes).expect("writes");
        assert!(refused(&place.path).contains("not an SQLite file"));
        assert_eq!(std::fs::read(&place.path).expect("reads"), bytes);
    }
    let foreign = place.path.with_extension("foreign");
    raw(&foreign).execute_batch("CREATE TABLE x (a)").expect("creates");
    let bytes = std::fs::read(&foreign).expect("reads");
    assert!(refused(&foreign).contains("another program"));
    assert_eq!(std::fs::read(&foreign).expect("reads"), bytes);
}

#[test]
fn a_newer_format_is_refused_and_left_as_it_is() {
    let place = place();
    begin(&open(&place.path), 1);
    raw(&place.path).pragma_update(None, "user_version", 7).expect("sets");
    let refused = SqliteStore::open(&place.path, quick()).map(drop);
    assert!(matches!(refused, Err(StoreError::Newer { found: 7, supported: FORMAT, .. })), "{refused:?}");
    raw(&place.path).pragma_update(None, "user_version", FORMAT).expect("sets");
    assert_eq!(open(&place.path).list(&Query::default()).expect("lists").len(), 1);
}

#[test]
fn a_folder_that_is_missing_or_closed_is_said_so() {
    let place = place();
    for path in [place.folder.path().join("no/store.db"), PathBuf::from("/proc/self/store.db")] {
        let refused = SqliteStore::open(&path, quick()).map(drop);
        assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_only_be_read_is_said_so() {
    use std::os::unix::fs::PermissionsExt;
    // Root may do everything.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let place = place();
    begin(&open(&place.path), 1);
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("sets");
    set(&place.path, 0o444);
    assert!(matches!(SqliteStore::open(&place.path, quick()), Err(StoreError::ReadOnly(_))));
    set(&place.path, 0o644);
    set(place.folder.path(), 0o555);
    let refused = SqliteStore::open(place.folder.path().join("new.db"), quick()).map(drop);
    set(place.folder.path(), 0o755);
    assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
}

#[test]
fn an_owner_is_alive_as_long_as_its_store() {
    let place = place();
    let (looker, worker) = (open(&place.path), open(&place.path));
    let owner = worker.claim_owner().expect("claims");
    let idle = worker.claim_owner().expect("claims");
    for store in [&looker, &worker] {
        assert_eq!(store.owner_is_alive(owner), Ok(true));
        assert_eq!(store.owner_is_alive(OwnerId(99)), Ok(false));
    }
    let id = begin(&worker, 1);
    worker.commit(&id, Version(1), vec![moved(Status::Running, 2, Some(owner))]).expect("takes");
    looker.claim_owner().expect("claims");
    assert_eq!(count(&place.path, "SELECT count(*) FROM owners"), 3, "nobody alive is removed");
    drop(worker);
    assert_eq!(looker.owner_is_alive(owner), Ok(false));
    looker.claim_owner().expect("claims");
    assert_eq!(count(&place.path, "SELECT count(*) FROM owners"), 3, "the idle one is gone, a new one is there");
    let left = |owner: OwnerId| super::super::owner::folder(&place.path).join(format!("{}.lock", owner.0)).exists();
    assert!(left(owner) && !left(idle));
    looker.commit(&id, Version(2), vec![moved(Status::Paused, 3, None)]).expect("recovers");
    looker.claim_owner().expect("claims");
    assert!(!left(owner));
}

#[test]
fn a_store_can_be_dropped_inside_async_code() {
    let place = place();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let store = open(&place.path);
        let id = id(1);
        later(&store, &id, vec![begun(&id)]).expect("is taken");
        let ticket = store.append(&id, Token(1), vec![line("x")], Barrier::Now);
        drop(store);
        assert_eq!(ticket.await, Ok(()));
    });
    assert_eq!(load(&open(&place.path), &id(1)).execution.logs, ["x"]);
}

#[test]
fn every_word_is_one_that_the_file_takes() {
    let place = place();
    let store = open(&place.path);
    let id = begin(&store, 1);
    for status in Status::ALL {
        now(&store, &id, vec![moved(status, 1, None)]).expect("writes");
        assert_eq!(load(&store, &id).execution.status, status);
    }
    now(&store, &id, vec![asked(0, 1)]).expect("writes");
    for to in EntryState::ALL {
        now(&store, &id, vec![Write::Sweep { from: &EntryState::ALL, to, at: 1 }]).expect("writes");
        assert_eq!(load(&store, &id).entries[0].state, to);
        let contained = EntryState::ALL.into_iter().filter(|other| other.as_str().contains(to.as_str())).count();
        assert_eq!(contained, 1, "a word that is part of another would be found by `instr`");
    }
}
