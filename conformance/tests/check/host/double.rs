//! Hosts that break one rule each. A double is our own runtime, bent where the rule looks: by how it is built, by its
//! connector, by the code that it really runs, or by what it does and says at an operation. While another rule is tried
//! it does nothing wrong, except where it is built wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use codemode_conformance::check::host::{
    Approval, ControlError, Decision, Host, Keep, LEDGER, Ours, Unsupported, ledger,
};
use codemode_conformance::harness::engine;
use codemode_runtime::connector::Connector;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::{Determinism, Limits, RuntimeBuilder, Validate};
use serde_json::{Value, json};

use super::connector::{Bent, Now};

static CONNECTOR: LazyLock<Arc<ComponentConnector>> =
    LazyLock::new(|| Arc::new(ComponentConnector::load(engine(), ledger(), ComponentOptions::new(LEDGER)).unwrap()));

/// The double of one rule.
pub(super) struct Double {
    inner: Ours,
    bug: &'static str,
    now: Now,
    /// The last outcome of each execution.
    outcomes: BTreeMap<String, String>,
    /// What waited first of each execution.
    waited: BTreeMap<String, Value>,
    /// The first report of each execution.
    reports: BTreeMap<String, String>,
}

type Given = Result<String, ControlError>;

impl Double {
    pub(super) fn of(bug: &'static str) -> Self {
        let now = Now::default();
        let inner = host(bug, &now);
        Self { inner, bug, now, outcomes: BTreeMap::new(), waited: BTreeMap::new(), reports: BTreeMap::new() }
    }

    /// Whether the double of a rule is wrong all the time, and not only while its rule is tried.
    pub(super) fn is_built_wrong(bug: &str) -> bool {
        matches!(bug, "HOST-CALL-04" | "HOST-REPLAY-07" | "HOST-LIMIT-01" | "HOST-LIMIT-05")
    }

    /// The bug, where it is its rule that is tried.
    fn bug(&self) -> &'static str {
        if *self.now.lock().unwrap() == self.bug { self.bug } else { "" }
    }

    fn remember(&mut self, given: &Given) {
        if let Ok(text) = given {
            let pending = read(text)["pending"].take();
            if pending.is_array() {
                self.waited.entry(id_of(text)).or_insert(pending);
            }
            self.outcomes.insert(id_of(text), text.clone());
        }
    }

    /// Approves whatever is pending, unasked.
    fn approve_everything(&mut self, mut given: Given) -> Given {
        let by = Decision { actor: "nobody".to_owned(), channel: "none".to_owned(), reason: None };
        while let Ok(text) = &given
            && read(text)["status"] == "paused"
        {
            let id = id_of(text);
            let calls = self.waiting(&id);
            given = self.inner.approve(&id, &calls, &by);
        }
        given
    }

    /// What really waits, as it would have to be approved.
    fn waiting(&mut self, id: &str) -> Vec<Approval> {
        let pending = read(&self.inner.pending(Some(id)).unwrap());
        let approval = |call: &Value| Approval {
            seq: call["seq"].as_u64().unwrap() as u32,
            digest: call["digest"].as_str().unwrap().to_owned(),
        };
        pending.as_array().unwrap().iter().map(approval).collect()
    }
}

/// A host that is built for that bug.
fn host(bug: &'static str, now: &Now) -> Ours {
    let inner: Arc<dyn Connector> = CONNECTOR.clone();
    let connector = Arc::new(Bent { inner, bug, now: now.clone() });
    let adjust: fn(RuntimeBuilder) -> RuntimeBuilder = match bug {
        "HOST-CALL-04" => |builder| builder.validate(Validate::Nothing),
        "HOST-REPLAY-07" => |builder| builder.determinism(Determinism::Live),
        "HOST-LIMIT-01" => |builder| limited(builder, |limits| limits.code_units += 1),
        "HOST-LIMIT-05" => |builder| limited(builder, |limits| limits.depth += 1),
        _ => |builder| builder,
    };
    Ours::with(engine().clone(), Keep::Memory, connector, adjust).unwrap()
}

fn limited(builder: RuntimeBuilder, change: fn(&mut Limits)) -> RuntimeBuilder {
    let mut limits = Limits::default();
    change(&mut limits);
    builder.limits(limits)
}

fn read(text: &str) -> Value {
    // The deepest values are not looked at.
    serde_json::from_str(text).unwrap_or_default()
}

fn id_of(outcome: &str) -> String {
    read(outcome)["executionId"].as_str().unwrap_or_default().to_owned()
}

