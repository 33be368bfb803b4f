//! A second process on the same file, which does what it is told, one deed after another.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use codemode_conformance::harness::Host;
use codemode_runtime::ExecutionId;

use crate::deeds::Deed;
use crate::kit::{Door, given_folder, host_of};

/// What stands before each line of its answers, among whatever the test's own frame prints.
const MARK: &str = "said: ";

/// The other process. It ends with this.
pub(crate) struct Second {
    child: Child,
    tell: ChildStdin,
    hear: Receiver<String>,
}

impl Second {
    /// Starts it over the store and the ledger of a folder.
    pub(crate) fn over(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--quiet", "--nocapture", "second::as_a_second_process_do_what_is_told"])
            .env("CODEMODE_ROLE", "second")
            .env("CODEMODE_FOLDER", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, lines) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        let (sender, hear) = channel();
        std::thread::spawn(move || {
            let said = |line: String| line.split_once(MARK).map(|(_, said)| said.to_owned());
            for said in lines.map_while(Result::ok).filter_map(said) {
                if sender.send(said).is_err() {
                    return;
                }
            }
        });
        let second = Self { child, tell, hear };
        assert_eq!(second.hears(), "here");
        second
    }

    /// Tells it what to do, and does not wait for it.
    pub(crate) fn told(&mut self, deed: Deed, id: &ExecutionId) {
        writeln!(self.tell, "{deed:?} {id}").unwrap();
    }

    /// Waits for what it says about what it was told.
    pub(crate) fn hears(&self) -> String {
        self.hear.recv_timeout(Duration::from_secs(60)).expect("the second process answers")
    }

    /// Both, without keeping a thread from other work.
    pub(crate) async fn does(&mut self, deed: Deed, id: &ExecutionId) -> String {
        self.told(deed, id);
        tokio::task::block_in_place(|| self.hears())
    }

    /// Tells it to run the code so many times and to say how often it completed.
    pub(crate) fn told_to_run(&mut self, times: usize, code: &str) {
        assert!(!code.contains('\n'), "one line");
        writeln!(self.tell, "Run {times} {code}").unwrap();
    }

    /// Kills it, wherever it is.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: what the second process does. It ends when nobody can tell it anything any more.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the first process reads the lines")]
async fn as_a_second_process_do_what_is_told() {
    if crate::kit::role().as_deref() != Some("second") {
        return;
    }
    let host = second_host(&given_folder());
    let runtime = host.runtime();
    println!("{MARK}here");
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let said = match line.split_once(' ').unwrap() {
            ("Run", run) => {
                let (times, code) = run.split_once(' ').unwrap();
                let mut completed = 0;
                for _ in 0..times.parse::<usize>().unwrap() {
                    match runtime.execute(code).await {
                        Ok(codemode_runtime::Outcome::Completed { .. }) => completed += 1,
                        other => println!("{MARK}{other:?}"),
                    }
                }
                format!("completed {completed}")
            }
            (deed, id) => Deed::parse(deed).unwrap().act(&runtime, &ExecutionId::from_text(id)).await,
        };
        println!("{MARK}{}", said.replace('\n', " "));
    }
}

/// The host of either process: the fixtures, and a door that the second process never opens.
pub(crate) fn second_host(folder: &Path) -> Host {
    host_of(folder).with("door", Door::new().1)
}
