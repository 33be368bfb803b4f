//! A process that is killed while it writes loses nothing that it was told is durable.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use super::*;

/// Tells the child which file to write to, and which execution it begins.
const PATH: &str = "CODEMODE_TEST_STORE_PATH";
const NUMBER: &str = "CODEMODE_TEST_STORE_NUMBER";

/// Not a test of its own: what a child process does until it is killed. It says each op whose barrier was reached.
#[test]
fn as_a_child_append_until_killed() {
    let (Ok(path), Ok(number)) = (std::env::var(PATH), std::env::var(NUMBER)) else { return };
    let store = SqliteStore::open(path, Options::default()).expect("opens");
    let owner = store.claim_owner().expect("claims");
    let id = begin(&store, number.parse().expect("a number"));
    store.commit(&id, Version(1), vec![moved(Status::Running, 1, Some(owner))]).expect("takes");
    let mut out = std::io::stdout();
    for op in 0.. {
        if op % 3 == 0 {
            now(&store, &id, vec![asked(op, 50), line("said")]).expect("writes");
            // Past the test harness, which would keep it until the end.
            writeln!(out, "reached {op}").and_then(|()| out.flush()).expect("the parent listens");
        } else {
            later(&store, &id, vec![asked(op, 50)]).expect("is taken");
        }
    }
}

fn child(path: &Path, number: u64) -> Child {
    let module = module_path!().split_once("::").expect("a crate and a module").1;
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("{module}::as_a_child_append_until_killed"), "--nocapture", "--test-threads=1"])
        .env(PATH, path)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts")
}

#[test]
fn killed_processes_lose_nothing_that_was_acknowledged() {
    let place = place();
    for round in 0..3u64 {
        // Two at once on one file.
        let numbers = [round * 2, round * 2 + 1];
        let children = numbers.map(|number| child(&place.path, number));
        let reached = children.map(|mut child| {
            let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
            let op = |line: String| line.rsplit_once("reached ").and_then(|(_, op)| op.parse::<usize>().ok());
            let mut last = lines.by_ref().filter_map(op).nth(30).expect("the child writes");
            child.kill().expect("is killed");
            child.wait().expect("ends");
            last = lines.filter_map(op).last().unwrap_or(last);
            last
        });
        let store = open(&place.path);
        for (number, reached) in numbers.into_iter().zip(reached) {
            let record = load(&store, &id(number));
            assert!(record.entries.len() > reached, "{} of {reached}", record.entries.len());
            assert_eq!(record.execution.logs.len(), (record.entries.len() - 1) / 3 + 1, "no batch is there by half");
            let owner = record.execution.owner.expect("it is running");
            assert_eq!(store.owner_is_alive(owner), Ok(false), "recognised at once");
        }
        drop(store);
        let sound: String = raw(&place.path).query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checks");
        assert_eq!(sound, "ok");
    }
}
