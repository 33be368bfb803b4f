//! Rollbacks that did not undo everything: what is said, what stays to be seen, and what another one tries.

use codemode_conformance::harness::{Host, approve_all, id_of, journal_of, result_of};
use codemode_runtime::{EntryState, ExecutionId, Query, Runtime, Status};

use crate::books::Books;
use crate::homes::{ends, entry, homes, lines, record, status, summary};

const THREE: &str = "async () => {
    await books.write({ n: 1 });
    await books.write({ n: 2, revert: 'fails' });
    await books.write({ n: 3 });
    return 1; }";

/// Covers ROLLBACK-05, ROLLBACK-08, WEAK-18.
#[tokio::test(flavor = "multi_thread")]
async fn one_revert_that_fails_holds_up_no_other_and_is_all_that_is_tried_again() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let id = id_of(&runtime.execute(THREE).await.unwrap());
        let first = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&first), ["2 books.write reverted", "1 books.write failed", "0 books.write reverted"]);
        assert_eq!(books.asked(), [3, 2, 1]);
        assert_eq!(first.error().unwrap(), "2 reverted, 1 failed: books.write: not 2 now");
        assert_eq!((first.reverted(), first.failed(), first.left()), (2, 1, 1));
        assert_eq!(
            journal_of(&runtime, &id),
            ["0 books.write reverted", "1 books.write applied", "2 books.write reverted"]
        );
        assert_eq!(status(&runtime, &id), Status::RolledBack);

        let second = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&second), ["1 books.write failed"]);
        assert_eq!(second.error().unwrap(), "0 reverted, 1 failed: books.write: not 2 now");
        assert_eq!(books.asked(), [3, 2, 1, 2]);
        // The key is that of the call's revert in each attempt; their number grows.
        let key = |seq: u32| format!("{id}:{seq}:revert");
        assert_eq!(books.attempts(), [(key(2), 1), (key(1), 1), (key(0), 1), (key(1), 2)]);
        // Nothing was undone by the second, so nothing ended.
        assert_eq!(ends(&host), ["completed", "rolled_back"]);

        books.feels(Some("succeeds"));
        let third = runtime.rollback(&id).await.unwrap();
        assert_eq!((lines(&third), third.error()), (vec!["1 books.write reverted".to_owned()], None));
        assert_eq!(books.attempts().last().unwrap(), &(key(1), 3));
        assert_eq!(ends(&host), ["completed", "rolled_back", "rolled_back"]);
        let fourth = runtime.rollback(&id).await.unwrap();
        assert_eq!((fourth.calls.len(), fourth.status), (0, Some(Status::RolledBack)));
        assert_eq!(ends(&host).len(), 3);
    }
}

/// Covers ROLLBACK-05.
#[tokio::test(flavor = "multi_thread")]
async fn all_failures_are_in_the_error_in_the_order_of_the_attempts() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let code = "async () => {
            await books.write({ n: 1, revert: 'fails' }); await books.write({ n: 2 });
            await books.peek({ n: 3, revert: 'perhaps' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let error = runtime.rollback(&id).await.unwrap().error().unwrap();
        assert_eq!(error, "1 reverted, 2 failed: books.peek: not 3 now; books.write: not 1 now");
    }
}

/// Covers ROLLBACK-06, ROLLBACK-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_that_undid_nothing_changes_no_status_and_tells_nobody() {
    for home in homes() {
        for mood in ["fails", "perhaps", "panics", "nothing"] {
            let books = Books::new();
            let host = home.host().with("books", books.connector());
            let runtime = host.runtime();
            books.feels(Some(mood));
            let id = id_of(&runtime.execute("async () => { await books.write({ n: 1 }); return 5; }").await.unwrap());
            let report = runtime.rollback(&id).await.unwrap();
            assert_eq!((report.status, report.reverted()), (Some(Status::Completed), 0));
            assert_eq!(report.error().is_some(), mood != "nothing", "{report:?}");
            let execution = record(&runtime, &id).execution;
            assert_eq!((execution.status, execution.owner), (Status::Completed, None));
            assert_eq!(ends(&host), ["completed"]);
        }
    }
}

