//! What a store is made to do while its machine is in danger, and what must be there after each part of it.

use super::*;
use crate::durable::failure::Failure;
use crate::durable::journal::{Answer, Decision, Delivery};
use crate::store::memory::MemoryStore;

/// How many executions a script begins, numbered from 1.
pub(super) const EXECUTIONS: u64 = 4;
/// The keys of connector state that it writes.
pub(super) const KEYS: [&str; 2] = ["a", "b"];

/// One part of a script.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The owner's writes.
    Append { n: u64, token: u64, writes: Vec<Write>, barrier: Barrier },
    /// A decision from outside.
    Commit { n: u64, version: u64, writes: Vec<Write> },
    /// Another process moves the log into the file, as any may, in one of the ways there are.
    Checkpoint(&'static str),
    /// The store is closed, and opened again.
    Reopen,
}

impl Step {
    pub(super) fn writes(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Commit { .. })
    }

    /// Does it. `Err` is what the store said.
    pub(super) fn on(&self, store: &dyn Store) -> Result<(), StoreError> {
        match self {
            Self::Append { n, token, writes, barrier } => {
                store.append(&id(*n), Token(*token), writes.clone(), *barrier).wait()
            }
            Self::Commit { n, version, writes } => store.commit(&id(*n), Version(*version), writes.clone()).map(drop),
            Self::Checkpoint(_) | Self::Reopen => Ok(()),
        }
    }

    /// Whether its success means that it is durable.
    fn acknowledges(&self) -> bool {
        match self {
            Self::Append { barrier, .. } => *barrier == Barrier::Now,
            Self::Commit { .. } => true,
            Self::Checkpoint(_) | Self::Reopen => false,
        }
    }
}

fn appended(n: u64, writes: Vec<Write>, barrier: Barrier) -> Step {
    Step::Append { n, token: 1, writes, barrier }
}

fn answered(op: u32, text: &str) -> Write {
    let answer: Answer = Ok(Some(json(&format!("\"{text}\""))));
    let from = &[EntryState::Executing];
    let (state, rerun) = (EntryState::Applied, Rerun::No);
    Write::Answered { op: Op(op), from, state, answer: Some(answer), rerun, at: 3, event: Some(u64::from(op)) }
}

fn failed(op: u32) -> Write {
    let answer = Some(Err(Failure::new("denied", "no")));
    let (from, state) = (&[EntryState::Executing] as _, EntryState::Failed);
    Write::Answered { op: Op(op), from, state, answer, rerun: Rerun::No, at: 4, event: None }
}

fn state(key: &str, scope: Scope, bytes: Option<Vec<u8>>) -> Write {
    let at = StateKey { connector: "shelf".to_owned(), scope, key: key.to_owned() };
    Write::State(StateWrite { at, value: bytes })
}

fn pending(op: u32) -> Write {
    let Write::Asked(entry) = asked(op, 30) else { unreachable!() };
    Write::Asked(Box::new(Entry { state: EntryState::Pending, digest: Some("d".to_owned()), ..*entry }))
}

fn decided(op: u32) -> Write {
    let decision = Decision { actor: "ada".to_owned(), channel: "cli".to_owned(), reason: None, at: 5 };
    Write::Decided { op: Op(op), decision }
}

