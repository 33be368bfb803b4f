//! The two stores against each other: whatever is done to both, in whatever order, both say the same and keep the same.
//! The store in memory is short enough to be read as the meaning of the other.
//!
//! `PROPTEST_CASES` sets how many stories are tried; the default takes seconds.

use codemode_conformance::store_suite::samples::{self, execution};
use codemode_runtime::durable::execution::Status;
use codemode_runtime::durable::id::{ExecutionId, OwnerId, Token, Version};
use codemode_runtime::durable::snippet::Snippet;
use codemode_runtime::durable::write::{Scope, StateKey, StateRead, Write};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::store::{Attention, Barrier, Query, StateLock, StateQuery, Store, StoreError};
use proptest::prelude::*;

use super::cases::{config, seeds};
use super::drafts::{Draft, KEYS, arb_drafts, arb_place};
use super::sqlite;

/// The tiny universe: so few of each that they meet all the time.
const IDS: u64 = 4;
const OWNERS: u64 = 6;
const SNIPPETS: [&str; 3] = ["a", "a%", "ä"];
const CONNECTORS: [&str; 3] = ["shelf", "../x", "ä"];

/// A token or a version that somebody names.
#[derive(Clone, Copy, Debug)]
enum Named {
    Current,
    Fixed(u64),
}

