//! Stories of rules that the lives of the machine do not tell: each was written because a change of the rules went
//! unnoticed without it.

mod consent;
mod ends;
mod pass;
mod texts;
mod words;

use crate::durable::execution::{Determinism, Execution, Namespace, REPLAY_VERSION, Start, Status};
use crate::durable::failure::{CodeError, ErrorKind};
use crate::durable::id::{ExecutionId, Op, OwnerId, Seq, Token};
use crate::durable::journal::{Approval, Decision, Effect, Entry, EntryState, Request, Rerun, Terms};
use crate::durable::replay::{Next, Replay, Settled};
use crate::durable::value::{Json, ValueLimits};

fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).unwrap()
}

fn call(method: &str) -> Request {
    Request::Call { connector: "t".into(), method: method.into(), args: None }
}

fn read() -> Terms {
    Terms { effect: Effect::ReadOnly, ..Terms::default() }
}

fn write() -> Terms {
    Terms { effect: Effect::Write, contract: "c".into(), ..Terms::default() }
}

fn gated() -> Terms {
    Terms { approval: Approval::Required, ..write() }
}

fn by(actor: &str) -> Decision {
    Decision { actor: actor.into(), channel: "test".into(), reason: None, at: 9 }
}

fn execution(status: Status) -> Execution {
    let start = Start {
        id: ExecutionId::from_text("exec_1"),
        code: "code".into(),
        input: None,
        namespaces: ["t", "u"].map(|name| Namespace { name: name.into(), methods: Vec::new() }).into(),
        executor: "e".into(),
        replay_version: REPLAY_VERSION,
        determinism: Determinism::Recorded,
        seed: [0; 32],
        created_at: 1_000,
    };
    let error = status.is_terminal().then(|| CodeError::new(ErrorKind::Thrown, "x"));
    let owner = (status == Status::Running).then_some(OwnerId(1));
    Execution { status, pass: 3, token: Token(5), owner, error, ..Execution::begin(start, OwnerId(1)) }
}

/// A row as a store has it.
fn row(op: u32, request: Request, terms: Terms, state: EntryState) -> Entry {
    let seq = request.is_numbered().then_some(Seq(op));
    Entry {
        op: Op(op),
        seq,
        request,
        terms,
        state,
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
        asked_at: 1,
        answered_at: None,
        asked_event: seq.map_or(0, |s| u64::from(s.0) + 1),
        answered_event: None,
    }
}

fn fresh() -> Replay {
    Replay::new(Vec::new(), 1, 1_000, 300)
}

fn ask(replay: &mut Replay, request: Request, terms: Terms) -> Op {
    replay.ask(request, Ok(terms), 10).unwrap()
}

/// What the machine says while the code waits.
fn next(replay: &mut Replay) -> Next {
    replay.next(Settled::No, 20)
}
