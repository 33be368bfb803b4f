//! The world outside of the runtime: connectors whose effects are lines in a file that outlives every process, and ones
//! that keep their state with the host. What they answer depends on the argument alone, so that an outcome is the same
//! however often and in whichever process it came about.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codemode_conformance::fixtures::{Event, EventKind, Ledger};
use codemode_runtime::connector::native::{Native, Undo};
use codemode_runtime::connector::{CallContext, CallOutput, Connector, Method, Reverted};
use codemode_runtime::durable::failure::{EffectState, Failure, code};
use codemode_runtime::durable::journal::{Repeatable, ReplayPolicy};
use codemode_runtime::{ExecutionId, Status};
use serde_json::{Value, json};

use crate::points::{Place, pass};

/// The ledger of a folder.
pub(crate) fn ledger(folder: &Path) -> Arc<Ledger> {
    Ledger::in_file(&folder.join("ledger")).expect("the ledger opens")
}

/// Whether a connector wants hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hooked {
    No,
    Yes,
}

/// The connector `w`: a method of each class.
pub(crate) fn outside(ledger: &Arc<Ledger>, hooked: Hooked) -> Arc<dyn Connector> {
    let keyed = Method { repeatable: Repeatable::WithKey, ..Method::write("keyed") };
    let always = Method { repeatable: Repeatable::Always, ..Method::write("always") };
    let live = Method { replay: ReplayPolicy::Reexecute, ..Method::read("live") };
    let mut native = Native::new("w");
    for method in [Method::read("look"), live, Method::read("refuse"), Method::read("nap")] {
        native = reads(native, method);
    }
    let writes = [
        Method::write("once"),
        keyed,
        always,
        Method::write("half"),
        Method::write("shaky"),
        Method::write("slow"),
        Method::write("gate").needs_approval(),
    ];
    for method in writes {
        native = effect(native, ledger, method);
    }
    if hooked == Hooked::Yes { Arc::new(hooks(native, ledger)) } else { Arc::new(native) }
}

fn reads(native: Native, method: Method) -> Native {
    let name = method.name.clone();
    native.raw(method, move |args, _| {
        let name = name.clone();
        async move {
            wait(args.as_deref()).await;
            answer(&name, args.as_deref())
        }
    })
}

/// Waits for the `ms` of an argument.
async fn wait(args: Option<&str>) {
    let ms = args.and_then(|a| serde_json::from_str::<Value>(a).ok()?["ms"].as_u64());
    tokio::time::sleep(Duration::from_millis(ms.unwrap_or(0))).await;
}

/// What a method answers: the same in the ledger as to the host.
pub(crate) fn answer(method: &str, args: Option<&str>) -> CallOutput {
    match method {
        "refuse" => Err(Failure::new(code::CONFLICT, "it is taken")),
        "half" => Err(Failure::new(code::INTERNAL, "failed after its effect").with_effect(EffectState::Happened)),
        _ => Ok(args.map(str::to_owned)),
    }
}

fn effect(native: Native, ledger: &Arc<Ledger>, method: Method) -> Native {
    let (name, kept) = (method.name.clone(), ledger.clone());
    let native = native.raw(method, move |args, context| {
        let (name, kept) = (name.clone(), kept.clone());
        async move {
            wait(args.as_deref()).await;
            happened(&kept, "w", &name, args.as_deref(), &context);
            answer(&name, args.as_deref())
        }
    });
    let kept = ledger.clone();
    native.on_revert(move |undo| {
        let undone = undo_one(&kept, &undo);
        async move { undone }
    })
}

/// Notes an effect, and may die before anybody hears of it.
pub(crate) fn happened(ledger: &Ledger, connector: &str, method: &str, args: Option<&str>, context: &CallContext) {
    let event = Event {
        kind: EventKind::Performed,
        fixture: connector.to_owned(),
        method: method.to_owned(),
        execution: context.execution.to_string(),
        key: context.idempotency_key.clone(),
        args: args.map(str::to_owned),
        result: Value::Null,
    };
    ledger.note(event).expect("the ledger can be written");
    pass(Place::Effect, || format!("{} {method}", context.seq));
}

/// Whether the ledger has a line of that kind for the call of that key.
pub(crate) fn has(ledger: &Ledger, kind: EventKind, key: &str) -> bool {
    ledger.events().iter().any(|e| e.kind == kind && e.key == key)
}

fn undo_one(ledger: &Ledger, undo: &Undo) -> Result<Reverted, Failure> {
    let events = ledger.events();
    let performed = events.iter().find(|e| e.kind == EventKind::Performed && e.key == undo.call_key);
    let Some(performed) = performed else { return Ok(Reverted::NothingToRevert) };
    let shaky = performed.method == "shaky" && !has(ledger, EventKind::RevertFailed, &undo.call_key);
    let kind = if shaky { EventKind::RevertFailed } else { EventKind::Reverted };
    ledger.note(Event { kind, ..performed.clone() }).expect("the ledger can be written");
    pass(Place::Effect, || format!("revert of {}", undo.call_key));
    if shaky {
        return Err(Failure::new(code::INTERNAL, "the first time it fails").with_effect(EffectState::None));
    }
    Ok(Reverted::Reverted)
}

fn hooks(native: Native, ledger: &Arc<Ledger>) -> Native {
    let (passes, ends) = (ledger.clone(), ledger.clone());
    native
        .on_pass_ended(move |id, number, status| {
            note_hook(&passes, EventKind::PassEnded, &id, &number.to_string(), status);
            async { Ok(()) }
        })
        .on_execution_ended(move |id, status| {
            note_hook(&ends, EventKind::ExecutionEnded, &id, "", status);
            async { Ok(()) }
        })
}

fn note_hook(ledger: &Ledger, kind: EventKind, id: &ExecutionId, key: &str, status: Status) {
    let event = Event {
        kind,
        fixture: "w".to_owned(),
        method: status.to_string(),
        execution: id.to_string(),
        key: key.to_owned(),
        args: None,
        result: json!(null),
    };
    ledger.note(event).expect("the ledger can be written");
    pass(Place::Effect, || format!("hook {status}"));
}
