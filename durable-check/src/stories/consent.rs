//! Of consent, doubts, recovery and retention.

use std::slice::from_ref;

use super::*;
use crate::durable::approval::{Approved, Pick, Picks, approve, call_digest, check_connectors, reject};
use crate::durable::ending::{Ending, abandoned};
use crate::durable::failure::{EffectState, Failure};
use crate::durable::finish::HookWish;
use crate::durable::journal::RevertAttempt;
use crate::durable::recovery::{claim, next_pass, take_over};
use crate::durable::resolve::{UnresolvedCall, Word, may_go_on, resolve};
use crate::durable::retention::{EndedAt, beyond, expire};
use crate::durable::rollback::{
    Reverted, RollbackReport, Undone, UndoneCall, begin_revert, end_interrupted, end_revert, original_state,
};
use crate::durable::write::{HookKind, Write};

fn pending(op: u32) -> Entry {
    let mut entry = row(op, call("gate"), gated(), EntryState::Pending);
    entry.digest = Some(call_digest(&entry));
    entry
}

fn approved(status: Status, entries: &[Entry], picks: &Picks) -> Result<Approved, CodeError> {
    let contract = |_: &str, _: &str| Some("c".to_owned());
    approve(&execution(status), entries, picks, &["t", "u"], contract, &by("anna"), OwnerId(7))
}

fn pick(entry: &Entry) -> Picks {
    Picks::These(vec![Pick { seq: entry.seq.unwrap(), digest: entry.digest.clone().unwrap() }])
}

#[test]
fn consent_that_is_there_already_lets_it_go_on_and_is_not_given_twice() {
    let decided = Entry { decision: Some(by("otto")), ..pending(0) };
    for picks in [Picks::AllPending, Picks::These(Vec::new())] {
        let Ok(Approved::Resume { writes, execution }) = approved(Status::Paused, from_ref(&decided), &picks) else {
            panic!("it waits for nobody")
        };
        assert_eq!((writes.len(), execution.status), (1, Status::Running));
    }
    let again = approved(Status::Paused, from_ref(&decided), &pick(&decided)).unwrap_err();
    assert!(again.message.contains("seq 0 of execution exec_1 is not pending"), "{again:?}");
    let running = approved(Status::Running, &[decided], &Picks::AllPending).unwrap_err();
    assert!(running.message.contains("is not paused: its status is running"), "{running:?}");
}

#[test]
fn a_doubt_is_not_approved_away_unless_something_else_was_decided() {
    let doubt = |op| row(op, call("pay"), write(), EntryState::Unknown);
    let repeatable = row(0, call("list"), read(), EntryState::Unknown);
    let error = approved(Status::Paused, &[doubt(0), doubt(1)], &Picks::AllPending).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unresolved);
    assert!(
        error.message.ends_with("waits for the word whether t.pay (seq 0) and t.pay (seq 1) happened"),
        "{error:?}"
    );
    assert!(approved(Status::Paused, &[repeatable], &Picks::AllPending).is_ok());
    assert!(approved(Status::Paused, &[doubt(0), pending(1)], &Picks::AllPending).is_ok());
    let decided = Entry { decision: Some(by("otto")), ..pending(1) };
    assert!(approved(Status::Paused, &[doubt(0), decided], &Picks::AllPending).is_ok());
    // Of a running one it is said that it runs.
    let running = approved(Status::Running, &[doubt(0)], &Picks::AllPending).unwrap_err();
    assert_eq!(running.kind, ErrorKind::NotResumable);
}

#[test]
fn the_digest_is_that_of_what_was_shown_and_the_connectors_are_those_of_the_start() {
    let entry = pending(0);
    assert_eq!(entry.digest.as_ref().unwrap().len(), 64);
    let with = |args: Option<&str>| {
        let request = Request::Call { connector: "t".into(), method: "gate".into(), args: args.map(json) };
        call_digest(&row(0, request, gated(), EntryState::Pending))
    };
    assert_eq!(with(None), entry.digest.unwrap());
    assert_ne!(with(None), with(Some("null")), "none is not null");
    assert_ne!(with(None), with(Some("\"absent\"")));
    let execution = execution(Status::Paused);
    assert_eq!(check_connectors(&execution, &["u", "t", "more"]), Ok(()));
    let error = check_connectors(&execution, &["t"]).unwrap_err();
    assert!(error.message.contains("requires connector(s) \"u\" that"), "{error:?}");
    assert_eq!(error.kind, ErrorKind::MissingConnector);
}

