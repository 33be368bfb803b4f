//! Calls in doubt of executions that are over: what is said of them no code hears, but people and rollbacks do.

use codemode_conformance::harness::{anna, id_of, json};
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::{EntryState, ErrorKind, ExecutionId, Failure, Outcome, Resolved, Runtime, Seq, Status, Word};
use serde_json::json as value;

use crate::books::Books;
use crate::homes::{Home, ends, entry, homes, lines, record, status, summary};
use crate::kit::soon;
use crate::mortal::Mortal;
use crate::resolve::InDoubt;

/// An execution that ran out of time while its call was in flight, and then lost its process, so that no late answer
/// comes.
async fn out_of_time(home: &Home) -> (codemode_conformance::harness::Host, Runtime, ExecutionId) {
    let mortal = Mortal::of(&home.store);
    let host = home.host();
    let mut hasty = host.clone().limits(|l| l.pass_ms = 1_000);
    hasty.store = mortal.clone();
    let failed = soon(hasty.runtime().execute("async () => t.slowAdd({ n: 1, ms: 20000 })")).await.unwrap();
    mortal.die();
    let runtime = host.runtime();
    let id = id_of(&failed);
    assert_eq!((status(&runtime, &id), entry(&runtime, &id, 0).state), (Status::Error, EntryState::Unknown));
    (host, runtime, id)
}

async fn says(runtime: &Runtime, id: &ExecutionId, word: Word) -> Resolved {
    soon(runtime.resolve(id, Seq(0), word, anna())).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_is_not_tried_again_but_may_be_said_to_have_happened() {
    for home in homes() {
        let (host, runtime, id) = out_of_time(&home).await;
        let before = record(&runtime, &id);
        let Resolved::Refused(error) = says(&runtime, &id, Word::Retry).await else { panic!("it runs again") };
        assert_eq!(error.kind, ErrorKind::NotResumable);
        assert!(error.hint.unwrap().contains("applied or failed"));
        assert_eq!(record(&runtime, &id), before, "nothing changed");

        assert_eq!(summary(&runtime, &id).unresolved, 1);
        let said = says(&runtime, &id, Word::Applied(Some(json(r#"{"id":1}"#)))).await;
        assert!(matches!(said, Resolved::Recorded), "{said:?}");
        let after = record(&runtime, &id);
        assert_eq!((after.execution.status, after.execution.pass), (Status::Error, 1));
        assert_eq!(
            (&after.execution.error, after.execution.ended_at),
            (&before.execution.error, before.execution.ended_at)
        );
        assert_eq!((summary(&runtime, &id).unresolved, runtime.unresolved(None).unwrap()), (0, vec![]));
        assert_eq!(ends(&host), ["error"]);

        // The rollback hands on what was said.
        assert_eq!(lines(&soon(runtime.rollback(&id)).await.unwrap()), ["0 t.slowAdd reverted"]);
        assert_eq!(host.ledger.undone("t", "slowAdd"), [value!({ "id": 1 })], "{}", home.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_to_have_failed_is_undone_only_where_something_may_have_happened() {
    for home in homes() {
        for (effect, undone) in [(EffectState::None, 0), (EffectState::Possible, 1), (EffectState::Happened, 1)] {
            let (host, runtime, id) = out_of_time(&home).await;
            let word = Word::Failed(Failure::new("refused", "no").with_effect(effect));
            assert!(matches!(says(&runtime, &id, word).await, Resolved::Recorded));
            assert_eq!(entry(&runtime, &id, 0).state, EntryState::Failed);
            let report = soon(runtime.rollback(&id)).await.unwrap();
            assert_eq!(
                (report.calls.len(), host.ledger.reverts("t", "slowAdd")),
                (undone, undone as u64),
                "{effect:?}"
            );
            let expected = if undone == 0 { Status::Error } else { Status::RolledBack };
            assert_eq!((report.status, status(&runtime, &id)), (Some(expected), expected));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_rollback_could_not_undo_is_still_in_doubt_afterwards() {
    for home in homes() {
        let books = Books::new();
        let case = InDoubt::after(&home, "async () => { await t.add({ n: 1 }); await door.work({}); }", 1).await;
        let runtime = case.host.clone().with("books", books.connector()).runtime();
        let report = soon(runtime.rollback(&case.id)).await.unwrap();
        assert_eq!(lines(&report), ["1 door.work no_revert", "0 t.add reverted"], "{}", home.name);
        let doubts = runtime.unresolved(None).unwrap();
        assert_eq!((doubts.len(), doubts[0].status, doubts[0].seq), (1, Status::RolledBack, Seq(1)));
        assert!(matches!(case.says(1, Word::Retry).await, Resolved::Refused(_)));
        assert!(matches!(case.says(1, Word::Applied(None)).await, Resolved::Recorded));
        assert_eq!((runtime.unresolved(None).unwrap(), status(&runtime, &case.id)), (vec![], Status::RolledBack));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doubts_of_all_executions_are_listed_newest_execution_first() {
    for home in homes() {
        let mut ids = Vec::new();
        for code in ["async () => door.work({})", "async () => Promise.all([door.work({}), door.work({})])"] {
            let case = InDoubt::after(&home, code, if code.contains("all") { 2 } else { 1 }).await;
            ids.push(case.id);
        }
        let runtime = home.host().runtime();
        let listed: Vec<_> = runtime.unresolved(None).unwrap().into_iter().map(|c| (c.execution, c.seq.0)).collect();
        assert_eq!(listed, [(ids[1].clone(), 0), (ids[1].clone(), 1), (ids[0].clone(), 0)]);
        assert_eq!(runtime.unresolved(Some(&ids[0])).unwrap().len(), 1);
        assert_eq!(runtime.unresolved(Some(&ExecutionId::from_text("zz"))).unwrap(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_execution_takes_its_doubts_with_it() {
    for home in homes() {
        let case = InDoubt::after(&home, "async () => door.work({})", 1).await;
        assert!(soon(case.runtime.delete(&case.id)).await.unwrap());
        assert_eq!(case.runtime.unresolved(None).unwrap(), []);
        let gone = case.runtime.resolve(&case.id, Seq(0), Word::Retry, anna()).await.unwrap_err();
        assert_eq!(gone.code(), "not_found");
        let fresh = case.runtime.execute("async () => 1").await.unwrap();
        assert!(matches!(fresh, Outcome::Completed { .. }));
    }
}
