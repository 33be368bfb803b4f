//! Asking the person: one form for each pending call, which only a client that declared it can show. Whatever comes back
//! that is not plainly a yes or a no decides nothing.

use std::sync::Arc;
use std::time::Duration;

use codemode_runtime::connector::{Flag, Method};
use codemode_runtime::discovery::{is_invisible, visible};
use codemode_runtime::durable::journal::Effect;
use codemode_runtime::durable::json::{prefix, utf16_len};
use codemode_runtime::{By, Error, ExecutionId, PendingCall, Pick, Seq, Status};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use rmcp::service::{ElicitationMode, RequestContext};
use serde_json::{Value, json};

use crate::server::Shared;
use crate::stdio::Lost;

/// How often a paused execution is looked at while a person thinks.
const LOOK: Duration = Duration::from_millis(300);

/// What the person decided.
#[derive(Debug)]
pub(crate) enum Decided {
    /// These calls happen.
    Approved(Vec<Pick>, By),
    /// This one does not, which ends the execution.
    Rejected(Seq, By),
    /// Somebody decided through another door meanwhile.
    Elsewhere,
    /// Nothing, or there was nobody to ask.
    Nothing,
}

/// What one form came back with.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Approve(Option<String>),
    Reject(Option<String>),
    /// The execution is not paused any more.
    Elsewhere,
    Nothing,
}

/// The person behind a client, for one tool call.
pub(crate) struct Person<'a> {
    shared: &'a Arc<Shared>,
    lost: &'a Lost,
    context: &'a RequestContext<RoleServer>,
    /// How often they may still be asked.
    questions: usize,
}

impl<'a> Person<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, lost: &'a Lost, context: &'a RequestContext<RoleServer>) -> Self {
        let can_ask = context.peer.supported_elicitation_modes().contains(&ElicitationMode::Form);
        let questions = if can_ask { shared.options.limits.questions } else { 0 };
        Self { shared, lost, context, questions }
    }

    /// Asks about each pending call. A no decides at once; what was approved before an answer that decides nothing
    /// is approved all the same, and the person is not asked again.
    pub(crate) async fn decides(&mut self, id: &ExecutionId, pending: &[PendingCall]) -> Result<Decided, Error> {
        let (mut picks, mut reason) = (Vec::new(), None);
        for (at, call) in pending.iter().enumerate() {
            if self.questions == 0 {
                break;
            }
            self.questions -= 1;
            let method = self.shared.runtime.method(&call.connector, &call.method).await?;
            let question = question(call, method.as_ref(), (at + 1, pending.len()), self.shared);
            match self.ask(id, question).await {
                Said::Approve(why) => {
                    reason = reason.or(why);
                    picks.push(Pick { seq: call.seq, digest: call.digest.clone() });
                }
                Said::Reject(why) => return Ok(Decided::Rejected(call.seq, self.by(why))),
                Said::Elsewhere => return Ok(Decided::Elsewhere),
                Said::Nothing => self.questions = 0,
            }
        }
        Ok(if picks.is_empty() { Decided::Nothing } else { Decided::Approved(picks, self.by(reason)) })
    }

    /// Shows one form.
    async fn ask(&self, id: &ExecutionId, message: String) -> Said {
        let Ok(requested_schema) = ElicitationSchema::from_json_schema(form()) else { return Said::Nothing };
        let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
        let limit = Duration::from_millis(self.shared.options.limits.approval_ms);
        let peer = &self.context.peer;
        tokio::select! {
            answer = peer.create_elicitation_with_timeout(params, Some(limit)) => match answer {
                Ok(answer) => said(&answer),
                Err(error) => {
                    tracing::info!(%error, "the person did not answer; it stays paused");
                    Said::Nothing
                }
            },
            () = self.moved(id) => Said::Elsewhere,
            () = self.context.ct.cancelled() => Said::Nothing,
            () = self.lost.gone.cancelled() => Said::Nothing,
            () = self.shared.leaving.cancelled() => Said::Nothing,
        }
    }

    /// Waits until the execution is not paused any more: a terminal is another door.
    async fn moved(&self, id: &ExecutionId) {
        loop {
            tokio::time::sleep(LOOK).await;
            // A store that fails is told to whoever decides.
            if let Ok(record) = self.shared.runtime.record(id)
                && record.is_none_or(|record| record.execution.status != Status::Paused)
            {
                return;
            }
        }
    }

    /// Who decided: the person at that client, which says of itself what it is called.
    fn by(&self, reason: Option<String>) -> By {
        let client = self.context.client_info().map(|client| client.name).unwrap_or_default();
        let name: String = visible(client.trim()).split_whitespace().collect::<Vec<_>>().join(" ");
        let name = if name.is_empty() { "unnamed client" } else { prefix(&name, 100) };
        By { actor: format!("mcp:{name}"), channel: "mcp".to_owned(), reason }
    }
}

/// The form. Nothing in it has a default: an answer that nobody gave must not approve.
fn form() -> rmcp::model::JsonObject {
    let form = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "description": "Approve lets exactly this call happen. Reject ends the execution.",
                "enum": ["approve", "reject"],
                "enumNames": ["Approve", "Reject"]
            },
            "reason": {
                "type": "string",
                "title": "Reason",
                "description": "Why; kept in the journal.",
                "maxLength": 1_000
            }
        },
        "required": ["decision"]
    });
    form.as_object().cloned().unwrap_or_default()
}

