//! Plays a script: does what it says, as far as it is not done yet, and says each time something is done.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use codemode_conformance::fixtures::{EventKind, Ledger};
use codemode_conformance::harness::anna;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::durable::journal::{Entry, EntryState};
use codemode_runtime::durable::rollback::Undone;
use codemode_runtime::store::sqlite::SqliteStore;
use codemode_runtime::store::{Query, Record};
use codemode_runtime::{
    Limits, Outcome, PendingCall, Pick, Picks, Recovered, Resolved, Runtime, SaveSnippet, Seq, Status, UnresolvedCall,
    Word,
};
use serde_json::{Value, json};

use crate::child::options;
use crate::outside::{self, answer, has};
use crate::parts;
use crate::points::Said;
use crate::script::{Absent, Act, First, Script};
use crate::seam::Seam;
use crate::watched::Watched;

/// A process that plays a script.
pub(crate) struct Player {
    script: &'static Script,
    ledger: Arc<Ledger>,
    /// Whether the store is still open.
    store: Weak<()>,
    runtime: Runtime,
    said: Said,
}

impl Player {
    pub(crate) fn new(script: &'static Script, folder: &Path, said: Said) -> Self {
        let ledger = outside::ledger(folder);
        let store = SqliteStore::open(folder.join("store.db"), options()).expect("the store opens");
        let store = Arc::new(Watched::new(store, said.clone()));
        let mut limits = Limits::default();
        (script.limits)(&mut limits);
        let mut builder = Runtime::builder().store(store.clone()).executor(parts::executor()).limits(limits);
        for part in script.parts {
            let (name, connector) = part.connector(&ledger);
            builder = builder.connector(name, Arc::new(Seam(connector)));
        }
        Self { script, ledger, store: store.open(), runtime: builder.build().expect("a runtime"), said }
    }

