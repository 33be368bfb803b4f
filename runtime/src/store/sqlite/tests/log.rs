//! The log beside the file stays small, whoever reads. What a store holds it to is in pages: SQLite moves the log at 1,000,
//! the store cuts it by force at [`LONG`], and a page with its header is less than 4,200 bytes.

use super::super::log::LONG;
use super::*;

fn log_size(place: &Place) -> u64 {
    std::fs::metadata(place.path.with_extension("db-wal")).map_or(0, |m| m.len())
}

/// What a log may grow to, in bytes: it is cut at a quarter of this, and where readers do not end in time, at each
/// quarter more.
const BOUND: u64 = 4 * LONG.cast_unsigned() * 4_200;

/// What each write adds to the log, and nothing to the file.
const SIZE: usize = 100_000;

fn write(store: &dyn Store) {
    let at = StateKey { connector: "shelf".to_owned(), scope: Scope::Connector, key: "k".to_owned() };
    now(store, &id(1), vec![Write::State(StateWrite { at, value: Some(vec![7; SIZE]) })]).expect("writes");
}

/// Runs `work` while readers of this and of other connections read without a rest, each beginning before another ends.
fn while_many_read(place: &Place, store: &SqliteStore, work: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                load(store, &id(1));
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let other = raw(&place.path);
                let mut statement = other.prepare("SELECT count(*), max(length(value)) FROM state").expect("prepares");
                while !stop.load(Ordering::Relaxed) {
                    statement.query_row([], |_| Ok(())).expect("counts");
                }
            });
        }
        let _ending = Ending(&stop);
        work();
    });
}

#[test]
fn readers_that_never_rest_do_not_keep_the_log_growing() {
    let place = place();
    let store = open(&place.path);
    begin(&store, 1);
    let mut highest = 0;
    let writes = 2 * BOUND / SIZE as u64;
    while_many_read(&place, &store, || {
        for _ in 0..writes {
            write(&store);
            highest = highest.max(log_size(&place));
        }
    });
    assert!(highest < BOUND, "{highest} of {BOUND}");
}

#[test]
fn a_reader_that_stays_open_for_long_does_not_leave_a_long_log() {
    let place = place();
    let store = open(&place.path);
    begin(&store, 1);
    let reader = raw(&place.path);
    reader.execute_batch("BEGIN").expect("begins");
    let _: i64 = reader.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).expect("counts");
    while log_size(&place) < BOUND {
        // It keeps all of the log, and nobody waits for it.
        write(&store);
    }
    reader.execute_batch("COMMIT").expect("ends");
    while_many_read(&place, &store, || {
        // As before, it may grow by a quarter a few times.
        let cut = (0..3 * BOUND / SIZE as u64).any(|_| {
            write(&store);
            log_size(&place) < BOUND / 4
        });
        assert!(cut, "{}", log_size(&place));
    });
}
