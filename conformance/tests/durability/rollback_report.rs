//! What a rollback says of each call, in all its words.

use std::sync::Arc;

use codemode_conformance::harness::{approve_all, id_of};
use codemode_runtime::connector::native::{Native, Recorded};
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted};
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::rollback::Offer;
use codemode_runtime::{EntryState, EventKind, ExecutionId, Failure, Status, Undone};
use serde_json::{Value, json};

use crate::books::Books;
use crate::homes::{entry, homes, lines, record, summary};
use crate::kit::{Door, soon};

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_one_line_for_each_call_that_had_or_may_have_had_an_effect() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let code = "async () => {
            await books.write({ n: 0 });
            await books.write({ n: 1, revert: 'nothing' });
            await books.keep({ n: 2 });
            await t.echo({ n: 3 });
            await books.list({ n: 4 });
            await books.write({ n: 5, revert: 'fails' });
            await books.write({ n: 6, revert: 'perhaps' });
            await t.add({ n: 7 });
            try { await books.broken({ n: 8 }); } catch {}
            await codemode.step('s', () => 1); }";
        let id = id_of(&host.runtime().execute(code).await.unwrap());
        let report = host.clone().without("t").runtime().rollback(&id).await.unwrap();
        assert_eq!(
            lines(&report),
            [
                "7 t.add connector_missing",
                "6 books.write unknown",
                "5 books.write failed",
                "4 books.list nothing_to_revert",
                // Read-only by its row, so there is nothing to do, with its connector or without it.
                "3 t.echo nothing_to_revert",
                "2 books.keep no_revert",
                "1 books.write nothing_to_revert",
                "0 books.write reverted",
            ]
        );
        assert_eq!((report.reverted(), report.failed(), report.left()), (1, 2, 4), "{}", home.name);
        assert_eq!(report.error().unwrap(), "1 reverted, 2 failed: books.write: not 6 now; books.write: not 5 now");
        let runtime = host.runtime();
        let states: Vec<_> = (0..10).map(|seq| entry(&runtime, &id, seq).state.as_str()).collect();
        let expected = [
            "reverted", "reverted", "applied", "applied", "applied", "applied", "applied", "applied", "failed",
            "applied",
        ];
        assert_eq!(states, expected);
        assert_eq!(summary(&runtime, &id).not_reverted, 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_before_is_shown_what_would_be_done_and_nothing_is() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let code = "async () => {
            await books.write({ n: 0 });
            await books.keep({ n: 1 });
            await t.echo(2);
            await codemode.step('s', () => 1);
            await t.add({ n: 4 }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let before = record(&runtime, &id);
        let shown = host.clone().without("t").runtime().preview_rollback(&id).await.unwrap().unwrap();
        let shown: Vec<_> =
            shown.into_iter().map(|c| (c.seq.0, c.args.unwrap().as_str().to_owned(), c.offer)).collect();
        let report = |undone| Offer::Report(undone);
        assert_eq!(
            shown,
            [
                (4, r#"{"n":4}"#.to_owned(), report(Undone::ConnectorMissing)),
                (2, "2".to_owned(), report(Undone::NothingToRevert)),
                (1, r#"{"n":1}"#.to_owned(), report(Undone::NoRevert)),
                (0, r#"{"n":0}"#.to_owned(), Offer::Revert),
            ]
        );
        assert_eq!((record(&runtime, &id), books.asked()), (before, vec![]), "nothing changed");
        assert!(runtime.preview_rollback(&ExecutionId::from_text("zz")).await.unwrap().is_none());
        runtime.rollback(&id).await.unwrap();
        let left = runtime.preview_rollback(&id).await.unwrap().unwrap();
        assert_eq!(left.iter().map(|c| c.seq.0).collect::<Vec<_>>(), [2, 1]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_without_an_answer_in_its_time_may_have_undone_the_call() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector()).limits(|l| l.call_ms = 500);
        let runtime = host.runtime();
        let code = "async () => { await books.write({ n: 1 }); await books.write({ n: 2, revert: 'hangs' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let report = soon(runtime.rollback(&id)).await.unwrap();
        assert_eq!(lines(&report), ["1 books.write unknown", "0 books.write reverted"]);
        let Undone::Unknown(failure) = &report.calls[0].undone else { panic!("{report:?}") };
        assert_eq!((failure.code.as_str(), failure.effect), ("timeout", EffectState::Possible));
        assert_eq!(failure.message, "the revert of books.write gave no answer within 500 ms (limit `call time`)");
        assert_eq!(books.told()[0].context.remaining_ms, 500);
        let left = entry(&runtime, &id, 1);
        assert_eq!((left.state, left.revert.unwrap().failure.as_ref()), (EntryState::Applied, Some(failure)));
    }
}

/// Panics by itself, without the shelter that connectors of closures have.
struct Careless(Arc<dyn Connector>);

impl Connector for Careless {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.0.describe()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.0.call(call)
    }

    fn revert(&self, _: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async { panic!("a careless revert") })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_that_panics_is_a_revert_that_failed_and_may_have_undone_the_call() {
    for home in homes() {
        let (books, careless) = (Books::new(), Careless(Books::new().connector()));
        let host = home.host().with("books", books.connector()).with("c", Arc::new(careless));
        let runtime = host.runtime();
        let code = "async () => {
            await books.write({ n: 1 }); await books.write({ n: 2, revert: 'panics' }); await c.write({ n: 3 }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["2 c.write unknown", "1 books.write unknown", "0 books.write reverted"]);
        let said: Vec<_> = report.calls.iter().filter_map(|c| c.undone.failure().map(|f| f.message.clone())).collect();
        assert_eq!(
            said,
            ["the revert of c.write panicked: a careless revert", "`write` panicked: a revert that panics"]
        );
        assert_eq!(report.status, Some(Status::RolledBack));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_result_could_not_be_kept_is_undone_without_it() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let failed = runtime.execute("async () => t.addBig({ n: 1, chars: 1000000 })").await.unwrap();
        let id = id_of(&failed);
        assert_eq!(entry(&runtime, &id, 0).state, EntryState::Unrecordable);
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 t.addBig reverted"]);
        assert_eq!(host.ledger.undone("t", "addBig"), [Value::Null]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_doubt_is_offered_as_one() {
    for home in homes() {
        let books = Books::new();
        let (door, connector) = Door::new();
        let host = home.host().with("books", books.connector()).with("door", connector).limits(|l| l.pass_ms = 1_000);
        let runtime = host.runtime();
        let code = "async () => { await books.write({ n: 1 }); await door.work({}); }";
        let id = id_of(&soon(runtime.execute(code)).await.unwrap());
        door.entered(1).await;
        assert_eq!((summary(&runtime, &id).unresolved, entry(&runtime, &id, 1).state), (1, EntryState::Unknown));
        // It cannot be undone, and nobody says that it did not happen.
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["1 door.work no_revert", "0 books.write reverted"]);
        assert_eq!(summary(&runtime, &id).unresolved, 1);
        // Its answer comes too late for a journal that was rolled back.
        door.let_go(1);
        runtime.execute("async () => { await t.slow({ ms: 30, v: 1 }); }").await.unwrap();
        assert_eq!(entry(&runtime, &id, 1).state, EntryState::Unknown);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_of_a_call_in_doubt_is_told_that_nobody_knows() {
    for home in homes() {
        let host = home.host().limits(|l| l.pass_ms = 1_000);
        let runtime = host.runtime();
        let id = id_of(&soon(runtime.execute("async () => t.slowAdd({ n: 1, ms: 20000 })")).await.unwrap());
        assert_eq!((summary(&runtime, &id).unresolved, host.ledger.count("t", "slowAdd")), (1, 1));
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 t.slowAdd reverted"]);
        assert_eq!(host.ledger.undone("t", "slowAdd"), [json!({ "unknown": true })]);
        assert_eq!((summary(&runtime, &id).unresolved, runtime.unresolved(None).unwrap()), (0, vec![]));
        let undone = entry(&runtime, &id, 0);
        assert_eq!((undone.state, undone.revert.unwrap().from), (EntryState::Reverted, EntryState::Unknown));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_the_passes_say_after_a_rollback_what_they_said_before() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let code = "async () => { await t.add({ n: 1 }); try { await t.addThenFail({}); } catch {} await t.gate({}); }";
        let paused = runtime.execute(code).await.unwrap();
        let id = id_of(&approve_all(&runtime, paused).await);
        let before = runtime.events(&id, 0).next().await.unwrap();
        assert_eq!(before.len(), 6);
        assert_eq!(before[1].kind, EventKind::Answered(EntryState::Applied));
        assert_eq!(before[3].kind, EventKind::Answered(EntryState::Failed));
        assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 3);
        assert_eq!(runtime.events(&id, 0).next().await.unwrap(), before, "{}", home.name);
        assert_eq!(runtime.events(&id, 6).next().await.unwrap(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reverted_call_still_says_what_it_had_returned() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let id = id_of(&runtime.execute("async () => t.add({ n: 1 })").await.unwrap());
        let before = record(&runtime, &id).entries.remove(0);
        runtime.rollback(&id).await.unwrap();
        let after = record(&runtime, &id);
        let undone = &after.entries[0];
        assert_eq!((&undone.answer, undone.answered_at), (&before.answer, before.answered_at));
        let attempt = undone.revert.as_ref().unwrap();
        assert_eq!((attempt.from, attempt.number, &attempt.failure), (EntryState::Applied, 1, &None));
        assert!(attempt.at >= before.answered_at.unwrap() && after.execution.updated_at >= attempt.at);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_revert_says_is_kept_within_bounds_and_never_empty() {
    for home in homes() {
        let native = Native::new("m");
        let write = Method::write("write");
        let native = native.method(write, |args, _| async move { Ok(args) }).on_revert(|undo| async move {
            assert!(matches!(undo.outcome, Recorded::Returned(_)));
            let message = if undo.args().is_some() { "x".repeat(2_000_000) } else { "  ".to_owned() };
            Err(Failure::new("odd", message))
        });
        let runtime = home.host().with("m", Arc::new(native)).runtime();
        let id = id_of(&runtime.execute("async () => { await m.write(); await m.write(1); }").await.unwrap());
        let report = runtime.rollback(&id).await.unwrap();
        let said: Vec<_> = report.calls.iter().map(|c| c.undone.failure().unwrap().message.clone()).collect();
        assert!(said[0].len() < 1_000_000, "{} characters", said[0].len());
        assert_eq!(said[1], "the connector failed with code odd");
        assert_eq!(lines(&report), ["1 m.write failed", "0 m.write failed"]);
    }
}
