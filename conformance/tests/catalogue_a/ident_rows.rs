//! IDENT: what is kept, row by row, and what keeping it costs.

use std::process::Command;
use std::sync::{Arc, Mutex};

use codemode_conformance::harness::{Host, id_of, result_of};
use codemode_conformance::store_suite::samples;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::journal::{Approval, EntryState, ReplayPolicy, Request};
use codemode_runtime::durable::write::Write;
use codemode_runtime::store::Barrier;
use serde_json::json;

use crate::support::{Disk, record};

/// Covers IDENT-09.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_recorded_although_the_store_was_opened_anew_since_the_decision() {
    let disk = Disk::new();
    let id = samples::id(1);
    let execution = samples::execution(&id);
    let token = execution.token;
    let asked = vec![Write::Begin(Box::new(execution)), Write::Asked(Box::new(samples::entry(0)))];
    disk.open("default").append(&id, token, asked, Barrier::Now).await.unwrap();

    let decided = disk.open("default").load(&id).unwrap().unwrap();
    assert_eq!(decided.entries[0].state, EntryState::Executing);

    let answer = samples::answered(0, "[1]", 1_234);
    disk.open("default").append(&id, token, vec![answer], Barrier::Now).await.unwrap();
    let kept = disk.open("default").load(&id).unwrap().unwrap();
    assert_eq!(kept.entries[0].state, EntryState::Applied);
    assert_eq!(kept.entries[0].answer, Some(Ok(Some(samples::json("[1]")))));
}

/// Covers IDENT-08.
#[tokio::test(flavor = "multi_thread")]
async fn an_execution_is_one_row_and_each_call_another_with_all_that_is_known_of_it() {
    let disk = Disk::new();
    let host = disk.host();
    let code = "async () => { await shelf.list(); await shelf.tick(); await shelf.put({ title: 'x' }) }";
    let id = id_of(&host.runtime().execute(code).await.unwrap());
    let host = disk.restart(host);
    let kept = record(&host.runtime(), &id);
    let execution = &kept.execution;
    assert_eq!((execution.id(), execution.start.code.as_str(), execution.status.as_str()), (&id, code, "paused"));
    assert!(execution.start.created_at <= execution.updated_at);
    let rows: Vec<_> = kept
        .entries
        .iter()
        .map(|e| (e.seq.unwrap().0, e.request.clone(), e.state, e.terms.approval, e.terms.replay))
        .collect();
    let call = |method: &str, args: Option<&str>| Request::Call {
        connector: "shelf".to_owned(),
        method: method.to_owned(),
        args: args.map(samples::json),
    };
    let recorded = ReplayPolicy::Recorded;
    assert_eq!(
        rows,
        [
            (0, call("list", None), EntryState::Applied, Approval::NotNeeded, recorded),
            (1, call("tick", None), EntryState::Applied, Approval::NotNeeded, ReplayPolicy::Reexecute),
            (2, call("put", Some(r#"{"title":"x"}"#)), EntryState::Pending, Approval::Required, recorded),
        ]
    );
    let answers: Vec<_> = kept.entries.iter().map(|e| e.answer.clone()).collect();
    assert_eq!(answers, [Some(Ok(Some(samples::json("[]")))), Some(Ok(None)), None]);
}

const MEASURING: &str = "CODEMODE_MEASURES_WRITES";

/// What this process has written so far, in bytes.
fn written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = io.lines().find_map(|l| l.strip_prefix("wchar: ")).unwrap();
    line.parse().unwrap()
}

/// The bytes that each call costs stay the same however long the journal is, and a large source is not written again.
/// Runs in a process of its own, so that only its own writes count.
///
/// Covers IDENT-08.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn recording_a_call_writes_one_small_row_however_many_there_are() {
    if std::env::var_os(MEASURING).is_none() {
        let this = "ident_rows::recording_a_call_writes_one_small_row_however_many_there_are";
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", this, "--nocapture"])
            .env(MEASURING, "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
        return;
    }
    let marks = Arc::new(Mutex::new(Vec::new()));
    let kept = marks.clone();
    let meter = Native::new("meter").method_sync(Method::write("add"), |_, _| Ok(json!(1))).method_sync(
        Method::write("mark"),
        move |_, _| {
            kept.lock().unwrap().push(written());
            Ok(())
        },
    );
    let disk = Disk::new();
    let host = Host::bare(disk.open("default")).with("meter", Arc::new(meter));
    let source = format!(
        "/*{}*/ async () => {{ for (let part = 0; part <= 10; part++) {{
            for (let i = 0; i < 100; i++) await meter.add({{ n: 100000 + i }});
            await meter.mark();
        }} return 'all'; }}",
        "x".repeat(500_000)
    );
    assert_eq!(result_of(&host.runtime().execute(source).await.unwrap()), "\"all\"");
    let marks = marks.lock().unwrap();
    let parts: Vec<u64> = marks.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(parts.len(), 10);
    let usual = |parts: &[u64]| {
        let mut sorted = parts.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    };
    let (early, late) = (usual(&parts[..5]), usual(&parts[5..]));
    assert!(late * 10 <= early * 11 && early * 10 <= late * 11, "{parts:?}");
    // The source has 500,000 bytes: calls that wrote it again would cost a hundred times as much. Once in a while the
    // log is written into the file, which is allowed to cost as much as three parts.
    assert!(parts.iter().sum::<u64>() < 13 * early, "{parts:?}");
}