    /// Ends as a process does: nothing works on when this is done.
    pub(crate) async fn close(self) {
        let Self { store, runtime, .. } = self;
        drop(runtime);
        for _ in 0..10_000 {
            if store.strong_count() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("somebody still holds the store");
    }

    pub(crate) fn say(&self, line: Value) {
        self.said.say(line);
    }

    /// Everything that the script says, from an act on.
    pub(crate) async fn acts(&self, from: usize) {
        for (at, act) in self.script.acts.iter().enumerate().skip(from) {
            let fact = self.act(act).await;
            self.say(json!({ "done": at, "fact": fact }));
        }
    }

    pub(crate) async fn go_on(&self, done: usize) {
        let open = self.open();
        match self.script.first {
            First::Recover | First::RecoverTwice => self.recover().await,
            First::RecoverPasses => {
                for record in self.all().iter().filter(|r| r.execution.status == Status::Running) {
                    self.runtime.recover_one(record.execution.id()).await.expect("the host works");
                }
            }
            First::Nothing => {}
        }
        self.settle(&open).await;
        self.acts(done).await;
        self.settle(&open).await;
        // What nobody touched is at rest in the end.
        self.recover().await;
    }

    /// The keys of what other processes left open. What this one performs has an answer of its own.
    fn open(&self) -> BTreeSet<String> {
        let mut open = BTreeSet::new();
        for record in self.all() {
            let left = record.entries.iter().filter(|e| matches!(e.state, EntryState::Executing | EntryState::Unknown));
            open.extend(left.filter_map(|e| Some(Entry::idempotency_key(record.execution.id(), e.seq?))));
        }
        open
    }

    async fn recover(&self) {
        for (id, recovered) in self.runtime.recover().await.expect("the store answers") {
            let fact = match recovered {
                Recovered::Resumed(outcome) => fact_of(&outcome),
                Recovered::Finished(status) => json!({ "id": id.as_str(), "finished": status.as_str() }),
                other => panic!("{id} is not recovered: {other:?}"),
            };
            self.say(json!({ "recovered": id.as_str(), "fact": fact }));
        }
    }

    /// As hosts do that all start at the same moment.
    pub(crate) async fn recover_many_times(&self) {
        let ids: Vec<_> = self.all().iter().map(|r| r.execution.id().clone()).collect();
        let times = ids.iter().flat_map(|id| (0..20).map(move |_| self.runtime.recover_one(id)));
        for recovered in futures_util::future::join_all(times).await {
            recovered.expect("whoever is second is told nothing, or waits");
        }
        self.recover().await;
    }

    /// Says of each call in doubt what the ledger says.
    async fn settle(&self, open: &BTreeSet<String>) {
        let mut settled = BTreeSet::new();
        loop {
            let doubts = self.runtime.unresolved(None).expect("the store answers");
            let mut doubts = doubts.into_iter().filter(|d| open.contains(&d.idempotency_key));
            let Some(doubt) = doubts.find(|d| settled.insert(d.idempotency_key.clone())) else { return };
            let happened = has(&self.ledger, EventKind::Performed, &doubt.idempotency_key);
            self.say(json!({ "doubt": doubt.idempotency_key, "method": doubt.method, "happened": happened }));
            let word = self.word(&doubt, happened);
            match self.runtime.resolve(&doubt.execution, doubt.seq, word, anna()).await.expect("the host works") {
                Resolved::Resumed(outcome) => self.say(json!({ "resolved": doubt.seq.0, "fact": fact_of(&outcome) })),
                Resolved::Recorded => {}
                other => panic!("{doubt:?} is not resolved: {other:?}"),
            }
        }
    }

    /// The truth about a call in doubt.
    fn word(&self, doubt: &UnresolvedCall, happened: bool) -> Word {
        let args = doubt.args.as_ref().map(|a| a.as_str().to_owned());
        if happened {
            return match answer(&doubt.method, args.as_deref()) {
                Ok(_) => Word::Applied(doubt.args.clone()),
                Err(failure) => Word::Failed(failure),
            };
        }
        if doubt.status == Status::Paused && self.script.absent == Absent::Retry {
            return Word::Retry;
        }
        Word::Failed(Failure::new(code::UNAVAILABLE, "the process was killed before"))
    }

    /// Does one thing, unless it is done; gives what is true from then on.
    async fn act(&self, act: &Act) -> Value {
        match act {
            Act::Run(name, code) => self.run(name, code).await,
            Act::Together(codes) => {
                let all = codes.iter().map(|(name, code)| self.run(name, code));
                Value::Array(futures_util::future::join_all(all).await)
            }
            Act::RunApproving(name, code) => self.run_approving(name, code).await,
            Act::RunUndoing(name, code) => self.run_undoing(name, code).await,
            Act::Approve(name, seq) => self.approve(name, Seq(*seq)).await,
            Act::ApproveAll(name) => self.approve_all(name).await,
            Act::Reject(name, seq) => {
                let Some(record) = self.find(name) else { return Value::Null };
                let id = record.execution.id();
                let rejected = self.runtime.reject(id, Seq(*seq), anna()).await.expect("the host works");
                json!(rejected.then(|| json!({ "id": id.as_str(), "status": "rejected" })))
            }
            Act::Rollback(name) => self.rollback(name).await,
            Act::Delete(name) => {
                let Some(record) = self.find(name) else { return Value::Null };
                let id = record.execution.id();
                assert!(self.runtime.delete(id).await.expect("the host works"));
                json!({ "deleted": id.as_str() })
            }
            Act::Prune(keep) => json!({ "pruned": self.runtime.prune_executions(*keep).expect("the store works") }),
            Act::Expire => {
                let expired = self.runtime.expire_paused(0).await.expect("the host works");
                let facts = expired.iter().map(|id| {
                    let record = self.runtime.record(id).expect("the store answers").expect("it is there");
                    json!({ "id": id.as_str(), "ended": record.execution.status.as_str() })
                });
                Value::Array(facts.collect())
            }
            Act::Save(snippet, name) => {
                let id = self.find(name).expect("it was run").execution.id().clone();
                let save = SaveSnippet::from(id).description("made in a test");
                self.runtime.save_snippet(snippet, save).expect("the store works");
                json!({ "snippet": snippet })
            }
            Act::LateAnswers(name) => {
                self.until(name, |r| r.entries.iter().all(|e| e.state != EntryState::Unknown)).await;
                Value::Null
            }
        }
    }

    async fn run(&self, name: &str, code: &'static str) -> Value {
        if self.find(name).is_some() {
            return Value::Null;
        }
        fact_of(&self.runtime.execute(code).await.expect("the host works"))
    }

    async fn run_approving(&self, name: &str, code: &'static str) -> Value {
        let mut facts = Vec::new();
        if self.find(name).is_none() {
            let started = self.runtime.start(code).await.expect("the host works");
            self.until(name, |r| r.entries.iter().any(|e| e.state == EntryState::Pending)).await;
            let id = started.execution().expect("it was stored");
            let approved = self.runtime.approve(id, Picks::AllPending, anna()).await.expect("the host works");
            if let Outcome::Deferred { execution, seqs } = &approved {
                let seqs: Vec<u32> = seqs.iter().map(|s| s.0).collect();
                facts.push(json!({ "id": execution.as_str(), "approved": seqs }));
            }
            facts.push(fact_of(&started.outcome().await.expect("the host works")));
        }
        facts.push(self.approve_all(name).await);
        Value::Array(facts)
    }

    async fn run_undoing(&self, name: &str, code: &'static str) -> Value {
        if self.find(name).is_none() {
            drop(self.runtime.start(code).await.expect("the host works"));
            self.until(name, |r| r.entries.iter().any(|e| e.state == EntryState::Applied)).await;
        }
        self.rollback(name).await
    }

    /// Waits until the journal of an execution looks like that.
    async fn until(&self, name: &str, like: impl Fn(&Record) -> bool) {
        for _ in 0..10_000 {
            if self.find(name).is_some_and(|r| like(&r)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("{name} never looks like that");
    }

    async fn approve_all(&self, name: &str) -> Value {
        let mut fact = Value::Null;
        while let Some(pending) = self.pending(name).first() {
            let outcome = self.runtime.approve(&pending.execution, Picks::AllPending, anna()).await;
            fact = fact_of(&outcome.expect("the host works"));
        }
        fact
    }

    async fn approve(&self, name: &str, seq: Seq) -> Value {
        let Some(shown) = self.pending(name).into_iter().find(|p| p.seq == seq) else { return Value::Null };
        let pick = Pick { seq, digest: shown.digest };
        let outcome = self.runtime.approve(&shown.execution, Picks::These(vec![pick]), anna()).await;
        fact_of(&outcome.expect("the host works"))
    }

    async fn rollback(&self, name: &str) -> Value {
        let Some(record) = self.find(name) else { return Value::Null };
        let id = record.execution.id();
        let mut reverted = Vec::new();
        // A revert that failed is tried again.
        for _ in 0..3 {
            let report = self.runtime.rollback(id).await.expect("the host works");
            let done = report.calls.iter().filter(|c| c.undone == Undone::Reverted);
            reverted.extend(done.map(|c| json!(c.seq.0)));
            if report.failed() == 0 {
                let rolled_back = report.status.filter(|s| *s == Status::RolledBack).map(Status::as_str);
                return json!({ "id": id.as_str(), "status": rolled_back, "reverted": reverted });
            }
        }
        panic!("{name} cannot be rolled back");
    }

    fn pending(&self, name: &str) -> Vec<PendingCall> {
        let Some(record) = self.find(name) else { return Vec::new() };
        self.runtime.pending(Some(record.execution.id())).expect("the store answers")
    }

    fn find(&self, name: &str) -> Option<Record> {
        self.all().into_iter().find(|r| self.script.name_of(&r.execution.start.code) == name)
    }

    fn all(&self) -> Vec<Record> {
        let ids = self.runtime.executions(&Query::default()).expect("the store answers");
        ids.iter().filter_map(|s| self.runtime.record(&s.id).expect("the store answers")).collect()
    }
}

/// What an outcome says that must stay true.
fn fact_of(outcome: &Outcome) -> Value {
    let id = outcome.execution().map(codemode_runtime::ExecutionId::as_str);
    match outcome {
        Outcome::Completed { result, .. } => {
            json!({ "id": id, "status": "completed", "result": result.as_ref().map(|r| r.as_str()) })
        }
        Outcome::Paused { pending, .. } => {
            let seqs: Vec<u32> = pending.iter().map(|p| p.seq.0).collect();
            json!({ "id": id, "status": "paused", "pending": seqs })
        }
        Outcome::Failed { error, calls: Some(_), .. } => json!({ "id": id, "status": "error", "error": error.message }),
        other => panic!("nothing of this process may refuse that: {other:?}"),
    }
}
