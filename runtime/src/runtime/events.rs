//! The journal as it grows, for progress: each call and step is asked for and answered. Events are numbered from 1
//! without gaps; a reader that was away goes on after the last number it saw.

use std::sync::Arc;
use std::time::Duration;

use super::Runtime;
use crate::durable::execution::Status;
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Entry, EntryState};
use crate::durable::rollback::original_state;
use crate::error::Error;
use crate::pass::Live;

/// Something that happened to a call or step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// From 1, dense.
    pub number: u64,
    /// Which call or step.
    pub seq: Seq,
    /// The connector; `__step` for steps.
    pub connector: String,
    /// The method, or the step's name.
    pub method: String,
    /// What happened.
    pub kind: EventKind,
    /// Epoch milliseconds.
    pub at: u64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// The code asked for it.
    Asked,
    /// It was answered; the state says how.
    Answered(EntryState),
}

/// The events of one execution.
pub struct Events {
    runtime: Runtime,
    id: ExecutionId,
    after: u64,
    live: Option<Arc<Live>>,
}

/// How often a journal that another process writes is looked at.
const POLL: Duration = Duration::from_millis(100);

impl Runtime {
    /// Follows the events of an execution after the number `after` (0: all of them).
    #[must_use]
    pub fn events(&self, id: &ExecutionId, after: u64) -> Events {
        Events { runtime: self.clone(), id: id.clone(), after, live: self.live(id) }
    }
}

impl Events {
    /// The next events, in order: waits until there is at least one, and gives none when the execution is at rest and
    /// all were read.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next(&mut self) -> Result<Vec<Event>, Error> {
        loop {
            let live = self.live.clone();
            let changed = live.as_ref().map(|l| l.changed());
            tokio::pin!(changed);
            if let Some(changed) = changed.as_mut().as_pin_mut() {
                changed.enable();
            }
            let Some(record) = self.runtime.record(&self.id)? else { return Ok(Vec::new()) };
            let events = read(&record.entries, self.after);
            if let Some(last) = events.last() {
                self.after = last.number;
                return Ok(events);
            }
            if record.execution.status != Status::Running {
                return Ok(events);
            }
            match changed.as_mut().as_pin_mut() {
                Some(changed) => {
                    let _ = tokio::time::timeout(POLL, changed).await;
                }
                None => tokio::time::sleep(POLL).await,
            }
        }
    }
}

/// The events after a number, up to the first one that is not in the journal yet.
fn read(entries: &[Entry], after: u64) -> Vec<Event> {
    let event = |entry: &Entry, number: u64, kind: EventKind, at: u64| {
        let (connector, method) = entry.request.path();
        entry.seq.filter(|_| number > after).map(|seq| Event {
            number,
            seq,
            connector: connector.to_owned(),
            method: method.to_owned(),
            kind,
            at,
        })
    };
    let mut events: Vec<Event> = entries
        .iter()
        .flat_map(|e| {
            let asked = event(e, e.asked_event, EventKind::Asked, e.asked_at);
            let answered = e.answered_event.filter(|_| e.answered_at.is_some()).and_then(|number| {
                // What once was read stays so when the call is undone later.
                let kind = EventKind::Answered(original_state(e));
                event(e, number, kind, e.answered_at.unwrap_or(e.asked_at))
            });
            [asked, answered]
        })
        .flatten()
        .collect();
    events.sort_by_key(|e| e.number);
    let dense = events.iter().zip(after + 1..).take_while(|(e, n)| e.number == *n).count();
    events.truncate(dense);
    events
}
