//! A process that dies at any write of an execution's life, and at any write of its recovery: every effect happens
//! once, and the end is the one that an execution without a crash has.

use std::collections::BTreeMap;

use codemode_conformance::fixtures::{Event, EventKind};
use codemode_conformance::harness::{Host, anna, json, result_of};
use codemode_runtime::{
    EntryState, Error, ExecutionId, Outcome, Picks, Query, Recovered, Resolved, Runtime, Status, UnresolvedCall, Word,
};

use crate::homes::{Home, homes, record};
use crate::kit::{Dice, rounds, soon};
use crate::mortal::{BOTH, LastWrite, Mortal};

/// Somebody who looks at the other side: a call that is there was applied, one that is not is to be tried again.
pub(crate) async fn says_what_happened(
    host: &Host,
    runtime: &Runtime,
    call: &UnresolvedCall,
) -> Result<Option<Outcome>, Error> {
    let happened = |e: &Event| e.kind == EventKind::Performed && e.key == call.idempotency_key;
    let word = match host.ledger.events().iter().find(|e| happened(e)) {
        Some(event) => Word::Applied(Some(json(&event.result.to_string()))),
        None => Word::Retry,
    };
    match soon(runtime.resolve(&call.execution, call.seq, word, anna())).await? {
        Resolved::Resumed(outcome) => Ok(Some(outcome)),
        Resolved::Recorded => Ok(None),
        other => panic!("{other:?}"),
    }
}

/// Recovers, answers doubts and approves until the execution has ended.
async fn brought_to_its_end(host: &Host, runtime: &Runtime, id: &ExecutionId) -> Result<Outcome, Error> {
    let mut last = None;
    for (of, how) in soon(runtime.recover()).await? {
        match how {
            Recovered::Resumed(outcome) if of == *id => last = Some(outcome),
            Recovered::Resumed(_) | Recovered::Finished(_) => {}
            Recovered::Failed(error) => return Err(error),
            other => panic!("{other:?}"),
        }
    }
    for _ in 0..100 {
        let status = runtime.record(id)?.map(|r| r.execution.status);
        if status != Some(Status::Paused) {
            break;
        }
        for call in runtime.unresolved(Some(id))? {
            last = says_what_happened(host, runtime, &call).await?.or(last);
        }
        if !runtime.pending(Some(id))?.is_empty() {
            last = Some(soon(runtime.approve(id, Picks::AllPending, anna())).await?);
        }
    }
    last.ok_or_else(|| Error::NotFound(id.clone()))
}

/// Parallel chains of effects, timers, steps and reads, and a gate.
const CODE: &str = "async () => {
    const chain = async (n) => {
        const a = await t.add({ n });
        await new Promise((r) => setTimeout(r, n));
        const s = await codemode.step('s' + n, () => n * 10);
        const asked = await codemode.step('a' + n, async () => (await t.add({ n: n + 100 })).n);
        return (await t.echo({ v: a.n + s + asked })).v;
    };
    const chains = await Promise.all([chain(1), chain(2), chain(3)]);
    const gate = await t.gate({ of: chains.length });
    return [chains, gate.of];
}";

const RESULT: &str = "[[112,124,136],3]";

/// Every effect by its key, with how often it happened.
fn effects(host: &Host) -> BTreeMap<String, u32> {
    let mut effects = BTreeMap::new();
    let performed = host.ledger.events().into_iter().filter(|e| e.kind == EventKind::Performed && e.method != "echo");
    for event in performed {
        *effects.entry(format!("{} {}", event.key, event.method)).or_default() += 1;
    }
    effects
}