#[derive(Clone, Debug)]
enum Step {
    Begin { id: u64, drafts: Vec<Draft>, barrier: Barrier },
    Append { id: u64, token: Named, drafts: Vec<Draft>, barrier: Barrier },
    Commit { id: u64, version: Named, drafts: Vec<Draft> },
    Prune { keep: u32 },
    Lock { connector: &'static str },
    Unlock,
    Claim,
    Release { owner: u64 },
    Save { snippet: Snippet },
    Forget { name: &'static str },
    Look { query: Query },
    Keys { execution: Option<u64>, prefix: &'static str, after: Option<&'static str>, limit: u32 },
    Reopen,
}

fn arb_named() -> impl Strategy<Value = Named> {
    prop_oneof![5 => Just(Named::Current), 1 => (0..9u64).prop_map(Named::Fixed)]
}

fn arb_query() -> impl Strategy<Value = Query> {
    let full = |n: u64| samples::id(n).as_str().to_owned();
    let prefix = prop_oneof![
        (0..=IDS).prop_map(full),
        Just("exec".to_owned()),
        Just(String::new()),
        Just("%".to_owned()),
        (1..30usize).prop_map(move |cut| full(1).chars().take(cut).collect()),
    ];
    let idle = prop_oneof![0..10_000u64, Just(u64::MAX)];
    let attention = prop_oneof![Just(Attention::Unresolved), Just(Attention::NotReverted)];
    (
        prop::option::of(prop::sample::select(&Status::ALL[..])),
        prop::option::weighted(0.3, prefix),
        prop::option::weighted(0.4, (0..=IDS).prop_map(samples::id)),
        prop::option::weighted(0.4, idle),
        prop::option::weighted(0.4, attention),
        prop::option::weighted(0.4, 0..4u32),
    )
        .prop_map(|(status, id_prefix, before, idle_since, attention, limit)| Query {
            status,
            id_prefix,
            before,
            idle_since,
            attention,
            limit,
        })
}

fn arb_snippet() -> impl Strategy<Value = Snippet> {
    let text = || prop_oneof![Just(String::new()), Just("a\0b".to_owned())];
    let schema = prop::option::of(Just("{\"type\":\"object\"}".to_owned()));
    (prop::sample::select(&SNIPPETS[..]), text(), schema, 0..9u64, prop::collection::vec("[a-c]", 0..3)).prop_map(
        |(name, description, input_schema, saved_at, connectors)| Snippet {
            name: name.to_owned(),
            code: format!("async () => {description:?}"),
            description,
            saved_at,
            input_schema,
            connectors,
        },
    )
}

fn arb_step() -> impl Strategy<Value = Step> {
    let barrier = || prop_oneof![Just(Barrier::Now), Just(Barrier::Later)];
    let key = || prop::option::of(prop::sample::select(&KEYS[..]));
    prop_oneof![
        6 => (0..IDS, arb_drafts(), barrier()).prop_map(|(id, drafts, barrier)| Step::Begin { id, drafts, barrier }),
        16 => (0..IDS, arb_named(), arb_drafts(), barrier())
            .prop_map(|(id, token, drafts, barrier)| Step::Append { id, token, drafts, barrier }),
        12 => (0..IDS, arb_named(), arb_drafts()).prop_map(|(id, version, drafts)| Step::Commit { id, version, drafts }),
        2 => (0..4u32).prop_map(|keep| Step::Prune { keep }),
        1 => prop::sample::select(&CONNECTORS[..]).prop_map(|connector| Step::Lock { connector }),
        1 => Just(Step::Unlock),
        1 => Just(Step::Claim),
        1 => (0..OWNERS).prop_map(|owner| Step::Release { owner }),
        1 => arb_snippet().prop_map(|snippet| Step::Save { snippet }),
        1 => prop::sample::select(&SNIPPETS[..]).prop_map(|name| Step::Forget { name }),
        5 => arb_query().prop_map(|query| Step::Look { query }),
        2 => (prop::option::of(0..=IDS), prop::sample::select(&["", "a", "a%", "c"][..]), key(), 0..4u32)
            .prop_map(|(execution, prefix, after, limit)| Step::Keys { execution, prefix, after, limit }),
        1 => Just(Step::Reopen),
    ]
}

/// The two stores, which owners live in this process, and whose turns it has.
struct Pair {
    memory: MemoryStore,
    file: Option<SqliteStore>,
    folder: tempfile::TempDir,
    claimed: Vec<OwnerId>,
    turns: Vec<(StateLock, StateLock)>,
}

impl Pair {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pair = Self { memory: MemoryStore::new(), file: None, folder, claimed: Vec::new(), turns: Vec::new() };
        pair.reopen();
        pair
    }

    /// As the next process would. Owners and turns end with a process.
    fn reopen(&mut self) {
        self.turns.clear();
        self.file = None;
        self.claimed.drain(..).for_each(|owner| self.memory.release_owner(owner));
        self.file = Some(sqlite(&self.folder.path().join("store.db")));
    }

    fn file(&self) -> &SqliteStore {
        self.file.as_ref().expect("it is open")
    }

    fn current(&self, id: &ExecutionId) -> (Token, Version) {
        let record = self.memory.load(id).expect("reads");
        record.map_or((Token(1), Version(1)), |r| (r.execution.token, r.execution.version))
    }

    /// The writes that were meant, in the light of what is there.
    fn writes(&self, id: &ExecutionId, drafts: Vec<Draft>) -> Vec<Write> {
        let version = |at: &StateKey| {
            let execution = (at.scope == Scope::Execution).then_some(id);
            self.memory.state(&at.connector, execution, &at.key).expect("reads").map_or(0, |v| v.version)
        };
        let hooks = self.memory.load(id).expect("reads").map_or(Vec::new(), |r| r.hooks);
        let write = |draft| match draft {
            Draft::Write(write) => *write,
            Draft::ExpectNow(at) => Write::Expect(StateRead { version: version(&at), at }),
            Draft::HookDone(n) => Write::HookDone { id: hooks.get(n).map_or(99, |h| h.id) },
        };
        drafts.into_iter().map(write).collect()
    }

    fn append(
        &self,
        id: &ExecutionId,
        token: Token,
        writes: Vec<Write>,
        barrier: Barrier,
    ) -> Result<(), TestCaseError> {
        let expected = self.memory.append(id, token, writes.clone(), barrier).wait();
        // Of what nobody waits for, a refusal is only heard of later.
        let barrier = if expected.is_err() { Barrier::Now } else { barrier };
        let outcome = self.file().append(id, token, writes, barrier).wait();
        prop_assert_eq!(kind(outcome), kind(expected));
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Begin { id, drafts, barrier } => {
                let id = samples::id(id);
                let mut writes = self.writes(&id, drafts);
                writes.insert(0, Write::Begin(Box::new(execution(&id))));
                self.append(&id, Token(77), writes, barrier)?;
            }
            Step::Append { id, token, drafts, barrier } => {
                let id = samples::id(id);
                let token = if let Named::Fixed(token) = token { Token(token) } else { self.current(&id).0 };
                self.append(&id, token, self.writes(&id, drafts), barrier)?;
            }
            Step::Commit { id, version, drafts } => {
                let id = samples::id(id);
                let version = if let Named::Fixed(version) = version { Version(version) } else { self.current(&id).1 };
                let writes = self.writes(&id, drafts);
                let expected = self.memory.commit(&id, version, writes.clone());
                prop_assert_eq!(kind(self.file().commit(&id, version, writes)), kind(expected));
            }
            Step::Prune { keep } => {
                let expected = self.memory.prune(keep);
                prop_assert_eq!(&self.file().prunable(keep), &expected);
                prop_assert_eq!(self.file().prune(keep), expected);
            }
            Step::Lock { connector } => {
                let turns = (self.file().try_lock_state(connector), self.memory.try_lock_state(connector));
                match turns {
                    (Ok(Some(file)), Ok(Some(memory))) => self.turns.push((file, memory)),
                    (file, memory) => {
                        prop_assert!(matches!((&file, &memory), (Ok(None), Ok(None))), "{file:?} {memory:?}")
                    }
                }
            }
            Step::Unlock => drop(self.turns.pop()),
            Step::Claim => {
                let owner = self.memory.claim_owner();
                prop_assert_eq!(&self.file().claim_owner(), &owner);
                self.claimed.extend(owner);
            }
            Step::Release { owner } => {
                self.memory.release_owner(OwnerId(owner));
                self.file().release_owner(OwnerId(owner));
            }
            Step::Save { snippet } => {
                prop_assert_eq!(self.file().save_snippet(&snippet), self.memory.save_snippet(&snippet));
            }
            Step::Forget { name } => {
                prop_assert_eq!(self.file().delete_snippet(name), self.memory.delete_snippet(name));
            }
            Step::Look { query } => prop_assert_eq!(self.file().list(&query), self.memory.list(&query)),
            Step::Keys { execution, prefix, after, limit } => {
                let execution = execution.map(samples::id);
                let query = StateQuery { connector: "shelf", execution: execution.as_ref(), prefix, after, limit };
                prop_assert_eq!(self.file().state_keys(&query), self.memory.state_keys(&query));
            }
            Step::Reopen => self.reopen(),
        }
        self.same()
    }

