//! `run`: new code, first pass.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;

use super::drive::{Running, drive};
use crate::args::Run;
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::Ui;
use crate::setup::{Opening, Setup, unreadable};

/// More than any limit allows: nobody sends this much by intention.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn run(args: &Run, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let code = code(&args.file, ui)?;
    let store = setup.store(Opening::Create)?;
    setup.say_defaults(ui);
    let runtime = setup.runtime(store)?;
    let text = code.clone();
    drive(setup, ui, &runtime, 0, &code, async {
        let started = runtime.start(text).await?;
        Ok(Running { id: started.execution().cloned(), outcome: started.outcome() })
    })
}

fn code(file: &Path, ui: &Ui) -> Result<String, Fault> {
    let (bytes, shown) = if file == Path::new("-") {
        if io::stdin().is_terminal() {
            ui.talk("reading code from the terminal; Ctrl-D ends it");
        }
        (bytes(io::stdin().lock()), "stdin".to_owned())
    } else {
        let open = File::open(file).and_then(bytes);
        (open, file.display().to_string())
    };
    let bytes = bytes.map_err(|error| unreadable(file, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Fault::usage("code_too_large", format!("{shown} is larger than {} MiB", MAX_BYTES >> 20))
            .with_hint("code is a function; keep data in files that a connector reads"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Fault::usage("not_text", format!("{shown} is not UTF-8 text: byte {} does not belong there", at + 1))
    })?;
    // Editors of some systems begin a text with this mark.
    let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
    if text.trim().is_empty() {
        return Err(Fault::usage("no_code", format!("{shown} has no code in it"))
            .with_hint("write one function, such as: async () => await notes.listNotes()"));
    }
    Ok(text)
}

fn bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