/// The code that the double really runs.
fn code_for(bug: &str, code: &str) -> String {
    let first = |statement: &str| match code.strip_prefix("async () => [") {
        Some(rest) => format!("async () => {{ {statement}; return [{rest} }}"),
        None => code.to_owned(),
    };
    match bug {
        // Something of an earlier sandbox is there; something of the machine is there.
        "HOST-RUN-10" => first("globalThis.left = 1"),
        "HOST-RUN-11" => first("globalThis.process = {}"),
        // A date is kept as JSON has it.
        "HOST-CALL-03" => code.replace("new Date(86400000)", "JSON.parse(JSON.stringify(new Date(86400000)))"),
        // Some other method is taken for one that is not there.
        "HOST-CALL-06" => code.replace("ledger.nope", "ledger.echo"),
        // Closures, races, chains and failures come out anew in each pass.
        "HOST-STEP-01" => {
            code.replace(r#"codemode.step("draw", () => String(Math.random()))"#, "ledger.live().then(String)")
        }
        "HOST-STEP-03" => code.replace(
            r#"codemode.step("fails", () => { throw new Error("because " + Math.random()) })"#,
            r#"ledger.live().then((pass) => { throw new Error("because " + pass) })"#,
        ),
        "HOST-REPLAY-05" => code.replace("(await Promise.race(calls)).text", r#""ab"[await ledger.live() % 2]"#),
        "HOST-REPLAY-06" => code.replace("const order = []", "const order = [await ledger.live()]"),
        "HOST-REPLAY-08" => code.replace("said = e.message", "said = e.message + await ledger.live()"),
        // What is recorded is performed again, and the other way round.
        "HOST-REPLAY-01" => code.replace("ledger.pass()", "ledger.live()"),
        // The second is also how nothing of a divergence is seen.
        "HOST-REPLAY-02" | "HOST-REPLAY-04" => code.replace("ledger.live()", "ledger.pass()"),
        // One more is taken.
        "HOST-LIMIT-02" => code.replace("999990", "999989"),
        "HOST-LIMIT-03" | "HOST-LIMIT-04" => code.replace("999999", "999998"),
        // There is memory enough.
        "HOST-LIMIT-06" => code.replace("n < 2000", "n < 2"),
        _ => code.to_owned(),
    }
}

/// The outcome that the double gives instead.
fn outcome_for(bug: &str, text: String) -> String {
    let mut outcome = read(&text);
    match bug {
        "HOST-RUN-01" => outcome["result"] = json!(outcome["result"].to_string()),
        "HOST-RUN-04" => outcome["executionId"] = json!("exec_same"),
        "HOST-RUN-06" if outcome.get("result").is_none() => outcome["result"] = Value::Null,
        "HOST-RUN-07" => reverse(&mut outcome["calls"]),
        "HOST-RUN-08" => reverse(&mut outcome["logs"]),
        "HOST-RUN-09" => drop(outcome.as_object_mut().unwrap().remove("errorInfo")),
        "HOST-RUN-12" if outcome["status"] == "error" => outcome["status"] = json!("completed"),
        "HOST-FIND-01" => drop(outcome["result"]["docs"].take()),
        "HOST-CALL-02" => round(&mut outcome["result"]),
        "HOST-APPROVE-05" => outcome["pending"].as_array_mut().unwrap().truncate(1),
        _ => return text,
    }
    outcome.to_string()
}

fn reverse(list: &mut Value) {
    list.as_array_mut().into_iter().for_each(|list| list.reverse());
}

/// Numbers lose their fractions.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(number.as_f64().unwrap().round()),
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        _ => {}
    }
}

impl Host for Double {
    fn execute(&mut self, code: &str, input: Option<&str>) -> Given {
        // Scenarios say in the code for which rule it is.
        if let Some(at) = code.rfind("HOST-") {
            *self.now.lock().unwrap() = code[at..].chars().take_while(|c| *c == '-' || c.is_alphanumeric()).collect();
        }
        let bug = if code.contains("ledger.look(") { "" } else { self.bug() };
        let input = if bug == "HOST-RUN-05" { None } else { input };
        let given = self.inner.execute(&code_for(bug, code), input);
        self.remember(&given);
        match bug {
            "HOST-RUN-03" => given.and_then(|text| match read(&text)["status"].as_str() {
                Some("error") => Err(ControlError::Unavailable("the code failed".to_owned())),
                _ => Ok(text),
            }),
            "HOST-APPROVE-01" | "HOST-APPROVE-09" => self.approve_everything(given),
            _ => given.map(|text| outcome_for(bug, text)),
        }
    }

