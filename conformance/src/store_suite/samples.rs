//! Executions, entries and moves to test stores with.

use codemode_runtime::durable::execution::{Determinism, Execution, LoggedPass, Namespace, Start, Status};
use codemode_runtime::durable::failure::{CodeError, EffectState, ErrorKind, Failure};
use codemode_runtime::durable::id::{ExecutionId, Op, OwnerId, Seq, Token};
use codemode_runtime::durable::journal::{
    Answer, Approval, Decision, Delivery, Effect, Entry, EntryState, Reach, Repeatable, ReplayPolicy, Request, Rerun,
    Terms,
};
use codemode_runtime::durable::value::{Json, ValueLimits};
use codemode_runtime::durable::write::{Move, Write};
use codemode_runtime::store::{Barrier, Record, Store};

/// The id of the `n`th sample.
#[must_use]
pub fn id(n: u64) -> ExecutionId {
    ExecutionId::new(1_700_000_000_000 + n, [7; 16])
}

/// Tagged JSON.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).expect("a sample is tagged JSON")
}

/// A new execution under token 1, with every field set that can be.
#[must_use]
pub fn execution(id: &ExecutionId) -> Execution {
    let start = Start {
        id: id.clone(),
        code: "async () => shelf.put({ n: 1 })".to_owned(),
        input: Some(json("{\"a\":[1,2.5,\"ü\"]}")),
        namespaces: vec![Namespace { name: "shelf".to_owned(), methods: vec!["put".to_owned(), "get".to_owned()] }],
        executor: "sha256:abc".to_owned(),
        replay_version: 1,
        determinism: Determinism::Live,
        seed: [9; 32],
        created_at: 1_000,
    };
    let logged = vec![LoggedPass { pass: 1, lines: 1 }];
    Execution { logs: vec!["first".to_owned()], logged, ..Execution::begin(start, OwnerId(1)) }
}

/// An entry of that number that is executing: calls, and every third one a step.
#[must_use]
pub fn entry(op: u32) -> Entry {
    let request = match op % 3 {
        2 => Request::Step { name: format!("step {op}") },
        _ => Request::Call {
            connector: "shelf".to_owned(),
            method: "put".to_owned(),
            args: Some(json(&format!("{{\"n\":{op}}}"))),
        },
    };
    Entry {
        op: Op(op),
        seq: Some(Seq(op)),
        request,
        terms: Terms { contract: "c1".to_owned(), effect: Effect::Write, ..Terms::default() },
        state: EntryState::Executing,
        answer: None,
        rerun: Rerun::No,
        digest: None,
        decision: None,
        resolution: None,
        revert: None,
        delivery: None,
        remaining_ms: None,
        attempt: 1,
        pass: 1,
        asked_at: 2_000,
        answered_at: None,
        asked_event: u64::from(op) + 1,
        answered_event: None,
    }
}

/// An entry that waits for a person.
#[must_use]
pub fn pending(op: u32) -> Entry {
    let terms = Terms { approval: Approval::Required, ..entry(op).terms };
    Entry { state: EntryState::Pending, digest: Some("d".repeat(64)), terms, ..entry(op) }
}

/// One entry of each kind and with each sort of answer, from op 0 on.
#[must_use]
pub fn all_kinds() -> Vec<Entry> {
    let failure = Failure {
        name: Some("RangeError".to_owned()),
        details: Some(json("[null]")),
        effect: EffectState::Possible,
        retry_after_ms: Some(5),
        ..Failure::new("denied", "no")
    };
    let terms = Terms {
        approval: Approval::Required,
        replay: ReplayPolicy::Reexecute,
        effect: Effect::ReadOnly,
        repeatable: Repeatable::WithKey,
        reach: Reach::StateOnly,
        contract: String::new(),
    };
    let text = || json("\"x\"");
    let call = |args| Request::Call { connector: "a".to_owned(), method: "m".to_owned(), args };
    let requests: Vec<(Request, Option<Answer>)> = vec![
        (call(None), None),
        (call(Some(json("null"))), Some(Ok(None))),
        (Request::Step { name: "s".to_owned() }, Some(Ok(Some(json("{\"k\":1e21}"))))),
        (Request::Sleep { ms: u64::MAX }, Some(Ok(None))),
        (Request::Fetch { request: json("{\"url\":\"https://x.test/\"}") }, Some(Err(failure))),
        (Request::Search { query: text() }, Some(Ok(Some(json("[]"))))),
        (Request::Describe { target: text() }, Some(Err(Failure::new("unavailable", "")))),
        (Request::Snippet { name: "sn".to_owned(), input: None }, None),
        (Request::Snippet { name: "sn".to_owned(), input: Some(text()) }, None),
    ];
    let states = EntryState::ALL;
    let entries = requests.into_iter().zip(0u32..).map(|((request, answer), op)| Entry {
        seq: request.is_numbered().then_some(Seq(op)),
        request,
        answer,
        terms: if op % 2 == 0 { terms.clone() } else { Terms::default() },
        state: states[usize::try_from(op).expect("small") % states.len()],
        rerun: if op % 2 == 0 { Rerun::Yes } else { Rerun::No },
        digest: (op > 4).then(|| "digest".to_owned()),
        decision: (op > 5).then(|| decision(7)),
        delivery: (op < 4).then_some(Delivery { place: op, now: u64::MAX - u64::from(op) }),
        remaining_ms: (op == 3).then_some(12),
        attempt: op,
        answered_at: (op > 2).then_some(3_000),
        answered_event: (op > 2).then_some(u64::MAX),
        ..entry(op)
    });
    entries.collect()
}

/// A decision at that time.
#[must_use]
pub fn decision(at: u64) -> Decision {
    Decision { actor: "ann".to_owned(), channel: "cli".to_owned(), reason: Some("fine".to_owned()), at }
}

/// A move to that status under the same ownership.
#[must_use]
pub fn moved(status: Status, token: u64, at: u64) -> Write {
    let running = status == Status::Running;
    Write::Moved(Box::new(Move {
        status,
        pass: 2,
        token: Token(token),
        owner: running.then_some(OwnerId(2)),
        result: (status == Status::Completed).then(|| json("{\"ok\":true}")),
        error: (status == Status::Error).then(|| CodeError::new(ErrorKind::Limit, "too long").with_hint("shorter")),
        at,
    }))
}

/// An answer to an entry that is executing.
#[must_use]
pub fn answered(op: u32, value: &str, at: u64) -> Write {
    Write::Answered {
        op: Op(op),
        from: &[EntryState::Executing],
        state: EntryState::Applied,
        answer: Some(Ok(Some(json(value)))),
        rerun: Rerun::No,
        at,
        event: Some(at),
    }
}

/// A new entry.
#[must_use]
pub fn asked(entry: Entry) -> Write {
    Write::Asked(Box::new(entry))
}

/// Appends under token 1 and waits.
///
/// # Panics
/// When the store refuses.
pub fn append(store: &dyn Store, id: &ExecutionId, writes: Vec<Write>) {
    store.append(id, Token(1), writes, Barrier::Now).wait().expect("the append is taken");
}

/// Begins the `n`th sample.
///
/// # Panics
/// When the store refuses.
pub fn begin(store: &dyn Store, n: u64) -> ExecutionId {
    let id = id(n);
    append(store, &id, vec![Write::Begin(Box::new(execution(&id)))]);
    id
}

/// What the store has.
///
/// # Panics
/// When it has nothing.
#[must_use]
pub fn load(store: &dyn Store, id: &ExecutionId) -> Record {
    store.load(id).expect("the store can be read").expect("the execution exists")
}
