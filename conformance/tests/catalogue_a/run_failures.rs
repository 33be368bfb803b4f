//! RUN: what goes wrong in the code is data, with everything that a model needs to mend it.

use codemode_conformance::harness::{Host, approve_all, error_of, id_of, journal_of, result_of};
use codemode_runtime::outcome::error_text;
use codemode_runtime::{ErrorKind, Outcome};
use serde_json::json;

use crate::support::{record, status, wire};

/// Covers RUN-10, AUDIT-04, e2e-executor#10, executor#15.
#[tokio::test(flavor = "multi_thread")]
async fn an_exception_ends_the_execution_as_an_error_that_is_data() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute("async () => { throw new Error(\"boom\") }").await.unwrap();
    let error = error_of(&outcome);
    assert_eq!((error.kind, error.name.as_str(), error.message.as_str()), (ErrorKind::Thrown, "Error", "boom"));
    assert_eq!(error.line, Some(1));
    let kept = record(&runtime, &id_of(&outcome)).execution;
    assert_eq!((kept.status.as_str(), kept.error.as_ref()), ("error", Some(error)));
    assert_eq!(wire(&outcome)["status"], "error");
}

/// Covers RUN-11, DIFF-10.
#[tokio::test(flavor = "multi_thread")]
async fn console_lines_of_a_failed_pass_are_returned_and_kept_beside_the_error() {
    let runtime = Host::new().runtime();
    let code = "async () => {\n  console.log(\"before\");\n  throw new Error(\"boom\");\n}";
    let outcome = runtime.execute(code).await.unwrap();
    let Outcome::Failed { error, logs, .. } = &outcome else { panic!("{outcome:?}") };
    assert_eq!((error.message.as_str(), logs.as_slice()), ("boom", &["before".to_owned()][..]));
    assert_eq!(record(&runtime, &id_of(&outcome)).execution.logs, ["before"]);
    let wire = wire(&outcome);
    assert_eq!(wire["logs"], json!(["before"]));
    assert_eq!(wire["error"], json!(error_text(error)));
    assert!(error_text(error).starts_with("boom (line 3, column "), "{}", error_text(error));
}

/// Covers RUN-12, runtime#3.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_global_is_answered_with_the_names_of_those_that_exist() {
    let runtime = Host::new().runtime();
    let hint = "the only globals besides standard JavaScript are: shelf, t, codemode";
    let outcome = runtime.execute("async () => host.writeFile({ path: '/a' })").await.unwrap();
    let error = error_of(&outcome);
    assert_eq!((error.name.as_str(), error.message.as_str()), ("ReferenceError", "host is not defined"));
    assert_eq!(error.hint.as_deref(), Some(hint));

    let own = runtime.execute("async () => { throw new Error('the price is not defined') }").await.unwrap();
    assert_eq!(error_of(&own).hint.as_deref(), Some(hint));
    let near = runtime.execute("async () => { throw new Error('this is not definedly so') }").await.unwrap();
    assert_eq!(error_of(&near).hint, None);
}

/// Covers RUN-15, runtime#15, WEAK-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_fails_ends_the_run_with_its_message_unless_the_code_catches_it() {
    let host = Host::new();
    let runtime = host.runtime();
    let outcome = runtime.execute("async () => shelf.fail()").await.unwrap();
    let id = id_of(&outcome);
    assert_eq!(error_of(&outcome).message, "shelf fail");
    assert_eq!(status(&runtime, &id), "error");
    assert_eq!(journal_of(&runtime, &id), ["0 shelf.fail error"]);

    let code = "async () => { let seen; try { await shelf.fail() } catch (e) { seen = e.message }
        await shelf.put({ title: seen }); return seen; }";
    let paused = runtime.execute(code).await.unwrap();
    let caught = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&caught), "\"shelf fail\"");
    assert_eq!(journal_of(&runtime, &id_of(&caught)), ["0 shelf.fail error", "1 shelf.put applied"]);
    // Once in each execution: the failure was replayed.
    assert_eq!(host.ledger.count("shelf", "fail"), 2);
}

/// Covers RUN-16, WEAK-27.
#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_does_not_exist_is_recorded_as_a_failure_that_names_it() {
    let host = Host::new();
    let runtime = host.runtime();
    let outcome = runtime.execute("async () => shelf.missing()").await.unwrap();
    let lists = "`codemode.describe(\"shelf\")` lists its methods";
    assert_eq!(error_of(&outcome).message, format!("Tool \"missing\" not found on shelf; {lists}"));
    assert_eq!(journal_of(&runtime, &id_of(&outcome)), ["0 shelf.missing error"]);
    let close = runtime.execute("async () => shelf.lists()").await.unwrap();
    assert_eq!(error_of(&close).message, "Tool \"lists\" not found on shelf; did you mean `list`?");
    assert_eq!(host.ledger.count("shelf", "list"), 0);
}

/// Covers RUN-18.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_cannot_be_carried_ends_the_run_as_an_error() {
    let runtime = Host::new().runtime();
    for (code, said) in [
        ("async () => Symbol('x')", "is a symbol"),
        ("async () => { const a = {}; a.a = a; return a }", "contains itself"),
        ("async () => ({ f: () => 1 })", "is a function"),
    ] {
        let outcome = runtime.execute(code).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Unrecordable, "{code}");
        assert!(error.message.starts_with("the final result") && error.message.contains(said), "{}", error.message);
        assert_eq!(status(&runtime, &id_of(&outcome)), "error");
    }
}

/// Covers WEAK-07.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_thrown_is_a_failure() {
    let runtime = Host::new().runtime();
    for (thrown, message) in
        [("'text'", "text"), ("new Error('')", ""), ("null", "null"), ("undefined", "undefined"), ("0", "0")]
    {
        let outcome = runtime.execute(format!("async () => {{ throw {thrown} }}")).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Thrown, "{thrown}");
        assert!(!error.message.is_empty() && error.message.contains(message), "{thrown}: {}", error.message);
    }
}
