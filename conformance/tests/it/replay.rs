//! Replay over real parts: what happened is never repeated, whatever the shape of the code.

use codemode_conformance::harness::{Host, approve_all, id_of, journal_of, pending_of, result_of};
use codemode_runtime::Outcome;

/// Runs code over fresh fixtures, approves all it asks for after losing the process each time.
async fn through(host: &Host, code: &str) -> Outcome {
    let outcome = host.runtime().execute(code).await.unwrap();
    assert!(matches!(outcome, Outcome::Paused { .. }), "{outcome:#?}");
    approve_all(&host.runtime(), outcome).await
}

/// Covers STEP-01, REPLAY-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_and_a_later_random_number_survive_an_approval() {
    let host = Host::new();
    let code = "async () => { const k = await codemode.step('k', () => Math.random()); const r = Math.random();
        await t.gate({ k, r }); return k !== r; }";
    assert_eq!(result_of(&through(&host, code).await), "true");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_of_two_steps_has_the_same_winner_after_an_approval() {
    let host = Host::new();
    let code = "async () => {
        const slow = codemode.step('slow', async () => { await t.slow({ ms: 30, v: 1 }); return 'slow'; });
        const fast = codemode.step('fast', async () => { await t.slow({ ms: 1, v: 2 }); return 'fast'; });
        const w = await Promise.race([slow, fast]); await t.gate({ w }); return w; }";
    assert_eq!(result_of(&through(&host, code).await), "\"fast\"");
    assert_eq!(host.ledger.count("t", "slow"), 2);
}

/// Covers BUG-DUR-01.
#[tokio::test(flavor = "multi_thread")]
async fn two_chains_that_go_on_after_an_asynchronous_step_replay() {
    let host = Host::new();
    let code = "async () => {
        const chain = async (ms, k) => {
            const v = await codemode.step('s' + k, async () => t.slow({ ms, v: k }));
            return (await t.echo({ after: v })).after; };
        const r = await Promise.all([chain(25, 'a'), chain(3, 'b'), chain(12, 'c')]);
        await t.gate({ r }); return r; }";
    assert_eq!(result_of(&through(&host, code).await), r#"["a","b","c"]"#);
    assert_eq!((host.ledger.count("t", "slow"), host.ledger.count("t", "echo")), (3, 3));
}

/// Covers STEP-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_inside_a_step_is_performed_once() {
    let host = Host::new();
    let code = "async () => {
        const v = await codemode.step('outer', async () => (await t.add({ n: 1 })).n + 1);
        await t.gate({ v }); return v; }";
    let outcome = through(&host, code).await;
    assert_eq!(result_of(&outcome), "2");
    assert_eq!(host.ledger.count("t", "add"), 1);
    let journal = journal_of(&host.runtime(), &id_of(&outcome));
    assert_eq!(journal, ["0 __step.outer applied", "1 t.add applied", "2 t.gate applied"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_awaits_before_the_return_is_performed_once() {
    let host = Host::new();
    let code =
        "async () => { t.add({ n: 1 }); const g = t.gate({ x: 1 }); g.then(() => t.add({ n: 2 })); return 'done'; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"1 t.gate {"x":1}"#]);
    let outcome = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&outcome), "\"done\"");
    assert_eq!(host.ledger.count("t", "add"), 2);
}
