//! Components as connectors, in whole executions: what they do wrong stays with their call.

use std::sync::Arc;

use codemode_conformance::harness::{Host, engine, error_of, id_of, journal_of, result_of};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::host::{Engine, EngineOptions};
use codemode_runtime::{ComponentExecutor, EntryState, ErrorKind, Outcome};
use tokio::task::JoinSet;

use crate::kit::{Process, TESTKIT, given_folder, host_of, role, rounds, soon, testkit};

/// Covers BUG-WAS-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_waits_inside_the_host_is_stopped_in_its_time() {
    let host = Host::new().with("kit", testkit(engine(), "misc")).limits(|l| l.call_ms = 800);
    let runtime = host.runtime();
    let code = "async () => {
        const seen = [];
        for (const m of ['hang', 'spin']) try { await kit[m]({}); } catch (e) { seen.push([m, e.code, e.message.includes('800 ms')]); }
        const s = await kit.stdin({});
        return [seen, s, await kit.echo(1)]; }";
    let result = result_of(&soon(runtime.execute(code)).await.unwrap());
    let waits = r#"[["hang","timeout",true],["spin","timeout",true]]"#;
    assert_eq!(result, format!(r#"[{waits},{{"ok":true,"bytes":0}},1]"#));
    // A hundred in a row, and as many at once, leave nothing behind that others would have to wait for.
    let code = "async () => {
        const one = () => kit.hang({}).catch((e) => e.code);
        for (let i = 0; i < 5; i++) if (new Set(await Promise.all(Array.from({ length: 20 }, one))).size !== 1) throw i;
        const all = await Promise.all(Array.from({ length: 100 }, one));
        return [all.length, new Set(all).size, all[0], await kit.echo(2)]; }";
    assert_eq!(result_of(&soon(runtime.execute(code)).await.unwrap()), r#"[100,1,"timeout",2]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_breaks_fails_its_call_only() {
    let host = Host::new().with("c", testkit(engine(), "c")).with("kit", testkit(engine(), "misc"));
    let runtime = host.runtime();
    let code = "async () => {
        const seen = [];
        for (const f of [() => c.trap(), () => kit.panic({}), () => kit.exit({}), () => kit.invalidJson({}), () => kit.recurse({})])
            try { await f(); seen.push('no'); } catch (e) { seen.push(e.code + ' ' + e.effect + ' ' + typeof e.message); }
        return [seen, (await c.ok()).v]; }";
    let outcome = soon(runtime.execute(code)).await.unwrap();
    let broken = r#""internal possible string""#;
    let all = [broken; 5].join(",");
    assert_eq!(result_of(&outcome), format!("[[{all}],1]"));
    let journal = journal_of(&runtime, &id_of(&outcome));
    assert_eq!((journal[0].as_str(), journal[5].as_str()), ("0 c.trap error", "5 c.ok applied"));
    // It replays like any failure: nothing is tried again.
    let code =
        "async () => { let m; try { await c.trap(); } catch (e) { m = e.message; } await t.gate({ m }); return m; }";
    let outcome = crate::kit::through(&host, code).await;
    let Outcome::Completed { calls, .. } = &outcome else { panic!("{outcome:#?}") };
    assert_eq!((calls[0].state, calls[0].attempt), (EntryState::Failed, 1));
}

/// Covers BUG-WAS-10.
#[test]
fn endless_loops_on_every_thread_end_and_others_get_their_turn() {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    tokio.block_on(async {
        let mut options = EngineOptions::default();
        options.cache_dir = Some(env!("CODEMODE_TEST_CACHE").into());
        options.guest_threads = 2;
        let engine = Engine::new(options).unwrap();
        let executor = Arc::new(ComponentExecutor::bundled(&engine).unwrap());
        let mut limits = codemode_runtime::Limits::default();
        limits.cpu_ms = 1_000;
        let runtime = codemode_runtime::Runtime::builder()
            .store(Arc::new(codemode_runtime::store::memory::MemoryStore::new()))
            .executor(executor)
            .limits(limits)
            .build()
            .unwrap();
        let mut loops = JoinSet::new();
        for _ in 0..8 {
            let runtime = runtime.clone();
            loops.spawn(async move { runtime.execute("async () => { for (;;) {} }").await.unwrap() });
        }
        let ninth = soon(runtime.execute("async () => 1")).await.unwrap();
        assert_eq!(result_of(&ninth), "1");
        for outcome in soon(loops.join_all()).await {
            assert_eq!(error_of(&outcome).kind, ErrorKind::Limit);
            assert!(error_of(&outcome).message.contains("`guest CPU`"), "{outcome:#?}");
        }
    });
}

