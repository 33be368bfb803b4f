//! A file that is full, or damaged: nothing happens that is not recorded, and one bad row hurts nobody else.

use std::path::Path;

use codemode_conformance::harness::{Host, anna, approve_all, error_of, id_of, result_of};
use codemode_runtime::store::StoreError;
use codemode_runtime::store::sqlite::{Durability, Options};
use codemode_runtime::{EntryState, Error, ErrorKind, ExecutionId, Outcome, Picks, Query, Seq, Status};

use crate::kit::{Place, Process, given_folder, host_of, host_with, overwrite, role};

fn limited(folder: &Path, pages: u32) -> Host {
    host_with(folder, Options { durability: Durability::Process, max_pages: Some(pages), ..Options::default() })
}

/// Every effect that really happened has a row, and statuses and rows go together.
fn check(host: &Host) {
    let list = host.store.list(&Query::default()).unwrap();
    for line in &list {
        assert_eq!(line.damaged, None);
        let record = host.store.load(&line.id).unwrap().unwrap();
        let of = |state: EntryState| record.entries.iter().filter(|e| e.state == state).count();
        let seqs: Vec<u32> = record.entries.iter().filter_map(|e| e.seq.map(|Seq(s)| s)).collect();
        assert_eq!(seqs, (0..u32::try_from(seqs.len()).unwrap()).collect::<Vec<_>>(), "no gaps");
        match record.execution.status {
            Status::Paused => assert_ne!(of(EntryState::Pending), 0),
            Status::Running => {}
            _ => assert_eq!(of(EntryState::Pending) + of(EntryState::Executing), 0, "{record:#?}"),
        }
    }
    for event in host.ledger.events().iter().filter(|e| ["add", "addBig", "gate"].contains(&e.method.as_str())) {
        let id = ExecutionId::from_text(&event.execution);
        let record = host.store.load(&id).unwrap().unwrap_or_else(|| panic!("{event:?} has no record"));
        let entry = record.entries.iter().find(|e| event.key == format!("{id}:{}", e.seq.unwrap()));
        let entry = entry.unwrap_or_else(|| panic!("{event:?} has no entry"));
        let states = [EntryState::Executing, EntryState::Applied, EntryState::Unknown];
        assert!(states.contains(&entry.state), "{event:?}: {:?}", entry.state);
    }
}

fn is_full(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Full(_)))
}

/// Covers BUG-SQL-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stops_the_work_and_loses_none_of_it() {
    let place = Place::new();
    let code = "async () => {
        for (let i = 0; i < 20; i++) { await t.echo({ s: 'x'.repeat(20000) }); await t.add({ n: i }); }
        return 'done'; }";
    let mut completed = 0;
    {
        let host = limited(place.folder(), 700);
        let runtime = host.runtime();
        let mut failed = 0;
        while failed < 3 {
            let adds = host.ledger.count("t", "add");
            match runtime.execute(code).await {
                Ok(Outcome::Completed { .. }) => completed += 1,
                Ok(Outcome::Failed { error, .. }) => {
                    assert_eq!(error.kind, ErrorKind::Storage, "{error:?}");
                    assert!(error.message.contains("the storage is full"), "{error:?}");
                    failed += 1;
                }
                Ok(other) => panic!("{other:#?}"),
                Err(error) => {
                    assert!(is_full(&error), "{error}");
                    failed += 1;
                }
            }
            assert!(host.ledger.count("t", "add") - adds <= 20);
        }
        assert!(completed > 0, "it was full from the start");
        check(&host);
        // What is there can still be read.
        let listed = runtime.executions(&Query { status: Some(Status::Completed), ..Query::default() }).unwrap();
        assert_eq!(listed.len(), completed);
        // Space that is freed is used.
        for line in &listed {
            assert!(runtime.delete(&line.id).await.unwrap());
        }
        assert_eq!(result_of(&runtime.execute("async () => (await t.add({ n: 99 })).n").await.unwrap()), "99");
    }
    let host = place.host();
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), "\"done\"");
}