/// What an answer means.
fn said(answer: &ElicitResult) -> Said {
    let content = answer.content.as_ref();
    let member = |name: &str| content.and_then(|content| content.get(name)).and_then(Value::as_str);
    let reason = || member("reason").map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    match (&answer.action, member("decision")) {
        (ElicitationAction::Accept, Some("approve")) => Said::Approve(reason()),
        (ElicitationAction::Accept, Some("reject")) => Said::Reject(reason()),
        (ElicitationAction::Decline, _) => Said::Reject(Some("declined".to_owned())),
        _ => Said::Nothing,
    }
}

/// What the person reads: which call, with what, what it does, and whether it can be undone.
fn question(call: &PendingCall, method: Option<&Method>, (number, of): (usize, usize), shared: &Shared) -> String {
    let limits = &shared.options.limits;
    let count = if of == 1 { String::new() } else { format!(" (call {number} of {of} that wait)") };
    let mut text = format!("May this happen?{count}\n\n{}.{}\n", call.connector, legible(&call.method));
    if let Some(description) = method.and_then(|m| m.description.as_deref()) {
        // A third party's text on one line: it cannot look like one of ours.
        let line = visible(description).split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("It says of itself: {}\n", prefix(&line, 500)));
    }
    match &call.args {
        None => text.push_str("Without arguments.\n"),
        Some(args) => {
            let (shown, left) = arguments(args.as_str(), limits.arguments_units);
            text.push_str(&format!("With:\n{shown}\n"));
            if left > 0 {
                let line = shared.options.line("pending", &call.execution);
                text.push_str(&format!("… and {left} more characters; all of it: {line}\n"));
            }
        }
    }
    text.push_str(match method.map(|m| (m.effect, m.revertible)) {
        Some((Effect::ReadOnly, _)) => "It changes nothing.",
        Some((_, Flag::Yes)) => "It can be undone later.",
        _ => "It cannot be undone by a rollback.",
    });
    text.push_str(&format!("\n\nExecution {}, call {}.", call.execution, call.seq));
    text
}

/// JSON for reading: indented, with what cannot be seen as escapes, and cut. Also how much is left out.
fn arguments(normal: &str, units: usize) -> (String, u64) {
    let pretty = serde_json::from_str::<Value>(normal).ok().and_then(|value| serde_json::to_string_pretty(&value).ok());
    // What a Rust value would change is shown as it is recorded.
    let text = legible(&pretty.unwrap_or_else(|| normal.to_owned()));
    let shown = prefix(&text, units).to_owned();
    let left = utf16_len(&text) - utf16_len(&shown);
    (shown, left)
}

/// The text with everything that is not seen as a visible escape. Line feeds stay.
fn legible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if c != '\n' && is_invisible(c) {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(action: ElicitationAction, content: Option<Value>) -> Said {
        let mut result = ElicitResult::new(action);
        result.content = content;
        said(&result)
    }

    #[test]
    fn only_a_plain_yes_approves() {
        use ElicitationAction::{Accept, Cancel, Decline};
        assert_eq!(answer(Accept, Some(json!({ "decision": "approve" }))), Said::Approve(None));
        let why = Some("as agreed".to_owned());
        assert_eq!(answer(Accept, Some(json!({ "decision": "approve", "reason": " as agreed " }))), Said::Approve(why));
        assert_eq!(answer(Accept, Some(json!({ "decision": "reject" }))), Said::Reject(None));
        assert_eq!(answer(Decline, None), Said::Reject(Some("declined".to_owned())));
        for content in [
            None,
            Some(json!({})),
            Some(json!({ "decision": true })),
            Some(json!({ "decision": "Approve" })),
            Some(json!({ "decision": ["approve"] })),
            Some(json!("approve")),
            Some(json!({ "approve": true })),
        ] {
            assert_eq!(answer(Accept, content.clone()), Said::Nothing, "{content:?}");
        }
        assert_eq!(answer(Cancel, Some(json!({ "decision": "approve" }))), Said::Nothing);
    }

    #[test]
    fn the_form_has_no_default_and_is_one_that_clients_know() {
        assert!(!Value::Object(form()).to_string().contains("default"));
        assert!(ElicitationSchema::from_json_schema(form()).is_ok());
    }

    #[test]
    fn arguments_are_cut_at_the_limit_and_the_rest_is_counted() {
        let text = format!("\"{}\"", "x".repeat(98));
        assert_eq!(arguments(&text, 100), (text.clone(), 0));
        let (shown, left) = arguments(&text, 99);
        assert_eq!((shown.len(), left), (99, 1));
    }

    #[test]
    fn what_cannot_be_seen_is_shown_as_an_escape() {
        let (shown, _) = arguments("{\"to\":\"a\u{202e}b\u{200b}\"}", 1_000);
        assert_eq!(shown, "{\n  \"to\": \"a\\u{202e}b\\u{200b}\"\n}");
        let (half, _) = arguments(r#"{"a":"\ud800"}"#, 1_000);
        assert_eq!(half, r#"{"a":"\ud800"}"#);
    }
}
