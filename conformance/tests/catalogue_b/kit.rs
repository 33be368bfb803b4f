//! Short words that the stories of this folder share.

use std::sync::Arc;
use std::time::Duration;

use codemode_conformance::fixtures::EventKind;
use codemode_conformance::harness::{Host, id_of, result_of};
use codemode_runtime::connector::Connector;
use codemode_runtime::store::Record;
use codemode_runtime::{Outcome, Runtime};
use serde_json::Value;

/// Runs code on a fresh host with the fixtures.
pub(crate) async fn run(code: &str) -> Outcome {
    Host::new().runtime().execute(code).await.unwrap()
}

/// The JSON text of what code returned on a fresh host.
pub(crate) async fn result(code: &str) -> String {
    result_of(&run(code).await)
}

/// The outcome as it goes over the wire.
pub(crate) fn wire(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.to_wire()).unwrap()
}

/// The names of an object's members, sorted.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// What the store has of an execution.
pub(crate) fn stored(runtime: &Runtime, outcome: &Outcome) -> Record {
    runtime.record(&id_of(outcome)).unwrap().unwrap()
}

/// Something that must end by itself.
pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), work).await.expect("it ends by itself")
}

/// The error's message and advice as one text.
pub(crate) fn error_text(outcome: &Outcome) -> String {
    wire(outcome)["error"].as_str().unwrap_or_else(|| panic!("not failed: {outcome:#?}")).to_owned()
}

/// The statuses that a hook of `shelf` got for this outcome's execution, in order.
pub(crate) fn hooks(host: &Host, kind: EventKind, outcome: &Outcome) -> Vec<String> {
    let id = id_of(outcome);
    let all = host.ledger.hooks(kind, "shelf").into_iter();
    all.filter(|(execution, _)| execution == id.as_str()).map(|(_, status)| status).collect()
}

/// A connector where a trait object is asked for.
pub(crate) fn shared(connector: impl Connector + 'static) -> Arc<dyn Connector> {
    Arc::new(connector)
}
