//! `replay`: a bundle once more in a sandbox, offline, against what it has recorded.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use codemode_runtime::bundle::{self, Bundle, BundleError, Place, ReadLimits, Report, Verdict};
use codemode_runtime::{ComponentExecutor, Limits};
use serde::Serialize;

use super::block_on;
use crate::args::{Global, Output, Replay};
use crate::exit::Exit;
use crate::fault::Fault;
use crate::manifest;
use crate::output::outcome::many;
use crate::output::text::{indent, safe};
use crate::output::{BAD, BOLD, DIM, GOOD, Ui, WAITS, styled};
use crate::setup::{engine, read, unreadable};

/// A report; the keys are stable.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    execution_id: &'a str,
    status: &'a str,
    verdict: &'a str,
    asks: u32,
    recorded: u32,
    op: Option<u32>,
    seq: Option<u32>,
    why: Option<&'a str>,
    expected: Option<&'a str>,
    actual: Option<&'a str>,
    hint: Option<&'a str>,
    notes: Vec<WireNote>,
}

#[derive(Serialize)]
struct WireNote {
    note: &'static str,
    text: String,
}

pub(super) fn run(args: &Replay, global: &Global, ui: &Ui) -> Result<Exit, Fault> {
    let bundle = bundle(&args.file)?;
    let limits = manifest::find(global.manifest.as_deref())?.map_or_else(Limits::default, |m| m.limits);
    let engine = engine()?;
    let executor = match &args.executor {
        Some(file) => ComponentExecutor::load(&engine, &read(file)?, &file.display().to_string())?,
        None => ComponentExecutor::bundled(&engine).map_err(|e| Fault { exit: Exit::Host, ..e.into() })?,
    };
    let replayed = block_on(async { Ok(bundle::replay(Arc::new(executor), &bundle, &limits).await) })?;
    let report = replayed.map_err(|error| match error {
        // The file is of no use here, whatever is in a store.
        codemode_runtime::Error::ReplayVersion { .. } => Fault { exit: Exit::Usage, ..error.into() },
        error => error.into(),
    })?;
    if ui.form() == Output::Json {
        ui.json(&wire(&bundle, &report))?;
    } else {
        ui.data(human(&bundle, &report))?;
    }
    for note in &report.notes {
        ui.talk(format!("{} {}", styled(BOLD, "note:"), safe(&note.to_string())));
    }
    Ok(match report.verdict {
        Verdict::Same => Exit::Completed,
        Verdict::EndsEarly(_) => Exit::RecordEnds,
        _ => Exit::CodeFailed,
    })
}

fn bundle(file: &Path) -> Result<Bundle, Fault> {
    let limits = ReadLimits::default();
    let bytes = |from: &mut dyn Read| {
        let mut bytes = Vec::new();
        from.take(limits.bytes + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = match file == Path::new("-") {
        true => bytes(&mut io::stdin().lock()),
        false => File::open(file).and_then(|mut file| bytes(&mut file)),
    };
    let bytes = bytes.map_err(|error| unreadable(file, &error))?;
    bundle::read(&bytes, &limits).map_err(|error| {
        let fault = Fault::usage(error.code(), error.to_string());
        match error {
            BundleError::NotABundle { .. } => fault.with_hint("`codemode export ID -o FILE` makes one"),
            BundleError::Damaged { .. } => fault.with_hint("export it again, and copy it as it is"),
            _ => fault,
        }
    })
}

/// Where the verdict is about, and what is recorded there and was done instead.
fn details(verdict: &Verdict) -> (Option<&Place>, Option<(&str, &str)>, Option<&str>) {
    match verdict {
        Verdict::Diverged(d) => (Some(&d.at), Some((&d.expected, &d.actual)), d.hint.as_deref()),
        Verdict::EndsEarly(place) => (Some(place), None, None),
        Verdict::Same => (None, None, None),
    }
}

fn wire<'a>(bundle: &'a Bundle, report: &'a Report) -> Wire<'a> {
    let (place, differs, hint) = details(&report.verdict);
    Wire {
        execution_id: report.execution.as_str(),
        status: bundle.standing.status.as_str(),
        verdict: report.verdict.as_str(),
        asks: report.asks,
        recorded: report.recorded,
        op: place.map(|p| p.op.0),
        seq: place.and_then(|p| p.seq).map(|s| s.0),
        why: place.map(|p| p.why.as_str()),
        expected: differs.map(|d| d.0),
        actual: differs.map(|d| d.1),
        hint,
        notes: report.notes.iter().map(|n| WireNote { note: n.as_str(), text: n.to_string() }).collect(),
    }
}

fn human(bundle: &Bundle, report: &Report) -> String {
    let (tone, word) = match report.verdict {
        Verdict::Same => (GOOD, "same"),
        Verdict::EndsEarly(_) => (WAITS, "the record ends early"),
        _ => (BAD, "diverged"),
    };
    let (place, differs, hint) = details(&report.verdict);
    let seq = place.and_then(|p| p.seq).map_or_else(String::new, |seq| format!(" at seq {seq}"));
    let recorded = format!("({}, {} recorded)", bundle.standing.status, many(report.recorded as usize, "ask"));
    let id = safe(report.execution.as_str());
    let mut out = format!("{} {id}{seq} {}\n", styled(tone, word), styled(DIM, recorded));
    if let Some(place) = place {
        out.push_str(&format!("{}\n", indent(&safe(&place.why), "  ")));
    }
    if let Some((expected, actual)) = differs {
        out.push_str(&format!("  {} {}\n", styled(BOLD, "recorded:"), safe(expected).replace('\n', "⏎")));
        out.push_str(&format!("  {} {}\n", styled(BOLD, "replayed:"), safe(actual).replace('\n', "⏎")));
    }
    if let Some(hint) = hint {
        out.push_str(&format!("  {} {}\n", styled(BOLD, "hint:"), safe(hint)));
    }
    out
}
