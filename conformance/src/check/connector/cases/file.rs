//! The TOML file in which a team writes what its connector needs to be tried, how its effects are seen, and cases of its
//! own. A key that nobody reads is an error: a misspelt expectation expects nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::super::probe::Probe;
use super::super::web::MockAnswer;
use super::{Call, Case, Cases, Check, Expectation};

/// What a cases file says.
#[derive(Clone, Debug, Default)]
pub struct CasesFile {
    /// The configuration of the connector.
    pub config: BTreeMap<String, String>,
    /// What its requests are answered with.
    pub http: Vec<MockAnswer>,
    /// How long one call may take, in milliseconds; `None`: not said.
    pub call_ms: Option<u64>,
    /// How much memory one instance may have, in bytes; `None`: not said.
    pub memory_bytes: Option<u64>,
    /// What the clock says in each instance, in milliseconds since the Unix epoch; `None`: not said.
    pub clock_ms: Option<u64>,
    /// The cases, and the probes.
    pub cases: Cases,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    config: BTreeMap<String, String>,
    limits: LimitsTable,
    clock: ClockTable,
    grants: Grants,
    http: Vec<Spanned<MockAnswer>>,
    probe: Vec<ProbeTable>,
    case: Vec<CaseTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    call_ms: Option<std::num::NonZeroU64>,
    memory_mib: Option<std::num::NonZeroU32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ClockTable {
    epoch_ms: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Grants {
    http: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeTable {
    method: String,
    args: Option<toml::Value>,
    args_json: Option<Spanned<String>>,
    #[serde(default)]
    of: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTable {
    method: String,
    args: Option<toml::Value>,
    args_json: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseTable {
    name: Spanned<String>,
    #[serde(default)]
    setup: Vec<CallTable>,
    method: String,
    args: Option<toml::Value>,
    args_json: Option<Spanned<String>>,
    value: Option<toml::Value>,
    value_json: Option<Spanned<String>>,
    #[serde(default)]
    no_value: bool,
    error: Option<String>,
    message: Option<String>,
    snapshot: Option<PathBuf>,
    #[serde(default)]
    revert: bool,
    #[serde(default)]
    after: Vec<CheckTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckTable {
    method: Spanned<String>,
    args: Option<toml::Value>,
    args_json: Option<Spanned<String>>,
    value: Option<toml::Value>,
    value_json: Option<Spanned<String>>,
    #[serde(default)]
    no_value: bool,
    error: Option<String>,
    message: Option<String>,
    snapshot: Option<PathBuf>,
}

/// Arguments, or a value, as TOML or as JSON.
type Given<'a> = (&'a str, Option<toml::Value>, Option<Spanned<String>>);

/// What is expected of a call, before it is known to make sense.
struct Wanted {
    value: (Option<toml::Value>, Option<Spanned<String>>),
    no_value: bool,
    error: Option<String>,
    message: Option<String>,
    snapshot: Option<PathBuf>,
}

impl CasesFile {
    /// Reads the file's text. `path` is where it stands; snapshots are found beside it.
    ///
    /// # Errors
    /// What is wrong, with its line, and what was meant where that can be told.
    pub fn read(path: &Path, text: &str) -> Result<Self, String> {
        let at = At { path, text };
        let file: File = toml::from_str(text).map_err(|error| at.explain(&error))?;
        for answer in &file.http {
            answer.get_ref().check().map_err(|what| at.line(answer.span().start, &what))?;
        }
        if let Some(origins) = &file.grants.http {
            at.granted(origins, &file.http)?;
        }
        let mut cases = Vec::new();
        for table in file.case {
            cases.push(at.case(table, &cases)?);
        }
        let probe = |table: ProbeTable| {
            let args = at.json(("args", table.args, table.args_json))?;
            Ok(Probe { method: table.method, args, of: table.of })
        };
        let probes = file.probe.into_iter().map(probe).collect::<Result<_, String>>()?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self {
            config: file.config,
            http: file.http.into_iter().map(Spanned::into_inner).collect(),
            call_ms: file.limits.call_ms.map(std::num::NonZero::get),
            memory_bytes: file.limits.memory_mib.map(|mib| u64::from(mib.get()) << 20),
            clock_ms: file.clock.epoch_ms,
            cases: Cases { folder, cases, probes, snapshots: super::Snapshots::Compare },
        })
    }
}

/// A text with its place, for what is said about it.
#[derive(Clone, Copy)]
struct At<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> At<'a> {
    fn case(self, table: CaseTable, others: &[Case]) -> Result<Case, String> {
        let (start, name) = (table.name.span().start, table.name.into_inner());
        let fault = |what: &str| Err(self.line(start, &format!("case {name:?}: {what}")));
        let id = super::id_of(&name);
        if id == super::id_of("") {
            return fault("the name needs a letter or a digit");
        }
        if let Some(other) = others.iter().find(|other| other.id == id) {
            return fault(&format!("{:?} has the same id, {id}", other.name));
        }
        let call = Call { method: table.method, args: self.json(("args", table.args, table.args_json))? };
        let value = (table.value, table.value_json);
        let wanted = Wanted {
            value,
            no_value: table.no_value,
            error: table.error,
            message: table.message,
            snapshot: table.snapshot,
        };
        let expected = self.expected(wanted, start, &format!("case {name:?}"))?;
        if table.revert && matches!(expected, Expectation::Failure { .. }) {
            return fault("a call that fails cannot be reverted: leave out `revert` or `error`");
        }
        let setup = table
            .setup
            .into_iter()
            .map(|call| Ok(Call { method: call.method, args: self.json(("args", call.args, call.args_json))? }));
        let setup = setup.collect::<Result<_, String>>()?;
        let after = table.after.into_iter().map(|check| {
            let (start, method) = (check.method.span().start, check.method.into_inner());
            let args = self.json(("args", check.args, check.args_json))?;
            let wanted = Wanted {
                value: (check.value, check.value_json),
                no_value: check.no_value,
                error: check.error,
                message: check.message,
                snapshot: check.snapshot,
            };
            let expected = self.expected(wanted, start, &format!("case {name:?}, `after` {method}"))?;
            Ok(Check { call: Call { method, args }, expected })
        });
        let after = after.collect::<Result<_, String>>()?;
        let reverted = if table.revert { super::Then::Revert } else { super::Then::Keep };
        Ok(Case { id, name, setup, check: Check { call, expected }, then: reverted, after })
    }

    fn expected(self, wanted: Wanted, start: usize, who: &str) -> Result<Expectation, String> {
        let fault = |what: &str| Err(self.line(start, &format!("{who}: {what}")));
        let value = self.json(("value", wanted.value.0, wanted.value.1))?;
        if wanted.message.is_some() && wanted.error.is_none() {
            return fault("`message` goes with `error`");
        }
        let mut expected = Vec::new();
        expected.extend(value.map(Expectation::Value));
        expected.extend(wanted.no_value.then_some(Expectation::NoValue));
        expected.extend(wanted.error.map(|code| Expectation::Failure { code, message: wanted.message }));
        expected.extend(wanted.snapshot.clone().map(Expectation::Snapshot));
        let is_outside = |part: std::path::Component<'_>| !matches!(part, std::path::Component::Normal(_));
        if wanted.snapshot.is_some_and(|file| file.as_os_str().is_empty() || file.components().any(is_outside)) {
            return fault("`snapshot` is a path below the folder of this file, without `..`");
        }
        match (expected.pop(), expected.is_empty()) {
            (None, _) => Ok(Expectation::AnyValue),
            (Some(expected), true) => Ok(expected),
            (Some(_), false) => fault("give one of `value`, `value_json`, `no_value`, `error` and `snapshot`"),
        }
    }

    /// A value that is given as TOML, or as JSON where TOML cannot say it (`null`).
    fn json(self, (key, value, text): Given<'_>) -> Result<Option<Value>, String> {
        match (value, text) {
            (None, None) => Ok(None),
            (Some(value), None) => {
                plain(value).map(Some).map_err(|what| format!("{}: `{key}`: {what}", self.path.display()))
            }
            (None, Some(text)) => {
                let said = |error| self.line(text.span().start, &format!("`{key}_json` is no JSON: {error}"));
                serde_json::from_str(text.get_ref()).map(Some).map_err(said)
            }
            (Some(_), Some(text)) => {
                Err(self.line(text.span().start, &format!("give `{key}` or `{key}_json`, not both")))
            }
        }
    }

    /// Whether the origins that are granted are those that are answered for.
    fn granted(self, origins: &Spanned<Vec<String>>, answers: &[Spanned<MockAnswer>]) -> Result<(), String> {
        let is_granted =
            |answer: &Spanned<MockAnswer>| origins.get_ref().iter().any(|o| o == origin(&answer.get_ref().url));
        if let Some(answer) = answers.iter().find(|answer| !is_granted(answer)) {
            let what = format!("[grants] http does not list {:?}", origin(&answer.get_ref().url));
            return Err(self.line(answer.span().start, &what));
        }
        let is_answered = |granted: &&String| answers.iter().any(|answer| origin(&answer.get_ref().url) == **granted);
        match origins.get_ref().iter().find(|granted| !is_answered(granted)) {
            Some(granted) => Err(self.line(origins.span().start, &format!("no [[http]] answers for {granted:?}"))),
            None => Ok(()),
        }
    }

    fn line(self, start: usize, what: &str) -> String {
        format!("{}:{}: {what}", self.path.display(), self.before(start).matches('\n').count() + 1)
    }

    /// What stands before that place.
    fn before(self, start: usize) -> &'a str {
        let start = (0..=start.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        &self.text[..start]
    }

    /// One line: the place, the key, and what was meant where it can be told.
    fn explain(self, error: &toml::de::Error) -> String {
        let start = error.span().map_or(0, |span| span.start);
        let message = error.message().trim().replace('\n', "; ");
        // Serde lists what it knows: the first name in the text is the unknown one.
        let mut quoted = message.split('`').skip(1).step_by(2);
        if message.starts_with("unknown field")
            && let Some(unknown) = quoted.next()
        {
            let known: Vec<&str> = quoted.collect();
            let meant = known.iter().map(|name| (strsim::damerau_levenshtein(unknown, name), *name)).min();
            let hint = match meant {
                Some((distance, name)) if distance <= 1 + unknown.chars().count() / 3 => {
                    format!("did you mean `{name}`?")
                }
                _ => format!("known here: {}", known.join(", ")),
            };
            return self.line(start, &format!("unknown key `{unknown}`; {hint}"));
        }
        // The value is at fault, and its key stands before it.
        let line = self.before(start).rsplit('\n').next().unwrap_or("");
        let key = line.rsplit(['{', ',']).next().and_then(|text| text.split_once('=')).map(|(key, _)| key.trim());
        match key.filter(|key| !key.is_empty()) {
            Some(key) => self.line(start, &format!("`{key}`: {message}")),
            None => self.line(start, &message),
        }
    }
}

/// Scheme, host and port of a URL.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#', '*']).map_or(url.len(), |at| host + at);
    &url[..end]
}

/// TOML as JSON; dates are texts.
fn plain(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(number).map(Value::Number).ok_or(format!("{number} is no JSON number"))?
        }
        toml::Value::Boolean(value) => Value::from(value),
        toml::Value::Datetime(date) => Value::from(date.to_string()),
        toml::Value::Array(items) => Value::from(items.into_iter().map(plain).collect::<Result<Vec<_>, _>>()?),
        toml::Value::Table(members) => {
            let members = members.into_iter().map(|(key, value)| Ok((key, plain(value)?)));
            Value::Object(members.collect::<Result<Map<_, _>, String>>()?)
        }
    })
}
