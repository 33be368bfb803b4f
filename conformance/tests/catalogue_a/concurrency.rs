//! CONCURRENCY: executions beside each other, calls beside each other, and answers that come too late.

use codemode_conformance::harness::{
    Host, anna, approve_seq, error_of, id_of, journal_of, json as json_text, pending_of, result_of,
};
use codemode_runtime::{Json, Outcome, Picks};
use serde_json::json;

use crate::support::{Disk, Door, created, parsed, record, soon, status, until};

/// Covers CONCURRENCY-01, runtime#16, iframe-executor#11.
#[tokio::test(flavor = "multi_thread")]
async fn executions_beside_each_other_keep_their_own_journals_and_results() {
    let door = Door::new();
    let host = Host::new().with("door", door.connector());
    let runtime = host.runtime();
    let run = |name: &str| {
        let (runtime, code) =
            (runtime.clone(), format!("async () => [await shelf.echo('{name}'), await door.look('{name}')]"));
        tokio::spawn(async move { runtime.execute(code).await.unwrap() })
    };
    let names = ["A", "B", "C"];
    let running = names.map(run);
    // All three are in the middle of their pass at the same time.
    for _ in names {
        door.entered().await;
    }
    assert_eq!(runtime.executions(&Default::default()).unwrap().len(), 3);
    door.open(3);
    let mut ids = Vec::new();
    for (name, task) in names.into_iter().zip(running) {
        let outcome = soon(task).await.unwrap();
        assert_eq!(parsed(&result_of(&outcome)), json!([name, name]));
        let id = id_of(&outcome);
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.echo applied", "1 door.look applied"]);
        let args: Vec<_> = record(&runtime, &id)
            .entries
            .iter()
            .map(|e| e.request.args().map(Json::as_str).map(str::to_owned))
            .collect();
        assert_eq!(args, vec![Some(format!("\"{name}\"")); 2]);
        ids.push(id);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

/// Covers CONCURRENCY-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_at_once_are_a_hundred_rows() {
    let disk = Disk::new();
    for host in [Host::new(), disk.host()] {
        let runtime = host.runtime();
        let code =
            "async () => (await Promise.all(Array.from({ length: 100 }, (_, i) => t.add({ n: i })))).map((r) => r.n)";
        let outcome = runtime.execute(code).await.unwrap();
        assert_eq!(parsed(&result_of(&outcome)), json!((0..100).collect::<Vec<u32>>()));
        let expected: Vec<String> = (0..100).map(|seq| format!("{seq} t.add applied")).collect();
        assert_eq!(journal_of(&runtime, &id_of(&outcome)), expected);
        assert_eq!(host.ledger.count("t", "add"), 100);
    }
}

/// Leaves a pass while `door.keep(7)` is being performed: a result that cannot be kept ends it at once.
const LEAVES: &str = "async () => { door.keep(7); await shelf.huge({ n: 999999 }); }";

/// Covers CONCURRENCY-05.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_after_the_end_completes_its_entry_and_changes_nothing_else() {
    let door = Door::new();
    let disk = Disk::new();
    let host = disk.host().with("door", door.connector());
    let runtime = host.runtime();
    let id = id_of(&soon(runtime.execute(LEAVES)).await.unwrap());
    assert_eq!(journal_of(&runtime, &id), ["0 door.keep unknown", "1 shelf.huge error"]);
    let ended = record(&runtime, &id).execution;
    assert_eq!(ended.status.as_str(), "error");

    door.open(1);
    until(|| journal_of(&runtime, &id)[0] == "0 door.keep applied").await;
    let after = record(&runtime, &id);
    assert_eq!(after.entries[0].answer, Some(Ok(Some(json_text("7")))));
    assert_eq!((after.execution.status, after.execution.error), (ended.status, ended.error));
    assert_eq!((after.execution.ended_at, after.execution.result), (ended.ended_at, None));
}