/// Covers BUG-SQL-03.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_the_system_on_the_size_of_files_is_like_a_full_disk() {
    let place = Place::new();
    // Blocks of 512 bytes: four megabytes. Without the trap the system would end the process.
    let shell = "trap '' XFSZ; ulimit -f 8192;";
    let child = Process::in_shell(shell, "sql_damage::as_a_child_with_little_room", "fills");
    child.with("CODEMODE_FOLDER", place.folder()).run();
    assert!(place.folder().join("full").exists(), "the limit was never reached");
    let host = place.host();
    check(&host);
    assert_eq!(result_of(&host.runtime().execute("async () => (await t.add({ n: 7 })).n").await.unwrap()), "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_with_little_room() {
    if role().is_none() {
        return;
    }
    let host = host_of(&given_folder());
    let runtime = host.runtime();
    let code = "async () => { for (let i = 0; i < 10; i++) await t.addBig({ chars: 20000 }); return 'done'; }";
    for _ in 0..100 {
        match runtime.execute(code).await {
            Ok(Outcome::Completed { .. }) => continue,
            Ok(Outcome::Failed { error, .. }) => assert_eq!(error.kind, ErrorKind::Storage, "{error:?}"),
            Ok(other) => panic!("{other:#?}"),
            Err(error) => assert!(matches!(error, Error::Store(_)), "{error}"),
        }
        check(&host);
        std::fs::write(given_folder().join("full"), "").unwrap();
        return;
    }
}

/// Covers BUG-SQL-06.
#[tokio::test(flavor = "multi_thread")]
async fn wherever_the_space_ends_each_change_is_whole_or_absent() {
    let story = |reject: bool| {
        let pad = "'x'.repeat(9000)";
        let end = if reject { "" } else { "await t.add({ n: 2 });" };
        format!(
            "async () => {{ console.log({pad}); await t.echo({{ s: {pad} }}); await codemode.step('s', () => {pad}); \
             await t.add({{ n: 1, pad: {pad} }}); await t.gate({{ s: {pad} }}); {end} return {pad}; }}"
        )
    };
    let mut reached = [0; 2];
    for pages in (20..64).step_by(2) {
        let place = Place::new();
        for reject in [false, true] {
            let host = limited(place.folder(), pages);
            let runtime = host.runtime();
            let outcome = runtime.execute(story(reject)).await;
            let ended = match outcome {
                Ok(paused @ Outcome::Paused { .. }) => {
                    let id = id_of(&paused);
                    if reject {
                        runtime.reject(&id, Seq(0), anna()).await.unwrap();
                        let seq = runtime.pending(Some(&id)).unwrap().first().map_or(Seq(0), |p| p.seq);
                        runtime.reject(&id, seq, anna()).await.map(|_| None)
                    } else {
                        runtime.approve(&id, Picks::AllPending, anna()).await.map(Some)
                    }
                }
                other => other.map(Some),
            };
            match ended {
                Ok(None | Some(Outcome::Completed { .. })) => reached[usize::from(reject)] += 1,
                Ok(Some(Outcome::Failed { error, .. })) => {
                    assert_eq!(error.kind, ErrorKind::Storage, "{pages}: {error:?}")
                }
                Ok(Some(other)) => panic!("{pages}: {other:#?}"),
                Err(error) => assert!(is_full(&error), "{pages}: {error}"),
            }
            drop((runtime, host));
            let reopened = host_of(place.folder());
            check(&reopened);
            assert_eq!(result_of(&reopened.runtime().execute("async () => 1").await.unwrap()), "1", "{pages}");
        }
    }
    assert!(reached.iter().all(|n| (1..22).contains(n)), "both full and enough were tried: {reached:?}");
}

