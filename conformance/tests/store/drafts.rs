//! Random writes of every kind, over few entries, keys, owners and times.

use codemode_conformance::store_suite::samples::{
    self, all_kinds, answered, asked, decision, entry, execution, json, moved, pending,
};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::id::{Op, OwnerId, Token};
use codemode_runtime::durable::journal::{Delivery, EntryState, Resolution, RevertAttempt, Verdict};
use codemode_runtime::durable::write::{Hook, HookKind, Scope, StateKey, StateRead, StateWrite, Write};
use proptest::prelude::*;

/// The keys of connector state.
pub(super) const KEYS: [&str; 3] = ["a", "a%", "b"];

/// A write, or one that depends on what is there.
#[derive(Clone, Debug)]
pub(super) enum Draft {
    Write(Box<Write>),
    /// Expects what is really there.
    ExpectNow(StateKey),
    /// The hook of that place in the list of those that are due.
    HookDone(usize),
}

impl Draft {
    /// The name of the kind of write that it becomes.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::Write(write) => {
                let text = format!("{write:?}");
                text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_owned()
            }
            Self::ExpectNow(_) => "Expect".to_owned(),
            Self::HookDone(_) => "HookDone".to_owned(),
        }
    }
}

/// A few for one batch.
pub(super) fn arb_drafts() -> impl Strategy<Value = Vec<Draft>> {
    prop::collection::vec(arb_draft(), 0..5)
}

/// A key of either scope.
pub(super) fn arb_place() -> impl Strategy<Value = StateKey> {
    (prop_oneof![Just(Scope::Connector), Just(Scope::Execution)], prop::sample::select(&KEYS[..]))
        .prop_map(|(scope, key)| StateKey { connector: "shelf".to_owned(), scope, key: key.to_owned() })
}

fn arb_draft() -> impl Strategy<Value = Draft> {
    let write = |write| Draft::Write(Box::new(write));
    prop_oneof![
        20 => arb_of_entry().prop_map(write),
        12 => arb_of_execution().prop_map(write),
        4 => (arb_place(), prop::option::of(0..9u8)).prop_map(move |(at, value)| {
            write(Write::State(StateWrite { at, value: value.map(|v| vec![v]) }))
        }),
        1 => (arb_place(), 0..6u64).prop_map(move |(at, version)| write(Write::Expect(StateRead { at, version }))),
        2 => arb_place().prop_map(Draft::ExpectNow),
        2 => (0..3usize).prop_map(Draft::HookDone),
    ]
}

fn arb_states() -> impl Strategy<Value = &'static [EntryState]> {
    prop_oneof![
        Just(&[EntryState::Executing][..]),
        Just(&[EntryState::Executing, EntryState::Unknown, EntryState::Pending][..]),
        Just(&[EntryState::Applied, EntryState::Reverting, EntryState::Withdrawn][..]),
        Just(&EntryState::ALL[..]),
        Just(&[][..]),
    ]
}

fn arb_state() -> impl Strategy<Value = EntryState> {
    prop::sample::select(&EntryState::ALL[..])
}

fn arb_revert() -> impl Strategy<Value = RevertAttempt> {
    let failure = prop::option::of(Just(Failure::new("x", "a \"failure\": why")));
    (arb_state(), 1..3u32, failure, 0..9_999u64).prop_map(|(from, number, failure, at)| RevertAttempt {
        from,
        number,
        failure,
        at,
    })
}

/// What happens to an entry.
fn arb_of_entry() -> impl Strategy<Value = Write> {
    let op = || (0..6u32).prop_map(Op);
    let at = || 0..9_999u64;
    let verdict = prop::sample::select(&[Verdict::Retry, Verdict::Applied, Verdict::Failed][..]);
    prop_oneof![
        6 => (op(), 0..10usize, prop::option::of(arb_state())).prop_map(|(op, kind, state)| {
            let mut new = all_kinds().get(kind).cloned().unwrap_or_else(|| pending(op.0));
            (new.op, new.state) = (op, state.unwrap_or(new.state));
            asked(new)
        }),
        3 => (op(), at()).prop_map(|(op, at)| answered(op.0, "[1]", at)),
        2 => (op(), arb_states(), arb_state(), at()).prop_map(|(op, from, state, at)| Write::Answered {
            op, from, state, answer: None, rerun: entry(op.0).rerun, at, event: None,
        }),
        1 => (op(), arb_states()).prop_map(|(op, states)| Write::Require { op, states }),
        2 => (op(), 0..9u32).prop_map(|(op, place)| Write::Delivered { op, delivery: Delivery { place, now: 5 } }),
        1 => op().prop_map(|op| Write::TimerLeft { op, remaining_ms: 3 }),
        2 => (op(), at()).prop_map(|(op, at)| Write::Decided { op, decision: decision(at) }),
        1 => (arb_states(), arb_state(), at()).prop_map(|(from, to, at)| Write::Sweep { from, to, at }),
        2 => (op(), arb_state(), arb_revert()).prop_map(|(op, state, revert)| Write::Reverted { op, state, revert }),
        2 => (op(), arb_state(), verdict, prop::option::of(0..2u8), prop::option::of(at()), at()).prop_map(
            |(op, state, verdict, answer, consent, at)| Write::Resolved {
                op,
                state,
                answer: answer.map(|n| if n == 0 { Ok(Some(json("\"said\""))) } else { Err(Failure::new("x", "y")) }),
                consent: consent.map(decision),
                resolution: Resolution { verdict, decision: decision(at) },
            }
        ),
    ]
}

/// What happens to an execution.
fn arb_of_execution() -> impl Strategy<Value = Write> {
    let at = 0..9_999u64;
    let status = || prop::sample::select(&Status::ALL[..]);
    let hook = (0..4u32, status(), prop_oneof![Just(HookKind::PassEnded), Just(HookKind::ExecutionEnded)]);
    prop_oneof![
        8 => (status(), 1..4u64, at).prop_map(|(status, token, at)| moved(status, token, at)),
        3 => (1..4u64, prop::option::of(0..6u64))
            .prop_map(|(token, owner)| Write::Owned { token: Token(token), owner: owner.map(OwnerId) }),
        2 => Just(Write::Cancel),
        2 => (0..3u32).prop_map(|keep| Write::Prune { keep }),
        2 => prop::collection::vec("[a\0]{0,2}", 0..3).prop_map(|lines| Write::Logged { lines }),
        2 => hook.prop_map(|(pass, status, kind)| {
            Write::HookDue(Hook { id: 0, kind, connector: "shelf".to_owned(), pass, status })
        }),
        1 => (0..3u64).prop_map(|n| Write::Begin(Box::new(execution(&samples::id(n))))),
        1 => Just(Write::Delete),
    ]
}
