//! Executions of all kinds, each exported and replayed without its host.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, anna, approve_all, approve_seq, id_of, json};
use codemode_runtime::bundle::{Bundle, Note, Offered};
use codemode_runtime::durable::journal::{EntryState, ReplayPolicy};
use codemode_runtime::{Code, Determinism, ErrorKind, ExecutionId, SaveSnippet, Seq, Status, Word};

use crate::kit::{early_end, exported, replayed, until};

/// Each story, and the verdict on its bundle.
pub(crate) const STORIES: [(&str, &str); 16] = [
    ("completed", "same"),
    ("values", "same"),
    ("paused", "same"),
    ("approved", "same"),
    ("rejected", "same"),
    ("rolled-back", "same"),
    ("discovery", "same"),
    ("caught-and-thrown", "same"),
    ("syntax", "same"),
    ("never-settles", "same"),
    ("diverged", "same"),
    ("live-read", "ends_early"),
    ("in-doubt", "ends_early"),
    ("resolved", "ends_early"),
    ("running", "ends_early"),
    ("too-many-calls", "ends_early"),
];

const COMPLETED: &str = "async (who) => {
  console.log('for', who);
  const step = await codemode.step('draw', () => ({ n: Math.random(), at: new Date(0), m: new Map([['k', new Set([1n])]]) }));
  const chain = async (ms, v) => (await t.echo({ after: await t.slow({ ms, v }), r: Math.random() })).after;
  const [a, b, c] = await Promise.all([chain(9, 'a'), chain(1, 'b'), codemode.step('asks', async () => (await t.add({ n: 1 })).n)]);
  const first = await Promise.race([chain(1, 'x'), new Promise((r) => setTimeout(() => r('timer'), 30000))]);
  await new Promise((r) => setTimeout(r, 2));
  const bytes = await shelf.bytes();
  console.warn('done');
  return { a, b, c, first, step, bytes, now: Date.now() - new Date(Date.now()), undefined: [undefined] };
}";

const VALUES: &str = "async (given) => {
  const odd = { lone: '\\ud800', big: 12345678901234567890n, zero: -0, nan: NaN, inf: -Infinity, re: /a/gi, hole: [, 1],
    key: { $cm: 1 }, err: new RangeError('r'), bytes: new Uint8Array([0, 255]), text: 'x'.repeat(3000) };
  const back = await t.echo({ odd, given });
  const raw = await t.raw({ json: '[1.0, 1e21, 9007199254740993, 0.1, \"\\\\ud800\"]' });
  return { same: Object.is(back.odd.zero, -0) && back.odd.lone === odd.lone && back.odd.big === odd.big, raw, back };
}";

const DISCOVERY: &str = "async () => {
  const found = await codemode.search('adds');
  const docs = await codemode.describe('t.echo');
  const runs = [await codemode.run('plus', 1), await codemode.run('plus', 2), await codemode.run('nope', 3)];
  return { found: found !== undefined, docs: docs !== undefined, runs };
}";

const CAUGHT: &str = "async () => {
  const out = [];
  for (const f of [() => t.fail({ msg: 'no' }), () => t.nope(), () => codemode.step('s', () => { throw new TypeError('bad'); })]) {
    try { await f(); } catch (e) { out.push(e.name); }
  }
  const error = new RangeError('all failed: ' + out.join());
  error.out = out;
  throw error;
}";

