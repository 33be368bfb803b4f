//! Executions and journals drawn at random, and what writes make of them: for properties of the rules.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::execution::{Determinism, Execution, REPLAY_VERSION, Start, Status};
use super::failure::{EffectState, Failure};
use super::finish::HookWish;
use super::id::{ExecutionId, Op, OwnerId, Seq, Token};
use super::journal::{
    Answer, Decision, Effect, Entry, EntryState, Reach, Repeatable, Request, Resolution, RevertAttempt, Terms, Verdict,
};
use super::replay::testing;
use super::write::{HookKind, Move, Write};

/// A case that failed is drawn again from its seed, which the failure prints; nothing is written beside the sources.
pub(super) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

pub(super) fn decision() -> Decision {
    Decision { actor: "anna".into(), channel: "test".into(), reason: None, at: 9 }
}

pub(super) fn effect_state() -> impl Strategy<Value = EffectState> {
    prop_oneof![Just(EffectState::None), Just(EffectState::Possible), Just(EffectState::Happened)]
}

pub(super) fn failure() -> impl Strategy<Value = Failure> {
    effect_state().prop_map(|effect| Failure::new("internal", "it failed").with_effect(effect))
}

pub(super) fn status() -> impl Strategy<Value = Status> {
    (0..Status::ALL.len()).prop_map(|n| Status::ALL[n])
}

pub(super) fn terms() -> impl Strategy<Value = Terms> {
    let effect = prop_oneof![Just(Effect::Unknown), Just(Effect::ReadOnly), Just(Effect::Write)];
    let repeatable = prop_oneof![Just(Repeatable::No), Just(Repeatable::WithKey), Just(Repeatable::Always)];
    let reach = prop_oneof![3 => Just(Reach::Outside), 1 => Just(Reach::StateOnly)];
    (effect, repeatable, reach).prop_map(|(effect, repeatable, reach)| Terms {
        effect,
        repeatable,
        reach,
        ..Terms::default()
    })
}

fn request() -> impl Strategy<Value = Request> {
    let call = |n: u8| Request::Call { connector: format!("c{n}"), method: "m".into(), args: None };
    prop_oneof![
        6 => (0..3_u8).prop_map(call),
        1 => Just(Request::Step { name: "s".into() }),
        1 => Just(Request::Sleep { ms: 5 }),
    ]
}

/// One entry in any state, with what belongs to that.
pub(super) fn entry() -> impl Strategy<Value = Entry> {
    let state = (0..EntryState::ALL.len()).prop_map(|n| EntryState::ALL[n]);
    let of = prop_oneof![
        Just(EntryState::Applied),
        Just(EntryState::Failed),
        Just(EntryState::Unrecordable),
        Just(EntryState::Unknown)
    ];
    let tried = option::of((1..4_u32, option::of(failure())));
    (request(), terms(), state, of, tried, failure(), 0..3_u32, any::<bool>()).prop_map(
        |(request, terms, state, of, tried, failure, attempt, decided)| {
            let undoing = matches!(state, EntryState::Reverting | EntryState::Reverted);
            let from = if undoing { of } else { state };
            let answer: Option<Answer> = match from {
                EntryState::Applied => Some(Ok(None)),
                // What failed without an effect is never undone.
                EntryState::Failed if undoing => Some(Err(failure.with_effect(EffectState::Possible))),
                EntryState::Failed => Some(Err(failure)),
                _ => None,
            };
            let revert = match tried {
                Some((number, failure)) => Some(RevertAttempt { from, number, failure, at: 1 }),
                None => undoing.then_some(RevertAttempt { from, number: 1, failure: None, at: 1 }),
            };
            let decision = decided.then(decision);
            Entry { terms, state, answer, revert, attempt, decision, ..testing::entry(request) }
        },
    )
}

/// A journal: entries by op, calls and steps numbered.
pub(super) fn journal() -> impl Strategy<Value = Vec<Entry>> {
    vec(entry(), 0..8).prop_map(|mut entries| {
        let (mut op, mut seq) = (0, 0);
        for entry in &mut entries {
            entry.op = Op(op);
            op += 1;
            if entry.seq.is_some() {
                entry.seq = Some(Seq(seq));
                seq += 1;
            }
        }
        entries
    })
}

pub(super) fn execution() -> impl Strategy<Value = Execution> {
    (status(), 1..5_u32, 1..9_u64, option::of(1..4_u64)).prop_map(|(status, pass, token, owner)| {
        let start = Start {
            id: ExecutionId::from_text("exec_1"),
            code: String::new(),
            input: None,
            namespaces: Vec::new(),
            executor: String::new(),
            replay_version: REPLAY_VERSION,
            determinism: Determinism::Recorded,
            seed: [0; 32],
            created_at: 1,
        };
        let (token, owner) = (Token(token), owner.map(OwnerId));
        Execution { status, pass, token, owner, ..Execution::begin(start, OwnerId(1)) }
    })
}

pub(super) fn wishes() -> impl Strategy<Value = Vec<HookWish>> {
    let kinds = prop_oneof![
        Just(vec![]),
        Just(vec![HookKind::PassEnded]),
        Just(vec![HookKind::ExecutionEnded]),
        Just(vec![HookKind::PassEnded, HookKind::ExecutionEnded])
    ];
    vec(kinds, 0..4).prop_map(|kinds| {
        let wish = |(n, kinds): (usize, Vec<HookKind>)| HookWish { connector: format!("c{n}"), kinds };
        kinds.into_iter().enumerate().map(wish).collect()
    })
}

/// That hook for each that wishes for it, as kind and connector.
pub(super) fn wanting(wishes: &[HookWish], kind: HookKind) -> Vec<(HookKind, String)> {
    wishes.iter().filter(|w| w.kinds.contains(&kind)).map(|w| (kind, w.connector.clone())).collect()
}

/// The hooks that writes make due, as kind and connector.
pub(super) fn due(writes: &[Write]) -> Vec<(HookKind, String)> {
    let hook = |w: &Write| if let Write::HookDue(h) = w { Some((h.kind, h.connector.clone())) } else { None };
    writes.iter().filter_map(hook).collect()
}

/// The only move among writes.
pub(super) fn moved(writes: &[Write]) -> &Move {
    let moves: Vec<&Move> =
        writes.iter().filter_map(|w| if let Write::Moved(m) = w { Some(&**m) } else { None }).collect();
    assert_eq!(moves.len(), 1, "{writes:?}");
    moves[0]
}

/// The journal after what the rules of this folder write about entries.
pub(super) fn after(mut entries: Vec<Entry>, writes: &[Write]) -> Vec<Entry> {
    for write in writes {
        for entry in &mut entries {
            match write {
                Write::Answered { op, from, state, answer, .. } if *op == entry.op && from.contains(&entry.state) => {
                    (entry.state, entry.answer) = (*state, answer.clone());
                }
                Write::Sweep { from, to, .. } if from.contains(&entry.state) => entry.state = *to,
                Write::Reverted { op, state, revert } if *op == entry.op => {
                    (entry.state, entry.revert) = (*state, Some(revert.clone()));
                }
                Write::Resolved { op, state, answer, consent, resolution }
                    if *op == entry.op && entry.state == EntryState::Unknown =>
                {
                    (entry.state, entry.answer, entry.decision) = (*state, answer.clone(), consent.clone());
                    entry.resolution = Some(Resolution { ..resolution.clone() });
                }
                _ => {}
            }
        }
    }
    entries
}

/// What people say, in one word.
pub(super) fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Retry), Just(Verdict::Applied), Just(Verdict::Failed)]
}
