//! The lines of a bundle, as they are written and read. They are types of their own, so that the format is what stands
//! here and not whatever the library's types happen to look like; only words and records that the store has in its columns
//! too (terms, failures, decisions, …) are shared, because these are frozen already.
//!
//! Values of the code stand in a line as they are, in the journal's normal form, and are never parsed into numbers or
//! texts: every digit and every lone surrogate survives.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{ConsoleLine, Offered, OfferedMethod, Standing};
use crate::connector::{Flag, Method};
use crate::durable::digest;
use crate::durable::execution::{Determinism, Namespace, Start, Status};
use crate::durable::failure::{CodeError, Failure};
use crate::durable::id::{ExecutionId, Op, Seq};
use crate::durable::journal::{
    Answer, Approval, Decision, Delivery, Effect, Entry, EntryState, Repeatable, ReplayPolicy, Request, Rerun,
    Resolution, RevertAttempt, Terms,
};
use crate::durable::value::{Json, ValueLimits};

/// The kinds of lines, in the order in which they stand.
pub(super) mod kind {
    pub(in crate::bundle) const HEADER: &str = "codemode-bundle";
    pub(in crate::bundle) const START: &str = "start";
    pub(in crate::bundle) const CONNECTOR: &str = "connector";
    pub(in crate::bundle) const ENTRY: &str = "entry";
    pub(in crate::bundle) const LOG: &str = "log";
    pub(in crate::bundle) const END: &str = "end";
    pub(in crate::bundle) const DIGEST: &str = "digest";
}

/// A line before it is known what it is.
#[derive(Deserialize)]
pub(super) struct AnyLine {
    pub(super) kind: String,
    /// Whether a reader that does not know the kind may pass over it.
    #[serde(default)]
    pub(super) optional: bool,
}

/// Text of the code, as it is.
type Raw = Box<RawValue>;

/// `null` is a value too, and not the same as none.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Raw>, D::Error> {
    Raw::deserialize(deserializer).map(Some)
}

fn raw(value: &Json) -> Raw {
    // What a `Json` holds is JSON.
    RawValue::from_string(value.as_str().to_owned()).unwrap_or_default()
}

fn value(raw: &RawValue, subject: &str, depth: u32) -> Result<Json, String> {
    Json::from_tagged(raw.get(), &ValueLimits { units: u64::MAX, depth }).map_err(|e| e.about(subject))
}

fn optional(raw: Option<&RawValue>, subject: &str, depth: u32) -> Result<Option<Json>, String> {
    raw.map(|raw| value(raw, subject, depth)).transpose()
}

/// A value inside of a record that keeps values as text.
fn checked(inner: Option<&Json>, subject: &str, depth: u32) -> Result<(), String> {
    let limits = ValueLimits { units: u64::MAX, depth };
    inner.map_or(Ok(()), |json| Json::from_tagged(json.as_str(), &limits).map(drop).map_err(|e| e.about(subject)))
}

#[derive(Serialize, Deserialize)]
pub(super) struct HeaderLine {
    pub(super) kind: String,
    pub(super) format: u64,
    #[serde(default)]
    pub(super) written_by: String,
    /// The same as in the next line; here for people who look at the beginning only.
    #[serde(default)]
    pub(super) execution: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StartLine {
    kind: String,
    id: ExecutionId,
    created_at: u64,
    replay_version: u32,
    executor: String,
    determinism: Determinism,
    /// 64 hexadecimal digits.
    seed: String,
    namespaces: Vec<Namespace>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    input: Option<Raw>,
    code: String,
}

impl StartLine {
    pub(super) fn of(start: &Start) -> Self {
        let Start { id, code, input, namespaces, executor, replay_version, determinism, seed, created_at } = start;
        Self {
            kind: kind::START.to_owned(),
            id: id.clone(),
            created_at: *created_at,
            replay_version: *replay_version,
            executor: executor.clone(),
            determinism: *determinism,
            seed: digest::hexadecimal(seed),
            namespaces: namespaces.clone(),
            input: input.as_ref().map(raw),
            code: code.clone(),
        }
    }

