//! What the stories share: a text and its outcome.

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, error_of, result_of};
use codemode_runtime::{CodeError, ErrorKind, Outcome};
use serde_json::Value;

/// Runs a text in a fresh host and gives what it returned; `undefined` is null.
pub(crate) async fn result(text: &str) -> Value {
    let outcome = Host::new().runtime().execute(text).await.unwrap();
    assert!(matches!(outcome, Outcome::Completed { .. }), "{text}\n{outcome:#?}");
    let result = result_of(&outcome);
    if result.is_empty() { Value::Null } else { serde_json::from_str(&result).unwrap() }
}

/// Runs each text and compares what it returned with the JSON behind it.
pub(crate) async fn all_return(texts: &[(&str, &str)]) {
    for (text, expected) in texts {
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(result(text).await, expected, "{text}");
    }
}

/// Asserts that a text is refused before anything of it runs, and gives the error.
pub(crate) async fn refused(text: &str) -> CodeError {
    let host = Host::new();
    let outcome = host.runtime().execute(text).await.unwrap();
    assert!(matches!(outcome, Outcome::Failed { .. }), "{text}\n{outcome:#?}");
    let error = error_of(&outcome).clone();
    assert_eq!(error.kind, ErrorKind::Syntax, "{text}\n{error:#?}");
    assert_eq!(performed(&host), 0, "{text}");
    error
}

/// How many calls really happened.
pub(crate) fn performed(host: &Host) -> usize {
    host.ledger.events().iter().filter(|event| event.kind == EventKind::Performed).count()
}

/// Refuses each text with this advice at this line.
pub(crate) async fn all_refused(texts: &[(&str, u32, &str)]) {
    for (text, line, advice) in texts {
        let error = refused(text).await;
        assert!(error.message.contains(advice), "{text}\n{}", error.message);
        assert_eq!(error.line, Some(*line), "{text}\n{}", error.message);
        let shown = error.source_line.unwrap_or_default();
        let sent = text.lines().nth(*line as usize - 1).unwrap_or_default();
        assert!(sent.trim_start_matches('\u{feff}').starts_with(&shown), "{text}\n{shown}");
    }
}