#[test]
fn a_refusal_needs_a_pending_call_and_says_who_refused_it_and_why() {
    let decision = Decision { reason: Some("too much".into()), ..by("anna") };
    let refused = |entries: &[Entry], decision: &Decision| {
        reject(&execution(Status::Paused), entries, Seq(0), decision, &[], OwnerId(7))
    };
    let message = |decision: &Decision| match refused(&[pending(0)], decision).unwrap().pop() {
        Some(Write::Moved(moved)) => moved.error.unwrap().message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message(&decision), "t.gate was rejected by anna: too much");
    assert_eq!(message(&by("anna")), "t.gate was rejected by anna");
    // Consent that was not used yet can be taken back by refusing.
    assert!(refused(&[Entry { decision: Some(by("otto")), ..pending(0) }], &decision).is_some());
    for state in EntryState::ALL.into_iter().filter(|s| *s != EntryState::Pending) {
        assert_eq!(refused(&[Entry { state, ..pending(0) }], &decision), None, "{state:?}");
    }
}

#[test]
fn a_paused_execution_goes_on_when_nothing_waits_for_a_word() {
    let doubt = |terms| row(1, call("pay"), terms, EntryState::Unknown);
    let decided = || Entry { decision: Some(by("otto")), ..pending(0) };
    let state = |state| row(1, call("pay"), write(), state);
    for (entries, goes_on) in [
        (vec![], true),
        (vec![decided()], true),
        (vec![pending(0)], false),
        (vec![decided(), pending(1)], false),
        (vec![decided(), doubt(write())], false),
        (vec![decided(), doubt(read())], true),
        (vec![decided(), state(EntryState::Applied)], true),
        (vec![decided(), state(EntryState::Reverting)], false),
        (vec![decided(), state(EntryState::Reverted)], false),
    ] {
        assert_eq!(may_go_on(&execution(Status::Paused), &entries), goes_on, "{entries:?}");
        assert!(!may_go_on(&execution(Status::Running), &entries));
    }
}

#[test]
fn a_doubt_is_shown_with_what_the_other_side_can_be_asked_about() {
    let doubt = Entry { attempt: 2, asked_at: 77, ..row(4, call("pay"), write(), EntryState::Unknown) };
    let shown = UnresolvedCall::of(&execution(Status::Error), &doubt).unwrap();
    assert_eq!((shown.connector.as_str(), shown.method.as_str(), shown.seq), ("t", "pay", Seq(4)));
    assert_eq!((shown.idempotency_key.as_str(), shown.attempt, shown.asked_at), ("exec_1:4", 2, 77));
    assert_eq!((shown.status, shown.args), (Status::Error, None));
    assert_eq!(Entry::revert_key(&shown.execution, Seq(4)), "exec_1:4:revert");
    for other in [Entry { seq: None, ..doubt.clone() }, Entry { state: EntryState::Applied, ..doubt }] {
        assert_eq!(UnresolvedCall::of(&execution(Status::Error), &other), None);
    }
}

#[test]
fn whoever_comes_next_has_a_token_and_a_pass_of_its_own() {
    let before = execution(Status::Paused);
    let (write, next) = next_pass(&before, OwnerId(7), 50);
    assert_eq!((next.pass, next.token, next.status, next.updated_at), (4, Token(6), Status::Running, 50));
    let Write::Moved(moved) = write else { panic!("{write:?}") };
    assert_eq!((moved.pass, moved.token, moved.owner, moved.at), (4, Token(6), Some(OwnerId(7)), 50));
    let (writes, claimed) = claim(&before, OwnerId(7));
    assert_eq!(writes, [Write::Owned { token: Token(6), owner: Some(OwnerId(7)) }]);
    assert_eq!((claimed.token, claimed.owner, claimed.pass), (Token(6), Some(OwnerId(7)), 3));
    let wish = |connector: &str, kinds: &[HookKind]| HookWish { connector: connector.into(), kinds: kinds.into() };
    let wishes = [wish("a", &[HookKind::ExecutionEnded]), wish("b", &[HookKind::PassEnded, HookKind::ExecutionEnded])];
    let (writes, _) = take_over(&execution(Status::Running), OwnerId(7), &wishes, 50);
    assert!(matches!(&writes[..], [Write::HookDue(hook), Write::Moved(_)] if hook.connector == "b"), "{writes:?}");
    assert!(abandoned("it was deleted").message.ends_with("is gone, and it was deleted"));
}

#[test]
fn of_those_that_ended_in_one_millisecond_the_first_begun_goes_first() {
    let ended = |at, number| EndedAt { at, number, id: ExecutionId::from_text(&format!("e{number}")), owner: None };
    let gone = beyond(1, vec![ended(5, 2), ended(5, 1), ended(4, 3)]);
    assert_eq!(gone.iter().map(ExecutionId::as_str).collect::<Vec<_>>(), ["e3", "e1"]);
    assert!(beyond(u32::MAX, vec![ended(5, 2)]).is_empty());
}

