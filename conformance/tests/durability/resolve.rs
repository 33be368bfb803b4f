//! Calls in doubt of executions that can still go on: somebody says what happened, and the code goes on with that.

use std::sync::Arc;

use codemode_conformance::harness::{Host, anna, error_of, json, pending_of, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::durable::journal::Verdict;
use codemode_runtime::{
    EntryState, ErrorKind, ExecutionId, Failure, Outcome, Picks, Recovered, Resolved, Runtime, Seq, Status, Word,
};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::homes::{Home, ends, entry, homes, record, status, summary};
use crate::kit::{Door, soon, until};
use crate::mortal::Mortal;

/// An execution whose process died while so many calls of `door.work` were in flight, after its recovery.
pub(crate) struct InDoubt {
    pub(crate) host: Host,
    pub(crate) door: Arc<Door>,
    pub(crate) runtime: Runtime,
    pub(crate) id: ExecutionId,
}

impl InDoubt {
    pub(crate) async fn after(home: &Home, code: &str, in_flight: u32) -> Self {
        let (door, connector) = Door::new();
        let host = home.host().with("door", connector);
        let mortal = Mortal::of(&home.store);
        let mut dying = host.clone();
        dying.store = mortal.clone();
        let id = dying.runtime().start(code).await.unwrap().execution().unwrap().clone();
        door.entered(in_flight).await;
        mortal.die();
        // What the dead process had begun is answered into the void.
        door.let_go(in_flight as usize);
        let runtime = host.runtime();
        let recovered = soon(runtime.recover()).await.unwrap();
        assert!(matches!(recovered[..], [(_, Recovered::Resumed(Outcome::Paused { .. }))]), "{recovered:#?}");
        Self { host, door, runtime, id }
    }

    pub(crate) async fn says(&self, seq: u32, word: Word) -> Resolved {
        soon(self.runtime.resolve(&self.id, Seq(seq), word, anna())).await.unwrap()
    }

    async fn goes_on(&self, seq: u32, word: Word) -> String {
        match self.says(seq, word).await {
            Resolved::Resumed(outcome) => result_of(&outcome),
            other => panic!("{other:#?}"),
        }
    }

    async fn refuses(&self, seq: u32, word: Word) -> codemode_runtime::CodeError {
        let before = record(&self.runtime, &self.id);
        let Resolved::Refused(error) = self.says(seq, word).await else { panic!("it was not refused") };
        assert_eq!(record(&self.runtime, &self.id), before, "nothing changed");
        error
    }

    fn doubts(&self) -> Vec<u32> {
        self.runtime.unresolved(Some(&self.id)).unwrap().iter().map(|c| c.seq.0).collect()
    }
}

const CODE: &str = "async () => {
    const a = await t.add({ n: 1 });
    let w;
    try { w = await door.work({ v: 5 }); } catch (e) { w = [e.name, e.code, e.message, e.effect]; }
    return [a.n, w === undefined ? 'undefined' : w]; }";

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_doubt_is_shown_with_all_that_helps_to_find_out() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        let calls = case.runtime.unresolved(None).unwrap();
        assert_eq!(calls.len(), 1);
        let call = &calls[0];
        assert_eq!((&call.execution, call.seq, call.status), (&case.id, Seq(1), Status::Paused));
        assert_eq!((call.connector.as_str(), call.method.as_str()), ("door", "work"));
        assert_eq!(call.args.as_ref().unwrap().as_str(), r#"{"v":5}"#);
        assert_eq!((call.idempotency_key.clone(), call.attempt), (format!("{}:1", case.id), 1));
        assert_eq!(call.asked_at, entry(&case.runtime, &case.id, 1).asked_at);
        let line = summary(&case.runtime, &case.id);
        assert_eq!((line.unresolved, line.pending, line.status), (1, 0, Status::Paused), "{}", home.name);
        assert_eq!(case.runtime.pending(None).unwrap(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn said_to_be_tried_again_it_is_performed_once_more_with_its_key() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        case.door.let_go(1);
        assert_eq!(case.goes_on(1, Word::Retry).await, "[1,5]", "{}", home.name);
        let tried = entry(&case.runtime, &case.id, 1);
        assert_eq!((tried.state, tried.attempt, tried.pass), (EntryState::Applied, 2, 3));
        let said = tried.resolution.unwrap();
        assert_eq!((said.verdict, said.decision.actor.as_str()), (Verdict::Retry, "anna"));
        assert_eq!((case.host.ledger.count("t", "add"), summary(&case.runtime, &case.id).unresolved), (1, 0));
        assert_eq!(status(&case.runtime, &case.id), Status::Completed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn said_to_have_happened_it_gives_the_code_what_it_is_said_to_have_returned() {
    for home in homes() {
        for (value, result) in
            [(Some(json(r#"{"paid":[1,null]}"#)), r#"[1,{"paid":[1,null]}]"#), (None, r#"[1,"undefined"]"#)]
        {
            let case = InDoubt::after(&home, CODE, 1).await;
            assert_eq!(case.goes_on(1, Word::Applied(value.clone())).await, result, "{}", home.name);
            let said = entry(&case.runtime, &case.id, 1);
            assert_eq!((said.state, said.attempt, said.answer), (EntryState::Applied, 1, Some(Ok(value))));
            assert_eq!(said.resolution.unwrap().verdict, Verdict::Applied);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn said_to_have_failed_it_fails_in_the_code() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        let failure = Failure::new("refused", "the bank said no").with_effect(EffectState::Happened);
        let result = case.goes_on(1, Word::Failed(failure.clone())).await;
        let seen: Value = serde_json::from_str(&result).unwrap();
        assert_eq!(seen, serde_json::json!([1, ["ConnectorError", "refused", "the bank said no", "happened"]]));
        let said = entry(&case.runtime, &case.id, 1);
        assert_eq!((said.state, said.answer), (EntryState::Failed, Some(Err(failure))));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_points_to_the_call_in_doubt() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        let before = record(&case.runtime, &case.id);
        let refused = soon(case.runtime.approve(&case.id, Picks::AllPending, anna())).await.unwrap();
        let error = error_of(&refused);
        assert_eq!(error.kind, ErrorKind::Unresolved);
        assert!(error.message.contains("door.work (seq 1)"), "{}", error.message);
        assert!(error.hint.as_ref().unwrap().contains("resolve"), "{error:?}");
        assert_eq!(record(&case.runtime, &case.id), before, "nothing changed in {}", home.name);
        case.door.let_go(1);
        assert_eq!(case.goes_on(1, Word::Retry).await, "[1,5]");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_in_doubt_cannot_be_resolved() {
    for home in homes() {
        let code = "async () => {
            await t.add({ n: 1 });
            await codemode.step('s', () => 1);
            await Promise.all([door.work({}), t.gate({})]); }";
        let case = InDoubt::after(&home, code, 1).await;
        for seq in [0, 1, 3, 9] {
            let error = case.refuses(seq, Word::Applied(None)).await;
            assert_eq!(error.kind, ErrorKind::NotResumable);
            assert!(error.message.contains(&format!("seq {seq} ")), "{}", error.message);
        }
        let nobody = ExecutionId::from_text("zz");
        let unknown = case.runtime.resolve(&nobody, Seq(0), Word::Retry, anna()).await.unwrap_err();
        assert_eq!(unknown.code(), "not_found");

        // Nor is anything of an execution that runs.
        let started = case.runtime.start("async () => door.work({ v: 1 })").await.unwrap();
        case.door.entered(1).await;
        let running = started.execution().unwrap().clone();
        let refused = case.runtime.resolve(&running, Seq(0), Word::Retry, anna()).await.unwrap();
        assert!(matches!(&refused, Resolved::Refused(e) if e.kind == ErrorKind::NotResumable), "{refused:?}");
        case.door.let_go(1);
        assert_eq!(result_of(&soon(started.outcome()).await.unwrap()), "1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_counts_once() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        assert_eq!(case.goes_on(1, Word::Applied(Some(json("7")))).await, "[1,7]");
        for word in [Word::Applied(Some(json("8"))), Word::Retry, Word::Failed(Failure::new("x", "x"))] {
            assert_eq!(case.refuses(1, word).await.kind, ErrorKind::NotResumable);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_say_it_at_once_one_is_heard() {
    for home in homes() {
        for _ in 0..crate::kit::rounds(50, 6) {
            let case = InDoubt::after(&home, CODE, 1).await;
            let mut other = case.host.clone();
            other.store = home.opened_again();
            let other = other.runtime();
            // Whoever says `retry` needs no door.
            case.door.let_go(1);
            let mut together = JoinSet::new();
            for n in 0..6 {
                let (by, id) = (if n % 2 == 0 { case.runtime.clone() } else { other.clone() }, case.id.clone());
                let word = if n == 5 { Word::Retry } else { Word::Applied(Some(json(&format!("{}", 10 + n)))) };
                together.spawn(async move { by.resolve(&id, Seq(1), word, anna()).await.unwrap() });
            }
            let mut heard = Vec::new();
            for resolved in soon(together.join_all()).await {
                match resolved {
                    Resolved::Resumed(outcome) => heard.push(result_of(&outcome)),
                    Resolved::Refused(error) => assert_eq!(error.kind, ErrorKind::NotResumable),
                    other => panic!("{other:#?}"),
                }
            }
            assert_eq!(heard.len(), 1, "{}", home.name);
            let result = record(&case.runtime, &case.id).execution.result.unwrap();
            assert_eq!(result.as_str(), heard[0]);
        }
    }
}

const TWO: &str = "async () => (await Promise.all([door.work({ v: 1 }), door.work({ v: 2 })])).join()";

#[tokio::test(flavor = "multi_thread")]
async fn with_several_in_doubt_the_code_goes_on_after_the_last_word() {
    for home in homes() {
        let case = InDoubt::after(&home, TWO, 2).await;
        assert_eq!((case.doubts(), summary(&case.runtime, &case.id).unresolved), (vec![0, 1], 2));
        let said = case.says(1, Word::Applied(Some(json("22")))).await;
        assert!(matches!(said, Resolved::Recorded), "{said:#?}");
        assert_eq!((case.doubts(), status(&case.runtime, &case.id)), (vec![0], Status::Paused));
        let refused = soon(case.runtime.approve(&case.id, Picks::AllPending, anna())).await.unwrap();
        assert_eq!(error_of(&refused).kind, ErrorKind::Unresolved);
        assert_eq!(case.goes_on(0, Word::Applied(Some(json("11")))).await, r#""11,22""#, "{}", home.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_to_be_tried_again_waits_for_the_word_on_the_others() {
    for home in homes() {
        let case = InDoubt::after(&home, TWO, 2).await;
        let said = case.says(0, Word::Retry).await;
        assert!(matches!(said, Resolved::Recorded), "{said:#?}");
        // It waits for no consent: nobody is asked for one.
        assert_eq!(case.runtime.pending(Some(&case.id)).unwrap(), []);
        assert_eq!((case.doubts(), entry(&case.runtime, &case.id, 0).state), (vec![1], EntryState::Pending));
        case.door.let_go(1);
        assert_eq!(case.goes_on(1, Word::Applied(Some(json("22")))).await, r#""1,22""#, "{}", home.name);
    }
}

const BESIDE_A_GATE: &str =
    "async () => { const [w, g] = await Promise.all([door.work({ v: 1 }), t.gate({ x: 2 })]); return [w, g.x]; }";

#[tokio::test(flavor = "multi_thread")]
async fn a_doubt_and_a_consent_are_given_in_either_order() {
    for home in homes() {
        let case = InDoubt::after(&home, BESIDE_A_GATE, 1).await;
        assert!(matches!(case.says(0, Word::Applied(Some(json("9")))).await, Resolved::Recorded));
        let outcome = soon(case.runtime.approve(&case.id, Picks::AllPending, anna())).await.unwrap();
        assert_eq!((result_of(&outcome), case.host.ledger.count("t", "gate")), ("[9,2]".to_owned(), 1));

        let case = InDoubt::after(&home, BESIDE_A_GATE, 1).await;
        let paused = soon(case.runtime.approve(&case.id, Picks::AllPending, anna())).await.unwrap();
        assert_eq!((pending_of(&paused), case.host.ledger.count("t", "gate")), (vec![], 1));
        assert_eq!(case.goes_on(0, Word::Applied(Some(json("9")))).await, "[9,2]", "{}", home.name);
        assert_eq!(case.host.ledger.count("t", "gate"), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_still_covers_the_call_that_is_tried_again() {
    for home in homes() {
        let (came, open) = (Arc::new(tokio::sync::Semaphore::new(0)), Arc::new(tokio::sync::Semaphore::new(0)));
        let (at, door) = (came.clone(), open.clone());
        let native = Native::new("bank").method(Method::write("pay").needs_approval(), move |args, _| {
            let (at, door) = (at.clone(), door.clone());
            async move {
                at.add_permits(1);
                door.acquire().await.unwrap().forget();
                Ok(args)
            }
        });
        let host = home.host().with("bank", Arc::new(native));
        let code = "async () => { const a = await bank.pay(1); return [a, await bank.pay(1)]; }";
        let paused = host.runtime().execute(code).await.unwrap();
        let id = paused.execution().unwrap().clone();
        let mortal = Mortal::of(&home.store);
        let mut dying = host.clone();
        dying.store = mortal.clone();
        let (dying, of) = (dying.runtime(), id.clone());
        let _lost = tokio::spawn(async move { dying.approve(&of, Picks::AllPending, anna()).await });
        soon(came.acquire()).await.unwrap().forget();
        mortal.die();

        open.add_permits(2);
        let runtime = host.runtime();
        soon(runtime.recover()).await.unwrap();
        let before = entry(&runtime, &id, 0);
        assert_eq!((before.state, before.attempt), (EntryState::Unknown, 1), "{}", home.name);
        let tom = codemode_runtime::By::library("tom");
        let resumed = soon(runtime.resolve(&id, Seq(0), Word::Retry, tom)).await.unwrap();
        let Resolved::Resumed(outcome) = resumed else { panic!("{resumed:#?}") };
        // The same call under the same consent; the next, equal one needs its own.
        assert_eq!(pending_of(&outcome), ["1 bank.pay 1"]);
        let tried = entry(&runtime, &id, 0);
        assert_eq!((tried.state, tried.attempt), (EntryState::Applied, 2));
        assert_eq!(tried.decision.unwrap().actor, "anna");
        assert_eq!(tried.resolution.unwrap().decision.actor, "tom");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_lost_a_second_time_is_in_doubt_a_second_time() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        let mortal = Mortal::of(&home.store);
        let mut dying = case.host.clone();
        dying.store = mortal.clone();
        let (dying, id) = (dying.runtime(), case.id.clone());
        let _lost = tokio::spawn(async move { dying.resolve(&id, Seq(1), Word::Retry, anna()).await });
        // The first two were those of the first process and of this one.
        case.door.entered(1).await;
        mortal.die();
        case.door.let_go(1);
        soon(case.runtime.recover()).await.unwrap();
        let again = case.runtime.unresolved(Some(&case.id)).unwrap().remove(0);
        assert_eq!((again.attempt, again.idempotency_key), (2, format!("{}:1", case.id)), "{}", home.name);
        assert_eq!(case.goes_on(1, Word::Applied(Some(json("3")))).await, "[1,3]");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_of_another_call_leaves_the_doubt() {
    for home in homes() {
        let case = InDoubt::after(&home, BESIDE_A_GATE, 1).await;
        assert!(soon(case.runtime.reject(&case.id, Seq(1), anna())).await.unwrap());
        assert_eq!((status(&case.runtime, &case.id), case.doubts()), (Status::Rejected, vec![0]));
        assert_eq!(ends(&case.host), ["rejected"]);
        // It will not go on, so there is nothing to try again; but it can be said what happened.
        assert_eq!(case.refuses(0, Word::Retry).await.kind, ErrorKind::NotResumable);
        assert!(matches!(case.says(0, Word::Applied(None)).await, Resolved::Recorded));
        assert_eq!((status(&case.runtime, &case.id), case.doubts()), (Status::Rejected, vec![]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_connectors_the_word_is_kept_for_a_host_that_has_them() {
    for home in homes() {
        let case = InDoubt::after(&home, CODE, 1).await;
        let bare = case.host.clone().without("door").runtime();
        let said = soon(bare.resolve(&case.id, Seq(1), Word::Applied(Some(json("4"))), anna())).await.unwrap();
        assert!(matches!(said, Resolved::Recorded), "{said:#?}");
        assert_eq!(status(&bare, &case.id), Status::Paused);
        let outcome = soon(case.runtime.approve(&case.id, Picks::AllPending, anna())).await.unwrap();
        assert_eq!(result_of(&outcome), "[1,4]", "{}", home.name);
        until(|| record(&bare, &case.id).execution.owner.is_none().then_some(())).await;
    }
}