    /// Everything that can be asked of them.
    fn same(&self) -> Result<(), TestCaseError> {
        let (file, memory) = (self.file(), &self.memory);
        let ids: Vec<ExecutionId> = (0..IDS).map(samples::id).collect();
        for id in &ids {
            prop_assert_eq!(file.load(id), memory.load(id));
        }
        prop_assert_eq!(file.list(&Query::default()), memory.list(&Query::default()));
        prop_assert_eq!(file.owned(), memory.owned());
        prop_assert_eq!(file.unresolved(), memory.unresolved());
        prop_assert_eq!(file.consented(), memory.consented());
        for owner in (0..OWNERS).map(OwnerId) {
            prop_assert_eq!(file.cancelled(owner), memory.cancelled(owner));
            prop_assert_eq!(file.owner_is_alive(owner), memory.owner_is_alive(owner));
        }
        for execution in ids.iter().map(Some).chain([None]) {
            for key in KEYS {
                prop_assert_eq!(file.state("shelf", execution, key), memory.state("shelf", execution, key));
            }
        }
        for name in SNIPPETS {
            prop_assert_eq!(file.snippet(name), memory.snippet(name));
        }
        prop_assert_eq!(file.snippets(), memory.snippets());
        prop_assert_eq!(file.snippet_labels(), memory.snippet_labels());
        Ok(())
    }
}

/// The errors' words may differ where they are for people only.
fn kind<T>(result: Result<T, StoreError>) -> Result<T, &'static str> {
    result.map_err(|error| error.code())
}

proptest! {
    #![proptest_config(config(seeds!("store"), 200))]

    #[test]
    fn both_stores_do_the_same(steps in prop::collection::vec(arb_step(), 1..40)) {
        let mut pair = Pair::new();
        for step in steps {
            pair.step(step)?;
        }
        let mut findings = pair.file().integrity_check().expect("checks");
        // What is drawn need not make sense; but the file is whole, and nothing belongs to what is not there.
        let whole = ["file: ", "schema: ", "meta: ", "does not exist", "lacks lines", "cannot be read back"];
        findings.retain(|finding| whole.iter().any(|word| finding.contains(word)));
        prop_assert_eq!(findings, Vec::<String>::new());
    }
}

/// The drafts reach every kind of write, so that none is compared in vain.
#[test]
fn every_kind_of_write_is_drawn() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut drawn = std::collections::BTreeSet::new();
    for _ in 0..2_000 {
        let drafts = arb_drafts().new_tree(&mut runner).expect("drafts").current();
        drawn.extend(drafts.iter().map(Draft::kind));
    }
    let places = arb_place().new_tree(&mut runner).expect("a place").current();
    assert!(KEYS.contains(&places.key.as_str()));
    let all = [
        "Answered",
        "Asked",
        "Begin",
        "Cancel",
        "Decided",
        "Delete",
        "Delivered",
        "Expect",
        "HookDone",
        "HookDue",
        "Logged",
        "Moved",
        "Owned",
        "Prune",
        "Require",
        "Resolved",
        "Reverted",
        "State",
        "Sweep",
        "TimerLeft",
    ];
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), all);
}