/// The host of a story after it, and the execution.
pub(crate) async fn told(name: &str) -> (Host, ExecutionId) {
    let mut host = Host::new();
    match name {
        "too-many-calls" => host.limits.calls = 2,
        "in-doubt" | "resolved" => host.limits.pass_ms = 400,
        "diverged" => host.determinism = Determinism::Live,
        _ => {}
    }
    let runtime = host.runtime();
    let two_gates = "async () => { const [a, b] = await Promise.all([shelf.put({ title: 'a' }), t.gate({ id: 2 })]);
        console.log('both'); return [a.title, b.id]; }";
    let code = match name {
        "completed" => Code::new(COMPLETED).with_input(json("\"anna\"")),
        "values" => Code::new(VALUES).with_input(json(r#"{"$$cm":{"$cm":["date",0]}}"#)),
        "paused" | "approved" | "rejected" => Code::new(two_gates),
        "rolled-back" => Code::new("async () => { await t.add({ n: 1 }); await shelf.jot({ text: 'x' }); return 1; }"),
        "discovery" => {
            let saved = runtime.execute("async (n) => (await t.echo({ n })).n + 1").await.unwrap();
            let save = SaveSnippet::from(id_of(&saved)).description("adds one");
            runtime.save_snippet("plus", save).unwrap();
            Code::new(DISCOVERY)
        }
        "caught-and-thrown" => Code::new(CAUGHT),
        "syntax" => Code::new("async () => {\n  const a = ;\n}"),
        "never-settles" => Code::new("async () => { await t.echo({}); await new Promise(() => {}); }"),
        // The argument of the first call changes with each pass.
        "diverged" => Code::new("async () => { const n = Math.random(); await t.echo({ n }); await t.gate({}); }"),
        "live-read" => Code::new("async () => { const [a] = await Promise.all([t.live(), t.echo({})]); return a.n; }"),
        "in-doubt" | "resolved" => {
            Code::new("async () => { await t.echo({}); return t.slowAdd({ ms: 60000, n: 1 }); }")
        }
        "running" => Code::new("async () => { await t.add({ n: 1 }); return t.hang(); }"),
        "too-many-calls" => Code::new("async () => { for (;;) await t.echo({}); }"),
        other => panic!("no story {other}"),
    };
    if name == "running" {
        let id = runtime.start(code).await.unwrap().execution().expect("it is stored").clone();
        until(|| host.store.load(&id).unwrap().filter(|r| r.entries.get(1).is_some_and(|e| e.attempt > 0))).await;
        return (host, id);
    }
    let outcome = runtime.execute(code).await.unwrap();
    let id = id_of(&outcome);
    match name {
        "approved" => {
            approve_seq(&runtime, &id, 1).await;
            approve_seq(&host.runtime(), &id, 0).await;
        }
        "diverged" => drop(approve_all(&runtime, outcome).await),
        "resolved" => {
            let word = Word::Applied(Some(json("{\"id\":1,\"n\":1}")));
            runtime.resolve(&id, Seq(1), word, anna()).await.unwrap();
        }
        "rejected" => assert!(runtime.reject(&id, Seq(1), anna()).await.unwrap()),
        "rolled-back" => assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 2),
        _ => {}
    }
    (host, id)
}

/// The bundle of a story.
pub(crate) async fn bundle_of(name: &str) -> Bundle {
    let (host, id) = told(name).await;
    let bundle = exported(&host, &id).await;
    if bundle.standing.status == Status::Running {
        assert!(host.runtime().export(&id).await.unwrap().is_some(), "it is still there");
    }
    bundle
}

