//! AUDIT: what the record of an execution says, and when it last changed.

use codemode_conformance::harness::{anna, approve_all, id_of, json};
use codemode_runtime::durable::journal::{Approval, ReplayPolicy};
use codemode_runtime::{By, EntryState, ErrorKind, ExecutionId, Json, Picks, Query, Runtime, Seq, Status};

use crate::dial::{START, dialled};
use crate::homes::{entry, homes, record, summary};
use crate::kit::{Door, soon, until};
use crate::mortal::Mortal;

const PUT: &str = "async () => shelf.put({ title: 'x' })";

async fn run(runtime: &Runtime, code: &str) -> ExecutionId {
    id_of(&runtime.execute(code).await.unwrap())
}

fn page(runtime: &Runtime, query: Query) -> Vec<ExecutionId> {
    runtime.executions(&query).unwrap().into_iter().map(|s| s.id).collect()
}

/// Covers AUDIT-01, WEAK-32.
#[tokio::test(flavor = "multi_thread")]
async fn executions_are_listed_newest_first_and_page_by_page() {
    for home in homes() {
        let runtime = home.host().runtime();
        let mut all = Vec::new();
        for n in 0..12 {
            all.push(run(&runtime, &format!("async () => {n}")).await);
        }
        all.reverse();
        assert_eq!(page(&runtime, Query::default()), all, "no limit is all of them");
        let limit = |limit| page(&runtime, Query { limit: Some(limit), ..Query::default() });
        assert_eq!((limit(0), limit(1), limit(12), limit(13)), (vec![], all[..1].to_vec(), all.clone(), all.clone()));
        let mut paged: Vec<ExecutionId> = Vec::new();
        loop {
            let next = page(&runtime, Query { before: paged.last().cloned(), limit: Some(5), ..Query::default() });
            if next.is_empty() {
                break;
            }
            // What begins or goes meanwhile moves no page.
            run(&runtime, "async () => 'later'").await;
            paged.extend(next);
            assert!(runtime.delete(paged.last().unwrap()).await.unwrap());
        }
        assert_eq!(paged, all);
    }
}

/// Covers WEAK-32.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_the_list_is_small_and_says_what_is_to_be_done() {
    for home in homes() {
        let runtime = home.host().runtime();
        let long = format!("async () => {{ /* {} */ await t.echo(1); await t.gate({{}}); }}", "ü".repeat(50_000));
        let id = run(&runtime, &long).await;
        run(&runtime, "async () => 1").await;
        let paused = Query { status: Some(Status::Paused), ..Query::default() };
        let [line] = &runtime.executions(&paused).unwrap()[..] else { panic!("one is paused") };
        assert_eq!((&line.id, line.pass, line.calls, line.pending, line.unresolved), (&id, 1, 2, 1, 0));
        assert_eq!((line.code_start.chars().count(), line.ended_at, &line.damaged), (200, None, &None));
        let half = id.as_str()[..id.as_str().len() - 2].to_owned();
        assert_eq!(page(&runtime, Query { id_prefix: Some(half), ..paused }), [id]);
    }
}

/// Covers AUDIT-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_says_what_ran_where_it_stands_and_what_came_of_it() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let code = "async () => { console.log('one'); await shelf.list(); await shelf.put({ title: 'x' }); return 7; }";
        let paused = runtime.execute(code).await.unwrap();
        let id = id_of(&paused);
        let at_rest = record(&runtime, &id).execution;
        assert_eq!((at_rest.id(), at_rest.start.code.as_str(), at_rest.status), (&id, code, Status::Paused));
        assert_eq!((at_rest.result, at_rest.error, at_rest.ended_at, at_rest.owner), (None, None, None, None));
        assert_eq!((at_rest.start.created_at, at_rest.updated_at), (START, START));
        let names: Vec<_> = at_rest.start.namespaces.iter().map(|n| n.name.as_str()).collect();
        assert_eq!((names, at_rest.logs), (vec!["shelf", "t"], vec!["one".to_owned()]));

        dial.pass(9);
        approve_all(&runtime, paused).await;
        let ended = record(&runtime, &id);
        assert_eq!((ended.execution.status, ended.execution.result), (Status::Completed, Some(json("7"))));
        assert_eq!((ended.execution.error, ended.execution.ended_at), (None, Some(START + 9)));
        assert_eq!((ended.execution.start.created_at, ended.execution.updated_at), (START, START + 9));
        assert_eq!((ended.entries.len(), ended.execution.pass), (2, 2));

        let failed = run(&runtime, "async () => { throw new RangeError('far'); }").await;
        let failed = record(&runtime, &failed).execution;
        assert_eq!((failed.status, failed.result, failed.logs.len()), (Status::Error, None, 0));
        assert_eq!(failed.error.map(|e| (e.name, e.message)), Some(("RangeError".to_owned(), "far".to_owned())));
    }
}

