//! Random programs whose pauses are ended by whatever people and time do: approvals of some calls in any order, the loss
//! of the process, refusal, expiry, rollback, pruning. After each turn all laws hold.
//!
//! `PROPTEST_CASES` sets how many programs are tried; the default is small.

use std::sync::{Arc, LazyLock};

use codemode_conformance::fixtures::{Event, EventKind};
use codemode_conformance::harness::{Host, anna, id_of};
use codemode_conformance::laws::{Seen, check, check_growth};
use codemode_conformance::program::{Node, numbered, programs};
use codemode_runtime::store::Record;
use codemode_runtime::{ExecutionId, Outcome, PendingCall, Pick, Picks, Query, Runtime, Status};
use proptest::prelude::*;

use crate::cases::{config, seeds};
use crate::dial::{Dial, dialled};
use crate::homes::{homes, status};
use crate::kit::soon;

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

/// What somebody does, or what happens, between two passes.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// Some of what is pending is approved in one go; at least one call is.
    Approve(u8),
    /// The process is lost.
    Lost,
    /// Time goes by, in minutes.
    Wait(u8),
    /// What has waited for so many minutes is expired.
    Expire(u8),
    Reject(u8),
    Rollback,
    /// All but so many of those that have ended are removed.
    Prune(u8),
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = prop_oneof![
        10 => any::<u8>().prop_map(Turn::Approve),
        3 => Just(Turn::Lost),
        3 => (1..40_u8).prop_map(Turn::Wait),
        2 => (1..90_u8).prop_map(Turn::Expire),
        1 => any::<u8>().prop_map(Turn::Reject),
        1 => Just(Turn::Rollback),
        1 => (0..2_u8).prop_map(Turn::Prune),
    ];
    prop::collection::vec(turn, 1..14)
}

const MINUTE: u64 = 60_000;

/// An execution, and another one that waits in the same store and is none of its business.
struct Life<'a> {
    host: Host,
    dial: Arc<Dial>,
    runtime: Runtime,
    program: &'a Node,
    id: ExecutionId,
    bystander: ExecutionId,
    /// Whether the time of the other one was up.
    bystander_ended: bool,
    /// What was seen last; `None`: it was removed.
    seen: Option<(Record, Vec<Event>)>,
}

impl<'a> Life<'a> {
    async fn of(host: Host, program: &'a Node) -> Result<Self, String> {
        let (host, dial) = dialled(host.knowing(program));
        let runtime = host.runtime();
        let bystander = id_of(&runtime.execute("async () => t.gate({ id: 0 })").await.unwrap());
        let id = id_of(&soon(runtime.execute(program.to_code())).await.unwrap());
        let mut life = Self { host, dial, runtime, program, id, bystander, bystander_ended: false, seen: None };
        life.look()?;
        Ok(life)
    }

    /// Checks what there is to see now, also beside what was seen before.
    fn look(&mut self) -> Result<(), String> {
        let record = self.host.store.load(&self.id).unwrap().expect("it is there");
        let now = (record, self.host.ledger.events());
        let seen = |(record, events)| Seen { program: self.program, record, events, processes: 1 };
        let (record, events) = &now;
        check(&seen((record, events)))?;
        if let Some((before, before_events)) = &self.seen {
            check_growth(&seen((before, before_events)), &seen((record, events)))?;
        }
        self.seen = Some(now);
        Ok(())
    }

    fn status(&self) -> Status {
        self.seen.as_ref().expect("it is there").0.execution.status
    }

    fn pending(&self) -> Vec<PendingCall> {
        self.runtime.pending(Some(&self.id)).unwrap()
    }