fn check(host: &Host, runtime: &Runtime, id: &ExecutionId, outcome: &Outcome, context: &str) {
    assert!(matches!(outcome, Outcome::Completed { .. }), "{context}: {outcome:#?}");
    assert_eq!(result_of(outcome), RESULT, "{context}");
    let effects = effects(host);
    assert_eq!((effects.len(), effects.values().max()), (7, Some(&1)), "{context}: {effects:?}");
    let record = record(runtime, id);
    assert_eq!((record.execution.status, record.execution.owner), (Status::Completed, None), "{context}");
    assert!(record.entries.iter().all(|e| e.state == EntryState::Applied), "{context}: {:#?}", record.entries);
    let mut places: Vec<_> = record.entries.iter().filter_map(|e| e.delivery.map(|d| d.place)).collect();
    places.sort_unstable();
    assert!(places.into_iter().eq(0..record.entries.len() as u32), "{context}: places are dense");
}

/// Dies at that write of a first pass. `false`: it came to its pause before.
async fn dies_in_its_first_pass(home: &Home, at: i64, last: LastWrite) -> bool {
    let host = home.host();
    let mortal = Mortal::at(&home.store, at, last);
    let mut dying = host.clone();
    dying.store = mortal.clone();
    let before = host.runtime().executions(&Query::default()).unwrap().len();
    drop(soon(dying.runtime().execute(CODE)).await);
    let runtime = host.runtime();
    let context = format!("write {at} {last:?} in {}", home.name);
    let left = runtime.executions(&Query::default()).unwrap();
    if left.len() == before {
        assert_eq!((at, last), (0, LastWrite::Lost), "{context}: nothing was begun");
        assert_eq!(soon(runtime.recover()).await.unwrap().len(), 0);
    } else {
        let id = left[0].id.clone();
        let outcome = brought_to_its_end(&host, &runtime, &id).await;
        let outcome = outcome.unwrap_or_else(|error| panic!("{context}: {error}: {:#?}", record(&runtime, &id)));
        check(&host, &runtime, &id, &outcome, &context);
        // So that the next one is again the only one.
        assert!(runtime.delete(&id).await.unwrap());
    }
    mortal.is_dead()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_at_any_write_repeats_no_effect_and_loses_none() {
    for home in homes() {
        for last in BOTH {
            let mut at = 0;
            while dies_in_its_first_pass(&home, at, last).await {
                at += 1;
            }
            assert!(at > 30, "{at} writes");
        }
    }
}

/// Where a process dies.
pub(crate) type Death = (i64, LastWrite);

/// Runs the code in several processes one after the other, each of which dies somewhere, also while it recovers, resolves
/// or approves; the last one lives.
pub(crate) async fn lived(home: &Home, host: &Host, code: &str, deaths: &[Death]) -> ExecutionId {
    let mut id = None;
    let lives = deaths.iter().map(|(at, last)| Mortal::at(&home.store, *at, *last));
    for life in lives.chain([Mortal::of(&home.store)]) {
        let mut mortal = host.clone();
        mortal.store = life;
        let runtime = mortal.runtime();
        match &id {
            None => {
                let before = home.store.list(&Query::default()).unwrap().len();
                drop(soon(runtime.execute(code)).await);
                let left = home.store.list(&Query::default()).unwrap();
                id = (left.len() > before).then(|| left[0].id.clone());
            }
            Some(id) => drop(brought_to_its_end(&mortal, &runtime, id).await),
        }
    }
    let id = id.expect("the last process at least began it");
    brought_to_its_end(host, &host.runtime(), &id).await.ok();
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_die_one_after_the_other_come_to_the_same_end() {
    let mut dice = Dice(7);
    for home in homes() {
        for _ in 0..rounds(200, 15) {
            let host = home.host();
            let mut death = || {
                let at = i64::try_from(dice.below(25)).unwrap();
                (at, BOTH[usize::try_from(dice.below(2)).unwrap()])
            };
            let deaths: Vec<Death> = (0..12).map(|_| death()).collect();
            let id = lived(&home, &host, CODE, &deaths).await;
            let runtime = host.runtime();
            let result = record(&runtime, &id).execution.result;
            let outcome = Outcome::Completed { execution: id.clone(), result, logs: Vec::new(), calls: Vec::new() };
            check(&host, &runtime, &id, &outcome, &format!("{deaths:?} in {}", home.name));
            assert!(runtime.delete(&id).await.unwrap());
        }
    }
}
