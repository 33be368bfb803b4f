//! The first minute with `codemode`, as data and as a walk: list notes, be stopped at a write, approve it from another
//! process, look at the journal. Everything is printed as a person would type it. The tests walk the same way.

use std::path::Path;
use std::process::{Command, Stdio};

/// One line that a person types, and how it must end.
struct Typed {
    why: &'static str,
    words: &'static [&'static str],
    exit: i32,
}

const WALK: [Typed; 4] = [
    Typed { why: "Code that only reads runs to its end.", words: &["run", "list.js"], exit: 0 },
    Typed { why: "Code that writes stops at the call that needs a person.", words: &["run", "create.js"], exit: 3 },
    Typed {
        why: "Another process approves; what was done is not done again.",
        words: &["approve", "last", "--yes"],
        exit: 0,
    },
    Typed { why: "The journal has every call.", words: &["show", "last"], exit: 0 },
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

/// Walks with the command that lies in `bin`, in a fresh store below `scratch`. `say` gets each line that is printed
/// by the walk itself; what the command prints goes where this process prints, unless `say` is to have it too.
pub(crate) fn walk(bin: &Path, scratch: &Path, output: Output, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be used: {error}", scratch.display());
    std::fs::create_dir_all(scratch).map_err(failed)?;
    for (file, code) in [("list.js", LIST), ("create.js", CREATE)] {
        std::fs::write(scratch.join(file), code).map_err(failed)?;
    }
    say("$ cat create.js");
    say(CREATE.trim_end());
    for Typed { why, words, exit } in WALK {
        say(&format!("\n# {why}\n$ codemode {}", words.join(" ")));
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
        let status = match output {
            Output::Inherited => command.status().map_err(|e| e.to_string()),
            Output::Captured => command.output().map_err(|e| e.to_string()).map(|output| {
                say(&String::from_utf8_lossy(&output.stderr));
                say(&String::from_utf8_lossy(&output.stdout));
                output.status
            }),
        };
        let status = status.map_err(|e| format!("{} cannot be started: {e}", bin.join("codemode").display()))?;
        if status.code() != Some(exit) {
            return Err(format!(
                "`codemode {}` was to end with exit code {exit}, it ended with {status}",
                words.join(" ")
            ));
        }
    }
    Ok(())
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