    pub(super) fn start(self, depth: u32) -> Result<Start, String> {
        Ok(Start {
            input: optional(self.input.as_deref(), "input", depth)?,
            seed: seed(&self.seed).ok_or("`seed` is not 64 hexadecimal digits")?,
            id: self.id,
            code: self.code,
            namespaces: self.namespaces,
            executor: self.executor,
            replay_version: self.replay_version,
            determinism: self.determinism,
            created_at: self.created_at,
        })
    }
}

fn seed(text: &str) -> Option<[u8; 32]> {
    let mut seed = [0; 32];
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in seed.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(seed)
}

#[derive(Serialize, Deserialize)]
pub(super) struct ConnectorLine {
    kind: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    methods: Vec<MethodLine>,
}

/// Schemas stand as the text that the connector gave: the contract's digest is over that text.
#[derive(Serialize, Deserialize)]
struct MethodLine {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_schema: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<String>,
    approval: Approval,
    replay: ReplayPolicy,
    effect: Effect,
    repeatable: Repeatable,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destructive: Option<bool>,
    revertible: bool,
    contract: String,
}

fn flag(on: bool) -> Flag {
    if on { Flag::Yes } else { Flag::No }
}

impl ConnectorLine {
    pub(super) fn of(offered: &Offered) -> Self {
        let method = |OfferedMethod { method: m, contract }: &OfferedMethod| MethodLine {
            name: m.name.clone(),
            description: m.description.clone(),
            input_schema: m.input_schema.clone(),
            output_schema: m.output_schema.clone(),
            approval: m.approval,
            replay: m.replay,
            effect: m.effect,
            repeatable: m.repeatable,
            destructive: m.destructive.map(|f| f == Flag::Yes),
            revertible: m.revertible == Flag::Yes,
            contract: contract.clone(),
        };
        Self {
            kind: kind::CONNECTOR.to_owned(),
            name: offered.name.clone(),
            instructions: offered.instructions.clone(),
            methods: offered.methods.iter().map(method).collect(),
        }
    }

    pub(super) fn offered(self) -> Offered {
        let method = |m: MethodLine| OfferedMethod {
            method: Method {
                name: m.name,
                description: m.description,
                input_schema: m.input_schema,
                output_schema: m.output_schema,
                approval: m.approval,
                replay: m.replay,
                effect: m.effect,
                repeatable: m.repeatable,
                destructive: m.destructive.map(flag),
                revertible: flag(m.revertible),
            },
            contract: m.contract,
        };
        let methods = self.methods.into_iter().map(method).collect();
        Offered { name: self.name, instructions: self.instructions, methods }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct EntryLine {
    kind: String,
    op: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seq: Option<u32>,
    ask: Ask,
    /// Calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connector: Option<String>,
    /// The method of a call, the name of a step or snippet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Timers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    /// What was handed over; absent where there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    args: Option<Raw>,
    state: EntryState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answered>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    value: Option<Raw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    /// The place of the delivery, and the code's clock from there on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    now: Option<u64>,
    rerun: Rerun,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remaining_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resolution: Option<Resolution>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revert: Option<RevertAttempt>,
    attempt: u32,
    pass: u32,
    asked_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered_at: Option<u64>,
    asked_event: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered_event: Option<u64>,
    terms: Terms,
}

/// What was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Call,
    Step,
    Sleep,
    Fetch,
    Search,
    Describe,
    Snippet,
}

/// What came back: no value, a value, a failure.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Nothing,
    Value,
    Failure,
}

impl EntryLine {
    pub(super) fn of(entry: &Entry) -> Self {
        // Every member is named, so that a new one is not forgotten here.
        let Entry {
            op,
            seq,
            request,
            terms,
            state,
            answer,
            rerun,
            digest,
            decision,
            resolution,
            revert,
            delivery,
            remaining_ms,
            attempt,
            pass,
            asked_at,
            answered_at,
            asked_event,
            answered_event,
        } = entry;
        let (ask, connector, name, ms) = match request {
            Request::Call { connector, method, .. } => (Ask::Call, Some(connector), Some(method), None),
            Request::Step { name } => (Ask::Step, None, Some(name), None),
            Request::Sleep { ms } => (Ask::Sleep, None, None, Some(*ms)),
            Request::Fetch { .. } => (Ask::Fetch, None, None, None),
            Request::Search { .. } => (Ask::Search, None, None, None),
            Request::Describe { .. } => (Ask::Describe, None, None, None),
            Request::Snippet { name, .. } => (Ask::Snippet, None, Some(name), None),
        };
        let (answer, value, failure) = match answer {
            None => (None, None, None),
            Some(Ok(None)) => (Some(Answered::Nothing), None, None),
            Some(Ok(Some(value))) => (Some(Answered::Value), Some(raw(value)), None),
            Some(Err(failure)) => (Some(Answered::Failure), None, Some(failure.clone())),
        };
        Self {
            kind: kind::ENTRY.to_owned(),
            op: op.0,
            seq: seq.map(|s| s.0),
            ask,
            connector: connector.cloned(),
            name: name.cloned(),
            ms,
            args: request.args().map(raw),
            state: *state,
            answer,
            value,
            failure,
            place: delivery.map(|d| d.place),
            now: delivery.map(|d| d.now),
            rerun: *rerun,
            remaining_ms: *remaining_ms,
            digest: digest.clone(),
            decision: decision.clone(),
            resolution: resolution.clone(),
            revert: revert.clone(),
            attempt: *attempt,
            pass: *pass,
            asked_at: *asked_at,
            answered_at: *answered_at,
            asked_event: *asked_event,
            answered_event: *answered_event,
            terms: terms.clone(),
        }
    }

