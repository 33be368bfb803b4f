//! `snippet`: code that ran, saved under a name.

use codemode_runtime::{SaveSnippet, Snippet, Status, Store as _};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Said, ask};
use crate::args::{self, DeleteSnippet, NamedSnippet, Output};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::output::table::{Cell, table};
use crate::output::text::{indent, safe};
use crate::output::time::utc;
use crate::output::{BOLD, DIM, GOOD, Ui, styled, width};
use crate::select;
use crate::setup::{Opening, Setup, read};

/// A snippet; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    name: &'a str,
    description: &'a str,
    code: &'a str,
    saved_at: u64,
    input_schema: Option<Box<RawValue>>,
    connectors: &'a [String],
}

pub(super) fn run(command: &args::Snippet, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    match command {
        args::Snippet::Save(args) => save(args, setup, ui),
        args::Snippet::List => list(setup, ui),
        args::Snippet::Show(args) => show(args, setup, ui),
        args::Snippet::Delete(args) => delete(args, setup, ui),
    }
}

fn save(args: &args::SaveSnippet, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let id = select::find(&*store, &args.from)?;
    // The library takes code of any status; whoever types a command most likely wants code that works (HOSTAPI-03).
    let status = store.load(&id)?.map(|record| record.execution.status);
    if let Some(status) = status.filter(|status| *status != Status::Completed && !args.any_status) {
        let message = format!("execution {id} is {}, not completed", status.as_str());
        return Err(
            Fault::conflict("not_completed", message).with_hint("add --any-status to save its code all the same")
        );
    }
    let mut save = SaveSnippet::from(id.clone()).description(&*args.description);
    if let Some(file) = &args.input_schema {
        let shown = file.display();
        let text = String::from_utf8(read(file)?)
            .map_err(|_| Fault::usage("not_text", format!("{shown} is not UTF-8 text")))?;
        save = save.input_schema(text);
    }
    let snippet = setup.runtime(store)?.save_snippet(&args.name, save)?;
    if ui.form() == Output::Json {
        ui.json(&wire(&snippet))?;
    }
    ui.talk(format!("{} {} from {id}", styled(GOOD, "saved"), safe(&snippet.name)));
    let call = format!("codemode.run({}, input)", serde_json::Value::from(&*snippet.name));
    ui.talk(format!("in code: {}", styled(BOLD, safe(&call))));
    Ok(Exit::Completed)
}

fn list(setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let snippets = setup.store(Opening::Existing)?.snippets()?;
    if ui.form() == Output::Json {
        ui.json(&snippets.iter().map(wire).collect::<Vec<_>>())?;
    } else if !snippets.is_empty() {
        let row = |s: &Snippet| {
            vec![
                Cell::plain(&*s.name),
                Cell::plain(utc(s.saved_at)),
                Cell::plain(s.connectors.join(", ")),
                Cell(s.description.clone(), DIM),
            ]
        };
        let rows: Vec<_> = snippets.iter().map(row).collect();
        ui.data(table(&["NAME", "SAVED", "NEEDS", "DESCRIPTION"], &rows, 2, width()))?;
    }
    if snippets.is_empty() {
        ui.talk("no snippets");
    }
    Ok(Exit::Completed)
}

fn show(args: &NamedSnippet, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    let snippet = store.snippet(&args.name)?.ok_or_else(|| unknown(&args.name))?;
    if ui.form() == Output::Json {
        ui.json(&wire(&snippet))?;
    } else {
        ui.data(human(&snippet))?;
    }
    Ok(Exit::Completed)
}

fn delete(args: &DeleteSnippet, setup: &Setup, ui: &Ui) -> Result<Exit, Fault> {
    let store = setup.store(Opening::Existing)?;
    if !args.yes {
        // What cannot be read back can still be removed.
        if matches!(store.snippet(&args.name), Ok(None)) {
            return Err(unknown(&args.name));
        }
        ui.talk(format!("{}: this removes its code", safe(&args.name)));
        if ask(ui, "Delete it?")? == Said::No {
            ui.talk("nothing was deleted");
            return Ok(Exit::Conflict);
        }
    }
    if !store.delete_snippet(&args.name)? {
        return Err(unknown(&args.name));
    }
    if ui.form() == Output::Json {
        ui.json(&serde_json::json!({ "name": args.name, "deleted": true }))?;
    }
    ui.talk(format!("{} {}", styled(GOOD, "deleted"), safe(&args.name)));
    Ok(Exit::Completed)
}

fn unknown(name: &str) -> Fault {
    Fault::conflict("not_found", format!("there is no snippet `{name}`"))
        .with_hint("`codemode snippet list` lists them; a wrong store is another reason, see --store")
}

fn wire(snippet: &Snippet) -> Wire<'_> {
    Wire {
        name: &snippet.name,
        description: &snippet.description,
        code: &snippet.code,
        saved_at: snippet.saved_at,
        // A schema is JSON; its lines may be broken, those of the output may not.
        input_schema: snippet.input_schema.as_deref().and_then(|text| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            serde_json::value::to_raw_value(&value).ok()
        }),
        connectors: &snippet.connectors,
    }
}

fn human(snippet: &Snippet) -> String {
    let needs = if snippet.connectors.is_empty() { "no connector".to_owned() } else { snippet.connectors.join(", ") };
    let saved = format!("saved {}, needs {needs}", utc(snippet.saved_at));
    let mut out = format!("{}\n{}\n", styled(BOLD, safe(&snippet.name)), styled(DIM, safe(&saved)));
    let mut section = |title: &str, text: &str| {
        out.push_str(&format!("\n{}\n{}\n", styled(BOLD, title), indent(&safe(text.trim_end()), "  ")));
    };
    if !snippet.description.is_empty() {
        section("description", &snippet.description);
    }
    if let Some(schema) = &snippet.input_schema {
        section("input", schema);
    }
    section("code", &snippet.code);
    out
}
