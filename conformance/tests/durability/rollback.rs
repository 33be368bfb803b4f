//! ROLLBACK, item by item: what is undone, in which order, and what stays.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{anna, approve_all, error_of, id_of, journal_of};
use codemode_runtime::connector::native::Recorded;
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Pick, Picks, Seq, Status};
use serde_json::json;

use crate::books::Books;
use crate::homes::{ends, entry, homes, lines, pass_ends, record, status, undone};

/// Covers ROLLBACK-01, ROLLBACK-02, ROLLBACK-07, LIFECYCLE-11, REPLAY-28, runtime#9, runtime#26.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_is_undone_in_reverse_whether_a_person_had_approved_it_or_not() {
    for home in homes() {
        let host = home.host();
        let code = "async () => { await shelf.jot({ text: 'first' }); return shelf.put({ title: 'second' }); }";
        let paused = host.runtime().execute(code).await.unwrap();
        let id = id_of(&approve_all(&host.runtime(), paused).await);
        assert_eq!(
            (ends(&host), pass_ends(&host)),
            (vec!["completed".to_owned()], vec!["1 paused".to_owned(), "2 completed".to_owned()])
        );

        let runtime = host.runtime();
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["1 shelf.put reverted", "0 shelf.jot reverted"], "{}", home.name);
        assert_eq!((report.status, report.error(), report.left()), (Some(Status::RolledBack), None, 0));
        assert_eq!(undone(&host), [r#"shelf.put {"id":1,"title":"second"}"#, r#"shelf.jot {"index":0}"#]);
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot reverted", "1 shelf.put reverted"]);
        assert_eq!(status(&runtime, &id), Status::RolledBack);
        // It ended twice; no pass did.
        assert_eq!(ends(&host), ["completed", "rolled_back"]);
        assert_eq!(pass_ends(&host).len(), 2);
        let execution = record(&runtime, &id).execution;
        assert_eq!((execution.owner, execution.result.unwrap().as_str()), (None, r#"{"id":1,"title":"second"}"#));
    }
}

/// Covers ROLLBACK-02.
#[tokio::test(flavor = "multi_thread")]
async fn a_single_call_without_approval_is_undone_too() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let id = id_of(&runtime.execute("async () => { await shelf.jot({ text: 'a' }); }").await.unwrap());
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 shelf.jot reverted"]);
        assert_eq!(undone(&host), [r#"shelf.jot {"index":0}"#]);
    }
}

/// Covers ROLLBACK-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_needs_no_undoing_and_what_cannot_be_undone_stays_applied() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let reads = id_of(&runtime.execute("async () => shelf.list()").await.unwrap());
        let before = record(&runtime, &reads);
        let report = runtime.rollback(&reads).await.unwrap();
        assert_eq!((lines(&report), report.left()), (vec!["0 shelf.list nothing_to_revert".to_owned()], 0));
        assert_eq!(record(&runtime, &reads), before, "nothing changed");

        let kept = id_of(&runtime.execute("async () => books.keep({ n: 1 })").await.unwrap());
        let before = record(&runtime, &kept);
        let report = runtime.rollback(&kept).await.unwrap();
        assert_eq!((lines(&report), report.left()), (vec!["0 books.keep no_revert".to_owned()], 1));
        assert_eq!((report.status, report.error()), (Some(Status::Completed), None));
        assert_eq!(record(&runtime, &kept), before, "nothing changed");
        assert_eq!(ends(&host), ["completed", "completed"]);
    }
}

/// Covers ROLLBACK-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_connector_is_not_configured_waits_for_a_host_that_has_it() {
    for home in homes() {
        let host = home.host();
        let id = id_of(&host.runtime().execute("async () => { await shelf.jot({ text: 'a' }); }").await.unwrap());
        let bare = host.clone().without("shelf").without("t").runtime();
        let before = record(&bare, &id);
        let report = bare.rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["0 shelf.jot connector_missing"]);
        assert_eq!((report.status, report.left(), report.error()), (Some(Status::Completed), 1, None));
        assert_eq!(record(&bare, &id), before, "nothing changed");
        assert_eq!(ends(&host), ["completed"]);

        assert_eq!(lines(&host.runtime().rollback(&id).await.unwrap()), ["0 shelf.jot reverted"]);
    }
}

