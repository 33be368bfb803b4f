//! A dispatch that passes everything on, one thing wrongly.

use std::any::Any;

use codemode_runtime::Json;
use codemode_runtime::connector::BoxFuture;
use codemode_runtime::durable::failure::Failure;
use codemode_runtime::durable::id::Op;
use codemode_runtime::durable::journal::{Answer, Rerun};
use codemode_runtime::durable::replay::{Settled, StepRun};
use codemode_runtime::executor::{Completion, Dispatch, Level, PassOver, Refusal, StepOutcome};

/// Passes everything on, one thing wrongly.
pub(super) struct Bent {
    inner: Box<dyn Dispatch>,
    bug: &'static str,
    methods: Vec<String>,
    /// Whether the bug of the run is one that comes and goes.
    is_odd: bool,
    /// Steps that were not to run, and what closures gave.
    skipped: Vec<Op>,
    exited: Vec<(Op, Option<String>)>,
    snippets: Vec<Op>,
    held: Vec<(Level, String)>,
    submitted: u32,
    /// Calls without an answer.
    calls: Vec<Op>,
    /// Console lines so far.
    pub(super) lines: u32,
    /// Whether `next` gave none before the code had settled.
    pub(super) gave_up: bool,
}

impl Bent {
    pub(super) fn new(inner: Box<dyn Dispatch>, bug: &'static str, methods: Vec<String>, is_odd: bool) -> Self {
        let (skipped, exited, snippets, held) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            inner,
            bug,
            methods,
            is_odd,
            skipped,
            exited,
            snippets,
            held,
            submitted: 0,
            calls: Vec::new(),
            lines: 0,
            gave_up: false,
        }
    }

    /// What it stands in front of.
    pub(super) fn straight(mut self) -> Box<dyn Dispatch> {
        self.let_go();
        self.inner
    }

    fn let_go(&mut self) {
        for (level, line) in std::mem::take(&mut self.held) {
            self.inner.log(level, line);
        }
    }

    async fn following(&mut self, settled: Settled) -> Result<Option<Completion>, PassOver> {
        self.let_go();
        let is_late = self.bug == "EXEC-NEXT-01" && !self.calls.is_empty();
        let next = self.inner.next(if is_late { Settled::No } else { settled }).await?;
        self.calls.retain(|op| next.as_ref().is_none_or(|completion| completion.op != *op));
        if self.bug == "EXEC-NEXT-02" && settled == Settled::Yes {
            return Ok(None);
        }
        self.gave_up |= next.is_none() && settled == Settled::No;
        Ok(next.map(|completion| Completion { answer: self.answer(completion.op, completion.answer), ..completion }))
    }

    /// What a faulty executor makes of an answer.
    fn answer(&self, op: Op, answer: Answer) -> Answer {
        let text = answer.as_ref().ok().and_then(Option::as_ref).map(|json| json.as_str().to_owned());
        let text = text.unwrap_or_default();
        let is_snippet = self.snippets.contains(&op);
        match (self.bug, answer) {
            ("EXEC-ASK-03", Ok(_)) if text == r#"{"k":"b"}"# => Ok(json(r#"{"k":"c"}"#)),
            ("EXEC-ASK-04", Err(failure)) if failure.code != "thrown" => Err(Failure { details: None, ..failure }),
            ("EXEC-STEP-04", Ok(value)) => match self.exited.iter().find(|(of, _)| *of == op) {
                Some((_, own)) => Ok(own.as_deref().and_then(json)),
                None => Ok(value),
            },
            ("EXEC-STEP-05", Err(failure)) if failure.code == "thrown" => Err(Failure { details: None, ..failure }),
            ("EXEC-SNIPPET-01", Ok(_)) if is_snippet && text.contains("return n * 2") => {
                Ok(json(&text.replacen("\"code\"", "\"source\"", 1)))
            }
            ("EXEC-SNIPPET-02", Ok(_)) if is_snippet && text == "5" => {
                Err(Failure::new("internal", "it is no snippet"))
            }
            ("EXEC-SNIPPET-03", Ok(_)) if is_snippet && text.contains("throw new RangeError('inside')") => {
                Ok(json(&text.replace("throw", "return")))
            }
            ("EXEC-SNIPPET-04", Ok(_)) if is_snippet && text.contains("codemode.run('deep'") => {
                Ok(json(r#"{"code":"async () => 'end'"}"#))
            }
            ("EXEC-VALUE-02", Ok(_)) if text.contains("Float64Array") => {
                Ok(json(&text.replace("Float64Array", "Float32Array")))
            }
            (_, answer) => answer,
        }
    }
}

fn json(text: &str) -> Option<Json> {
    Some(Json::from_tagged(text, &Default::default()).expect("tagged JSON"))
}

impl Dispatch for Bent {
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> Result<Op, PassOver> {
        self.submitted += 1;
        if self.bug == "EXEC-ASK-10" && self.submitted > 900 {
            return Err(PassOver);
        }
        let is_renamed = self.bug == "EXEC-ASK-05" && args.is_some() && !self.methods.contains(&method);
        let args = match (self.bug, args) {
            ("EXEC-ASK-02", None) if method == "echo" => Some("null".to_owned()),
            ("EXEC-VALUE-01", Some(text)) => Some(text.replace("Uint16Array", "Uint8Array")),
            ("EXEC-ORDER-01", Some(_)) if self.is_odd => None,
            ("EXEC-REPLAY-01", Some(text)) if connector == "shelf" => Some(format!("[{text}]")),
            (_, args) => args,
        };
        let method = if is_renamed { "unknown".to_owned() } else { method };
        let op = match self.inner.submit(connector, method, args) {
            // It goes on regardless.
            Err(PassOver) if self.bug == "EXEC-STOP-05" => Op(u32::MAX),
            op => op?,
        };
        self.calls.push(op);
        Ok(op)
    }

    fn fetch(&mut self, request: String) -> Result<Op, PassOver> {
        self.inner.fetch(request)
    }

    fn sleep(&mut self, ms: u64) -> Result<Op, PassOver> {
        self.inner.sleep(if self.bug == "EXEC-TIMER-01" { ms.max(1) } else { ms })
    }

    fn cancel(&mut self, op: Op) {
        if self.bug != "EXEC-TIMER-02" {
            self.inner.cancel(op);
        }
    }

    fn search(&mut self, query: String) -> Result<Op, PassOver> {
        let unquoted = query.replace('\\', "");
        self.inner.search(if self.bug == "EXEC-ASK-09" && query.contains('\\') { unquoted } else { query })
    }

    fn describe(&mut self, target: String) -> Result<Op, PassOver> {
        self.inner.describe(target)
    }

    fn snippet(&mut self, name: String, input: Option<String>) -> Result<Op, PassOver> {
        let op = self.inner.snippet(name, input)?;
        self.snippets.push(op);
        Ok(op)
    }

    fn step_enter(&mut self, name: String) -> Result<(Op, StepRun), PassOver> {
        let (op, run) = self.inner.step_enter(name)?;
        if self.bug == "EXEC-STEP-03" && run == StepRun::Skip {
            self.skipped.push(op);
            return Ok((op, StepRun::Run));
        }
        Ok((op, run))
    }

    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver> {
        if self.skipped.contains(&op) {
            return Ok(());
        }
        let outcome = match self.bug {
            "EXEC-STEP-02" => StepOutcome { rerun: Rerun::No, ..outcome },
            _ => outcome,
        };
        if let Ok(value) = &outcome.result {
            self.exited.push((op, value.clone()));
        }
        if self.bug == "EXEC-STEP-01" && outcome.result == Ok(Some(r#"{"n":1}"#.to_owned())) {
            self.inner.step_exit(op, outcome.clone())?;
        }
        self.inner.step_exit(op, outcome)
    }

    fn next(&mut self, settled: Settled) -> BoxFuture<'_, Result<Option<Completion>, PassOver>> {
        Box::pin(self.following(settled))
    }

    fn log(&mut self, level: Level, line: String) {
        self.lines += 1;
        match (self.bug, level) {
            ("EXEC-LOG-01", Level::Info) => self.inner.log(Level::Log, line),
            ("EXEC-LOG-02", _) => self.inner.log(level, line.replace("[object Object]", "{}")),
            ("EXEC-LOG-04", _) => self.held.push((level, line)),
            ("EXEC-LOG-05", Level::Warn) if line.contains("no such book") => {}
            _ => self.inner.log(level, line),
        }
    }

    fn refuse(&mut self, subject: String, refusal: Refusal) -> PassOver {
        let refusal = match refusal {
            Refusal::Unsupported(_, kind) if self.bug == "EXEC-VALUE-04" => Refusal::Unsupported(String::new(), kind),
            other => other,
        };
        self.inner.refuse(subject, refusal)
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }

    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
