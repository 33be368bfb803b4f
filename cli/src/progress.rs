//! What a pass does, while it does it: one line for each call that was answered, and a last line, redrawn, for those
//! in flight. Only where stderr is a terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;

use codemode_runtime::{EventKind, ExecutionId, Runtime};

use crate::output::outcome::tone;
use crate::output::{DIM, Ui, styled, text};
use crate::watch::Begun;

/// Follows an execution from the event after `after` to the end of its pass.
pub(crate) async fn follow(ui: Ui, runtime: Runtime, mut begun: Begun, after: u64) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let Ok(id) = begun.wait_for(Option::is_some).await.map(|id| id.clone()) else { return };
    let Some(id) = id else { return };
    lines(ui, runtime, &id, after).await;
    ui.draw(CLEAR);
}

const CLEAR: &str = "\r\x1b[2K";

async fn lines(ui: Ui, runtime: Runtime, id: &ExecutionId, after: u64) {
    let mut events = runtime.events(id, after);
    let mut in_flight: BTreeMap<u32, String> = BTreeMap::new();
    // A store that fails is the pass's to report.
    while let Ok(next) = events.next().await {
        if next.is_empty() {
            return;
        }
        let mut drawn = String::from(CLEAR);
        for event in next {
            let path = text::cut(&text::path(&event.connector, &event.method), 60);
            match event.kind {
                EventKind::Asked => drop(in_flight.insert(event.seq.0, path)),
                EventKind::Answered(state) => {
                    in_flight.remove(&event.seq.0);
                    let word = styled(tone(state.as_str()), state.as_str());
                    drawn.push_str(&format!("{} {path} {word}\n", styled(DIM, format_args!("#{}", event.seq))));
                }
                _ => {}
            }
        }
        let waiting: Vec<&str> = in_flight.values().map(String::as_str).collect();
        if !waiting.is_empty() {
            drawn.push_str(&styled(DIM, text::cut(&format!("… {}", waiting.join(", ")), 76)));
        }
        ui.draw(drawn);
    }
}
