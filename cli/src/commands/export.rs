//! `export`: one execution as one text that stands for itself.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use codemode_runtime::bundle::{self, Bundle};
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::{ExecutionId, Status, Store as _};
use serde_json::json;

use super::block_on;
use crate::args::{Export, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::text::safe;
use crate::output::{GOOD, Ui, styled};
use crate::select;
use crate::setup::{Opening, Setup};

pub(super) fn run(args: &Export, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.id)?;
    let bundle = exported(setup, &store, &id, ui)?;
    let text = bundle::write(&bundle);
    if bundle.standing.status == Status::Running {
        ui.talk(format!("{id} has not ended: this is its journal so far"));
    }
    let Some(file) = &args.out else {
        ui.exact(&text)?;
        return Ok(Exit::Completed);
    };
    create(file, &text)?;
    let shown = file.display().to_string();
    if ui.form() == Output::Json {
        ui.json(&json!({ "executionId": id.as_str(), "file": shown, "bytes": text.len() }))?;
    }
    ui.talk(format!("{} {id} to {}", styled(GOOD, "exported"), safe(&shown)));
    Ok(Exit::Completed)
}

/// The record must come out also where its connectors cannot be loaded any more.
fn exported(setup: &Setup, store: &Arc<SqliteStore>, id: &ExecutionId, ui: &Ui) -> Result<Bundle, Fault> {
    let missing = || Fault::conflict("not_found", format!("there is no execution {id}"));
    match setup.runtime(store.clone()) {
        Ok(runtime) => block_on(async { Ok(runtime.export(id).await?) })?.ok_or_else(missing),
        Err(fault) => {
            ui.talk(format!("without the connectors' descriptions: {}", safe(&fault.message)));
            Ok(Bundle::of(store.load(id)?.ok_or_else(missing)?, Vec::new()))
        }
    }
}

/// Makes a new file for its user alone: the journal has whatever the code handed over.
fn create(path: &Path, text: &str) -> Result<(), Fault> {
    let shown = path.display();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Fault::usage("file_exists", format!("{shown} exists, and is not replaced"))
            .with_hint("name another file, or remove it first"),
        _ => Fault::usage("no_file", format!("{shown} cannot be made: {error}")),
    })?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // A part of a bundle is of no use.
        let _ = fs::remove_file(path);
        Fault::host("output", format!("{shown} cannot be written: {error}"))
    })
}
