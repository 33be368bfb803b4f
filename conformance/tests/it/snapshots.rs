//! The shape of what callers get and of what the journal keeps, after each pass. `cargo insta review`, or
//! `INSTA_UPDATE=always`, accepts a change; a snapshot that no test names is an error in CI.

use codemode_conformance::harness::{Host, approve_seq, id_of, json};
use codemode_conformance::redact::redacted;
use codemode_runtime::{Code, Entry, Outcome, Runtime};

/// The outcome on the wire and the whole journal, redacted.
fn shape(runtime: &Runtime, outcome: &Outcome) -> String {
    let wire = redacted(&outcome.to_wire());
    let Some(id) = outcome.execution() else { return wire };
    let record = runtime.record(id).unwrap().unwrap();
    let lines: Vec<String> = record.entries.iter().map(line).collect();
    format!("{wire}\n--- journal, status {}\n{}", record.execution.status, lines.join("\n"))
}

fn line(entry: &Entry) -> String {
    let seq = entry.seq.map_or("-".to_owned(), |s| s.to_string());
    let place = entry.delivery.map_or("-".to_owned(), |d| d.place.to_string());
    let args = entry.request.args().map_or("none", |a| a.as_str());
    let answer = match &entry.answer {
        None => "none".to_owned(),
        Some(Ok(None)) => "no value".to_owned(),
        Some(Ok(Some(value))) => value.as_str().to_owned(),
        Some(Err(failure)) => format!("failed {}: {}", failure.code, failure.message),
    };
    format!(
        "op {} seq {seq} {} args {args} | {} place {place} attempt {} pass {} rerun {:?} | {answer}",
        entry.op,
        entry.request.title(),
        entry.state.as_str(),
        entry.attempt,
        entry.pass,
        entry.rerun,
    )
}

macro_rules! snapshot {
    ($runtime:expr, $outcome:expr, $suffix:literal) => {
        insta::with_settings!({ snapshot_suffix => $suffix, prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(shape(&$runtime, &$outcome));
        })
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_steps_and_two_approvals() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = Code::new(
        "async (who) => {
  console.log('hello', who);
  const rows = await shelf.list();
  const k = await codemode.step('k', () => ({ big: 7n, when: new Date(0) }));
  const [a, b] = await Promise.all([shelf.put({ title: 'a', k }), shelf.put({ title: 'b' })]);
  await new Promise((r) => setTimeout(r, 1));
  return { rows, a, b, tick: await shelf.tick() };
}",
    )
    .with_input(json(r#""anna""#));
    let first = runtime.execute(code).await.unwrap();
    snapshot!(runtime, first, "pass_1");
    let id = id_of(&first);
    let second = approve_seq(&runtime, &id, 3).await;
    snapshot!(runtime, second, "pass_2");
    let third = approve_seq(&host.runtime(), &id, 2).await;
    snapshot!(runtime, third, "pass_3");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_of_all_kinds() {
    let runtime = Host::new().runtime();
    let caught = runtime
        .execute(
            "async () => {
  const out = [];
  for (const f of [() => t.fail({ msg: 'no' }), () => t.nope(), () => codemode.step('s', () => { throw new TypeError('bad'); })]) {
    try { await f(); } catch (e) { out.push([e.name, e.message, e.code]); }
  }
  return out;
}",
        )
        .await
        .unwrap();
    snapshot!(runtime, caught, "caught");
    let thrown = runtime.execute("async () => {\n  const x = 1;\n  await t.echo({ x });\n  null.x;\n}").await.unwrap();
    snapshot!(runtime, thrown, "thrown");
    let syntax = runtime.execute("const a = 1;\nconst b = ;\n").await.unwrap();
    snapshot!(runtime, syntax, "syntax");
}

/// A snapshot that no test writes any more would be kept, and believed, for ever.
#[test]
fn every_stored_snapshot_belongs_to_a_test() {
    let source = include_str!("snapshots.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let parts = name.strip_suffix(".snap").and_then(|n| n.split_once('@'));
        let (test, suffix) = parts.unwrap_or_else(|| panic!("{name} is no accepted snapshot"));
        assert!(source.contains(&format!("async fn {test}(")), "no test writes {name}");
        assert!(source.contains(&format!("\"{suffix}\"")), "no test writes {name}");
    }
}
