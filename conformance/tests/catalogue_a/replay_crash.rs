//! REPLAY: what a pass does with rows that a stopped process left behind, and with rows of an execution that is over.

use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, journal_of, pending_of, result_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::durable::id::{Op, Seq};
use codemode_runtime::durable::journal::{Decision, Delivery, Entry, EntryState};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::Barrier;
use codemode_runtime::{ErrorKind, ExecutionId, Outcome, Picks};

use crate::support::{created, record, status};

/// The journal after a process that had approved the first call, `shelf.put`, stopped while `method` of `t` at op 1 was
/// being performed: everything that it had made durable, and no more.
async fn stopped_in(host: &Host, method: &str) -> ExecutionId {
    let runtime = host.runtime();
    let code = format!("async () => {{ await shelf.put({{ title: 'x' }}); return t.{method}({{ n: 1 }}); }}");
    let id = id_of(&runtime.execute(code).await.unwrap());
    // How a real run records the second call.
    let other = Host::new();
    let model = other.runtime().execute(format!("async () => t.{method}({{ n: 1 }})")).await.unwrap();
    let applied = record(&other.runtime(), &id_of(&model)).entries.remove(0);
    let executing = Entry {
        op: Op(1),
        seq: Some(Seq(1)),
        state: EntryState::Executing,
        answer: None,
        delivery: None,
        answered_at: None,
        answered_event: None,
        asked_event: 3,
        pass: 2,
        ..applied
    };
    let decision = Decision { actor: "anna".to_owned(), channel: "test".to_owned(), reason: None, at: 1 };
    let Write::Answered { at, .. } = samples::answered(0, "1", 1) else { panic!("an answer") };
    let answer = Write::Answered {
        op: Op(0),
        from: &[EntryState::Pending],
        state: EntryState::Applied,
        answer: Some(Ok(Some(samples::json(r#"{"id":1,"title":"x"}"#)))),
        rerun: codemode_runtime::durable::journal::Rerun::No,
        at,
        event: Some(2),
    };
    let now = record(&runtime, &id).execution.start.created_at + 1;
    let delivered = Write::Delivered { op: Op(0), delivery: Delivery { place: 0, now } };
    let left = vec![Write::Decided { op: Op(0), decision }, answer, delivered, Write::Asked(Box::new(executing))];
    let version = record(&runtime, &id).execution.version;
    host.store.commit(&id, version, left).unwrap();
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.put applied".to_owned(), format!("1 t.{method} executing")]);
    id
}

/// Covers REPLAY-11.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_interrupted_is_performed_again_only_where_that_is_harmless() {
    let host = Host::new();
    let read = stopped_in(&host, "echo").await;
    let outcome = host.runtime().approve(&read, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(result_of(&outcome), r#"{"n":1}"#);
    assert_eq!((host.ledger.count("t", "echo"), created(&host)), (1, vec![]));

    let write = stopped_in(&host, "add").await;
    let outcome = host.runtime().approve(&write, Picks::AllPending, anna()).await.unwrap();
    // Nobody can know whether it happened, so a person must say; it is not performed a second time.
    assert_eq!(pending_of(&outcome), Vec::<String>::new());
    assert_eq!(status(&host.runtime(), &write), "paused");
    assert_eq!(host.ledger.count("t", "add"), 0);
}

/// Covers REPLAY-12.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_was_taken_back_never_runs_again_because_its_execution_is_over() {
    let host = Host::new();
    let runtime = host.runtime();
    let id = id_of(&runtime.execute("async () => shelf.put({ title: 'x' })").await.unwrap());
    assert!(runtime.reject(&id, Seq(0), anna()).await.unwrap());
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.put reverted"]);
    let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    assert_eq!(error_of(&refused).kind, ErrorKind::NotResumable);
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.put reverted"]);
    assert_eq!(created(&host), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_whose_host_stopped_stays_running_and_approval_does_not_resume_it() {
    let host = Host::new();
    let id = samples::id(1);
    let execution = samples::execution(&id);
    let token = execution.token;
    host.store.append(&id, token, vec![Write::Begin(Box::new(execution))], Barrier::Now).await.unwrap();
    let runtime = host.runtime();
    let refused = runtime.approve(&id, Picks::AllPending, anna()).await.unwrap();
    let Outcome::Failed { execution: Some(echoed), error, calls: None, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!((echoed, error.message.clone()), (&id, format!("execution {id} is not paused: its status is running")));
    assert_eq!(status(&runtime, &id), "running");
    assert_eq!(host.ledger.events(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_is_what_an_audit_reads() {
    let host = Host::new();
    let runtime = host.runtime();
    let code = "async () => { await shelf.list(); await shelf.jot({ text: 'a' }); return shelf.put({ title: 'x' }); }";
    let paused = runtime.execute(code).await.unwrap();
    let outcome = approve_all(&runtime, paused).await;
    let entries = record(&runtime, &id_of(&outcome)).entries;
    let Outcome::Completed { calls, .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(*calls, entries);
    assert_eq!(entries[2].decision.as_ref().unwrap().actor, "anna");
}
