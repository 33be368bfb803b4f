//! Programs without JavaScript: chains of asks that run side by side, as `Promise.all` and `Promise.race` over async
//! functions do. What a chain asks for depends on nothing but what was delivered to it before.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::durable::journal::{Approval, Effect, Reach, Repeatable, ReplayPolicy, Request, Terms};
use crate::durable::value::{Json, ValueLimits};

/// What a call is, as its connector declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    /// Performed again in each pass.
    Live,
    Write,
    /// A write for which a person is asked.
    Gated,
    /// A write that may be repeated with its key.
    Keyed,
    /// A write to the connector's own state.
    Own,
    /// A read that fails.
    Failing,
    /// The catalogue has no such method.
    Missing,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Read, Self::Live, Self::Write, Self::Gated, Self::Keyed, Self::Own, Self::Failing, Self::Missing];

    pub(crate) fn terms(self) -> Terms {
        let read = Terms { effect: Effect::ReadOnly, ..Terms::default() };
        let write = Terms { effect: Effect::Write, contract: "c".into(), ..Terms::default() };
        match self {
            Self::Read | Self::Failing | Self::Missing => read,
            Self::Live => Terms { replay: ReplayPolicy::Reexecute, ..read },
            Self::Write => write,
            Self::Gated => Terms { approval: Approval::Required, ..write },
            Self::Keyed => Terms { repeatable: Repeatable::WithKey, ..write },
            Self::Own => Terms { reach: Reach::StateOnly, ..write },
        }
    }

    /// Whether it must happen in the world outside, once.
    pub(crate) fn has_effect(self) -> bool {
        matches!(self, Self::Write | Self::Gated | Self::Keyed)
    }
}

/// One thing that a chain does; the number tells it from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Call(u32, Kind),
    /// A step whose closure returns at once.
    Step(u32),
    /// A step whose closure calls that and returns what it got.
    Asking(u32, Kind),
    Sleep(u32),
    /// A timer that is taken back at once.
    Cancelled(u32),
    Search(u32),
}

/// When the promise of the whole code settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settles {
    /// When the last chain ends.
    Last,
    /// When the first chain does; the others are left behind.
    First,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) chains: Vec<Vec<Act>>,
    pub(crate) settles: Settles,
}

pub(crate) fn call(id: u32, kind: Kind) -> Request {
    let args = Some(Json::from_plain(&format!("{{\"id\":{id}}}"), &ValueLimits::default()).unwrap());
    Request::Call { connector: "t".into(), method: format!("{kind:?}"), args }
}

impl Program {
    /// Gives each act its number.
    fn of(mut chains: Vec<Vec<Act>>, settles: Settles) -> Self {
        let mut next = 0;
        for act in chains.iter_mut().flatten() {
            next += 1;
            let (Act::Call(id, _)
            | Act::Step(id)
            | Act::Asking(id, _)
            | Act::Sleep(id)
            | Act::Cancelled(id)
            | Act::Search(id)) = act;
            *id = next;
        }
        Self { chains, settles }
    }

    /// The calls in it.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (u32, Kind)> {
        self.chains.iter().flatten().filter_map(|act| match *act {
            Act::Call(id, kind) | Act::Asking(id, kind) => Some((id, kind)),
            _ => None,
        })
    }

    /// How many asks it makes.
    pub(crate) fn asks(&self) -> usize {
        self.chains.iter().flatten().map(|act| if matches!(act, Act::Asking(..)) { 2 } else { 1 }).sum()
    }

    /// What each chain is given from beginning to end, where nothing disturbs it.
    pub(crate) fn heard(&self) -> Vec<Vec<String>> {
        let heard = |act: &Act| match *act {
            Act::Call(id, kind) => vec![answer(id, kind)],
            Act::Asking(id, kind) => vec![answer(id, kind); 2],
            Act::Step(id) => vec![format!("step {id}")],
            Act::Search(id) => vec![format!("found {id}")],
            Act::Sleep(_) => vec!["nothing".to_owned()],
            Act::Cancelled(_) => Vec::new(),
        };
        self.chains.iter().map(|chain| chain.iter().flat_map(heard).collect()).collect()
    }
}

/// What the world answers to a call.
pub(crate) fn answer(id: u32, kind: Kind) -> String {
    match kind {
        Kind::Failing => format!("failed {id}"),
        Kind::Missing => "failed missing".to_owned(),
        Kind::Live => "live".to_owned(),
        _ => format!("done {id}"),
    }
}

pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let kind = || (0..Kind::ALL.len()).prop_map(|n| Kind::ALL[n]);
    let act = prop_oneof![
        8 => kind().prop_map(|kind| Act::Call(0, kind)),
        2 => Just(Act::Step(0)),
        2 => kind().prop_map(|kind| Act::Asking(0, kind)),
        1 => Just(Act::Sleep(0)),
        1 => Just(Act::Cancelled(0)),
        1 => Just(Act::Search(0)),
    ];
    let settles = prop_oneof![3 => Just(Settles::Last), 1 => Just(Settles::First)];
    (vec(vec(act, 1..5), 1..5), settles).prop_map(|(chains, settles)| Program::of(chains, settles))
}
