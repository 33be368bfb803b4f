//! A rollback whose process dies: finished reverts stay finished, the rest is not forgotten, and what was interrupted
//! is asked again with its own key.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::fixtures::{Ledger, t};
use codemode_conformance::harness::{Host, anna, error_of, id_of};
use codemode_runtime::connector::{BoxFuture, Call, CallOutput, Connector, Description, Revert, Reverted};
use codemode_runtime::{EntryState, ErrorKind, ExecutionId, Failure, Outcome, Picks, Recovered, Runtime, Status};

use crate::books::Books;
use crate::homes::{Home, ends, homes, lines, record, status, summary};
use crate::kit::{Place, Process, given_folder, host_of, role, soon, until};
use crate::mortal::{BOTH, LastWrite, Mortal};

/// How the next process comes to the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Recovers,
    RollsBack,
    Approves,
}

const PAUSED: &str = "async () => {
    await books.write({ n: 1 }); await books.write({ n: 2, revert: 'fails' });
    await books.write({ n: 3 }); await books.write({ n: 4 }); await t.gate({}); }";

/// Dies at that write of a rollback. `false`: it came to its end before.
async fn dies(home: &Home, at: i64, last: LastWrite, next: Next) -> bool {
    let books = Books::new();
    let host = home.host().with("books", books.connector());
    let id = id_of(&host.runtime().execute(PAUSED).await.unwrap());
    let mortal = Mortal::at(&home.store, at, last);
    let mut dying = host.clone();
    dying.store = mortal.clone();
    drop(soon(dying.runtime().rollback(&id)).await);
    let (asked, died) = (books.asked(), mortal.is_dead());
    let runtime = host.runtime();
    let left = record(&runtime, &id);
    let begun =
        left.execution.status == Status::RolledBack || left.entries.iter().any(|e| e.state == EntryState::Reverting);

    let context = format!("write {at} {last:?} {next:?} in {}: {asked:?}", home.name);
    match next {
        Next::Recovers => drop(soon(runtime.recover()).await.unwrap()),
        Next::RollsBack => drop(soon(runtime.rollback(&id)).await.unwrap()),
        Next::Approves => {
            let approved = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
            if begun {
                assert_eq!(error_of(&approved).kind, ErrorKind::NotResumable, "{context}");
                assert_eq!(host.ledger.count("t", "gate"), 0, "{context}");
            } else {
                assert!(matches!(approved, Outcome::Completed { .. }), "{context}\n{approved:#?}");
            }
        }
    }
    if begun {
        let done = record(&runtime, &id);
        assert_eq!((done.execution.status, done.execution.owner), (Status::RolledBack, None), "{context}");
        assert!(!done.entries.iter().any(|e| e.state == EntryState::Reverting), "{context}");
        assert!(ends(&host).contains(&"rolled_back".to_owned()), "{context}");
    }
    let report = soon(runtime.rollback(&id)).await.unwrap();
    assert_eq!((report.status, status(&runtime, &id)), (Some(Status::RolledBack), Status::RolledBack), "{context}");
    check(&books, &id, &context);
    died
}

/// Everything but the call whose revert fails is undone, newest first; twice only where the record of it was lost,
/// under the same key, with another number.
fn check(books: &Books, id: &ExecutionId, context: &str) {
    let mut attempts: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut first = Vec::new();
    for (key, number) in books.attempts() {
        let of_key = attempts.entry(key.clone()).or_default();
        if of_key.is_empty() {
            first.push(key);
        }
        of_key.push(number);
    }
    assert_eq!(first, [3, 2, 1, 0].map(|seq| format!("{id}:{seq}:revert")), "{context}");
    let mut repeated = 0;
    for (key, numbers) in &attempts {
        assert!(numbers.iter().is_sorted_by(|a, b| a < b), "{context}: {key} {numbers:?}");
        if !key.ends_with(":1:revert") {
            repeated += numbers.len() - 1;
        }
    }
    assert!(repeated <= 1, "{context}: {attempts:?}");
}

