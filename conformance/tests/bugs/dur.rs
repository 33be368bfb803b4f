//! Replay of code whose shape depends on the order of answers: chains, races, loops, steps, failures.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, approve_all, id_of, journal_of, pending_of, result_of};
use codemode_runtime::{EntryState, EventKind as Happened, Outcome, Picks};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::kit::{Dice, Door, Place, asked, executed, pending_args, rounds, soon, the_execution, through};

async fn chains(ms: [u64; 3]) {
    let host = Host::new();
    let code = format!(
        "async () => {{
            const chain = async (ms, k) => {{ await t.slow({{ ms, v: k }}); return t.echo({{ after: k }}); }};
            const r = await Promise.all([chain({}, 'a'), chain({}, 'b'), chain({}, 'c')]);
            await t.gate({{ op: 'x' }});
            return r; }}",
        ms[0], ms[1], ms[2]
    );
    let outcome = through(&host, &code).await;
    assert_eq!(result_of(&outcome), r#"[{"after":"a"},{"after":"b"},{"after":"c"}]"#, "{ms:?}");
    let counts = ["slow", "echo", "gate"].map(|m| host.ledger.count("t", m));
    assert_eq!(counts, [3, 3, 1], "{ms:?}");
}

/// Covers BUG-DUR-01, WEAK-01.
#[tokio::test(flavor = "multi_thread")]
async fn parallel_chains_get_their_own_answers_whatever_the_order_was() {
    chains([60, 5, 25]).await;
    let mut dice = Dice(1);
    let mut left = rounds(50, 50);
    while left > 0 {
        let mut together = JoinSet::new();
        for _ in 0..left.min(10) {
            let ms = [dice.below(80), dice.below(80), dice.below(80)];
            together.spawn(chains(ms));
            left -= 1;
        }
        together.join_all().await;
    }
}

/// Covers BUG-DUR-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_race_keeps_its_winner_after_a_restart() {
    let place = Place::new();
    let code = "async () => {
        const w = await Promise.race([t.slow({ ms: 80, v: 'slow' }), t.slow({ ms: 5, v: 'fast' })]);
        if (w === 'fast') await t.gate({ branch: 'fast' }); else await t.gate({ branch: 'slow' });
        return w; }";
    let paused = place.host().runtime().execute(code).await.unwrap();
    let host = place.host();
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), "\"fast\"");
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "branch": "fast" })]);
    assert_eq!(host.ledger.count("t", "slow"), 2, "the loser is not called again");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_races_keep_their_winners_too() {
    let races = [
        ("Promise.any([t.fail({ msg: 'm' }), t.slow({ ms: 30, v: 'b' }), t.slow({ ms: 2, v: 'c' })])", "\"c\""),
        ("Promise.race([t.slow({ ms: 40, v: 'a' }), new Promise(r => setTimeout(() => r('timer'), 5))])", "\"timer\""),
        ("Promise.race([t.fail({ msg: 'm' }), t.slow({ ms: 20, v: 'b' })]).catch(e => e.message)", "\"m\""),
        (
            "Promise.race([codemode.step('s', async () => { await t.slow({ ms: 25, v: 1 }); return 's'; }), \
             t.slow({ ms: 3, v: 'call' })])",
            "\"call\"",
        ),
        (
            "(async () => { let first; const p = [20, 1, 10].map(ms => t.slow({ ms, v: ms }).then(v => first ??= v)); \
          await Promise.allSettled(p); return first; })()",
            "1",
        ),
    ];
    for (race, winner) in races {
        let host = Host::new();
        let code = format!("async () => {{ const w = await {race}; await t.gate({{ w }}); return w; }}");
        assert_eq!(result_of(&through(&host, &code).await), winner, "{race}");
        assert_eq!(executed(&host.ledger, "gate")[0]["w"].to_string(), winner, "{race}");
    }
}

/// Covers BUG-DUR-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_in_flight_beside_a_pending_call_is_kept() {
    let host = Host::new();
    let code = "async () => {
        const p = t.slow({ ms: 300, v: 'late' });
        const g = await t.gate({ x: 1 });
        return [await p, g.x]; }";
    let outcome = through(&host, code).await;
    assert_eq!(result_of(&outcome), r#"["late",1]"#);
    assert_eq!(host.ledger.count("t", "slow"), 1);
    assert_eq!(journal_of(&host.runtime(), &id_of(&outcome)), ["0 t.slow applied", "1 t.gate applied"]);
}

