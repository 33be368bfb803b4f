//! The journal in its file: numbers, names, growth.

use codemode_conformance::harness::{anna, approve_all, engine, id_of, journal_of, result_of};
use codemode_runtime::store::StateQuery;
use codemode_runtime::{ExecutionId, Outcome, Picks, Query, Status};

use crate::kit::{Place, rounds, testkit, through};

/// Covers BUG-SQL-10.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_pass_through_the_file_unchanged() {
    let place = Place::new();
    let code = "async () => {
        const xs = [9007199254740993n.toString(), 1e308, 5e-324, 0.1, -0, 123456789012345680000, 1e21, 1.0, 4.35];
        const r = await t.echo({ xs });
        await t.gate({ xs: r.xs });
        return r.xs.map((x, i) => Object.is(x, xs[i])).join(); }";
    let paused = place.host().runtime().execute(code).await.unwrap();
    let outcome = approve_all(&place.host().runtime(), paused).await;
    assert_eq!(result_of(&outcome), "\"true,true,true,true,true,true,true,true,true\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_as_a_connector_writes_them_are_the_same_value_on_replay() {
    let place = Place::new();
    let code = r#"async () => {
        const r = await t.raw({ json: '[1.0, 1e21, 1000000000000000000000, -0.0, 1E2, 0.1000000000000000055, 9007199254740993, 1e-7, 123456789012345678901234567890]' });
        const say = r.map((x) => typeof x + " " + (Object.is(x, -0) ? "-0" : String(x)));
        await t.gate({ r, say });
        return say; }"#;
    let paused = place.host().runtime().execute(code).await.unwrap();
    let outcome = approve_all(&place.host().runtime(), paused).await;
    assert_eq!(
        result_of(&outcome),
        r#"["number 1","number 1e+21","number 1e+21","number -0","number 100","number 0.1","bigint 9007199254740993","number 1e-7","bigint 123456789012345678901234567890"]"#
    );
}

const NAMES: [&str; 12] = [
    "50%_off",
    "a'b\"c",
    "[x]*?",
    "x\\y",
    "DROP TABLE x;--",
    "a\nb",
    "%",
    "_",
    "*",
    "'",
    "\\",
    "'); DELETE FROM entries; --",
];

/// Covers BUG-SQL-08.
#[tokio::test(flavor = "multi_thread")]
async fn names_are_never_patterns_nor_sql() {
    let place = Place::new();
    let host = place.host().with("kit", testkit(engine(), "misc"));
    let runtime = host.runtime();
    let long = "n".repeat(3_000);
    let mut names: Vec<&str> = NAMES.to_vec();
    names.push(&long);

    // As names of steps, in the journal.
    let list = serde_json::to_string(&names).unwrap();
    let code = format!(
        "async () => {{ const r = []; for (const n of {list}) r.push(await codemode.step(n, () => n)); \
         await t.gate({{ r }}); return r; }}"
    );
    let outcome = through(&host, &code).await;
    assert_eq!(serde_json::from_str::<Vec<String>>(&result_of(&outcome)).unwrap(), names);
    let journal = journal_of(&runtime, &id_of(&outcome));
    for (at, name) in names.iter().enumerate() {
        assert_eq!(journal[at], format!("{at} __step.{name} applied"));
    }

    // As keys of a connector's state, which are shorter.
    names.pop();
    let list = serde_json::to_string(&names).unwrap();
    let code = format!(
        "async () => {{ for (const key of {list}.concat(['50 percent', '50xyoff', 'abc'])) await kit.stateSet({{ key, value: key }}); \
         for (const key of {list}) if (JSON.parse(await kit.stateGet({{ key }}).then(JSON.stringify)) !== key) throw key; \
         await kit.stateDelete({{ key: '50%_off' }}); return 1; }}"
    );
    assert_eq!(result_of(&runtime.execute(code.as_str()).await.unwrap()), "1");
    let keys = |prefix: &str| {
        let query = StateQuery { connector: "kit", execution: None, prefix, after: None, limit: 100 };
        host.store.state_keys(&query).unwrap().into_iter().filter(|k| !k.starts_with("hook/")).collect::<Vec<_>>()
    };
    let mut expected: Vec<String> = names.iter().map(|n| (*n).to_owned()).filter(|n| n != "50%_off").collect();
    expected.extend(["50 percent", "50xyoff", "abc"].map(str::to_owned));
    expected.sort();
    assert_eq!(keys(""), expected, "only the exact key was deleted");
    for prefix in ["%", "_", "*", "\\", "50%", "a'b", "[x", "x\\"] {
        let literal: Vec<String> = expected.iter().filter(|k| k.starts_with(prefix)).cloned().collect();
        assert_eq!(keys(prefix), literal, "{prefix}");
    }
}

/// Covers BUG-SQL-08.
#[tokio::test(flavor = "multi_thread")]
async fn ids_and_prefixes_from_outside_are_taken_literally() {
    let place = Place::new();
    let runtime = place.host().runtime();
    for _ in 0..3 {
        runtime.execute("async () => t.gate({})").await.unwrap();
    }
    let long = "n".repeat(3_000);
    for name in NAMES.iter().copied().chain(["", " ", "exec", "\u{0}", &long]) {
        let id = ExecutionId::from_text(name);
        assert!(!runtime.delete(&id).await.unwrap(), "{name:?}");
        assert!(runtime.record(&id).unwrap().is_none(), "{name:?}");
        let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert!(matches!(refused, Outcome::Failed { calls: None, .. }), "{name:?}");
        let query = Query { id_prefix: Some(name.to_owned()), ..Query::default() };
        let found = runtime.executions(&query).unwrap();
        assert!(found.iter().all(|s| s.id.as_str().starts_with(name)), "{name:?}");
        if NAMES.contains(&name) {
            assert!(found.is_empty(), "{name:?}");
        }
    }
    assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 3);
}

/// Covers BUG-SQL-02.
#[tokio::test(flavor = "multi_thread")]
async fn readers_that_stay_do_not_make_the_log_file_grow() {
    let place = Place::new();
    let host = place.host();
    let runtime = host.runtime();
    for _ in 0..20 {
        runtime.execute("async () => t.gate({})").await.unwrap();
    }
    // An event stream that is read half, and an export that stopped in the middle of a page.
    let paused = runtime.executions(&Query::default()).unwrap();
    let mut stream = runtime.events(&paused[0].id, 0);
    assert_eq!(stream.next().await.unwrap().len(), 1);
    let page = runtime.executions(&Query { limit: Some(5), ..Query::default() }).unwrap();
    let other_process = place.host();
    let mut export = page.iter().map(|s| other_process.store.load(&s.id).unwrap());
    assert!(export.next().is_some());

    let log = place.path().with_extension("db-wal");
    let mut largest = 0;
    // Fewer runs write as much.
    let size = rounds(1_000, 200_000);
    for _ in 0..rounds(100_000, 250) {
        let code =
            format!("async () => {{ await t.echo({{ s: 'x'.repeat({size}) }}); await t.add({{ n: 1 }}); return 1; }}");
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), "1");
        largest = largest.max(std::fs::metadata(&log).map_or(0, |m| m.len()));
    }
    assert!(largest < 64 << 20, "the log file grew to {largest} bytes");
    assert_eq!(export.count(), 4, "the export goes on where it was");
    let next = Query { before: page.last().map(|s| s.id.clone()), ..Query::default() };
    assert_eq!(runtime.executions(&next).unwrap().len(), 15);
    assert!(paused.iter().all(|s| s.status == Status::Paused));
}