/// Covers BUG-RBK-05, WEAK-18.
#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_that_dies_at_any_write_is_finished_by_whoever_comes_next() {
    for home in homes() {
        for next in [Next::Recovers, Next::RollsBack, Next::Approves] {
            for last in BOTH {
                let mut at = 0;
                while dies(&home, at, last, next).await {
                    at += 1;
                }
                // Claim, four begins, four ends, the end of all, hooks and rest.
                assert!(at >= 10, "{at} writes");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revert_that_was_interrupted_and_whose_connector_is_gone_is_seen_as_failed() {
    for home in homes() {
        let books = Books::new();
        let host = home.host().with("books", books.connector());
        let mortal = Mortal::of(&home.store);
        let code = "async () => { await books.write({ n: 1, revert: 'waits' }); await t.gate({}); }";
        let id = id_of(&host.runtime().execute(code).await.unwrap());
        let mut dying = host.clone();
        dying.store = mortal.clone();
        let (dying, of) = (dying.runtime(), id.clone());
        let _interrupted = tokio::spawn(async move { dying.rollback(&of).await });
        books.entered().await;
        mortal.die();

        let bare = host.clone().without("books").runtime();
        let recovered = soon(bare.recover()).await.unwrap();
        assert!(matches!(recovered[..], [(_, Recovered::Finished(Status::Paused))]), "{recovered:?}");
        let left = record(&bare, &id).entries.remove(0);
        assert_eq!((left.state, left.is_not_reverted()), (EntryState::Applied, true), "{}", home.name);
        assert_eq!(summary(&bare, &id).not_reverted, 1);

        books.feels(Some("succeeds"));
        let report = soon(host.runtime().rollback(&id)).await.unwrap();
        assert_eq!(lines(&report), ["0 books.write reverted"]);
        let key = format!("{id}:0:revert");
        assert_eq!(books.attempts(), [(key.clone(), 1), (key, 2)]);
    }
}

/// Hands everything on, and keeps in a file what reverts are told. One of them never answers: before or after it asked.
struct Witness {
    inner: Arc<dyn Connector>,
    file: PathBuf,
    asked: AtomicU32,
    stalls_at: u32,
    stalls: Stalls,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stalls {
    Before,
    After,
    Never,
}

impl Connector for Witness {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        self.inner.describe()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.inner.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        Box::pin(async move {
            let stalls = self.asked.fetch_add(1, Ordering::SeqCst) + 1 == self.stalls_at;
            let line = format!("{} {}\n", revert.context.idempotency_key, revert.context.attempt);
            let mut file = OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
            file.write_all(line.as_bytes()).unwrap();
            if stalls && self.stalls == Stalls::Before {
                std::future::pending::<()>().await;
            }
            let done = self.inner.revert(revert).await;
            if stalls && self.stalls == Stalls::After {
                std::future::pending::<()>().await;
            }
            done
        })
    }
}

/// The host of these stories, over the files of a folder.
fn witnessed(folder: &Path, stalls: Stalls) -> Host {
    let host = host_of(folder);
    let inner = Arc::new(t(&host.ledger));
    let witness = Witness { inner, file: folder.join("witness"), asked: AtomicU32::new(0), stalls_at: 3, stalls };
    host.with("t", Arc::new(witness))
}

/// Not a test of its own: what a child process does until it is killed.
#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_roll_back_until_killed() {
    let Some(role) = role() else { return };
    let runtime = witnessed(&given_folder(), if role == "before" { Stalls::Before } else { Stalls::After }).runtime();
    let id = ExecutionId::from_text(&std::env::var("CODEMODE_ID").unwrap());
    drop(runtime.rollback(&id).await);
    unreachable!("the third revert gives no answer");
}

fn ledger(place: &Place) -> Arc<Ledger> {
    Ledger::in_file(&place.folder().join("ledger")).unwrap()
}

/// Kills a process after two reverts are recorded, while the third is asked for.
async fn killed(place: &Place, runtime: &Runtime, role: &str) -> ExecutionId {
    let code = "async () => { for (const n of [1, 2, 3, 4, 5]) await t.add({ n }); return 1; }";
    let id = id_of(&runtime.execute(code).await.unwrap());
    let mut child = Process::playing("rollback_crash::as_a_child_roll_back_until_killed", role)
        .with("CODEMODE_FOLDER", place.folder())
        .with("CODEMODE_ID", id.as_str())
        .start();
    let states = || record(runtime, &id).entries.iter().map(|e| e.state).collect::<Vec<_>>();
    // Before its effect: the connector was asked, and no more. After it: the world has changed.
    let undone = if role == "after" { 3 } else { 2 };
    let asked = || std::fs::read_to_string(place.folder().join("witness")).map_or(0, |w| w.lines().count());
    until(|| (asked() == 3 && ledger(place).reverts("t", "add") == undone).then_some(())).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let words: Vec<_> = states().iter().map(|s| s.as_str()).collect();
    assert_eq!(words, ["applied", "applied", "reverting", "reverted", "reverted"]);
    id
}

/// Covers BUG-RBK-05, WEAK-18.
#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_that_is_killed_goes_on_where_it_was() {
    for role in ["before", "after"] {
        for next in [Next::RollsBack, Next::Recovers, Next::Approves] {
            let place = Place::new();
            let host = witnessed(place.folder(), Stalls::Never);
            let id = killed(&place, &host.runtime(), role).await;
            let runtime = host.runtime();
            match next {
                Next::RollsBack => drop(soon(runtime.rollback(&id)).await.unwrap()),
                Next::Recovers => {
                    let recovered = soon(runtime.recover()).await.unwrap();
                    assert!(matches!(recovered[..], [(_, Recovered::Finished(Status::RolledBack))]), "{recovered:?}");
                }
                Next::Approves => {
                    let refused = soon(runtime.approve(&id, Picks::AllPending, anna())).await.unwrap();
                    assert!(error_of(&refused).message.contains("its status is rolled_back"), "{refused:?}");
                }
            }
            assert_eq!(status(&runtime, &id), Status::RolledBack);
            assert_eq!(soon(runtime.rollback(&id)).await.unwrap().calls.len(), 0);

            // The ledger is the world; only the revert whose record was lost is there twice.
            let undone: Vec<u64> = ledger(&place).undone("t", "add").iter().map(|r| r["n"].as_u64().unwrap()).collect();
            let expected = if role == "after" { vec![5, 4, 3, 3, 2, 1] } else { vec![5, 4, 3, 2, 1] };
            assert_eq!(undone, expected, "{role} {next:?}");
            let witness = std::fs::read_to_string(place.folder().join("witness")).unwrap();
            let keys: Vec<String> = [(4, 1), (3, 1), (2, 1), (2, 2), (1, 1), (0, 1)]
                .map(|(seq, attempt)| format!("{id}:{seq}:revert {attempt}"))
                .into();
            assert_eq!(witness.lines().collect::<Vec<_>>(), keys, "{role} {next:?}");
        }
    }
}