    /// One turn, and whether it did what it must.
    async fn takes(&mut self, turn: Turn) -> Result<(), String> {
        let before = self.status();
        let must = |is: bool, what: &str| if is { Ok(()) } else { Err(format!("{turn:?} while {before}: {what}")) };
        match turn {
            Turn::Approve(some) => {
                let pending = self.pending();
                let picks = picked(&pending, some);
                let outcome = soon(self.runtime.approve(&self.id, picks, anna())).await.unwrap();
                let refused = matches!(outcome, Outcome::Failed { .. }) && before != Status::Paused;
                must(refused || before == Status::Paused, "something else than refused")?;
            }
            Turn::Lost => self.runtime = self.host.runtime(),
            Turn::Wait(minutes) => self.dial.pass(u64::from(minutes) * MINUTE),
            Turn::Expire(minutes) => self.expire(u64::from(minutes) * MINUTE).await?,
            Turn::Reject(which) => {
                let pending = self.pending();
                let Some(call) = pending.get(usize::from(which) % pending.len().max(1)) else { return Ok(()) };
                must(soon(self.runtime.reject(&self.id, call.seq, anna())).await.unwrap(), "it was pending")?;
                must(status(&self.runtime, &self.id) == Status::Rejected, "it was refused")?;
            }
            Turn::Rollback => {
                let report = soon(self.runtime.rollback(&self.id)).await.unwrap();
                must(report.left() == 0, "something is left")?;
                let expected = if report.reverted() > 0 { Status::RolledBack } else { before };
                must(report.status == Some(expected), &format!("{report:?}"))?;
            }
            Turn::Prune(keep) => {
                self.runtime.prune_executions(u32::from(keep)).unwrap();
                if before.is_terminal() && self.host.store.load(&self.id).unwrap().is_none() {
                    self.seen = None;
                    return Ok(());
                }
            }
        }
        self.look()
    }

    /// What is paused and old enough ends as rejected, and nothing else does.
    async fn expire(&mut self, age: u64) -> Result<(), String> {
        use codemode_runtime::clock::Clock as _;
        let now = self.dial.epoch_ms();
        let listed = self.runtime.executions(&Query::default()).unwrap();
        let stale = listed.iter().filter(|s| s.status == Status::Paused && now - s.updated_at >= age);
        let stale: Vec<ExecutionId> = stale.map(|s| s.id.clone()).collect();
        let expired = soon(self.runtime.expire_paused(age)).await.unwrap();
        self.bystander_ended |= expired.contains(&self.bystander);
        if expired == stale { Ok(()) } else { Err(format!("expired {expired:?}, not {stale:?}")) }
    }

    /// The other execution is as it was, unless its own time was up, and still ends as it must.
    async fn leaves_the_bystander(&self) -> Result<(), String> {
        let Some(record) = self.host.store.load(&self.bystander).unwrap() else {
            return if self.bystander_ended { Ok(()) } else { Err("what waited was removed".to_owned()) };
        };
        let its = |e: &Event| e.kind == EventKind::Performed && e.execution == self.bystander.as_str();
        let performed = self.host.ledger.events().iter().any(its);
        match record.execution.status {
            Status::Rejected if self.bystander_ended && !performed => Ok(()),
            Status::Paused if !performed => {
                let outcome = soon(self.runtime.approve(&self.bystander, Picks::AllPending, anna())).await.unwrap();
                let completed = matches!(outcome, Outcome::Completed { .. });
                if completed { Ok(()) } else { Err(format!("{outcome:?}")) }
            }
            other => Err(format!("the bystander became {other}, performed {performed}")),
        }
    }
}

/// Some of the pending calls, in an order that has nothing to do with theirs.
fn picked(pending: &[PendingCall], some: u8) -> Picks {
    let chosen = |at: usize| at == usize::from(some) % pending.len() || some & (1 << (at % 8)) != 0;
    let pick = |(_, p): (usize, &PendingCall)| Pick { seq: p.seq, digest: p.digest.clone() };
    let mut picks: Vec<Pick> = pending.iter().enumerate().filter(|(at, _)| chosen(*at)).map(pick).collect();
    if some.is_multiple_of(2) {
        picks.reverse();
    }
    Picks::These(picks)
}

async fn lives(host: Host, program: &Node, turns: &[Turn]) -> Result<(), String> {
    let mut life = Life::of(host, program).await?;
    let mut removed = false;
    for turn in turns {
        life.takes(*turn).await?;
        if life.seen.is_none() {
            removed = true;
            break;
        }
    }
    // What nobody ended is approved to its end.
    while !removed && life.status() == Status::Paused {
        life.takes(Turn::Approve(u8::MAX)).await?;
    }
    life.leaves_the_bystander().await
}

proptest! {
    #![proptest_config(config(seeds!("durability-turns"), 48))]

    /// Covers WEAK-15, WEAK-36, PRUNE-04.
    #[test]
    fn whatever_people_and_time_do_to_a_program_the_laws_hold(
        program in programs(),
        turns in turns(),
        which in 0..2_usize,
    ) {
        let program = numbered(program);
        let [memory, file] = homes();
        let home = if which == 0 { &memory } else { &file };
        RUNTIME.block_on(lives(home.host(), &program, &turns)).map_err(TestCaseError::fail)?;
    }
}
