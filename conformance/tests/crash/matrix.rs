//! Kills a script at each of its points, lets another process go on, and looks at what is there: in the file at the
//! moment of the death, and outside and inside at the end.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::check::{self, Final};
use crate::child::{self, ORDERS, Orders, Task};
use crate::script::{Again, First, Script};
use crate::seen::Seen;

/// `full`: a kill at each point of every script, and a second one after each.
const SIZE: &str = "CODEMODE_CRASH";
/// Otherwise a script is killed at about so many points.
const ENOUGH: u64 = 40;

/// How a child ended, and what it said until then.
struct Ended {
    said: Vec<Value>,
    killed: bool,
}

impl Ended {
    /// Where it died. Other threads may have said something after that.
    fn died(&self) -> Value {
        self.said.iter().find(|line| line["died"].is_string()).expect("where it died").clone()
    }
}

/// What was seen of all scripts of this process.
#[derive(Default)]
struct Totals {
    scripts: usize,
    kills: u64,
    second_kills: u64,
    doubts: u64,
    /// How often a process died there, and how many calls were in doubt after that.
    places: BTreeMap<String, (u64, u64)>,
}

static TOTALS: Mutex<Totals> =
    Mutex::new(Totals { scripts: 0, kills: 0, second_kills: 0, doubts: 0, places: BTreeMap::new() });

/// One script, and what is known of it.
struct Matrix {
    script: &'static Script,
    /// What comes out of it when nobody is killed.
    whole: Final,
    tasks: tokio::runtime::Runtime,
    totals: Totals,
}

/// Kills the script at every point.
#[expect(clippy::print_stdout, reason = "the numbers are to be seen in CI")]
pub(crate) fn kill_everywhere(script: &'static Script) {
    let base = tempfile::tempdir().expect("a folder");
    let folder = fresh(base.path(), "whole");
    let ended = run(script, &folder, Task::Work, 0, 0);
    assert!(!ended.killed);
    let seen = Seen::of(script, &folder);
    let whole = Final::of(script, &seen);
    check::whole(script, &seen, &whole);
    let points = ended.said.last().and_then(|line| line["points"].as_u64()).expect("the number of points");
    assert!(points >= script.points, "{} has {points} points, expected are {}", script.name, script.points);
    let tasks = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let every = every(points);
    let first = 1 + lot(script.name, 0) % every;
    let mut matrix = Matrix { script, whole, tasks, totals: Totals::default() };
    // Code that asks in parallel does not pass the same number of points each time: on to the first that lives.
    for n in (first..).step_by(usize::try_from(every).expect("a small number")) {
        let folder = fresh(base.path(), &n.to_string());
        if !kept_on_failure(&folder, || matrix.kill_at(n, &folder)) && n > points {
            break;
        }
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
    let Totals { kills, second_kills, doubts, .. } = &matrix.totals;
    assert!(*kills >= script.points / every, "{} was killed {kills} times", script.name);
    println!(
        "{}: {points} points, killed at {kills}, {second_kills} second kills, {doubts} calls in doubt",
        script.name
    );
    add(matrix.totals);
}

fn is_full() -> bool {
    std::env::var(SIZE).is_ok_and(|size| size == "full")
}

/// Every how many points a script of so many is killed.
pub(crate) fn every(points: u64) -> u64 {
    if is_full() { 1 } else { points.div_ceil(ENOUGH).max(1) }
}

/// Leaves the folder behind for whoever wants to know why.
fn kept_on_failure<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let kept = std::env::temp_dir().join(format!("codemode-crash-{}", std::process::id()));
        let _ = copy(folder, &kept);
        let _ = writeln!(std::io::stderr(), "what was left is in {}", kept.display());
        std::panic::resume_unwind(panic)
    })
}

impl Matrix {
    /// Kills at one point, and once more while the next process goes on. `false`: the child passed fewer points.
    fn kill_at(&mut self, n: u64, folder: &Path) -> bool {
        let script = self.script;
        let first = run(script, folder, Task::Work, n, 0);
        if !first.killed {
            self.check_end(folder, &[&first.said], "not killed");
            return false;
        }
        let died = first.died();
        self.totals.kills += 1;
        let at = format!("{} killed at {n}, {} [{}]", script.name, died["died"], died["what"]);
        let crashed = Seen::of(script, folder);
        check::instant(script, &crashed, &[&first.said], &at);
        for m in self.second_points(n) {
            if !self.kill_again(folder, &first, &crashed, m, &at) {
                break;
            }
        }
        if script.first == First::RecoverTwice {
            rivals(script, folder, &at);
        }
        let second = self.go_on(folder, &[&first.said]);
        let doubts = check::doubts(script, &crashed, &second, &at);
        self.totals.doubts += doubts;
        let place = self.totals.places.entry(died["died"].as_str().unwrap_or_default().to_owned()).or_default();
        *place = (place.0 + 1, place.1 + doubts);
        let seen = self.check_end(folder, &[&first.said, &second], &at);
        check::not_again(&crashed, &seen, &at);
        true
    }

