//! `integrity-check`: looks for damage. It works on the file as it is, also where no store can be opened any more.

use std::io::IsTerminal as _;

use codemode_runtime::store::sqlite::{Options, SqliteStore};

use crate::args::Output;
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::outcome::many;
use crate::output::{BAD, DIM, GOOD, Ui, styled, text};
use crate::setup::Setup;

pub(super) fn run(setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let path = setup.existing()?;
    let watched = std::io::stderr().is_terminal();
    if watched {
        ui.draw(styled(DIM, "reading all of it"));
    }
    let found = SqliteStore::integrity_check_of(path, &Options::default());
    if watched {
        ui.draw("\r\x1b[2K");
    }
    let found = found?;
    let shown = text::safe(&path.to_string_lossy());
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "path": path.to_string_lossy(), "sound": found.is_empty(), "findings": found }))?;
    } else if !found.is_empty() {
        ui.data(found.iter().map(|line| text::safe(line)).collect::<Vec<_>>().join("\n"))?;
    }
    if found.is_empty() {
        ui.talk(format!("{} {shown}", styled(GOOD, "sound")));
        return Ok(Exit::Completed);
    }
    ui.talk(format!("{} {shown}: {}", styled(BAD, "damaged"), many(found.len(), "finding")));
    Ok(Exit::CodeFailed)
}