/// Covers BUG-SQL-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_read_back_hurts_no_other() {
    let damages: [(&str, &[u8], &[u8]); 6] = [
        ("cut off", br#"{"x":"AAAA-MARK"}"#, br#"{"x":            "#),
        ("no text", b"AAAA-MARK", b"AAA\xff\xfe\xfdARK"),
        ("a number out of range", br#"{"x":"AAAA-MARK"}"#, br#"{"x":1e999999999}"#),
        ("a dangling tag", br#"{"x":"AAAA-MARK"}"#, br#"{"$cm":["bogus"]}"#),
        ("a member twice", br#"{"x":"AAAA-MARK"}"#, br#"{"x":1234,"x":12}"#),
        ("no text in the code", b"\"AAAA-MARK\" }", b"\"AAAA\xc3\x28ARK\" }"),
    ];
    for (what, from, to) in damages {
        let place = Place::new();
        let (good, bad, waiting) = {
            let runtime = place.host().runtime();
            let bad = id_of(&runtime.execute("async () => ({ x: \"AAAA-MARK\" })").await.unwrap());
            let mut good = Vec::new();
            for n in 0..3 {
                good.push(id_of(&runtime.execute(format!("async () => ({{ x: {n} }})")).await.unwrap()));
            }
            let waiting = runtime.execute("async () => (await t.gate({ x: 1 })).x").await.unwrap();
            (good, bad, waiting)
        };
        assert!(!place.path().with_extension("db-wal").exists(), "all is in the file");
        overwrite(&place.path(), from, to);

        let host = place.host();
        let runtime = host.runtime();
        let listed = runtime.executions(&Query::default()).unwrap();
        assert_eq!(listed.len(), 5, "{what}");
        for id in &good {
            let line = listed.iter().find(|s| &s.id == id).unwrap();
            assert_eq!((line.status, &line.damaged), (Status::Completed, &None), "{what}");
            assert!(runtime.record(id).unwrap().is_some(), "{what}");
        }
        let opened = runtime.record(&bad);
        let Err(Error::Store(StoreError::Damaged { id, .. })) = &opened else { panic!("{what}: {opened:#?}") };
        assert_eq!(id, &bad, "{what}");
        let refused = runtime.approve(&bad, Picks::AllPending, anna()).await;
        assert!(matches!(refused, Err(Error::Store(StoreError::Damaged { .. }))), "{what}: {refused:#?}");
        assert_eq!(runtime.pending(None).unwrap().len(), 1, "{what}");
        assert_eq!(result_of(&runtime.execute("async () => 1").await.unwrap()), "1", "{what}");
        assert_eq!(result_of(&approve_all(&runtime, waiting).await), "1", "{what}");
        assert!(runtime.delete(&bad).await.unwrap(), "{what}");
        assert!(runtime.record(&bad).unwrap().is_none(), "{what}");
        assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 5, "{what}");
    }
}

/// Covers BUG-SQL-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_journal_row_of_a_paused_execution_is_said_so() {
    let damages: [(&[u8], &[u8]); 3] = [
        (br#"{"x":"AAAA-MARK"}"#, br#"{"$cm":["bogus"]}"#),
        (b"AAAA-MARK", b"AAA\xff\xfe\xfdARK"),
        (br#"{"x":"AAAA-MARK"}"#, br#"{"x":            "#),
    ];
    for (from, to) in damages {
        let place = Place::new();
        let code =
            "async () => { const m = ['AAAA', 'MARK'].join('-'); await t.echo({ x: m }); await t.gate({}); return 1; }";
        let (bad, good) = {
            let runtime = place.host().runtime();
            (
                id_of(&runtime.execute(code).await.unwrap()),
                runtime.execute("async () => (await t.gate({ x: 1 })).x").await.unwrap(),
            )
        };
        overwrite(&place.path(), from, to);
        let host = place.host();
        let runtime = host.runtime();
        assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 2);
        let pending = runtime.pending(None).unwrap();
        assert_eq!(pending.iter().map(|p| &p.execution).collect::<Vec<_>>(), [good.execution().unwrap()]);
        let refused = runtime.approve(&bad, Picks::AllPending, anna()).await;
        assert!(matches!(refused, Err(Error::Store(StoreError::Damaged { .. }))), "{refused:#?}");
        assert_eq!(host.ledger.count("t", "gate"), 0);
        assert_eq!(result_of(&approve_all(&runtime, good).await), "1");
        assert!(runtime.delete(&bad).await.unwrap());
        let gone = runtime.approve(&bad, Picks::AllPending, anna()).await.unwrap();
        assert_eq!(error_of(&gone).kind, ErrorKind::NotResumable);
    }
}
