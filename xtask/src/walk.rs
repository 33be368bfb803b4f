//! The first minutes with `codemode`, as data and as a walk: list notes, be stopped at a write, approve it from another
//! process, look at the journal, undo it, and go on after a crash. Everything is printed as a person would type it. The
//! tests walk the same way.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// One line that a person types, and how it must end.
struct Typed {
    why: &'static str,
    words: &'static [&'static str],
    end: End,
}

/// How a command ends.
#[derive(Clone, Copy)]
enum End {
    /// By itself, with that exit code.
    Exit(i32),
    /// Killed as soon as the journal has it, as by a crash.
    Killed,
}

const WALK: [Typed; 7] = [
    Typed { why: "Code that only reads runs to its end.", words: &["run", "list.js"], end: End::Exit(0) },
    Typed {
        why: "Code that writes stops at the call that needs a person.",
        words: &["run", "create.js"],
        end: End::Exit(3),
    },
    Typed {
        why: "Another process approves; what was done is not done again.",
        words: &["approve", "last", "--yes"],
        end: End::Exit(0),
    },
    Typed { why: "The journal has every call.", words: &["show", "last"], end: End::Exit(0) },
    Typed {
        why: "What was done can be undone, newest call first.",
        words: &["rollback", "last", "--yes"],
        end: End::Exit(0),
    },
    Typed { why: "A process is killed in the middle of its work.", words: &["run", "slow.js"], end: End::Killed },
    Typed { why: "Another one goes on where it was.", words: &["recover"], end: End::Exit(0) },
];

const LIST: &str = "async () => await notes.listNotes()\n";
const CREATE: &str = "\
async () => {
  const before = await notes.listNotes();
  const note = await notes.createNote({ text: \"buy milk\" });
  const after = await notes.listNotes();
  return { created: note.text, before: before.length, after: after.length };
}
";

/// A pass long enough to be killed, and short enough to wait for.
const SLOW: &str = "\
async () => {
  const before = await notes.listNotes();
  await new Promise((done) => setTimeout(done, 2000));
  return before.length;
}
";

/// Walks with the command that lies in `bin`, in a fresh store below `scratch`. `say` gets each line that is printed
/// by the walk itself; what the command prints goes where this process prints, unless `say` is to have it too.
pub(crate) fn walk(bin: &Path, scratch: &Path, output: Output, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be used: {error}", scratch.display());
    std::fs::create_dir_all(scratch).map_err(failed)?;
    for (file, code) in [("list.js", LIST), ("create.js", CREATE), ("slow.js", SLOW)] {
        std::fs::write(scratch.join(file), code).map_err(failed)?;
    }
    say("$ cat create.js");
    say(CREATE.trim_end());
    for Typed { why, words, end } in WALK {
        say(&format!("\n# {why}\n$ codemode {}", words.join(" ")));
        match end {
            End::Exit(exit) => {
                let status = run(command(bin, scratch, words), output, say).map_err(|e| unstarted(bin, &e))?;
                if status.code() != Some(exit) {
                    let words = words.join(" ");
                    return Err(format!("`codemode {words}` was to end with exit code {exit}, it ended with {status}"));
                }
            }
            End::Killed => kill(bin, scratch, words, output, say)?,
        }
    }
    Ok(())
}

/// The command, as it is started in a folder of its own.
fn command(bin: &Path, scratch: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(bin.join("codemode"));
    command
        .args(words)
        .current_dir(scratch)
        .env("CODEMODE_STORE", scratch.join("demo.db"))
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    #[cfg(unix)]
    // So that the commands it suggests read as a person would type them.
    std::os::unix::process::CommandExt::arg0(&mut command, "codemode");
    command
}

fn run(mut command: Command, output: Output, say: &mut dyn FnMut(&str)) -> std::io::Result<ExitStatus> {
    match output {
        Output::Inherited => command.status(),
        Output::Captured => command.output().map(|output| {
            say(&String::from_utf8_lossy(&output.stderr));
            say(&String::from_utf8_lossy(&output.stdout));
            output.status
        }),
    }
}

/// Starts a command, and kills it once its execution runs.
fn kill(bin: &Path, scratch: &Path, words: &[&str], output: Output, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let mut started = command(bin, scratch, words);
    if output == Output::Captured {
        started.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let mut child = started.spawn().map_err(|e| unstarted(bin, &e))?;
    loop {
        let listed = command(bin, scratch, &["executions", "--status", "running"]).output();
        if !listed.map_err(|e| unstarted(bin, &e))?.stdout.is_empty() {
            break;
        }
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Err(format!("`codemode {}` was to be killed, it ended with {status}", words.join(" ")));
        }
    }
    child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
    say("Killed");
    Ok(())
}

fn unstarted(bin: &Path, error: &std::io::Error) -> String {
    format!("{} cannot be started: {error}", bin.join("codemode").display())
}

/// Where the output of the command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the demo uses one, the tests the other")]
pub(crate) enum Output {
    /// To the terminal.
    Inherited,
    /// To `say`.
    Captured,
}