    fn approve(&mut self, execution: &str, calls: &[Approval], by: &Decision) -> Given {
        let mut by = by.clone();
        let calls = match self.bug() {
            // Nothing is done.
            "HOST-APPROVE-02" => return Ok(self.outcomes[execution].clone()),
            // Whatever the digest is, the seq counts.
            "HOST-APPROVE-03" => {
                let waiting = self.waiting(execution);
                waiting.into_iter().filter(|w| calls.iter().any(|call| call.seq == w.seq)).collect()
            }
            // One for all.
            "HOST-APPROVE-06" => self.waiting(execution),
            "HOST-APPROVE-10" => {
                by.actor = "somebody".to_owned();
                calls.to_vec()
            }
            _ => calls.to_vec(),
        };
        let given = self.inner.approve(execution, &calls, &by);
        self.remember(&given);
        match (self.bug(), given) {
            // A second click gets what the first one got.
            ("HOST-APPROVE-04", Err(_)) if self.outcomes.contains_key(execution) => {
                Ok(self.outcomes[execution].clone())
            }
            (bug, given) => given.map(|text| outcome_for(bug, text)),
        }
    }

    fn reject(&mut self, execution: &str, seq: u32, by: &Decision) -> Result<bool, ControlError> {
        match self.bug() {
            // A no that does nothing.
            "HOST-REJECT-01" => Ok(true),
            "HOST-REJECT-02" => {
                let rejected = self.inner.reject(execution, seq, by);
                self.inner.rollback(execution)?;
                rejected
            }
            // Whatever waits is rejected.
            "HOST-REJECT-03" => match self.waiting(execution).first() {
                Some(call) => self.inner.reject(execution, call.seq, by),
                None => self.inner.reject(execution, seq, by),
            },
            // The others are let through first.
            "HOST-REJECT-04" => {
                let others: Vec<_> = self.waiting(execution).into_iter().filter(|call| call.seq != seq).collect();
                self.inner.approve(execution, &others, by)?;
                self.inner.reject(execution, seq, by)
            }
            _ => self.inner.reject(execution, seq, by),
        }
    }

    fn pending(&mut self, execution: Option<&str>) -> Given {
        let given = self.inner.pending(execution);
        match (self.bug(), execution) {
            ("HOST-APPROVE-05", Some(_)) => given.map(|text| {
                let mut pending = read(&text);
                pending.as_array_mut().unwrap().truncate(1);
                pending.to_string()
            }),
            ("HOST-APPROVE-07", None) => given.map(|text| {
                let mut pending = read(&text);
                reverse(&mut pending);
                pending.to_string()
            }),
            // Who waited once waits for ever.
            ("HOST-APPROVE-08", Some(id)) => match self.waited.get(id) {
                Some(pending) => Ok(pending.to_string()),
                None => given,
            },
            _ => given,
        }
    }

    fn rollback(&mut self, execution: &str) -> Given {
        match self.bug() {
            "HOST-ROLLBACK-01" => self.inner.rollback(execution).map(|text| {
                let mut report = read(&text);
                reverse(&mut report["calls"]);
                report.to_string()
            }),
            // A second one says what the first one said.
            "HOST-ROLLBACK-02" | "HOST-ROLLBACK-06" if self.reports.contains_key(execution) => {
                Ok(self.reports[execution].clone())
            }
            "HOST-ROLLBACK-02" | "HOST-ROLLBACK-06" => {
                let report = self.inner.rollback(execution)?;
                self.reports.insert(execution.to_owned(), report.clone());
                Ok(report)
            }
            "HOST-ROLLBACK-03" => self.inner.rollback(execution).map(|text| text.replace("no_revert", "reverted")),
            // It says that it did, and did not.
            "HOST-ROLLBACK-04" | "HOST-LAW-02" => {
                Ok(json!({ "executionId": execution, "status": "rolled_back", "calls": [] }).to_string())
            }
            "HOST-ROLLBACK-05" => self
                .inner
                .rollback(execution)
                .or_else(|_| Ok(json!({ "executionId": execution, "status": "completed", "calls": [] }).to_string())),
            _ => self.inner.rollback(execution),
        }
    }

    fn restart(&mut self) -> Result<(), Unsupported> {
        // What was stored is gone as well.
        if self.bug().starts_with("HOST-RESTART") {
            self.inner = host(self.bug, &self.now);
            return Ok(());
        }
        self.inner.restart()
    }
}