#[test]
fn each_word_of_a_report_is_counted_for_what_it_means() {
    let failure = || Failure::new("internal", "no").with_effect(EffectState::None);
    let words = [
        (Undone::Reverted, "reverted"),
        (Undone::NothingToRevert, "nothing_to_revert"),
        (Undone::NoRevert, "no_revert"),
        (Undone::ConnectorMissing, "connector_missing"),
        (Undone::Failed(failure()), "failed"),
        (Undone::Unknown(failure()), "unknown"),
    ];
    let calls = words.into_iter().map(|(undone, word)| {
        assert_eq!(undone.as_str(), word);
        UndoneCall { seq: Seq(0), connector: "t".into(), method: "pay".into(), undone }
    });
    let execution = ExecutionId::from_text("exec_1");
    let report = RollbackReport { execution, status: Some(Status::RolledBack), calls: calls.collect() };
    assert_eq!((report.reverted(), report.failed(), report.left()), (1, 2, 4));
    assert_eq!(report.error().unwrap(), "1 reverted, 2 failed: t.pay: no; t.pay: no");
}

#[test]
fn only_a_paused_execution_tries_a_call_again_and_consent_that_was_there_stays() {
    let doubt = Entry { decision: Some(by("otto")), ..row(0, call("pay"), write(), EntryState::Unknown) };
    let word = |status, word| resolve(&execution(status), from_ref(&doubt), Seq(0), word, &by("anna"));
    for status in Status::ALL.into_iter().filter(|s| *s != Status::Paused) {
        let error = word(status, Word::Retry).unwrap_err();
        assert_eq!(error.message, format!("t.pay cannot be tried again: the status is {status}"));
        assert!(word(status, Word::Applied(None)).is_ok());
    }
    for said in [Word::Retry, Word::Applied(None)] {
        let writes = word(Status::Paused, said).unwrap();
        let [Write::Require { .. }, Write::Resolved { consent, resolution, .. }] = &writes[..] else {
            panic!("{writes:?}")
        };
        assert_eq!((consent, &resolution.decision), (&Some(by("otto")), &by("anna")));
    }
    let fresh = Entry { decision: None, ..doubt.clone() };
    let writes = resolve(&execution(Status::Paused), &[fresh], Seq(0), Word::Retry, &by("anna")).unwrap();
    assert!(matches!(&writes[1], Write::Resolved { consent: Some(consent), .. } if *consent == by("anna")));
}

#[test]
fn time_ends_what_waits_and_what_was_abandoned_and_nothing_that_has_ended() {
    let expired = |status| {
        let ending = Ending { wishes: &[], owner: OwnerId(7), at: 50 };
        expire(&execution(status), &[pending(0)], ending)
    };
    for (status, left, begins) in [
        (Status::Paused, Status::Rejected, "Expired awaiting approval"),
        (Status::Running, Status::Error, "Expired while running"),
    ] {
        let writes = expired(status).unwrap();
        let Some(Write::Moved(moved)) = writes.last() else { panic!("{writes:?}") };
        let error = moved.error.as_ref().unwrap();
        assert_eq!((moved.status, error.kind), (left, ErrorKind::Expired));
        assert!(error.message.starts_with(begins) && error.hint.is_some(), "{error:?}");
    }
    for status in Status::ALL.into_iter().filter(|s| s.is_terminal()) {
        assert_eq!(expired(status), None);
    }
}

#[test]
fn each_news_of_an_undoing_has_its_time() {
    let entry = row(0, call("pay"), write(), EntryState::Applied);
    let time = |write: &Write| if let Write::Reverted { revert, .. } = write { revert.at } else { panic!("{write:?}") };
    let (began, attempt) = begin_revert(&entry, 5);
    let (ended, _) = end_revert(&entry, attempt.clone(), Ok(Reverted::Reverted), Status::Completed, 6);
    let reverting = Entry { state: EntryState::Reverting, revert: Some(attempt), ..entry };
    let interrupted = end_interrupted(&reverting, 7).unwrap();
    assert_eq!([time(&began), time(&ended), time(&interrupted)], [5, 6, 7]);
}

#[test]
fn what_a_call_was_is_what_it_is_except_while_and_after_it_is_undone() {
    let attempt = RevertAttempt { from: EntryState::Unknown, number: 1, failure: None, at: 1 };
    let tried = |state| Entry { revert: Some(attempt.clone()), ..row(0, call("pay"), write(), state) };
    // Somebody gave the word on it after an undoing had failed.
    assert_eq!(original_state(&tried(EntryState::Applied)), EntryState::Applied);
    for state in [EntryState::Reverting, EntryState::Reverted] {
        assert_eq!(original_state(&tried(state)), EntryState::Unknown);
    }
}