    /// The points of the next process at which that is killed too.
    fn second_points(&self, n: u64) -> Box<dyn Iterator<Item = u64>> {
        let lot = lot(self.script.name, n);
        let is_full = is_full();
        match self.script.again {
            Again::Everywhere if is_full || n % 12 == 1 => Box::new(1..),
            Again::Everywhere => Box::new(std::iter::empty()),
            Again::Drawn if is_full || lot.is_multiple_of(4) => Box::new(std::iter::once(1 + (lot >> 8) % 12)),
            Again::Drawn => Box::new(std::iter::empty()),
        }
    }

    /// Kills the process that goes on, in a copy of what the first one left. `false`: it passed fewer points.
    fn kill_again(&mut self, folder: &Path, first: &Ended, crashed: &Seen, m: u64, at: &str) -> bool {
        let script = self.script;
        let again = folder.with_extension("again");
        let _ = fs::remove_dir_all(&again);
        copy(folder, &again).expect("a copy");
        let second = run(script, &again, Task::GoOn, m, done(&[&first.said]));
        if second.killed {
            self.totals.second_kills += 1;
            let died = second.died();
            let at = format!("{at}, then at {m}, {} [{}]", died["died"], died["what"]);
            let crashed = Seen::of(script, &again);
            check::instant(script, &crashed, &[&first.said, &second.said], &at);
            let third = self.go_on(&again, &[&first.said, &second.said]);
            check::doubts(script, &crashed, &third, &at);
            let seen = self.check_end(&again, &[&first.said, &second.said, &third], &at);
            check::not_again(&crashed, &seen, &at);
        } else {
            check::doubts(script, crashed, &second.said, at);
            self.check_end(&again, &[&first.said, &second.said], at);
        }
        second.killed
    }

    /// Goes on in this process, which is another one than those that died.
    fn go_on(&self, folder: &Path, said: &[&[Value]]) -> Vec<Value> {
        self.tasks.block_on(child::go_on(self.script, folder, done(said)))
    }

    fn check_end(&self, folder: &Path, said: &[&[Value]], at: &str) -> Seen {
        let seen = Seen::of(self.script, folder);
        check::instant(self.script, &seen, said, at);
        check::end(self.script, &seen, said, at);
        check::same(self.script, &self.whole, &Final::of(self.script, &seen), at);
        seen
    }
}

/// Two processes that recover at the same moment.
fn rivals(script: &'static Script, folder: &Path, at: &str) {
    let both = [(); 2].map(|()| spawn(script, folder, Task::Rival, 0, 0));
    for rival in both {
        let ended = wait(rival, folder);
        assert!(!ended.killed, "{at}: a rival died");
    }
}

/// A number that looks drawn, and is the same each time.
fn lot(name: &str, n: u64) -> u64 {
    let bytes = name.bytes().chain(n.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)) >> 16
}

/// How many acts are known to be done.
fn done(said: &[&[Value]]) -> usize {
    let last = said.iter().copied().flatten().filter_map(|line| line["done"].as_u64()).max();
    last.map_or(0, |at| usize::try_from(at).unwrap_or(0) + 1)
}

fn fresh(base: &Path, name: &str) -> PathBuf {
    let folder = base.join(name);
    fs::create_dir(&folder).expect("a folder");
    folder
}

/// Copies a folder without the shared memory of a database, which is of the processes that had it open.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else if !name.to_string_lossy().ends_with("-shm") {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

fn run(script: &'static Script, folder: &Path, task: Task, fatal: u64, done: usize) -> Ended {
    wait(spawn(script, folder, task, fatal, done), folder)
}

fn spawn(script: &'static Script, folder: &Path, task: Task, fatal: u64, done: usize) -> Child {
    let orders = Orders { script: script.name.to_owned(), folder: folder.to_owned(), task, fatal, done };
    let errors = fs::File::options().create(true).append(true).open(folder.join("errors")).expect("a file");
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "child::as_a_child_do_what_the_parent_says", "--nocapture", "--test-threads=1"])
        .env(ORDERS, orders.to_text())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .expect("a child starts")
}

fn wait(child: Child, folder: &Path) -> Ended {
    let output = child.wait_with_output().expect("a child ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // A line that was cut off was not said.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let said: Vec<Value> =
        whole.lines().filter(|l| l.starts_with('{')).filter_map(|l| serde_json::from_str(l).ok()).collect();
    let killed = output.status.signal() == Some(9);
    if !killed && !output.status.success() {
        let errors = fs::read_to_string(folder.join("errors")).unwrap_or_default();
        panic!("a child failed ({}) in {}:\n{text}\n{errors}", output.status, folder.display());
    }
    Ended { said, killed }
}

/// Adds the numbers of a script; the last one prints those of all.
fn add(of: Totals) {
    let mut all = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    all.scripts += 1;
    all.kills += of.kills;
    all.second_kills += of.second_kills;
    all.doubts += of.doubts;
    for (place, (kills, doubts)) in of.places {
        let sum = all.places.entry(place).or_default();
        *sum = (sum.0 + kills, sum.1 + doubts);
    }
    if all.scripts == crate::scripts().len() {
        let Totals { scripts, kills, second_kills, doubts, places } = &*all;
        let places: Vec<String> =
            places.iter().map(|(place, (kills, doubts))| format!("{place} {kills}/{doubts}")).collect();
        let line = format!(
            "crash matrix: {scripts} scripts, killed at {kills} points, {second_kills} second kills, {doubts} calls in \
             doubt; kills/doubts: {}\n",
            places.join(", ")
        );
        // Not `eprintln`, which tests capture: this number is to be seen.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
