//! The log beside the file stays small, whoever reads.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn log_size(place: &Place) -> u64 {
    std::fs::metadata(place.path.with_extension("db-wal")).map_or(0, |m| m.len())
}

#[test]
fn readers_that_never_rest_do_not_keep_the_log_growing() {
    let place = place();
    let store = open(&place.path);
    let ids: Vec<_> = (1..=8).map(|n| begin(&store, n)).collect();
    let stop = AtomicBool::new(false);
    let mut highest = 0;
    std::thread::scope(|scope| {
        for n in 0..3 {
            let (store, id, stop) = (&store, &ids[n], &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    load(store, id);
                }
            });
        }
        for _ in 0..3 {
            let (path, stop) = (&place.path, &stop);
            scope.spawn(move || {
                let other = raw(path);
                while !stop.load(Ordering::Relaxed) {
                    let mut statement = other.prepare("SELECT sum(length(args)) FROM entries").expect("prepares");
                    let _: Option<i64> = statement.query_row([], |row| row.get(0)).expect("counts");
                }
            });
        }
        for op in 0..4_000 {
            now(&store, &ids[7], vec![asked(op, 20_000)]).expect("writes");
            highest = highest.max(log_size(&place));
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("highest {highest}");
    assert!(highest < 32 << 20, "{highest}");
}
