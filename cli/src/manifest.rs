//! `codemode.toml`: which connectors a runtime has, and which limits. A key that nobody reads is an error, because a
//! misspelt limit is no limit.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use codemode_runtime::durable::id::check_runtime_name;
use codemode_runtime::{Limits, Validate};
use serde::Deserialize;

use crate::fault::Fault;
use crate::setup::read;

/// Where a manifest is looked for.
const FILE: &str = "codemode.toml";

/// A manifest, checked.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The runtime's name.
    pub(crate) name: String,
    /// In the order of their names.
    pub(crate) connectors: Vec<Connector>,
    /// The bounds of executions.
    pub(crate) limits: Limits,
    /// What is checked before a connector hears of a call.
    pub(crate) validate: Validate,
}

/// A connector of a manifest.
#[derive(Debug)]
pub(crate) struct Connector {
    /// The global in the code.
    pub(crate) name: String,
    /// The component's file.
    pub(crate) component: PathBuf,
    /// What it may read.
    pub(crate) config: BTreeMap<String, String>,
    /// What it is good for, in a few words for a model.
    pub(crate) hint: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    runtime: RuntimeTable,
    connectors: BTreeMap<String, ConnectorTable>,
    limits: LimitsTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RuntimeTable {
    name: Option<String>,
    validate: ValidateWord,
}

/// What is checked before a connector hears of a call.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ValidateWord {
    #[default]
    Arguments,
    Nothing,
}

