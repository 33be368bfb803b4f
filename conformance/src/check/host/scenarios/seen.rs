//! What a host gave, read: outcomes, pending calls, reports, and the books of the ledger. Whatever has another form than
//! the wire's is told as broken, with what was given.

use serde_json::Value;

use super::stage::{Play, Trouble, broken};

/// The outcome of a pass.
#[derive(Clone, Debug)]
pub(super) struct Outcome(Value);

/// A pending call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub(super) execution: String,
    pub(super) seq: u32,
    pub(super) method: String,
    pub(super) args: Value,
    pub(super) digest: String,
}

/// What the ledger says of an execution.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Books {
    pub(super) rows: Vec<Row>,
    /// The texts of what was undone, in the order in which it was.
    pub(super) undone: Vec<String>,
    pub(super) hooks: Vec<String>,
}

/// One effect.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) seq: u64,
    pub(super) text: String,
    pub(super) key: String,
}

impl Outcome {
    pub(super) fn read(text: &str) -> Play<Self> {
        let value = json(text, "the outcome")?;
        if value["status"].is_string() && value["executionId"].is_string() {
            return Ok(Self(value));
        }
        Err(broken(format!("an outcome has strings `status` and `executionId`; this is {}", short(text))))
    }

    pub(super) fn id(&self) -> String {
        self.0["executionId"].as_str().unwrap_or_default().to_owned()
    }

    pub(super) fn status(&self) -> &str {
        self.0["status"].as_str().unwrap_or_default()
    }

    /// A member of the outcome; `None`: it is not there.
    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The result of an execution that completed; `null` where it has none.
    pub(super) fn completed(&self) -> Play<Value> {
        self.is("completed")?;
        Ok(self.0["result"].clone())
    }

    /// The pending calls of a paused execution.
    pub(super) fn paused(&self) -> Play<Vec<Pending>> {
        self.is("paused")?;
        Pending::all(&self.0["pending"])
    }

    /// The same, exactly so many.
    pub(super) fn waiting<const COUNT: usize>(&self) -> Play<[Pending; COUNT]> {
        let pending = self.paused()?;
        let wrong = |pending: Vec<Pending>| broken(format!("{COUNT} calls wait, and {} are pending", pending.len()));
        pending.try_into().map_err(wrong)
    }

    /// The error of an execution that failed.
    pub(super) fn failed(&self) -> Play<String> {
        self.is("error")?;
        match self.0["error"].as_str() {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(broken(format!("a failed outcome has a string `error`; this is {}", self.told()))),
        }
    }

    /// The journal, as the outcome shows it.
    pub(super) fn calls(&self) -> Play<Vec<Value>> {
        let calls = self.0["calls"].as_array();
        calls.cloned().ok_or_else(|| broken(format!("an outcome has an array `calls`; this is {}", self.told())))
    }

    /// The first entry of the journal.
    pub(super) fn first_call(&self) -> Play<Value> {
        self.calls()?.into_iter().next().ok_or_else(|| broken(format!("`calls` is empty: {}", self.told())))
    }

    fn is(&self, status: &str) -> Play {
        if self.status() == status {
            return Ok(());
        }
        Err(broken(format!("expected status `{status}`, got {}", self.told())))
    }

    /// The outcome for a finding, without its journal.
    pub(super) fn told(&self) -> String {
        let mut value = self.0.clone();
        if let Some(members) = value.as_object_mut() {
            members.remove("calls");
        }
        short(&value.to_string())
    }
}

impl Pending {
    pub(super) fn read(text: &str) -> Play<Vec<Self>> {
        Self::all(&json(text, "what is pending")?)
    }

    fn all(value: &Value) -> Play<Vec<Self>> {
        let wrong = || broken(format!("pending calls are an array of objects; this is {}", short(&value.to_string())));
        value.as_array().ok_or_else(wrong)?.iter().map(Self::one).collect()
    }

    fn one(value: &Value) -> Play<Self> {
        let wrong =
            |member: &str| broken(format!("a pending call has `{member}`; this is {}", short(&value.to_string())));
        let text = |member: &str| value[member].as_str().map(str::to_owned).ok_or_else(|| wrong(member));
        text("connector")?;
        Ok(Self {
            execution: text("executionId")?,
            seq: value["seq"].as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| wrong("seq"))?,
            method: text("method")?,
            args: value["args"].clone(),
            digest: text("digest")?,
        })
    }

    /// The text of the effect that waits.
    pub(super) fn text(&self) -> String {
        self.args["text"].as_str().unwrap_or_default().to_owned()
    }
}

impl Books {
    pub(super) fn read(value: &Value) -> Play<Self> {
        let wrong =
            || broken(format!("`ledger.look` gives rows, undone and hooks; this is {}", short(&value.to_string())));
        let list = |member: &str| value[member].as_array().cloned().ok_or_else(wrong);
        let texts = |member: &str| -> Play<Vec<String>> {
            Ok(list(member)?.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect())
        };
        let row = |row: &Value| Row {
            seq: row["seq"].as_u64().unwrap_or_default(),
            text: row["text"].as_str().unwrap_or_default().to_owned(),
            key: row["key"].as_str().unwrap_or_default().to_owned(),
        };
        Ok(Self { rows: list("rows")?.iter().map(row).collect(), undone: texts("undone")?, hooks: texts("hooks")? })
    }

    /// The texts of the effects, by seq.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.text.as_str()).collect()
    }
}

pub(super) fn json(text: &str, what: &str) -> Result<Value, Trouble> {
    serde_json::from_str(&shallow(text))
        .map_err(|error| broken(format!("{what} is no JSON ({error}): {}", short(text))))
}

/// The same JSON with `null` for what is nested deeper than readers of JSON usually go.
fn shallow(text: &str) -> String {
    const LEVELS: usize = 100;
    let (mut kept, mut level, mut in_string, mut escaped) = (String::with_capacity(text.len()), 0_usize, false, false);
    for c in text.chars() {
        let was = level;
        match c {
            '"' if !escaped => in_string = !in_string,
            '[' | '{' if !in_string => level += 1,
            ']' | '}' if !in_string => level = level.saturating_sub(1),
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        match was.max(level) > LEVELS {
            true if was == LEVELS && level > LEVELS => kept.push_str("null"),
            true => {}
            false => kept.push(c),
        }
    }
    kept
}

/// At most 300 characters, for a finding.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