/// Covers BUG-DUR-07.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_while_a_read_is_in_flight_takes_effect_at_the_pause() {
    let (door, connector) = Door::new();
    let host = Host::new().with("door", connector);
    let runtime = host.runtime();
    let code = "async () => {
        const p = door.wait({ v: 'late' });
        const g = await t.gate({ x: 1 });
        return [await p, g.x]; }";
    let running = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.execute(code).await.unwrap() }
    });
    door.entered(1).await;
    let id = the_execution(&runtime).await;
    asked(&runtime, &id, 1).await;
    let by = codemode_conformance::harness::anna();
    let stored = runtime.approve(&id, Picks::AllPending, by).await.unwrap();
    assert!(matches!(&stored, Outcome::Deferred { seqs, .. } if seqs.len() == 1 && seqs[0].0 == 1), "{stored:#?}");
    assert_eq!(host.ledger.count("t", "gate"), 0, "nothing runs before the pause");
    door.let_go(1);
    let outcome = soon(running).await.unwrap();
    assert_eq!(result_of(&outcome), r#"["late",1]"#);
    assert_eq!(host.ledger.count("t", "gate"), 1);
    assert_eq!(journal_of(&runtime, &id), ["0 door.wait applied", "1 t.gate applied"]);
}

/// Covers BUG-DUR-08, WEAK-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_caught_failure_is_recorded_and_not_tried_again() {
    let host = Host::new();
    let code = "async () => {
        let r;
        try { r = await t.flaky({ failTimes: 1 }); } catch (e) { r = 'fallback:' + e.message; }
        await t.gate({ r });
        return r; }";
    let paused = host.runtime().execute(code).await.unwrap();
    let shown = pending_args(&paused);
    assert!(shown["r"].as_str().unwrap().starts_with("fallback:"), "{shown}");
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(serde_json::from_str::<Value>(&result_of(&outcome)).unwrap(), shown["r"]);
    assert_eq!(executed(&host.ledger, "gate"), [shown]);
    assert_eq!(host.ledger.count("t", "flaky"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_replays_with_all_that_the_code_can_see_of_it() {
    let host = Host::new();
    let seen = "(async () => { try { await t.fail({ msg: 'm' }); } \
        catch (e) { return [e.name, e.message, e.code, e.data.retryAfter, e instanceof Error, e.effect]; } })()";
    let code = format!("async () => {{ const a = await {seen}; await t.gate({{ a }}); return a; }}");
    let outcome = through(&host, &code).await;
    assert_eq!(result_of(&outcome), r#"["RateLimit","m","429",3,true,"none"]"#);
    assert_eq!(host.ledger.count("t", "fail"), 1);
    for thrown in ["null", "0", "''", "undefined", "{ code: 5 }", "new RangeError('r')", "[1, 2n]"] {
        let code = format!(
            "async () => {{ let r; try {{ await codemode.step('s', () => {{ throw {thrown}; }}); }}
                catch (e) {{ r = [typeof e, Object.prototype.toString.call(e), String(e)]; }}
                await t.gate({{ r }}); return r; }}"
        );
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        let shown = pending_args(&paused)["r"].to_string();
        assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), shown, "{thrown}");
    }
}

/// Covers BUG-DUR-10.
#[tokio::test(flavor = "multi_thread")]
async fn steps_of_one_name_do_not_share_an_outcome() {
    let host = Host::new();
    let code = "async () => {
        const [a, b] = await Promise.all([codemode.step('s', async () => 'A'), codemode.step('s', async () => 'B')]);
        await t.gate({ a, b });
        await t.gate({ again: a + b });
        return a + b; }";
    assert_eq!(result_of(&through(&host, code).await), "\"AB\"");
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "a": "A", "b": "B" }), json!({ "again": "AB" })]);

    let host = Host::new();
    let code = "async () => {
        const one = (ms, v) => codemode.step('s', async () => { await t.slow({ ms, v }); return v; });
        const r = await Promise.all([one(30, 'A'), one(2, 'B'), codemode.step('s', () => 'C'), one(15, 'D')]);
        for (let i = 0; i < 3; i++) r.push(await codemode.step('s', () => i));
        await t.gate({ r });
        return r.join(''); }";
    assert_eq!(result_of(&through(&host, code).await), "\"ABCD012\"");
}

