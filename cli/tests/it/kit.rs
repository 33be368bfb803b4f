//! A folder of its own for each test, and a short way to run the command in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

pub(crate) use codemode_conformance::redact::shown as redacted;

/// A folder, and the command in it.
pub(crate) struct Kit {
    folder: tempfile::TempDir,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Code that makes one call that waits for a person.
pub(crate) const CREATE: &str = "async () => {\n  const before = await notes.listNotes();\n  const note = await \
                                 notes.createNote({ text: 'buy milk' });\n  return { before: before.length, text: note.text };\n}\n";

impl Kit {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).expect("a file can be written");
        self
    }

    /// The command in this folder, without a store or manifest of the machine's.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codemode"));
        command
            .args(words)
            .current_dir(self.folder.path())
            .env("XDG_DATA_HOME", self.path("data"))
            // One cache for all tests: what is compiled does not depend on the test.
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
            .env("USER", "ada")
            .env_remove("CODEMODE_STORE")
            .env_remove("RUST_LOG")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        ended(self.command(words))
    }

    /// Runs and takes stdout as JSON.
    pub(crate) fn json(&self, words: &[&str]) -> (i32, Value) {
        let ended = self.run(&[words, &["--output", "json"]].concat());
        let value =
            serde_json::from_str(&ended.out).unwrap_or_else(|e| panic!("{words:?} gave no JSON ({e}): {ended:?}"));
        (ended.code, value)
    }

    /// Runs with that on stdin.
    pub(crate) fn feed(&self, words: &[&str], stdin: &[u8]) -> Ended {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        child.stdin.take().expect("stdin").write_all(stdin).expect("stdin takes it");
        of(child.wait_with_output().expect("it ends"))
    }

    /// Pauses one execution; the answer is its id.
    pub(crate) fn paused(&self) -> String {
        self.write("create.js", CREATE);
        let (code, outcome) = self.json(&["run", "create.js"]);
        assert_eq!(code, 3, "{outcome}");
        outcome["executionId"].as_str().expect("an id").to_owned()
    }
}

pub(crate) fn ended(mut command: Command) -> Ended {
    of(command.output().expect("the command starts"))
}

fn of(output: std::process::Output) -> Ended {
    Ended {
        code: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("stdout is text"),
        err: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

impl Ended {
    /// Insists on an exit code and on one line of error with that code.
    pub(crate) fn failed(&self, code: i32, word: &str) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        let errors: Vec<_> = self.err.lines().filter(|l| l.starts_with("error[")).collect();
        let [line] = errors[..] else { panic!("one error line: {self:?}") };
        assert!(line.starts_with(&format!("error[{word}]: ")), "{self:?}");
        assert_eq!(self.out, "", "nothing but data goes to stdout");
        self
    }
}