/// Covers AUDIT-03.
#[tokio::test(flavor = "multi_thread")]
async fn the_journal_keeps_arguments_states_policies_and_results() {
    for home in homes() {
        let runtime = home.host().runtime();
        let code = "async () => {
            const rows = await shelf.list({ all: true });
            await shelf.tick();
            await shelf.put({ title: 'x', rows }); }";
        let id = run(&runtime, code).await;
        let entries = record(&runtime, &id).entries;
        let lines: Vec<_> = entries
            .iter()
            .map(|e| {
                let args = e.request.args().map(Json::as_str);
                let result = e.answer.as_ref().map(|a| a.as_ref().unwrap().as_ref().map(Json::as_str));
                (e.request.path().1, args, e.state, e.terms.approval, e.terms.replay, result)
            })
            .collect();
        let (put, applied) = (r#"{"title":"x","rows":[]}"#, EntryState::Applied);
        let (free, asks) = (Approval::NotNeeded, Approval::Required);
        let (kept, again) = (ReplayPolicy::Recorded, ReplayPolicy::Reexecute);
        assert_eq!(
            lines,
            [
                ("list", Some(r#"{"all":true}"#), applied, free, kept, Some(Some("[]"))),
                ("tick", None, applied, free, again, Some(None)),
                ("put", Some(put), EntryState::Pending, asks, kept, None),
            ]
        );
    }
}

/// Covers AUDIT-04.
#[tokio::test(flavor = "multi_thread")]
async fn what_failed_or_was_refused_keeps_its_record_and_says_why() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let failed = run(&runtime, "async () => { await shelf.jot({ text: 'a' }); await shelf.fail(); }").await;
        let rejected =
            run(&runtime, "async () => { await shelf.jot({ text: 'b' }); await shelf.put({ title: 'x' }); }").await;
        let by = By { reason: Some("not on a Friday".to_owned()), ..anna() };
        assert!(runtime.reject(&rejected, Seq(1), by).await.unwrap());
        let broken = run(&runtime, "async () => {{").await;
        // Also for whoever opens the store next.
        let mut neighbour = host.clone();
        neighbour.store = home.opened_again();
        for reader in [&runtime, &neighbour.runtime()] {
            let why = |id| record(reader, id).execution.error.map(|e| (e.kind, e.message)).unwrap();
            assert_eq!(why(&failed), (ErrorKind::Thrown, "shelf fail".to_owned()));
            let said = "shelf.put was rejected by anna: not on a Friday".to_owned();
            assert_eq!(why(&rejected), (ErrorKind::Rejected, said));
            assert_eq!(why(&broken).0, ErrorKind::Syntax);
            let states = |id| record(reader, id).entries.iter().map(|e| e.state.wire()).collect::<Vec<_>>();
            assert_eq!((states(&failed), states(&rejected)), (vec!["applied", "error"], vec!["applied", "reverted"]));
        }
    }
}

/// Covers WEAK-33.
#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_kept_with_who_made_it_through_which_door_why_and_when() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let by = |actor: &str, channel: &str, reason: Option<&str>| By {
            actor: actor.to_owned(),
            channel: channel.to_owned(),
            reason: reason.map(str::to_owned),
        };
        let approved = run(&runtime, PUT).await;
        dial.pass(5);
        runtime.approve(&approved, Picks::AllPending, by("ben", "web", Some("it is fine"))).await.unwrap();
        let decision = entry(&runtime, &approved, 0).decision.unwrap();
        assert_eq!((decision.actor.as_str(), decision.channel.as_str()), ("ben", "web"));
        assert_eq!((decision.reason.as_deref(), decision.at), (Some("it is fine"), START + 5));

        let rejected = run(&runtime, PUT).await;
        dial.pass(5);
        assert!(runtime.reject(&rejected, Seq(0), by("cleo", "cli", None)).await.unwrap());
        let decision = entry(&runtime, &rejected, 0).decision.unwrap();
        assert_eq!((decision.actor.as_str(), decision.channel.as_str()), ("cleo", "cli"));
        assert_eq!((decision.reason, decision.at), (None, START + 10));
    }
}

/// The record and its line in the list say the same time.
fn updated(runtime: &Runtime, id: &ExecutionId) -> u64 {
    let at = record(runtime, id).execution.updated_at;
    assert_eq!(summary(runtime, id).updated_at, at);
    at - START
}

