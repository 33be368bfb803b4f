//! What is being done, while it is done, on a last line that is redrawn: which calls are in flight, which one is being
//! undone. Only where stderr is a terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codemode_runtime::{EntryState, EventKind, ExecutionId, Runtime, Seq, Status};

use crate::output::outcome::tone;
use crate::output::{DIM, Ui, styled, text};

/// How often an execution is looked at that nobody works on yet, or that has no events.
const LOOK: Duration = Duration::from_millis(100);

/// The widest last line. A longer one would leave a part behind on a narrow terminal.
const WIDTH: usize = 76;

/// Begins the last line anew.
const CLEAR: &str = "\r\x1b[2K";

/// Set when there is nothing to follow any more.
#[derive(Clone, Default)]
pub(crate) struct Over(Arc<AtomicBool>);

impl Over {
    /// From now on.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Whether somebody sees progress.
pub(crate) fn is_seen() -> bool {
    std::io::stderr().is_terminal()
}

/// Draws the last line.
pub(crate) fn draw(ui: Ui, line: &str) {
    ui.draw(last_line(line));
}

fn last_line(line: &str) -> String {
    format!("{CLEAR}{}", styled(DIM, text::cut(&format!("… {line}"), WIDTH)))
}

/// Takes the last line away.
pub(crate) fn clear(ui: Ui) {
    ui.draw(CLEAR);
}

/// Follows the passes of an execution from the event after `after` until it is over: one line for each call that was
/// answered, and the last line for those in flight.
pub(crate) async fn follow(ui: Ui, runtime: Runtime, id: Option<ExecutionId>, mut after: u64, over: Over) {
    let Some(id) = id.filter(|_| is_seen()) else { return };
    let mut in_flight: BTreeMap<Seq, String> = BTreeMap::new();
    // It may not run yet: whoever resumes it has to look at it first.
    loop {
        let was_over = over.is_set();
        let mut events = runtime.events(&id, after);
        // A store that fails is the pass's to report.
        while let Ok(next) = events.next().await {
            let Some(last) = next.last() else { break };
            after = last.number;
            let mut drawn = String::from(CLEAR);
            for event in next {
                let path = text::cut(&text::path(&event.connector, &event.method), 60);
                match event.kind {
                    EventKind::Asked => drop(in_flight.insert(event.seq, path)),
                    EventKind::Answered(state) => {
                        in_flight.remove(&event.seq);
                        let word = styled(tone(state.as_str()), state.as_str());
                        drawn.push_str(&format!("{} {path} {word}\n", styled(DIM, format_args!("#{}", event.seq))));
                    }
                    _ => {}
                }
            }
            let waiting: Vec<&str> = in_flight.values().map(String::as_str).collect();
            if !waiting.is_empty() {
                drawn.push_str(&last_line(&waiting.join(", ")));
            }
            ui.draw(drawn);
        }
        if was_over {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
    clear(ui);
}

/// Follows a rollback until it is over: which call is being undone, of those that are to be.
pub(crate) async fn undoing(ui: Ui, runtime: Runtime, id: ExecutionId, planned: Vec<Seq>, over: Over) {
    if !is_seen() {
        return;
    }
    let mut shown = String::new();
    while !over.is_set() {
        // A store that fails is the rollback's to report.
        if let Ok(Some(record)) = runtime.record(&id) {
            let line = match record.entries.iter().find(|e| e.state == EntryState::Reverting) {
                Some(entry) => {
                    let (connector, method) = entry.request.path();
                    let seq = entry.seq.unwrap_or(Seq(0));
                    let place = planned
                        .iter()
                        .position(|p| *p == seq)
                        .map_or_else(String::new, |at| format!(" ({} of {})", at + 1, planned.len()));
                    format!("undoing #{seq} {}{place}", text::path(connector, method))
                }
                None if record.execution.status == Status::Running => "waiting for the pass to stop".to_owned(),
                None => shown.clone(),
            };
            if line != shown {
                draw(ui, &line);
                shown = line;
            }
        }
        tokio::time::sleep(LOOK).await;
    }
    clear(ui);
}