/// Covers ROLLBACK-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_revert_is_told_the_arguments_the_result_and_which_call_it_was() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let code = "async () => { await shelf.list(); await books.write({ n: 7, to: ['x', null] }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        runtime.rollback(&id).await.unwrap();
        let told = books.told();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].args(), Some(json!({ "n": 7, "to": ["x", null] })));
        assert_eq!(told[0].outcome, Recorded::Returned(Some(r#"{"made":7}"#.to_owned())));
        assert_eq!(told[0].call_key, format!("{id}:1"));
        let context = &told[0].context;
        assert_eq!((&context.execution, context.seq, context.attempt), (&id, Seq(1), 1));
        assert_eq!(context.idempotency_key, format!("{id}:1:revert"));
        assert_eq!(context.remaining_ms, 30_000);
    }
}

/// Covers ROLLBACK-10, STEP-14.
#[tokio::test(flavor = "multi_thread")]
async fn steps_are_no_part_of_a_rollback() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let step = "async () => { await codemode.step('s', () => 1); await shelf.list(); return 1; }";
        let id = id_of(&runtime.execute(step).await.unwrap());
        let before = record(&runtime, &id);
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["1 shelf.list nothing_to_revert"]);
        assert_eq!(record(&runtime, &id), before, "nothing changed");

        let asking = "async () => codemode.step('s', async () => shelf.jot({ text: 'inside' }))";
        let id = id_of(&runtime.execute(asking).await.unwrap());
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["1 shelf.jot reverted"]);
        assert_eq!(journal_of(&runtime, &id), ["0 __step.s applied", "1 shelf.jot reverted"]);
    }
}

/// Covers ROLLBACK-11, BUG-RBK-07.
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_execution_ends_with_its_rollback_and_cannot_be_approved_any_more() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let code = "async () => { await shelf.jot({ text: 'a' }); return shelf.put({ title: 'b' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        assert_eq!(runtime.pending(None).unwrap().len(), 1);
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!(
            (lines(&report), report.status),
            (vec!["0 shelf.jot reverted".to_owned()], Some(Status::RolledBack))
        );
        assert_eq!(runtime.pending(None).unwrap(), []);
        assert_eq!(runtime.pending(Some(&id)).unwrap(), []);
        assert_eq!(journal_of(&runtime, &id), ["0 shelf.jot reverted", "1 shelf.put reverted"]);
        assert_eq!(entry(&runtime, &id, 1).state.as_str(), "withdrawn");
        let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&refused).kind, ErrorKind::NotResumable);
        assert!(!runtime.reject(&id, Seq(1), anna()).await.unwrap());
        assert_eq!((status(&runtime, &id), host.ledger.count("shelf", "put")), (Status::RolledBack, 0));
        assert_eq!(ends(&host), ["rolled_back"]);
        assert!(record(&runtime, &id).execution.ended_at.is_some());
    }
}

/// Covers BUG-RBK-07.
#[tokio::test(flavor = "multi_thread")]
async fn the_gate_of_the_case_as_reported_never_opens_after_the_rollback() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let id = id_of(&runtime.execute("async () => { await t.add({ n: 1 }); await t.gate({}); }").await.unwrap());
        let shown = runtime.pending(Some(&id)).unwrap().remove(0);
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 t.add reverted"]);
        let pick = Pick { seq: shown.seq, digest: shown.digest };
        let refused = runtime.approve(&id, Picks::These(vec![pick]), anna()).await.unwrap();
        assert_eq!(error_of(&refused).kind, ErrorKind::NotResumable);
        assert_eq!((host.ledger.count("t", "gate"), host.ledger.reverts("t", "add")), (0, 1));
    }
}

/// Covers ROLLBACK-12.
#[tokio::test(flavor = "multi_thread")]
async fn where_there_is_nothing_to_do_nothing_is_done() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let nobody = ExecutionId::from_text("zz");
        let report = runtime.rollback(&nobody).await.unwrap();
        assert_eq!((report.execution.clone(), report.status, report.calls.len()), (nobody, None, 0));

        let id = id_of(&runtime.execute("async () => 1").await.unwrap());
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!((report.status, report.calls.len()), (Some(Status::Completed), 0));

        // Paused before anything was done: still somebody else's to decide.
        let paused = runtime.execute("async () => shelf.put({ title: 'x' })").await.unwrap();
        let report = runtime.rollback(&id_of(&paused)).await.unwrap();
        assert_eq!((report.status, report.calls.len()), (Some(Status::Paused), 0));
        assert!(matches!(approve_all(&runtime, paused).await, Outcome::Completed { .. }));
    }
}

/// Covers ROLLBACK-13.
#[tokio::test(flavor = "multi_thread")]
async fn reverts_run_one_after_another() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let code = "async () => { await Promise.all([1, 2, 3, 4, 5, 6].map((n) => books.write({ n }))); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 6);
        assert_eq!((books.asked(), books.most_at_work()), (vec![6, 5, 4, 3, 2, 1], 1));
    }
}

