//! The shape of what callers get and of what the journal keeps, after each pass. `cargo insta review`, or
//! `INSTA_UPDATE=always`, accepts a change; a snapshot that no test names is an error in CI.

use std::path::{Path, PathBuf};

use codemode_conformance::harness::{Host, approve_seq, id_of, json};
use codemode_conformance::redact::{journal, redacted};
use codemode_runtime::{Code, Outcome, Runtime};

/// The outcome on the wire and the whole journal, redacted.
fn shape(runtime: &Runtime, outcome: &Outcome) -> String {
    let wire = redacted(&outcome.to_wire());
    let Some(id) = outcome.execution() else { return wire };
    let record = runtime.record(id).unwrap().unwrap();
    format!("{wire}\n--- journal, status {}\n{}", record.execution.status, journal(&record))
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

/// A snapshot that no test writes any more would be kept, and believed, for ever. Of all crates of the workspace.
#[test]
fn every_stored_snapshot_belongs_to_a_test() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut found = 0;
    for folder in folders(root).iter().filter(|folder| folder.ends_with("snapshots")) {
        let sources = rust_text(folder.parent().unwrap());
        for file in files(folder) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            // Other tools have folders of that name too.
            if !name.contains(".snap") {
                continue;
            }
            let stem =
                name.strip_suffix(".snap").unwrap_or_else(|| panic!("{} is no accepted snapshot", file.display()));
            let (stem, suffix) = stem.split_once('@').map_or((stem, None), |(stem, suffix)| (stem, Some(suffix)));
            let test = stem.rsplit("__").next().unwrap();
            let named = sources.contains(&format!("fn {test}(")) || sources.contains(&format!("\"{test}\""));
            let suffixed = suffix.is_none_or(|suffix| sources.contains(&format!("\"{suffix}\"")));
            assert!(named && suffixed, "no test writes {}", file.display());
            found += 1;
        }
    }
    assert!(found >= 9, "only {found} were looked at");
}

/// The folders below, where sources are.
fn folders(under: &Path) -> Vec<PathBuf> {
    let mut all = vec![under.to_owned()];
    for entry in std::fs::read_dir(under).unwrap().flatten() {
        let name = entry.file_name();
        let skipped = name == "target" || name == "node_modules" || name.as_encoded_bytes().starts_with(b".");
        if entry.file_type().unwrap().is_dir() && !skipped {
            all.extend(folders(&entry.path()));
        }
    }
    all
}

fn files(of: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(of).unwrap().flatten().map(|e| e.path()).filter(|path| path.is_file()).collect()
}

fn rust_text(of: &Path) -> String {
    let sources = files(of).into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    sources.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}