/// Every kind of write, small ones and some that take many pages, of several executions in turn.
pub(super) fn script() -> Vec<Step> {
    use Barrier::{Later, Now};
    let delivered = |op, place| Write::Delivered { op: Op(op), delivery: Delivery { place, now: 9 } };
    let owned =
        |n, version, token| Step::Commit { n, version, writes: vec![moved(Status::Running, token, Some(OwnerId(1)))] };
    let hook =
        Hook { id: 0, kind: HookKind::PassEnded, connector: "shelf".to_owned(), pass: 1, status: Status::Paused };
    vec![
        appended(1, vec![begun(&id(1)), line("first")], Now),
        appended(1, vec![asked(0, 100), asked(1, 5_000)], Now),
        appended(1, vec![answered(0, "x"), delivered(0, 0)], Later),
        appended(1, vec![asked(2, 40), state("a", Scope::Connector, Some(vec![1; 6_000]))], Later),
        appended(1, vec![answered(1, "y"), line("second")], Now),
        appended(2, vec![begun(&id(2))], Later),
        appended(2, everything(), Now),
        Step::Checkpoint("FULL"),
        appended(2, vec![answered(0, "z"), failed(1), state("b", Scope::Connector, Some(vec![2]))], Now),
        appended(1, vec![answered(2, "w"), pending(3), moved(Status::Paused, 1, None)], Now),
        Step::Commit { n: 1, version: 2, writes: vec![decided(3)] },
        owned(1, 3, 2),
        Step::Reopen,
        appended(3, vec![begun(&id(3)), asked(0, 3_000), state("c", Scope::Execution, Some(vec![9; 40_000]))], Now),
        Step::Append { n: 1, token: 2, writes: vec![asked(3, 10), state("a", Scope::Connector, None)], barrier: Now },
        appended(3, vec![answered(0, "big"), Write::HookDue(hook)], Later),
        appended(3, vec![asked(1, 20), state("k", Scope::Execution, Some(vec![3; 300]))], Now),
        Step::Checkpoint("TRUNCATE"),
        Step::Commit { n: 2, version: 1, writes: vec![Write::Delete] },
        appended(3, vec![asked(2, 2_000)], Now),
        appended(
            3,
            vec![asked(3, 20), Write::Sweep { from: &[EntryState::Executing], to: EntryState::Unknown, at: 6 }],
            Now,
        ),
        appended(4, vec![begun(&id(4)), asked(0, 3_000)], Later),
        appended(4, vec![line("a"), line("b"), asked(1, 3)], Later),
        appended(4, vec![moved(Status::Completed, 1, None)], Now),
        Step::Checkpoint("RESTART"),
        appended(3, vec![line("between")], Now),
        Step::Commit { n: 4, version: 2, writes: vec![Write::Delete] },
        appended(3, vec![moved(Status::Error, 1, None), line("end")], Now),
    ]
}

/// What must be there after each number of steps, from none on, by a store that cannot lose anything.
pub(super) fn expected(script: &[Step]) -> Vec<Contents> {
    let model = MemoryStore::new();
    let mut after = vec![contents(&model).expect("memory works")];
    for step in script {
        step.on(&model).expect("the script is right");
        after.push(contents(&model).expect("memory works"));
    }
    after
}

/// That so many steps were acknowledged at that instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    pub(super) instant: usize,
    pub(super) steps: usize,
}

/// How a script went.
pub(super) struct Ran {
    /// In order.
    pub(super) acknowledged: Vec<Acknowledged>,
    /// The step that failed first, which is the last one that was tried, and why. Step 0 may be opening.
    pub(super) stopped: Option<(usize, StoreError)>,
    /// `None` where it could not be opened.
    pub(super) store: Option<SqliteStore>,
}

/// Runs the script on a machine, in order, up to its end or to the first step that fails.
pub(super) fn run(machine: &Machine, durability: Durability, script: &[Step]) -> Ran {
    let mut ran = Ran { acknowledged: Vec::new(), stopped: None, store: None };
    let opened = machine.open(durability).and_then(|store| {
        let store = ran.store.insert(store);
        store.claim_owner()
    });
    if let Err(error) = opened {
        ran.stopped = Some((0, error));
    }
    for (at, step) in script.iter().enumerate() {
        if ran.stopped.is_some() {
            break;
        }
        let done = match step {
            Step::Checkpoint(how) => {
                // Its failures are its own.
                let pragma = format!("PRAGMA wal_checkpoint({how})");
                let _ = machine.raw().and_then(|c| c.query_row(&pragma, [], |_| Ok(())));
                Ok(())
            }
            Step::Reopen => {
                ran.store = None;
                machine.open(durability).map(|store| ran.store = Some(store))
            }
            _ => step.on(ran.store.as_ref().expect("it was opened")),
        };
        match done {
            Err(error) => ran.stopped = Some((at, error)),
            Ok(()) if step.acknowledges() => {
                ran.acknowledged.push(Acknowledged { instant: machine.disk().instant(), steps: at + 1 });
            }
            Ok(()) => {}
        }
    }
    ran
}

/// How many steps are there: the most whose contents these are. `None` where they are those of no number of steps.
pub(super) fn steps_done(expected: &[Contents], found: &Contents) -> Option<usize> {
    expected.iter().rposition(|contents| contents == found)
}

#[test]
fn after_each_step_that_writes_the_contents_are_like_never_before() {
    let script = script();
    let expected = expected(&script);
    for (at, step) in script.iter().enumerate() {
        let before = expected[..=at].iter().rposition(|contents| *contents == expected[at + 1]);
        assert_eq!(before, (!step.writes()).then_some(at), "step {at}: {step:?}");
    }
}