#[tokio::test(flavor = "multi_thread")]
async fn every_story_replays_as_its_kind_says() {
    for (name, verdict) in STORIES {
        let bundle = bundle_of(name).await;
        let report = replayed(&bundle).await;
        assert_eq!(report.verdict.as_str(), verdict, "{name}: {report:#?}");
        assert_eq!(report.recorded as usize, bundle.entries.len(), "{name}");
        let notes: Vec<&str> = report.notes.iter().map(Note::as_str).collect();
        let expected: &[&str] = match name {
            "running" => &["running"],
            "diverged" => &["live"],
            _ => &[],
        };
        assert_eq!(notes, expected, "{name}: {report:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_has_the_whole_record_but_what_belongs_to_the_store() {
    for (name, _) in STORIES {
        let (host, id) = told(name).await;
        let record = host.store.load(&id).unwrap().unwrap();
        let bundle = exported(&host, &id).await;
        assert_eq!(bundle.entries, record.entries, "{name}");
        let (execution, standing) = (&record.execution, &bundle.standing);
        assert_eq!(bundle.start, execution.start, "{name}");
        assert_eq!((standing.status, standing.pass), (execution.status, execution.pass), "{name}");
        assert_eq!((&standing.result, &standing.error), (&execution.result, &execution.error), "{name}");
        assert_eq!(
            standing.logs.iter().map(|l| &l.text).collect::<Vec<_>>(),
            execution.logs.iter().collect::<Vec<_>>()
        );
        assert_eq!((standing.updated_at, standing.ended_at), (execution.updated_at, execution.ended_at), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_performs_nothing() {
    let (host, id) = told("approved").await;
    let bundle = exported(&host, &id).await;
    let performed = || host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Performed).count();
    let before = performed();
    for _ in 0..3 {
        assert_eq!(replayed(&bundle).await.verdict.as_str(), "same");
    }
    assert_eq!(performed(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connectors_are_described_as_far_as_they_are_configured() {
    let (host, id) = told("approved").await;
    let full = exported(&host, &id).await;
    assert_eq!(full.connectors.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["shelf", "t"]);
    let method = |offered: &Offered, name: &str| {
        offered.methods.iter().find(|m| m.method.name == name).expect("the method is described").clone()
    };
    let put = full.entries.iter().find(|e| e.request.path() == ("shelf", "put")).unwrap();
    assert_eq!(method(&full.connectors[0], "put").contract, put.terms.contract);
    assert_eq!(method(&full.connectors[1], "live").method.replay, ReplayPolicy::Reexecute);

    let partly = exported(&host.clone().without("shelf"), &id).await;
    assert_eq!(partly.connectors.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["t"]);
    let none = exported(&Host::bare(host.store.clone()), &id).await;
    assert!(none.connectors.is_empty());
    assert_eq!(replayed(&none).await, replayed(&full).await);
    assert!(host.runtime().export(&ExecutionId::from_text("exec_0")).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_record_has_its_place_and_reason() {
    let live = early_end(&bundle_of("live-read").await).await;
    assert_eq!(live.seq, Some(Seq(0)));
    assert_eq!(
        live.why,
        "the record ends here: the code waits for t.live; its result is never recorded (it is read again in each pass)"
    );
    for name in ["in-doubt", "resolved"] {
        let doubt = early_end(&bundle_of(name).await).await;
        assert!(doubt.why.contains("the host ended the recorded pass: execution timed out"), "{doubt:?}");
    }
    let running = early_end(&bundle_of("running").await).await;
    assert_eq!(running.seq, Some(Seq(1)));
    assert!(running.why.contains("the code waits for t.hang; it has no recorded answer"), "{running:?}");
    let limited = early_end(&bundle_of("too-many-calls").await).await;
    assert_eq!((limited.op.0, limited.seq), (2, None));
    assert!(limited.why.starts_with("the record ends here: the code goes on with t.echo {}"), "{limited:?}");
}

/// With the limits of the host that ran it, also a breach is the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_breach_of_a_limit_is_the_same_within_the_same_limits() {
    let (host, id) = told("too-many-calls").await;
    let bundle = exported(&host, &id).await;
    let executor = codemode_conformance::harness::executor();
    let report = codemode_runtime::bundle::replay(executor, &bundle, &host.limits).await.unwrap();
    assert_eq!(report.verdict.as_str(), "same", "{report:?}");
}

/// A pass that ended as paused is replayed as such, whatever a person did afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn what_people_did_after_a_pass_does_not_count() {
    let (host, id) = told("paused").await;
    let paused = exported(&host, &id).await;
    assert!(host.runtime().reject(&id, Seq(0), anna()).await.unwrap());
    let rejected = exported(&host, &id).await;
    assert_eq!(rejected.standing.error.as_ref().map(|e| e.kind), Some(ErrorKind::Rejected));
    assert!(rejected.entries.iter().all(|e| e.state == EntryState::Withdrawn));
    assert_eq!(replayed(&paused).await.verdict, replayed(&rejected).await.verdict);
}