/// Covers ROLLBACK-14.
#[tokio::test(flavor = "multi_thread")]
async fn the_revert_of_a_call_whose_result_is_not_kept_gets_none() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let id = id_of(&runtime.execute("async () => { await books.look({ n: 1 }); }").await.unwrap());
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 books.look reverted"]);
        assert_eq!(books.told()[0].outcome, Recorded::Returned(None));
        assert_eq!(books.told()[0].args(), Some(json!({ "n": 1 })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_says_how_to_undo_it_is_undone() {
    for home in homes() {
        let books = Books::new();
        let runtime = home.host().with("books", books.connector()).runtime();
        let code = "async () => { await books.peek({ n: 3 }); await books.list({ n: 4 }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        assert_eq!(
            lines(&runtime.rollback(&id).await.unwrap()),
            ["1 books.list nothing_to_revert", "0 books.peek reverted"]
        );
        assert_eq!(books.asked(), [3]);
    }
}

/// Covers ROLLBACK-15.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_undoes_nothing_and_a_rollback_after_it_undoes_the_rest() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let code = "async () => { await shelf.jot({ text: 'a' }); return shelf.put({ title: 'b' }); }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        assert!(runtime.reject(&id, Seq(1), anna()).await.unwrap());
        assert_eq!((status(&runtime, &id), undone(&host)), (Status::Rejected, vec![]));
        let ended_at = record(&runtime, &id).execution.ended_at;
        assert_eq!(lines(&runtime.rollback(&id).await.unwrap()), ["0 shelf.jot reverted"]);
        let execution = record(&runtime, &id).execution;
        assert_eq!((execution.status, execution.ended_at), (Status::RolledBack, ended_at), "it ended when it ended");
        assert_eq!(execution.error.unwrap().kind, ErrorKind::Rejected, "why it ended is still known");
        assert_eq!(ends(&host), ["rejected", "rolled_back"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_that_failed_can_be_rolled_back() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let failed = runtime.execute("async () => { await t.add({ n: 1 }); throw new Error('no'); }").await.unwrap();
        let id = id_of(&failed);
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!((lines(&report), report.status), (vec!["0 t.add reverted".to_owned()], Some(Status::RolledBack)));
        assert_eq!(record(&runtime, &id).execution.error.unwrap().message, "no");
        assert_eq!(ends(&host), ["error", "rolled_back"]);
    }
}

/// Covers ROLLBACK-16, WEAK-18, BUG-RBK-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_failed_after_its_effect_is_offered_and_one_without_effect_is_not() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let runtime = host.runtime();
        let code = "async () => {
            try { await t.fail({ msg: 'refused before effect' }); } catch {}
            try { await t.addThenFail({ n: 1 }); } catch {}
            for (const effect of ['none', 'possible', 'happened'])
                try { await books.broken({ n: effect.length, effect }); } catch {}
            try { await books.nowhere(); } catch {}
            return 1; }";
        let id = id_of(&runtime.execute(code).await.unwrap());
        let report = runtime.rollback(&id).await.unwrap();
        assert_eq!(lines(&report), ["4 books.broken reverted", "3 books.broken reverted", "1 t.addThenFail reverted"]);
        assert_eq!(undone(&host), [r#"t.addThenFail {"failed":"failed after the effect"}"#]);
        let outcomes: Vec<_> = books.told().into_iter().map(|u| u.outcome).collect();
        assert!(matches!(&outcomes[0], Recorded::Failed(f) if f.message == "broken, as asked"), "{outcomes:?}");
        let states: Vec<_> =
            journal_of(&runtime, &id).iter().map(|l| l.rsplit_once(' ').unwrap().1.to_owned()).collect();
        assert_eq!(states, ["error", "reverted", "error", "reverted", "reverted", "error"]);
    }
}

/// Covers BUG-RBK-06.
#[tokio::test(flavor = "multi_thread")]
async fn what_depends_on_something_is_undone_before_it() {
    for home in homes() {
        let host = home.host();
        let runtime = host.runtime();
        let code = "async () => {
            const slow = t.addSlow({ n: 'parent', ms: 5 });
            const [p, q] = await Promise.all([slow, t.addSlow({ n: 'other', ms: 50 })]);
            await t.add({ n: 'child-of-' + p.id });
            return 1; }";
        for _ in 0..3 {
            let before = host.ledger.events().len();
            let id = id_of(&runtime.execute(code).await.unwrap());
            assert_eq!(runtime.rollback(&id).await.unwrap().reverted(), 3);
            // Always the reverse of the order in which the code asked, whoever was answered first.
            let events = host.ledger.events().split_off(before);
            let undone = events.iter().filter(|e| e.kind == EventKind::Reverted);
            let undone: Vec<_> = undone.map(|e| e.result["n"].as_str().unwrap().to_owned()).collect();
            assert!(undone[0].starts_with("child-of-"), "{undone:?}");
            assert_eq!(undone[1..], ["other", "parent"]);
        }
    }
}