    pub(super) fn entry(self, depth: u32) -> Result<Entry, String> {
        checked(self.revert.as_ref().and_then(|r| r.failure.as_ref()?.details.as_ref()), "details", depth)?;
        Ok(Entry {
            request: self.request(depth)?,
            answer: self.answered(depth)?,
            delivery: match (self.place, self.now) {
                (None, None) => None,
                (Some(place), Some(now)) => Some(Delivery { place, now }),
                _ => return Err("`place` and `now` go together".to_owned()),
            },
            op: Op(self.op),
            seq: self.seq.map(Seq),
            terms: self.terms,
            state: self.state,
            rerun: self.rerun,
            digest: self.digest,
            decision: self.decision,
            resolution: self.resolution,
            revert: self.revert,
            remaining_ms: self.remaining_ms,
            attempt: self.attempt,
            pass: self.pass,
            asked_at: self.asked_at,
            answered_at: self.answered_at,
            asked_event: self.asked_event,
            answered_event: self.answered_event,
        })
    }

    fn request(&self, depth: u32) -> Result<Request, String> {
        let args = || optional(self.args.as_deref(), "args", depth);
        let needed = || args()?.ok_or_else(|| "`args` is missing".to_owned());
        let name = || self.name.clone().ok_or_else(|| "`name` is missing".to_owned());
        Ok(match self.ask {
            Ask::Call => Request::Call {
                connector: self.connector.clone().ok_or("`connector` is missing")?,
                method: name()?,
                args: args()?,
            },
            Ask::Step => Request::Step { name: name()? },
            Ask::Sleep => Request::Sleep { ms: self.ms.ok_or("`ms` is missing")? },
            Ask::Fetch => Request::Fetch { request: needed()? },
            Ask::Search => Request::Search { query: needed()? },
            Ask::Describe => Request::Describe { target: needed()? },
            Ask::Snippet => Request::Snippet { name: name()?, input: args()? },
        })
    }

    fn answered(&self, depth: u32) -> Result<Option<Answer>, String> {
        Ok(match (self.answer, &self.value, &self.failure) {
            (None, None, None) => None,
            (Some(Answered::Nothing), None, None) => Some(Ok(None)),
            (Some(Answered::Value), Some(raw), None) => Some(Ok(Some(value(raw, "value", depth)?))),
            (Some(Answered::Failure), None, Some(failure)) => {
                checked(failure.details.as_ref(), "details", depth)?;
                Some(Err(failure.clone()))
            }
            _ => return Err("`answer` does not fit `value` and `failure`".to_owned()),
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct LogLine {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pass: Option<u32>,
    text: String,
}

impl LogLine {
    pub(super) fn of(line: &ConsoleLine) -> Self {
        Self { kind: kind::LOG.to_owned(), pass: line.pass, text: line.text.clone() }
    }

    pub(super) fn line(self) -> ConsoleLine {
        ConsoleLine { pass: self.pass, text: self.text }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct EndLine {
    kind: String,
    status: Status,
    pass: u32,
    updated_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<CodeError>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    result: Option<Raw>,
}

impl EndLine {
    pub(super) fn of(standing: &Standing) -> Self {
        let Standing { status, pass, result, error, logs: _, updated_at, ended_at } = standing;
        Self {
            kind: kind::END.to_owned(),
            status: *status,
            pass: *pass,
            updated_at: *updated_at,
            ended_at: *ended_at,
            error: error.clone(),
            result: result.as_ref().map(raw),
        }
    }

    pub(super) fn standing(self, logs: Vec<ConsoleLine>, depth: u32) -> Result<Standing, String> {
        checked(self.error.as_ref().and_then(|e| e.value.as_ref()), "the error's value", depth)?;
        Ok(Standing {
            result: optional(self.result.as_deref(), "result", depth)?,
            status: self.status,
            pass: self.pass,
            error: self.error,
            logs,
            updated_at: self.updated_at,
            ended_at: self.ended_at,
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct DigestLine {
    pub(super) kind: String,
    /// How many lines stand before it.
    pub(super) lines: u64,
    /// SHA-256 of their bytes, ends of lines included, in lower-case hexadecimal.
    pub(super) sha256: String,
}
