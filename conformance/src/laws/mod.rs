//! The laws of durability, each a predicate over what a program is, what its record says and what the world outside saw.
//! They hold at every rest of every execution, so a test says only how a program is interrupted, and asks for all of
//! them with [`check`], and with [`check_growth`] for two looks at the same execution.

mod growth;
mod record;
mod world;

use codemode_runtime::store::Record;
use codemode_runtime::{Entry, EntryState, Seq};

use crate::fixtures::{Event, EventKind};
use crate::model::{Expected, expected};
use crate::program::Node;

pub use growth::check_growth;

/// What there is to see of one execution while nobody works on it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What was run.
    pub program: &'a Node,
    /// What the store has.
    pub record: &'a Record,
    /// What the fixtures noted, of all executions, in order.
    pub events: &'a [Event],
    /// How many processes worked on it, at least 1: a read that one of them lost is performed again by the next.
    pub processes: u32,
}

/// A law.
#[derive(Clone, Copy)]
pub struct Law {
    /// What it says.
    pub text: &'static str,
    /// Whether it holds; if not, what was seen.
    pub holds: fn(&Seen<'_>, &Expected) -> Result<(), String>,
}

/// All laws of one look.
#[must_use]
pub fn laws() -> Vec<Law> {
    [record::LAWS, world::LAWS].concat()
}

/// Checks all laws.
///
/// # Errors
/// The first that is broken, with the program and the record.
pub fn check(seen: &Seen<'_>) -> Result<(), String> {
    let expected = expected(seen.program);
    for law in laws() {
        (law.holds)(seen, &expected).map_err(|what| seen.broken(law.text, &what))?;
    }
    Ok(())
}

impl<'a> Seen<'a> {
    /// What was noted of this execution.
    pub(crate) fn of_kind(&self, kind: EventKind) -> impl Iterator<Item = &'a Event> {
        let id = self.record.execution.id().to_string();
        self.events.iter().filter(move |e| e.kind == kind && e.execution == id)
    }

    /// The row that a key of a call belongs to.
    pub(crate) fn entry_of(&self, key: &str) -> Option<&'a Entry> {
        let seq: u32 = key.strip_prefix(self.record.execution.id().as_str())?.strip_prefix(':')?.parse().ok()?;
        self.record.entries.iter().find(|e| e.seq == Some(Seq(seq)))
    }

    /// An error that shows everything.
    fn broken(&self, law: &str, what: &str) -> String {
        let row = |e: &Entry| format!("{:?} {} {} {:?}", e.seq, e.request.title(), e.state.as_str(), e.delivery);
        let rows: Vec<String> = self.record.entries.iter().map(row).collect();
        let status = self.record.execution.status;
        format!("broken: {law}\n{what}\nstatus {status}\n{}\n{}", rows.join("\n"), self.program.to_code())
    }
}

/// The number of the piece of a program that a call belongs to, with its method, as the model counts them.
pub(crate) fn piece(event: &Event) -> String {
    let args: serde_json::Value = event.args.as_deref().and_then(|a| serde_json::from_str(a).ok()).unwrap_or_default();
    let number = ["id", "v", "n"].iter().find_map(|key| args[*key].as_u64()).map(|n| n.to_string());
    let number = number.or_else(|| Some(args["msg"].as_str()?.trim_start_matches('m').to_owned()));
    format!("{} {}", event.method, number.unwrap_or_default())
}

/// Whether a method of the fixtures changes the world.
pub(crate) fn has_effect(method: &str) -> bool {
    matches!(method, "add" | "gate")
}

/// Whether nobody has answered it yet.
pub(crate) fn is_open(entry: &Entry) -> bool {
    matches!(entry.state, EntryState::Executing | EntryState::Pending | EntryState::Unknown)
}

/// An error unless it is so.
fn require(is: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if is { Ok(()) } else { Err(what()) }
}