impl From<ValidateWord> for Validate {
    fn from(word: ValidateWord) -> Self {
        match word {
            ValidateWord::Arguments => Self::Arguments,
            ValidateWord::Nothing => Self::Nothing,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectorTable {
    component: PathBuf,
    #[serde(default)]
    config: BTreeMap<String, String>,
    hint: Option<String>,
}

/// A bound that may be zero, read like the others.
trait Bound {
    fn get(self) -> u32;
}

impl Bound for u32 {
    fn get(self) -> u32 {
        self
    }
}

macro_rules! limits {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// The fields of [`Limits`], each optional.
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        struct LimitsTable { $($field: Option<$type>),* }

        impl LimitsTable {
            fn apply(&self) -> Limits {
                let mut limits = Limits::default();
                $(if let Some(value) = self.$field { limits.$field = value.get(); })*
                limits
            }
        }

        #[cfg(test)]
        const LIMIT_NAMES: &[&str] = &[$(stringify!($field)),*];
    };
}

limits! {
    pass_ms: NonZeroU64,
    call_ms: NonZeroU64,
    cpu_ms: NonZeroU64,
    memory_bytes: NonZeroU64,
    calls: NonZeroU32,
    ops: NonZeroU32,
    in_flight: NonZeroU32,
    value_units: NonZeroU32,
    code_units: NonZeroU32,
    outcome_units: NonZeroU32,
    depth: NonZeroU32,
    log_lines: NonZeroU32,
    log_line_units: NonZeroU32,
    declaration_units: NonZeroU32,
    docs_units: NonZeroU32,
    cancel_ms: NonZeroU64,
    executions: u32,
}

/// The manifest that was named, or the one in this folder, if any.
pub(crate) fn find(named: Option<&Path>) -> Result<Option<Manifest>, Fault> {
    let path = match named {
        Some(path) => path,
        None if Path::new(FILE).exists() => Path::new(FILE),
        None => return Ok(None),
    };
    let text = String::from_utf8(read(path)?)
        .map_err(|_| Fault::usage("manifest", format!("{} is no text: it is not UTF-8", path.display())))?;
    parse(path, &text).map(Some)
}

fn parse(path: &Path, text: &str) -> Result<Manifest, Fault> {
    let file: File = toml::from_str(text).map_err(|error| explain(path, text, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = file.runtime.name.unwrap_or_else(|| "default".to_owned());
    check_runtime_name(&name).map_err(|error| {
        Fault::usage("name", error.to_string()).with_hint(format!("it is `name` of [runtime] in {}", path.display()))
    })?;
    let connector = |(name, table): (String, ConnectorTable)| Connector {
        name,
        component: folder.join(table.component),
        config: table.config,
        hint: table.hint,
    };
    let connectors = file.connectors.into_iter().map(connector).collect();
    let (limits, validate) = (file.limits.apply(), file.runtime.validate.into());
    Ok(Manifest { path: path.to_owned(), name, connectors, limits, validate })
}

/// One line with the place; what was meant where it can be told.
fn explain(path: &Path, text: &str, error: &toml::de::Error) -> Fault {
    let place = error.span().map_or_else(String::new, |span| {
        let before = &text[..floor(text, span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!(":{line}:{column}")
    });
    let at = format!("{}{place}", path.display());
    let message = error.message().trim().replace('\n', "; ");
    // Serde lists what it knows: the first name in the text is the unknown one.
    let mut quoted = message.split('`').skip(1).step_by(2);
    match (message.starts_with("unknown field"), quoted.next()) {
        (true, Some(unknown)) => {
            let known: Vec<&str> = quoted.collect();
            let hint = match closest(unknown, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", known.join(", ")),
            };
            Fault::usage("manifest", format!("{at}: unknown key `{unknown}`")).with_hint(hint)
        }
        _ => Fault::usage("manifest", format!("{at}: {message}")),
    }
}

/// The largest place at or before `at` where a text may be cut.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// The known word that is nearest to a misspelt one, if one is near.
pub(crate) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let allowed = (word.chars().count() / 3).max(1);
    known.iter().map(|k| (distance(&word, k), *k)).filter(|(d, _)| *d <= allowed).min().map(|(_, k)| k)
}

/// Insertions, deletions and replacements from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (String, String) {
        let fault = parse(Path::new("codemode.toml"), text).unwrap_err();
        (fault.message, fault.hint.unwrap_or_default())
    }

    #[test]
    fn a_full_manifest_is_read() {
        let text = "[runtime]\nname = \"notes-2\"\n[connectors.notes]\ncomponent = \"n.wasm\"\nconfig = { a = \"b\" }\n[limits]\ncalls = 5\n";
        let manifest = parse(Path::new("conf/codemode.toml"), text).unwrap();
        assert_eq!((manifest.name.as_str(), manifest.limits.calls), ("notes-2", 5));
        assert_eq!(manifest.limits.call_ms, Limits::default().call_ms);
        let [notes] = &manifest.connectors[..] else { panic!("one connector") };
        assert_eq!((notes.name.as_str(), notes.component.as_path()), ("notes", Path::new("conf/n.wasm")));
        assert_eq!(notes.config["a"], "b");
    }

    #[test]
    fn an_empty_manifest_has_no_connectors() {
        let manifest = parse(Path::new("codemode.toml"), "").unwrap();
        assert!(manifest.connectors.is_empty());
        assert_eq!((manifest.name.as_str(), manifest.validate), ("default", Validate::Arguments));
    }

    #[test]
    fn arguments_need_not_be_checked() {
        let manifest = parse(Path::new("codemode.toml"), "[runtime]\nvalidate = \"nothing\"\n").unwrap();
        assert_eq!(manifest.validate, Validate::Nothing);
        assert!(refused("[runtime]\nvalidate = \"results\"\n").0.contains("expected `arguments` or `nothing`"));
    }

    #[test]
    fn unknown_keys_come_with_their_place_and_a_suggestion() {
        let (message, hint) = refused("[limits]\npass_ms = 1\n  cals = 3\n");
        assert_eq!(
            (message.as_str(), hint.as_str()),
            ("codemode.toml:3:3: unknown key `cals`", "did you mean `calls`?")
        );
        let (message, hint) = refused("[connectors.n]\ncomponent = \"a\"\ngrants = {}\n");
        assert_eq!(
            (message.as_str(), hint.as_str()),
            ("codemode.toml:3:1: unknown key `grants`", "known here: component, config, hint")
        );
        assert!(refused("[connector.n]\n").1.contains("`connectors`"));
    }

    #[test]
    fn wrong_values_are_refused_at_their_place() {
        assert!(
            refused("[limits]\nin_flight = 0\n").0.starts_with("codemode.toml:2:13: "),
            "{:?}",
            refused("[limits]\nin_flight = 0\n")
        );
        assert!(refused("[limits]\ncalls = \"many\"\n").0.contains(":2:9: invalid type"));
        assert!(refused("[connectors.n]\n").0.contains("missing field `component`"));
        assert!(refused("[runtime\n").0.starts_with("codemode.toml:1:"));
        assert!(refused("[runtime]\nname = \"a b\"\n").0.contains("not allowed"));
    }

    #[test]
    fn every_limit_can_be_set() {
        let shown = format!("{:?}", Limits::default());
        let fields: Vec<&str> =
            shown.split(['{', ',', '}']).filter_map(|part| part.split_once(':')).map(|(name, _)| name.trim()).collect();
        assert_eq!(fields, LIMIT_NAMES);
    }
}