/// Covers BUG-DUR-19.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_gets_each_of_two_hundred_answers_once_and_in_order() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => {
        const n = 200;
        const r = await Promise.all(Array.from({ length: n }, (_, i) => t.slow({ ms: i % 3, v: i })));
        return r.every((v, i) => v === i) && r.length; }";
    let running = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.execute(code).await.unwrap() }
    });
    let id = the_execution(&runtime).await;
    let mut events = runtime.events(&id, 0);
    let mut seen = Vec::new();
    loop {
        let more = soon(events.next()).await.unwrap();
        if more.is_empty() {
            break;
        }
        seen.extend(more);
    }
    assert_eq!(result_of(&running.await.unwrap()), "200");
    let numbers: Vec<u64> = seen.iter().map(|e| e.number).collect();
    assert_eq!(numbers, (1..=400).collect::<Vec<_>>(), "strictly increasing, no gap");
    let mut answered: Vec<u32> =
        seen.iter().filter(|e| e.kind == Happened::Answered(EntryState::Applied)).map(|e| e.seq.0).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..200).collect::<Vec<_>>());
    // Whoever was away for a while goes on after the last number they saw.
    let rest = runtime.events(&id, 390).next().await.unwrap();
    assert_eq!(rest.iter().map(|e| e.number).collect::<Vec<_>>(), (391..=400).collect::<Vec<_>>());
}

/// Covers BUG-DUR-20.
#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_parallel_answers_are_recorded_with_their_own_calls() {
    let place = Place::new();
    let host = place.host();
    let code = "async () => {
        const xs = Array.from({ length: 300 }, (_, i) => i);
        const r = await Promise.all(xs.map((i) => t.echo({ i })));
        await t.gate({ sum: r.reduce((s, x) => s + x.i, 0) });
        return r.map((x) => x.i).join() === xs.join(); }";
    let outcome = through(&host, code).await;
    assert_eq!(result_of(&outcome), "true");
    assert_eq!(executed(&host.ledger, "gate"), [json!({ "sum": 44850 })]);
    let record = host.store.load(&id_of(&outcome)).unwrap().unwrap();
    let echoes: Vec<_> = record.entries.iter().filter(|e| e.request.path().1 == "echo").collect();
    assert_eq!(echoes.len(), 300);
    for entry in echoes {
        let answer = entry.answer.clone().unwrap().unwrap();
        assert_eq!(answer.as_ref(), entry.request.args(), "seq {:?}", entry.seq);
    }
}

/// Covers BUG-DUR-31.
#[tokio::test(flavor = "multi_thread")]
async fn a_promise_that_is_kept_over_rounds_of_a_loop_replays_at_its_place() {
    async fn once() {
        let host = Host::new();
        let code = "async () => {
            let pending = t.slow({ ms: 40, v: 'wake' });
            const seen = [];
            for (let i = 0; i < 6; i++) {
                const w = await Promise.race([pending, t.slow({ ms: 7, v: 'beat' + i })]);
                seen.push(w);
                if (w === 'wake') pending = t.slow({ ms: 40, v: 'wake' });
                await t.echo({ i, w });
            }
            await t.gate({ seen });
            return seen; }";
        let paused = host.runtime().execute(code).await.unwrap();
        let shown = pending_args(&paused)["seen"].to_string();
        assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), shown);
        assert_eq!(host.ledger.count("t", "echo"), 6);
    }
    for _ in 0..rounds(10, 4) {
        let mut together = JoinSet::new();
        for _ in 0..10 {
            together.spawn(once());
        }
        together.join_all().await;
    }
}

/// Covers BUG-DUR-06.
#[tokio::test(flavor = "multi_thread")]
async fn each_call_has_a_key_of_its_own_that_stays() {
    let host = Host::new();
    let code = "async () => {
        const a = await t.add({ n: 1 });
        const b = await t.add({ n: 1 });
        await t.gate({});
        return [a.id, b.id]; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), ["2 t.gate {}"]);
    let id = id_of(&paused);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), "[1,2]");
    let performed = host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Performed);
    let keys: Vec<(String, String)> = performed.map(|e| (e.method, e.key)).collect();
    let key = |n: u32| format!("{id}:{n}");
    assert_eq!(keys, [("add".to_owned(), key(0)), ("add".to_owned(), key(1)), ("gate".to_owned(), key(2))]);
}
