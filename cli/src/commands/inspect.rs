//! `connector inspect`: what a component offers, what it asks for, and whether it would be let in.

use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::http::HttpGrant;
use codemode_runtime::connector::{Connector as _, Description, Flag, Method};
use codemode_runtime::durable::journal::{Approval, Effect};
use codemode_runtime::host::{Capability, Inspection, Kind, LoadError};
use serde_json::{Value, json};

use super::block_on;
use crate::args::{Inspect, Output};
use crate::exit::Exit;
use crate::fault::{Fault, NO_HTTP};
use crate::output::table::{Cell, table};
use crate::output::text::{indent, safe};
use crate::output::{BAD, BOLD, DIM, GOOD, Ui, WAITS, styled, width};
use crate::setup::{engine, read};

/// What was found out.
struct Found {
    inspection: Inspection,
    /// Why it would be refused.
    refusal: Option<String>,
    description: Option<Description>,
}

pub(super) fn run(args: &Inspect, ui: &Ui) -> Result<Exit, Fault> {
    let shown = args.file.display().to_string();
    let bytes = read(&args.file)?;
    let engine = engine()?;
    let inspection = engine.inspect(&bytes, &shown)?;
    let mut found = Found { inspection, refusal: None, description: None };
    let mut options = ComponentOptions::new(shown.as_str());
    // What it says of itself can be looked at although it would be refused: describing uses no http.
    let only_http = found.inspection.admit_connector(&shown, &[Capability::Http]).is_ok();
    options.http = only_http.then(HttpGrant::nothing);
    if only_http && !found.inspection.offending.is_empty() {
        found.refusal = Some(format!("it needs a grant of http; {NO_HTTP}"));
    }
    match ComponentConnector::load(&engine, &bytes, options) {
        Err(LoadError::Imports { .. }) => found.refusal = Some("it imports what was not granted".to_owned()),
        Err(LoadError::WrongKind { reason, .. }) => found.refusal = Some(format!("it is no connector: {reason}")),
        Err(error) => found.refusal = Some(error.to_string()),
        // Describing uses no state and no network.
        Ok(connector) => match block_on(async { Ok(connector.describe().await) })? {
            Ok(description) => found.description = Some(description),
            Err(failure) => found.refusal = Some(failure.message),
        },
    }
    if ui.form() == Output::Json {
        ui.json(&wire(&shown, &found))?;
    } else {
        ui.data(human(&shown, &found))?;
    }
    Ok(if found.refusal.is_none() { Exit::Completed } else { Exit::CodeFailed })
}

fn kind(inspection: &Inspection) -> &'static str {
    match inspection.kind {
        Kind::Connector => "connector",
        Kind::Executor => "executor",
        _ => "other",
    }
}

fn wire(file: &str, found: &Found) -> Value {
    let Inspection { exports, imports, offending, initial_memory_bytes, .. } = &found.inspection;
    let offending: Vec<_> = offending.iter().map(|o| json!({ "import": o.import, "hint": o.hint })).collect();
    let method = |m: &Method| {
        json!({
            "name": m.name,
            "description": m.description,
            "requiresApproval": m.approval == Approval::Required,
            "effect": effect(m.effect),
            "revertible": m.revertible == Flag::Yes,
        })
    };
    json!({
        "file": file,
        "kind": kind(&found.inspection),
        "admitted": found.refusal.is_none(),
        "refusal": found.refusal,
        "exports": exports,
        "imports": imports,
        "offending": offending,
        "initialMemoryBytes": initial_memory_bytes,
        "suggestedName": found.description.as_ref().map(|d| d.suggested_name.as_str()),
        "methods": found.description.as_ref().map(|d| d.methods.iter().map(method).collect::<Vec<_>>()),
        "config": found.description.as_ref().map(|d| d.config.iter().map(|k| json!({
            "name": k.name, "required": k.required == Flag::Yes, "secret": k.secret == Flag::Yes,
        })).collect::<Vec<_>>()),
        "origins": found.description.as_ref().map(|d| d.origins.as_slice()),
    })
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Unknown => "unknown",
        Effect::ReadOnly => "read-only",
        Effect::Write => "write",
    }
}

fn human(file: &str, found: &Found) -> String {
    let Inspection { exports, imports, offending, initial_memory_bytes, .. } = &found.inspection;
    let verdict = match &found.refusal {
        None => styled(GOOD, "would be let in"),
        Some(_) => styled(BAD, "would be refused"),
    };
    let mut out = format!("{} {} · {verdict}\n", styled(BOLD, safe(file)), kind(&found.inspection));
    out.push_str(&format!("{}\n", styled(DIM, format!("memory at the start: {} KiB", initial_memory_bytes >> 10))));
    if let Some(refusal) = &found.refusal {
        out.push_str(&format!("\n{}\n{}\n", styled(BOLD, "refused because"), indent(&safe(refusal), "  ")));
    }
    names(&mut out, "exports", exports);
    names(&mut out, "imports", imports);
    // What offends in a connector is no offence in an executor.
    if !offending.is_empty() && found.inspection.kind != Kind::Executor {
        let lines: Vec<String> = offending.iter().map(|o| format!("{}\n  {}", o.import, o.hint)).collect();
        out.push_str(&format!(
            "\n{}\n{}\n",
            styled(BOLD, "imports that were not granted"),
            indent(&safe(&lines.join("\n")), "  ")
        ));
    }
    if let Some(description) = &found.description {
        described(&mut out, description);
    }
    out
}

fn names(out: &mut String, title: &str, names: &[String]) {
    let text = if names.is_empty() { "nothing".to_owned() } else { names.join("\n") };
    out.push_str(&format!("\n{}\n{}\n", styled(BOLD, title), indent(&safe(&text), "  ")));
}

fn described(out: &mut String, description: &Description) {
    let row = |m: &Method| {
        let approval = match m.approval {
            Approval::Required => Cell("asks a person".to_owned(), WAITS),
            Approval::NotNeeded => Cell::plain("at once"),
        };
        let revert = if m.revertible == Flag::Yes { "yes" } else { "no" };
        let text = m.description.clone().unwrap_or_default();
        vec![Cell::plain(&*m.name), approval, Cell::plain(effect(m.effect)), Cell::plain(revert), Cell(text, DIM)]
    };
    let rows: Vec<_> = description.methods.iter().map(row).collect();
    let methods = table(&["NAME", "RUNS", "EFFECT", "REVERTS", "DESCRIPTION"], &rows, 4, width().map(|w| w - 2));
    out.push_str(&format!(
        "\n{} as {}\n{}\n",
        styled(BOLD, "methods"),
        safe(&description.suggested_name),
        indent(&methods, "  ")
    ));
    let config: Vec<String> = description
        .config
        .iter()
        .map(|key| {
            let required = if key.required == Flag::Yes { " (required)" } else { "" };
            let secret = if key.secret == Flag::Yes { " (secret)" } else { "" };
            let text = key.description.as_ref().map_or_else(String::new, |text| format!(": {text}"));
            format!("config {}{required}{secret}{text}", key.name)
        })
        .chain(description.origins.iter().map(|origin| format!("origin {origin}")))
        .collect();
    names(out, "needs", &config);
}
