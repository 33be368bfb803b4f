//! Executors that break one rule each: the real one, with one thing changed on the way in or out. What a faulty engine would
//! do inside is done by JavaScript around the code; what it would do to the protocol, by a dispatch in between.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use codemode_runtime::connector::BoxFuture;
use codemode_runtime::durable::execution::Determinism;
use codemode_runtime::executor::{Dispatch, Executor, Ran, Request, Thrown};

use super::around;
use super::bent::Bent;

/// An executor that breaks one rule.
pub(super) struct Double {
    inner: Arc<dyn Executor>,
    bug: &'static str,
    runs: AtomicU32,
    /// The code of the run before.
    before: Mutex<String>,
}

impl Double {
    pub(super) fn new(inner: Arc<dyn Executor>, bug: &'static str) -> Self {
        Self { inner, bug, runs: AtomicU32::new(0), before: Mutex::default() }
    }

    /// What a faulty executor makes of what it is given.
    fn given(&self, request: &mut Request, run: u32) {
        match self.bug {
            "EXEC-RUN-01" if request.input.is_none() => request.input = Some("null".to_owned()),
            "EXEC-ASK-06" => {
                request.namespaces.iter_mut().filter(|n| n.name == "t").for_each(|n| drop(n.methods.pop()))
            }
            "EXEC-ASK-07" => request.namespaces.retain(|namespace| namespace.name != "codemode"),
            "EXEC-LIMIT-01" => request.limits.value_units += 1,
            "EXEC-LIMIT-02" => request.limits.outcome_units += 1,
            "EXEC-LIMIT-03" => request.limits.depth += 1,
            "EXEC-LIMIT-04" => request.limits.log_line_units += 1,
            // A limit that looks like none.
            "EXEC-STOP-04" if request.limits.value_units > 1_000_000 => request.limits.value_units = u32::MAX,
            "EXEC-CLOCK-02" => request.determinism = Determinism::Recorded,
            "EXEC-SEED-02" => request.seed = [7; 32],
            _ => {}
        }
        let before = std::mem::replace(&mut *self.before.lock().unwrap(), request.code.clone());
        let left = self.bug == "EXEC-RUN-03" && before.contains("globalThis.left = 1");
        let bug = if left { "left by the run before" } else { self.bug };
        if let Some(code) = around::code(bug, &request.code, run) {
            request.code = code;
        }
    }

    /// What a faulty executor says that the run came to.
    fn came(&self, ran: Ran, bent: &Bent, shift: u32) -> Ran {
        let ran = match ran {
            Ran::Threw(thrown) => Ran::Threw(moved(thrown, shift)),
            other => other,
        };
        match (self.bug, ran) {
            ("EXEC-RUN-02", Ran::Threw(_)) if bent.gave_up => Ran::Returned(None),
            ("EXEC-STOP-01", Ran::CpuLimit) if bent.lines == 0 => Ran::Returned(None),
            ("EXEC-STOP-02", Ran::MemoryLimit) => Ran::Broke("unreachable".to_owned()),
            ("EXEC-VALUE-03", Ran::Returned(Some(text))) => {
                Ran::Returned(Some(text.replace(r#"{"$cm":["date",null]}"#, "null")))
            }
            ("EXEC-ERROR-01", Ran::Threw(thrown)) if thrown.name == "Thrown" => {
                Ran::Threw(Thrown { name: "Error".to_owned(), ..thrown })
            }
            ("EXEC-ERROR-02", Ran::Threw(thrown)) => Ran::Threw(Thrown { line: thrown.line.map(|l| l + 1), ..thrown }),
            ("EXEC-ERROR-03", Ran::Threw(thrown)) if thrown.name == "SyntaxError" => {
                Ran::Threw(Thrown { name: "Error".to_owned(), ..thrown })
            }
            ("EXEC-ERROR-04", Ran::Threw(thrown)) => {
                let stack = thrown.stack.map(|stack| format!("{stack}\n    at forEach (native)"));
                Ran::Threw(Thrown { stack, ..thrown })
            }
            (_, ran) => ran,
        }
    }
}

/// The place in the code as it was, where there is something in front of it.
fn moved(thrown: Thrown, shift: u32) -> Thrown {
    let is_in_front = |line: u32, column: u32| line == 1 && column <= shift;
    let own = thrown.line.zip(thrown.column).filter(|(line, column)| !is_in_front(*line, *column));
    let below = || thrown.stack.iter().flat_map(|stack| stack.lines().filter_map(place));
    let Some((line, column)) = own.or_else(|| below().find(|(line, column)| !is_in_front(*line, *column))) else {
        return thrown;
    };
    let column = if line == 1 { column - shift } else { column };
    Thrown { line: Some(line), column: Some(column), ..thrown }
}

/// Line and column of a frame.
fn place(frame: &str) -> Option<(u32, u32)> {
    let (rest, column) = frame.trim_end_matches(')').rsplit_once(':')?;
    Some((rest.rsplit_once(':')?.1.parse().ok()?, column.parse().ok()?))
}

impl Executor for Double {
    fn digest(&self) -> &str {
        self.inner.digest()
    }

    fn runtime(&self) -> tokio::runtime::Handle {
        self.inner.runtime()
    }

    fn run(&self, mut request: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let code = request.code.clone();
        self.given(&mut request, run);
        let shift = request.code.find(&code).map_or(0, |at| request.code[..at].encode_utf16().count());
        let methods = request.namespaces.iter().flat_map(|n| n.methods.clone()).collect();
        let is_program = code.contains("const caught =");
        let bent = Box::new(Bent::new(dispatch, self.bug, methods, is_program && run % 2 == 1));
        Box::pin(async move {
            let (ran, dispatch) = self.inner.run(request, bent).await;
            let bent = dispatch.into_any().downcast::<Bent>().expect("the executor gives back what it was given");
            let ran = self.came(ran, &bent, u32::try_from(shift).unwrap_or(0));
            (ran, bent.straight())
        })
    }
}