/// What a list shows of calls that could not be undone, and of calls in doubt.
fn shown(runtime: &Runtime, id: &ExecutionId) -> (Status, u32, u32) {
    let summary = summary(runtime, id);
    (summary.status, summary.not_reverted, summary.unresolved)
}

async fn the_case_as_reported(host: &Host, runtime: &Runtime) {
    let code = "async () => {
        await t.add({ n: 1 }); await t.add({ n: 2, revertFails: 1 }); await t.add({ n: 3 }); return 1; }";
    let id = id_of(&runtime.execute(code).await.unwrap());
    assert_eq!(shown(runtime, &id), (Status::Completed, 0, 0));
    let reverted = || host.ledger.undone("t", "add").iter().map(|r| r["n"].as_u64().unwrap()).collect::<Vec<_>>();
    let report = runtime.rollback(&id).await.unwrap();
    assert_eq!(report.error().unwrap(), "2 reverted, 1 failed: t.add: the revert failed, as asked");
    assert_eq!(reverted(), [3, 1]);

    // Nobody can take it for a full rollback: it is on the entry, and counted in every list.
    assert_eq!(shown(runtime, &id), (Status::RolledBack, 1, 0));
    let failed = entry(runtime, &id, 1);
    assert!(failed.is_not_reverted());
    let attempt = failed.revert.unwrap();
    assert_eq!((attempt.from, attempt.number), (EntryState::Applied, 1));
    assert_eq!(attempt.failure.unwrap().message, "the revert failed, as asked");
    let only = Query { status: Some(Status::RolledBack), ..Query::default() };
    assert_eq!(runtime.executions(&only).unwrap()[0].not_reverted, 1);

    assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["1 t.add reverted"]);
    assert_eq!(reverted(), [3, 1, 2]);
    assert_eq!(shown(runtime, &id), (Status::RolledBack, 0, 0));
    let undone = entry(runtime, &id, 1);
    assert!(!undone.is_not_reverted());
    assert_eq!((undone.state, undone.revert.unwrap().number), (EntryState::Reverted, 2));
}

/// Covers BUG-RBK-01, WEAK-18.
#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_with_a_failure_is_never_taken_for_a_whole_one() {
    for home in homes() {
        let host = home.host();
        the_case_as_reported(&host, &host.runtime()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_is_configured_later_is_asked_by_the_next_rollback() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let code = "async () => { await books.write({ n: 1 }); await t.add({ n: 2 }); }";
        let id = id_of(&host.runtime().execute(code).await.unwrap());
        let report = host.clone().without("books").runtime().rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["1 t.add reverted", "0 books.write connector_missing"]);
        assert_eq!((report.status, report.left()), (Some(Status::RolledBack), 1));
        assert_eq!(lines(&host.runtime().rollback(&id).await.unwrap()), ["0 books.write reverted"]);
        assert_eq!((books.asked(), host.ledger.reverts("t", "add")), (vec![1], 1));
    }
}

/// What was found not to be there is no reason for the code not to go on with what it has.
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_execution_of_which_nothing_was_undone_goes_on() {
    for home in homes() {
        for mood in ["nothing", "fails", "perhaps"] {
            let books = Books::new();
            let host = home.host().with("books", books.connector());
            let runtime = host.runtime();
            books.feels(Some(mood));
            let code = "async () => {
                const kept = await books.write({ n: 1 });
                await Promise.all([books.write({ n: 2 }), t.gate({})]);
                return kept.made; }";
            let paused = runtime.execute(code).await.unwrap();
            let id = id_of(&paused);
            let report = runtime.rollback(&id).await.unwrap();
            assert_eq!((report.reverted(), report.status), (0, Some(Status::Paused)), "{mood}");
            let outcome = approve_all(&runtime, paused).await;
            assert_eq!(result_of(&outcome), "1", "{mood} in {}", home.name);
            assert_eq!((host.ledger.count("t", "gate"), status(&runtime, &id)), (1, Status::Completed));

            books.feels(None);
            assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 3);
            assert_eq!(status(&runtime, &id), Status::RolledBack);
        }
    }
}