/// Covers BUG-WAS-12.
#[cfg(target_os = "linux")]
#[test]
fn tens_of_thousands_of_calls_do_not_accumulate_instances() {
    Process::playing("was::as_a_child_that_calls_much", "calls").run();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_that_calls_much() {
    if role().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(TESTKIT).unwrap();
    let connector = |label: &str| {
        let mut options = ComponentOptions::new(label);
        options.config.insert("fixture".to_owned(), "c".to_owned());
        Arc::new(ComponentConnector::load(engine(), &bytes, options).unwrap())
    };
    let host = host_of(folder.path()).with("c", connector("c"));
    let runtime = host.runtime();
    let code = "async () => { let n = 0; for (let i = 0; i < 250; i++) n += (await c.ok()).v; return n; }";
    let mut before = 0;
    // Half of them through one connector, half through connectors that are loaded anew.
    let passes = rounds(200, 48);
    for pass in 0..passes {
        if pass == passes / 4 {
            before = crate::kit::resident();
        }
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), "250");
        let fresh = host.clone().with("c", connector("c")).runtime();
        assert_eq!(result_of(&fresh.execute(code).await.unwrap()), "250");
    }
    let after = crate::kit::resident();
    assert!(after < before + 30_000, "{before} to {after} KiB");
}

/// Covers BUG-WAS-13.
#[tokio::test(flavor = "multi_thread")]
async fn effects_before_the_memory_ran_out_are_recorded() {
    let host = Host::new().limits(|l| (l.memory_bytes, l.cpu_ms) = (24 << 20, 60_000));
    let runtime = host.runtime();
    let code = r#"async () => {
        const keep = []; for (let i = 0; i < 1e6; i++) { keep.push("x".repeat(1000) + i); if (i % 1000 === 0) await t.add({ n: i }); }
        return keep.length; }"#;
    let outcome = soon(runtime.execute(code)).await.unwrap();
    let error = error_of(&outcome);
    assert_eq!(error.kind, ErrorKind::Limit, "{error:?}");
    assert!(error.message.contains("out of memory") && error.message.contains("`guest memory`"), "{error:?}");
    let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
    let adds = host.ledger.count("t", "add");
    assert!(adds > 2, "{adds}");
    assert_eq!(record.entries.len() as u64, adds);
    for (at, entry) in record.entries.iter().enumerate() {
        assert_eq!(entry.state, EntryState::Applied, "{at}");
        let answer = entry.answer.clone().unwrap().unwrap().unwrap();
        assert_eq!(answer.as_str(), format!(r#"{{"id":{},"n":{}}}"#, at + 1, at * 1000));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_fit_into_memory_is_recorded_all_the_same() {
    let host = Host::new().limits(|l| (l.memory_bytes, l.cpu_ms) = (16 << 20, 60_000));
    let runtime = host.runtime();
    let code = "async () => {
        const keep = [];
        for (;;) keep.push(await t.addBig({ chars: 900000 })); }";
    let outcome = soon(runtime.execute(code)).await.unwrap();
    assert!(error_of(&outcome).message.contains("`guest memory`"), "{:?}", error_of(&outcome));
    let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
    assert_eq!(record.entries.len() as u64, host.ledger.count("t", "addBig"));
    assert!(record.entries.iter().all(|e| e.state == EntryState::Applied), "all that happened is kept");
}

/// Covers BUG-WAS-08.
#[cfg(target_os = "linux")]
#[test]
fn a_small_machine_gets_a_clear_error_or_works_with_less() {
    let folder = tempfile::tempdir().unwrap();
    let play = |shell: &str| {
        let child = Process::in_shell(shell, "was::as_a_child_on_a_small_machine", "small");
        child.with("CODEMODE_FOLDER", folder.path()).start().wait().unwrap()
    };
    // Four gigabytes of address space do for everything, and so does asking for absurdly many guests.
    assert!(play("ulimit -v 4194304;").success());
    assert!(play("export CODEMODE_GUESTS=100000;").success());
    assert!(play("ulimit -v 4194304; export CODEMODE_GUESTS=100000;").success());
    // A quarter of that: an error in words would be fine as well, an abort is not.
    let ended = play("ulimit -v 1048576; export CODEMODE_MAY_REFUSE=1;");
    assert!(ended.success(), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_on_a_small_machine() {
    if role().is_none() {
        return;
    }
    let mut options = EngineOptions::default();
    options.cache_dir = Some(given_folder().join("cache"));
    if let Ok(guests) = std::env::var("CODEMODE_GUESTS") {
        options.max_guests = guests.parse().unwrap();
    }
    let may_refuse = std::env::var_os("CODEMODE_MAY_REFUSE").is_some();
    let engine = match Engine::new(options) {
        Ok(engine) => engine,
        Err(error) if may_refuse => {
            assert!(!error.to_string().is_empty());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert!(engine.effective().max_guests >= 1 && engine.effective().max_guests <= 2_000, "{:?}", engine.effective());
    let executor = match ComponentExecutor::bundled(&engine) {
        Ok(executor) => Arc::new(executor),
        Err(error) if may_refuse => {
            assert!(!error.to_string().is_empty());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let runtime = codemode_runtime::Runtime::builder()
        .store(Arc::new(codemode_runtime::store::memory::MemoryStore::new()))
        .executor(executor)
        .connector("c", testkit(&engine, "c"))
        .build()
        .unwrap();
    let outcome = soon(runtime.execute("async () => (await c.ok()).v")).await.unwrap();
    match &outcome {
        Outcome::Failed { error, .. } if may_refuse => assert!(!error.message.is_empty()),
        _ => assert_eq!(result_of(&outcome), "1"),
    }
    // Compiling included, it fits into a container of 512 MB.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    assert!(peak.parse::<u64>().unwrap() < 500_000, "it took {peak} KiB");
}
