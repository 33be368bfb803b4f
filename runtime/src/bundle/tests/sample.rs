//! A bundle with everything in it, and ways to edit one.

use super::super::*;
use crate::connector::Flag;
use crate::durable::digest;
use crate::durable::execution::{Determinism, Execution, Namespace, Status};
use crate::durable::failure::{EffectState, ErrorKind, Failure};
use crate::durable::id::{ExecutionId, Op, OwnerId, Seq, Token, Version};
use crate::durable::journal::{
    Answer, Approval, Decision, Delivery, Effect, EntryState, Reach, Repeatable, ReplayPolicy, Request, Rerun,
    Resolution, RevertAttempt, Terms, Verdict,
};
use crate::durable::value::ValueLimits;

/// The levels of the deepest value in it.
pub(super) const DEPTH: u32 = 5;

pub(super) fn json(text: &str) -> Json {
    Json::from_tagged(text, &ValueLimits::default()).unwrap()
}

pub(super) fn start() -> Start {
    Start {
        id: ExecutionId::from_text("exec_0000000000000001_00000000-0000-4000-8000-000000000000"),
        code: "async () => {\n  return '\u{2028}\\ud800 \"\u{1f642}\"';\n}".to_owned(),
        input: Some(json(r#"{"$$cm":[-0.50]}"#)),
        namespaces: ["t", "gone"].map(|name| Namespace { name: name.to_owned(), methods: vec!["m".to_owned()] }).into(),
        executor: "sha256:00".to_owned(),
        replay_version: 1,
        determinism: Determinism::Recorded,
        seed: std::array::from_fn(|at| at as u8 * 8),
        created_at: 1_700_000_000_000,
    }
}

pub(super) fn execution() -> Execution {
    Execution { version: Version(7), token: Token(3), ..Execution::begin(start(), OwnerId(9)) }
}

fn call(args: Option<&str>) -> Request {
    Request::Call { connector: "t".to_owned(), method: "m".to_owned(), args: args.map(json) }
}

fn decision() -> Decision {
    Decision { actor: "anna".to_owned(), channel: "cli".to_owned(), reason: Some("so".to_owned()), at: 5 }
}

/// An entry that was answered and delivered at the place of its op.
pub(super) fn entry(op: u32, seq: Option<u32>, request: Request, answer: Option<Answer>) -> Entry {
    Entry {
        op: Op(op),
        seq: seq.map(Seq),
        request,
        terms: Terms::default(),
        state: match &answer {
            None => EntryState::Executing,
            Some(Ok(_)) => EntryState::Applied,
            Some(Err(_)) => EntryState::Failed,
        },
        delivery: answer.as_ref().map(|_| Delivery { place: op, now: u64::from(op) }),
        answered_at: answer.as_ref().map(|_| 4),
        answered_event: answer.as_ref().and(seq).map(|s| u64::from(s) * 2 + 2),
        asked_event: seq.map_or(0, |s| u64::from(s) * 2 + 1),
        answer,
        rerun: Rerun::No,
        digest: None,
        decision: None,
        resolution: None,
        revert: None,
        remaining_ms: None,
        attempt: 1,
        pass: 1,
        asked_at: 3,
    }
}

fn failure() -> Failure {
    Failure {
        code: "429".to_owned(),
        message: "slow down".to_owned(),
        name: Some("RateLimit".to_owned()),
        details: Some(json(r#"{"retryAfter":[[[[3]]]]}"#)),
        effect: EffectState::Possible,
        retry_after_ms: Some(3),
    }
}

fn entries() -> Vec<Entry> {
    let odd = r#"{"n":1.0,"big":{"$cm":["bigint","123456789012345678901234567890"]},"lone":"\ud800","e":1e-7}"#;
    let terms = Terms {
        approval: Approval::Required,
        replay: ReplayPolicy::Recorded,
        effect: Effect::Write,
        repeatable: Repeatable::WithKey,
        reach: Reach::StateOnly,
        contract: "c".to_owned(),
    };
    let bytes = json(r#"{"$cm":["bytes","Uint8Array","AP8="]}"#);
    let reverted = RevertAttempt { from: EntryState::Applied, number: 2, failure: Some(failure()), at: 9 };
    let resolved = Resolution { verdict: Verdict::Applied, decision: decision() };
    let step = Request::Step { name: "s".to_owned() };
    let snippet = Request::Snippet { name: "p".to_owned(), input: Some(json("1")) };
    vec![
        Entry {
            terms,
            digest: Some("d".to_owned()),
            decision: Some(decision()),
            state: EntryState::Reverted,
            revert: Some(reverted),
            ..entry(0, Some(0), call(Some(odd)), Some(Ok(Some(bytes))))
        },
        entry(1, Some(1), call(Some("null")), Some(Ok(None))),
        Entry { resolution: Some(resolved), ..entry(2, Some(2), call(None), Some(Err(failure()))) },
        Entry { rerun: Rerun::Yes, ..entry(3, Some(3), step, Some(Ok(Some(json("null"))))) },
        entry(4, None, Request::Fetch { request: json("{}") }, Some(Err(failure()))),
        entry(5, None, Request::Search { query: json("\"q\"") }, Some(Ok(Some(json("[]"))))),
        entry(6, None, Request::Describe { target: json("\"t\"") }, Some(Ok(None))),
        entry(7, None, snippet, Some(Ok(Some(json("{}"))))),
        Entry { remaining_ms: Some(7), ..entry(8, None, Request::Sleep { ms: 50 }, None) },
        Entry { state: EntryState::Pending, attempt: 0, ..entry(9, Some(4), call(None), None) },
    ]
}

/// Everything that a bundle can have.
pub(super) fn sample() -> Bundle {
    let method = Method {
        name: "m".to_owned(),
        description: Some("does\nit".to_owned()),
        input_schema: Some("{\n  \"type\": \"object\"\n}".to_owned()),
        output_schema: None,
        destructive: Some(Flag::Yes),
        revertible: Flag::Yes,
        approval: Approval::Required,
        ..Method::default()
    };
    let methods = vec![OfferedMethod { method, contract: "c".to_owned() }];
    let error = CodeError {
        line: Some(1),
        column: Some(2),
        stack: Some("at 1:2".to_owned()),
        value: Some(json("[1]")),
        ..CodeError::new(ErrorKind::Thrown, "no").with_hint("yes")
    };
    let standing = Standing {
        status: Status::Error,
        pass: 2,
        result: Some(json(r#"{"at":{"$cm":["date",0]}}"#)),
        error: Some(error),
        logs: [(Some(1), "one"), (Some(2), ""), (None, "[warn] two\nlines")]
            .map(|(pass, text)| ConsoleLine { pass, text: text.to_owned() })
            .into(),
        updated_at: 11,
        ended_at: Some(12),
    };
    let connectors = vec![Offered { name: "t".to_owned(), instructions: Some("use it".to_owned()), methods }];
    Bundle { written_by: "codemode 0.1.0".to_owned(), start: start(), connectors, entries: entries(), standing }
}

/// The same lines with a digest that fits them.
pub(super) fn resealed(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop();
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let digest = digest::of_bytes(body.as_bytes());
    format!("{body}{{\"kind\":\"digest\",\"lines\":{},\"sha256\":\"{digest}\"}}\n", lines.len())
}

/// The text with one more line in front of the line `at`, counted from 0.
pub(super) fn with_line(text: &str, at: usize, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(at, line);
    lines.join("\n") + "\n"
}