/// Covers CONCURRENCY-05, WEAK-15.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_runs_out_of_time_says_what_may_have_happened() {
    let door = Door::new();
    let host = Host::new().with("door", door.connector()).limits(|l| l.pass_ms = 2_000);
    let runtime = host.runtime();
    let outcome = soon(runtime.execute("async () => door.keep(7)")).await.unwrap();
    let id = id_of(&outcome);
    assert_eq!(
        error_of(&outcome).message,
        "execution timed out: a pass may take 2000 ms (limit `pass wall time`); door.keep may have taken effect"
    );
    assert_eq!((journal_of(&runtime, &id), status(&runtime, &id)), (vec!["0 door.keep unknown".to_owned()], "error"));
    door.open(1);
    until(|| journal_of(&runtime, &id) == ["0 door.keep applied"]).await;
    assert_eq!(status(&runtime, &id), "error");
}

/// Covers CONCURRENCY-05.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_after_its_execution_was_deleted_is_dropped() {
    let door = Door::new();
    let host = Host::new().with("door", door.connector());
    let runtime = host.runtime();
    let id = id_of(&soon(runtime.execute(LEAVES)).await.unwrap());
    door.entered().await;
    // By another host, which cannot give up a call that is in flight here.
    assert!(host.runtime().delete(&id).await.unwrap());
    door.open(1);
    until(|| !door.is_held()).await;
    // Something else goes through the same store after it.
    let next = runtime.execute("async () => 1").await.unwrap();
    assert_eq!(result_of(&next), "1");
    assert_eq!(runtime.record(&id).unwrap(), None);
    assert_eq!(runtime.executions(&Default::default()).unwrap().len(), 1);
}

/// Covers CONCURRENCY-03, APPROVE-15.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_approve_at_once_one_resumes() {
    let disk = Disk::new();
    let one = disk.host();
    let mut two = one.clone();
    two.store = disk.open("default");
    for round in 1..=5 {
        let (a, b) = (one.runtime(), two.runtime());
        let id = id_of(&a.execute("async () => shelf.put({ title: 'x' })").await.unwrap());
        let all = || Picks::AllPending;
        let both = async { tokio::join!(a.approve(&id, all(), anna()), b.approve(&id, all(), anna())) };
        let (x, y) = soon(both).await;
        let mut ends = [x.unwrap().status().as_str(), y.unwrap().status().as_str()];
        ends.sort_unstable();
        assert_eq!((ends, created(&one).len(), status(&b, &id)), (["completed", "error"], round, "completed"));
    }
}

/// Covers WEAK-03.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_while_a_pass_runs_is_kept_and_takes_effect_at_its_next_pause() {
    let door = Door::new();
    let host = Host::new().with("door", door.connector());
    let runtime = host.runtime();
    let code = "async () => {
        const b = shelf.put({ title: 'b' });
        const a = door.hold('a').then(() => 'a');
        return [await a, (await b).title]; }";
    let paused = runtime.execute(code).await.unwrap();
    let id = id_of(&paused);
    assert_eq!(pending_of(&paused), [r#"0 shelf.put {"title":"b"}"#, r#"1 door.hold "a""#]);
    let first = {
        let (runtime, id) = (runtime.clone(), id.clone());
        tokio::spawn(async move { approve_seq(&runtime, &id, 1).await })
    };
    door.entered().await;
    let stored = host.runtime().approve(&id, Picks::AllPending, anna()).await.unwrap();
    let Outcome::Deferred { execution, seqs } = &stored else { panic!("{stored:?}") };
    assert_eq!((execution, seqs.iter().map(|s| s.0).collect::<Vec<_>>()), (&id, vec![0]));
    assert_eq!((stored.status().as_str(), created(&host)), ("running", vec![]));
    door.open(1);
    let outcome = soon(first).await.unwrap();
    assert_eq!(result_of(&outcome), r#"["a","b"]"#);
    assert_eq!(created(&host), ["b"]);
    assert_eq!(record(&runtime, &id).execution.pass, 3);
}