/// Covers AUDIT-05.
#[tokio::test(flavor = "multi_thread")]
async fn every_change_moves_the_time_of_the_last_change_and_no_look_does() {
    for home in homes() {
        let (door, connector) = Door::new();
        let (host, dial) = dialled(home.host().with("door", connector));
        let runtime = host.runtime();
        let code = "async () => { await door.wait({}); await door.wait({}); await t.gate({}); await door.work({}); }";
        let first = runtime.start(code).await.unwrap();
        let id = first.execution().unwrap().clone();
        door.entered(1).await;
        assert_eq!(updated(&runtime, &id), 0);
        dial.pass(1);
        door.let_go(1);
        door.entered(1).await;
        until(|| (record(&runtime, &id).entries.len() == 2).then_some(())).await;
        assert_eq!(updated(&runtime, &id), 1, "a call was recorded, another asked for");
        dial.pass(1);
        door.let_go(1);
        soon(first.outcome()).await.unwrap();
        assert_eq!(updated(&runtime, &id), 2, "paused");

        dial.pass(98);
        runtime.pending(None).unwrap();
        runtime.unresolved(None).unwrap();
        soon(runtime.events(&id, 0).next()).await.unwrap();
        runtime.approve(&id, Picks::These(vec![]), anna()).await.unwrap();
        assert!(!runtime.reject(&id, Seq(0), anna()).await.unwrap());
        assert_eq!(runtime.expire_paused(86_400_000).await.unwrap(), []);
        assert!(runtime.recover().await.unwrap().is_empty());
        assert_eq!(updated(&runtime, &id), 2, "nobody changed anything");

        let second = tokio::spawn({
            let (runtime, id) = (runtime.clone(), id.clone());
            async move { runtime.approve(&id, Picks::AllPending, anna()).await.unwrap() }
        });
        door.entered(1).await;
        assert_eq!(updated(&runtime, &id), 100, "decided, resumed, performed");
        let replayed: Vec<_> =
            record(&runtime, &id).entries.iter().map(|e| e.answered_at.map(|at| at - START)).collect();
        assert_eq!(replayed, [Some(1), Some(2), Some(100), None], "a replay is no change");
        dial.pass(1);
        door.let_go(1);
        soon(second).await.unwrap();
        assert_eq!((updated(&runtime, &id), record(&runtime, &id).execution.ended_at), (101, Some(START + 101)));
        dial.pass(99);
        runtime.rollback(&id).await.unwrap();
        assert_eq!((updated(&runtime, &id), record(&runtime, &id).execution.ended_at), (200, Some(START + 101)));
    }
}

/// Covers AUDIT-05.
#[tokio::test(flavor = "multi_thread")]
async fn every_end_moves_the_time_of_the_last_change_and_a_clock_that_goes_back_never_does() {
    for home in homes() {
        let (host, dial) = dialled(home.host());
        let runtime = host.runtime();
        let failed = run(&runtime, "async () => { throw 1; }").await;
        let waiting = [run(&runtime, PUT).await, run(&runtime, PUT).await, run(&runtime, PUT).await];
        assert_eq!(updated(&runtime, &failed), 0);
        dial.pass(7);
        assert!(runtime.reject(&waiting[0], Seq(0), anna()).await.unwrap());
        dial.pass(7);
        assert_eq!(runtime.expire_paused(14).await.unwrap(), [waiting[2].clone(), waiting[1].clone()]);
        assert_eq!(waiting.map(|id| updated(&runtime, &id)), [7, 14, 14]);

        let id = run(&runtime, PUT).await;
        dial.set(START - 1_000);
        runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(updated(&runtime, &id), 14);
    }
}

/// Line by line as the journal grows, and each pass has its own.
///
/// Covers WEAK-24.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_code_had_said_is_there_when_its_process_is_lost() {
    for home in homes() {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let mut lost = host.clone();
        let mortal = Mortal::of(&home.store);
        lost.store = mortal.clone();
        let before = lost.runtime();
        let code = "async () => {
            console.log('one');
            await t.echo(1);
            console.warn('two');
            await door.wait({});
            console.log('three'); }";
        let id = before.start(code).await.unwrap().execution().unwrap().clone();
        door.entered(1).await;
        mortal.die();
        let runtime = host.runtime();
        assert_eq!(record(&runtime, &id).execution.logs, ["one", "[warn] two"]);
        door.let_go(2);
        let recovered = soon(runtime.recover()).await.unwrap();
        assert_eq!(recovered.len(), 1, "{recovered:?}");
        let ended = record(&runtime, &id).execution;
        assert_eq!((ended.status, ended.logs.len()), (Status::Completed, 5));
        assert_eq!(ended.logs[2..], ["one", "[warn] two", "three"]);
        let lines: Vec<_> = ended.logged.iter().map(|l| (l.pass, l.lines)).collect();
        assert_eq!(lines, [(1, 2), (2, 3)]);
    }
}
