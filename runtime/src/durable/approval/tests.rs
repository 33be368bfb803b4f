//! Consent and refusal as rules: what they need, what they change.

use super::super::execution::{Determinism, Namespace, REPLAY_VERSION, Start};
use super::super::id::{ExecutionId, Op};
use super::super::journal::{Approval, Request, Terms};
use super::super::replay::testing;
use super::super::value::{Json, ValueLimits};
use super::*;

fn execution(status: Status) -> Execution {
    let start = Start {
        id: ExecutionId::from_text("exec_1"),
        code: String::new(),
        input: None,
        namespaces: vec![Namespace { name: "t".into(), methods: vec!["gate".into()] }],
        executor: String::new(),
        replay_version: REPLAY_VERSION,
        determinism: Determinism::Recorded,
        seed: [0; 32],
        created_at: 1,
    };
    Execution { status, owner: None, ..Execution::begin(start, OwnerId(1)) }
}

fn pending(op: u32, args: &str) -> Entry {
    let args = Some(Json::from_tagged(args, &ValueLimits::default()).unwrap());
    let request = Request::Call { connector: "t".into(), method: "gate".into(), args };
    let terms = Terms { approval: Approval::Required, contract: "c1".into(), ..Terms::default() };
    let mut entry =
        Entry { op: Op(op), seq: Some(Seq(op)), terms, state: EntryState::Pending, ..testing::entry(request) };
    entry.digest = Some(call_digest(&entry));
    entry
}

fn by() -> Decision {
    Decision { actor: "anna".into(), channel: "test".into(), reason: None, at: 9 }
}

fn pick(entry: &Entry) -> Pick {
    Pick { seq: entry.seq.unwrap(), digest: entry.digest.clone().unwrap() }
}

fn decide(status: Status, entries: &[Entry], picks: &Picks, contract: Option<&str>) -> Result<Approved, CodeError> {
    let contract = |_: &str, _: &str| contract.map(str::to_owned);
    approve(&execution(status), entries, picks, &["t"], contract, &by(), OwnerId(7))
}

#[test]
fn approving_a_paused_execution_decides_the_chosen_calls_and_begins_the_next_pass() {
    let entries = [pending(0, "1"), pending(1, "2")];
    let approved = decide(Status::Paused, &entries, &Picks::These(vec![pick(&entries[1])]), Some("c1")).unwrap();
    let Approved::Resume { writes, execution } = approved else { panic!("it was stored only") };
    assert_eq!(writes[0], Write::Decided { op: Op(1), decision: by() });
    assert_eq!(writes.len(), 2);
    assert_eq!((execution.status, execution.pass, execution.token.0), (Status::Running, 2, 2));
    assert_eq!(execution.owner, Some(OwnerId(7)));
}

#[test]
fn approving_a_running_execution_stores_the_decision_for_its_next_pause() {
    let entries = [pending(0, "1")];
    let approved = decide(Status::Running, &entries, &Picks::AllPending, Some("c1")).unwrap();
    assert!(matches!(approved, Approved::Stored { seqs, .. } if seqs == [Seq(0)]));
}

#[test]
fn only_what_was_shown_can_be_approved() {
    let entries = [pending(0, "1")];
    let other = Pick { seq: Seq(0), digest: pick(&pending(0, "2")).digest };
    let unknown = Pick { seq: Seq(5), ..pick(&entries[0]) };
    for picks in [vec![other], vec![unknown], Vec::new()] {
        let error = decide(Status::Paused, &entries, &Picks::These(picks), Some("c1")).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotResumable);
    }
}

#[test]
fn a_call_that_is_picked_twice_is_decided_once() {
    let entries = [pending(0, "1"), pending(1, "2")];
    let picks = [&entries[0], &entries[1], &entries[0]].map(pick);
    let approved = decide(Status::Running, &entries, &Picks::These(picks.to_vec()), Some("c1")).unwrap();
    assert!(matches!(approved, Approved::Stored { seqs, writes } if seqs == [Seq(0), Seq(1)] && writes.len() == 2));
}

#[test]
fn an_approval_is_used_up_by_its_call() {
    let mut entry = pending(0, "1");
    let picked = Picks::These(vec![pick(&entry)]);
    entry.state = EntryState::Applied;
    assert!(decide(Status::Paused, &[entry], &picked, Some("c1")).is_err());
}

#[test]
fn a_method_that_changed_or_went_away_is_not_approved() {
    let entries = [pending(0, "1")];
    for contract in [Some("c2"), None] {
        let error = decide(Status::Paused, &entries, &Picks::AllPending, contract).unwrap_err();
        assert_eq!(error.kind, ErrorKind::ContractChanged);
    }
}

#[test]
fn terminal_executions_and_missing_connectors_are_refused() {
    for status in Status::ALL.into_iter().filter(|s| s.is_terminal()) {
        let error = decide(status, &[], &Picks::AllPending, None).unwrap_err();
        assert!(error.message.contains("not paused") && error.message.contains(status.as_str()));
    }
    let contract = |_: &str, _: &str| None;
    let error = approve(&execution(Status::Completed), &[], &Picks::AllPending, &[], contract, &by(), OwnerId(1));
    assert!(error.unwrap_err().message.contains("requires connector(s) \"t\""));
}

#[test]
fn rejecting_one_pending_call_ends_a_paused_execution_and_nothing_else() {
    let entries = [pending(0, "1"), pending(1, "2")];
    let writes = reject(&execution(Status::Paused), &entries, Seq(1), &by(), &[], OwnerId(7)).unwrap();
    let Some(Write::Moved(moved)) = writes.last() else { panic!("the status stays") };
    assert_eq!((moved.status, moved.error.as_ref().unwrap().kind), (Status::Rejected, ErrorKind::Rejected));
    assert!(writes.iter().any(|w| matches!(w, Write::Sweep { to: EntryState::Withdrawn, .. })));
    assert_eq!(reject(&execution(Status::Paused), &entries, Seq(9), &by(), &[], OwnerId(7)), None);
    for status in Status::ALL.into_iter().filter(|s| *s != Status::Paused) {
        assert_eq!(reject(&execution(status), &entries, Seq(1), &by(), &[], OwnerId(7)), None, "{status}");
    }
}

#[test]
fn the_digest_covers_target_arguments_and_contract_but_not_the_order_of_members() {
    let base = pending(0, r#"{"a":1,"b":2}"#);
    assert_eq!(call_digest(&base), call_digest(&pending(3, r#"{"b":2,"a":1}"#)));
    assert_ne!(call_digest(&base), call_digest(&pending(0, r#"{"a":1,"b":3}"#)));
    let changed = Entry { terms: Terms { contract: "c2".into(), ..base.terms.clone() }, ..base.clone() };
    assert_ne!(call_digest(&base), call_digest(&changed));
}
