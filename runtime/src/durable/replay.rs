//! One pass against the journal, without IO: the code asks, answers arrive, and this machine says what is delivered
//! when, what is performed, what is written and how the pass ends. The shell around it only performs and stores.
//!
//! Why parallel code replays exactly: the guest runs every runnable job between two calls of [`Replay::next`], so what
//! it asks depends only on the code and on the order in which answers were delivered. That order is journaled, and
//! replayed until the record ends.

mod entry;
mod happened;
mod outline;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

pub use outline::{ANSWERABLE, End, Keep, Next, Settled, Start, StepRun};

use super::decide::{Divergence, Verdict, decide, waits_for_approval};
use super::failure::{CodeError, Failure};
use super::id::{Op, Seq};
use super::journal::{Answer, Delivery, Entry, EntryState, Request, Rerun, Terms};
use super::write::Write;
use entry::{fresh_entry, kept, never_settles, number, state_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Not asked for in this pass yet.
    Unasked,
    /// Waits until the record is consumed, or for a free place in flight.
    Queued,
    Performing,
    /// A step's closure runs in the sandbox.
    Stepping,
    TimerRuns,
    Waiting,
    Answered,
    Delivered,
    Cancelled,
}

/// A pass in progress.
#[derive(Debug)]
pub struct Replay {
    entries: Vec<Entry>,
    work: Vec<Work>,
    /// Entries that the pass found in the journal.
    recorded: usize,
    /// Asks so far.
    asked: usize,
    /// Recorded deliveries, by place.
    order: Vec<Op>,
    /// Deliveries so far.
    delivered: usize,
    arrivals: VecDeque<Op>,
    queue: VecDeque<Op>,
    in_flight: u32,
    max_in_flight: u32,
    /// Values that are never journaled.
    ephemeral: HashMap<Op, Answer>,
    next_seq: Seq,
    next_event: u64,
    clock: u64,
    pass: u32,
    writes: Vec<Write>,
    starts: Vec<Start>,
}

impl Replay {
    /// Begins a pass over the journal as loaded. `clock` is the code's clock at its start; at most `max_in_flight`
    /// asks are performed at once.
    #[must_use]
    pub fn new(entries: Vec<Entry>, pass: u32, clock: u64, max_in_flight: u32) -> Self {
        let mut order: Vec<(u32, Op)> = entries.iter().filter_map(|e| e.delivery.map(|d| (d.place, e.op))).collect();
        order.sort_unstable();
        let last_event = entries.iter().map(|e| e.asked_event.max(e.answered_event.unwrap_or(0))).max().unwrap_or(0);
        Self {
            work: vec![Work::Unasked; entries.len()],
            recorded: entries.len(),
            order: order.into_iter().map(|(_, op)| op).collect(),
            entries,
            asked: 0,
            delivered: 0,
            arrivals: VecDeque::new(),
            queue: VecDeque::new(),
            in_flight: 0,
            max_in_flight: max_in_flight.max(1),
            ephemeral: HashMap::new(),
            next_seq: Seq(0),
            next_event: last_event + 1,
            clock,
            pass,
            writes: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// The journal as it stands.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry at an op.
    #[must_use]
    pub fn entry(&self, op: Op) -> Option<&Entry> {
        self.entries.get(op.0 as usize)
    }

    /// Calls and steps asked for in this pass so far.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.next_seq.0
    }

    /// Whether the next ask has no recorded row.
    #[must_use]
    pub fn is_next_fresh(&self) -> bool {
        self.asked >= self.entries.len()
    }

    /// Takes what is to be written, in order, and then what is to be begun.
    pub fn drain(&mut self) -> (Vec<Write>, Vec<Start>) {
        (std::mem::take(&mut self.writes), std::mem::take(&mut self.starts))
    }

    /// Takes only what is to be written.
    pub fn drain_writes(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.writes)
    }

    /// Asks of this pass so far.
    #[must_use]
    pub fn asked(&self) -> u32 {
        u32::try_from(self.asked).unwrap_or(u32::MAX)
    }

    /// Whether recorded entries or deliveries are left.
    #[must_use]
    pub fn is_replaying(&self) -> bool {
        self.delivered < self.order.len() || self.asked < self.recorded
    }

    /// The code asks for something other than a step. `terms` says what the catalogue has, for a fresh ask: the terms,
    /// or the failure that answers it at once. `at` is the wall clock in epoch milliseconds.
    ///
    /// # Errors
    /// The divergence that ends the pass.
    pub fn ask(&mut self, request: Request, terms: Result<Terms, Failure>, at: u64) -> Result<Op, CodeError> {
        let (op, verdict) = self.place(request, at)?;
        let index = op.0 as usize;
        match verdict {
            Verdict::Fresh => self.begin(op, terms, at),
            Verdict::Replay | Verdict::RunAgain => self.answered(op),
            Verdict::Perform => self.enqueue(op),
            Verdict::StayPending => self.work[index] = Work::Waiting,
            Verdict::StayUnknown => self.unsure(op, at),
            Verdict::Diverge(divergence) => return Err(divergence.into_error()),
        }
        Ok(op)
    }

    /// The code enters a step.
    ///
    /// # Errors
    /// The divergence that ends the pass.
    pub fn step_enter(&mut self, name: String, at: u64) -> Result<(Op, StepRun), CodeError> {
        let (op, verdict) = self.place(Request::Step { name }, at)?;
        let index = op.0 as usize;
        match verdict {
            Verdict::Diverge(divergence) => return Err(divergence.into_error()),
            Verdict::Replay => {
                self.answered(op);
                return Ok((op, StepRun::Skip));
            }
            Verdict::RunAgain => self.answered(op),
            Verdict::Fresh => {
                self.work[index] = Work::Stepping;
                self.entries[index].attempt = 1;
                self.writes.push(Write::Asked(Box::new(self.entries[index].clone())));
            }
            Verdict::Perform | Verdict::StayPending | Verdict::StayUnknown => {
                self.work[index] = Work::Stepping;
                self.entries[index].attempt += 1;
            }
        }
        Ok((op, StepRun::Run))
    }

    /// A step's closure ended. Dropped when its outcome is recorded already.
    pub fn step_exit(&mut self, op: Op, answer: Answer, rerun: Rerun, at: u64) {
        if self.work.get(op.0 as usize) == Some(&Work::Stepping) {
            self.entries[op.0 as usize].rerun = rerun;
            self.arrived(op, answer, at, Keep::ToWrite);
        }
    }

    /// The write that keeps an answer, for a batch of the shell's own (one with connector state). `None` when nothing
    /// is to be kept: the ask is not outstanding, or it is a re-executed read whose answer has a place already.
    pub fn answer_write(&mut self, op: Op, answer: &Answer, at: u64) -> Option<Write> {
        let index = op.0 as usize;
        let outstanding = matches!(self.work.get(index), Some(Work::Performing | Work::Stepping | Work::TimerRuns));
        let entry = self.entries.get_mut(index)?;
        if !outstanding || (entry.is_ephemeral() && entry.delivery.is_some()) {
            return None;
        }
        entry.answered_event = entry.answered_event.or_else(|| number(&mut self.next_event, entry.seq));
        Some(Write::Answered {
            op,
            from: ANSWERABLE,
            state: state_of(answer),
            answer: Some(kept(entry, answer)),
            rerun: entry.rerun,
            at,
            event: entry.answered_event,
        })
    }

    /// An ask was answered. Dropped unless it is outstanding.
    pub fn arrived(&mut self, op: Op, answer: Answer, at: u64, keep: Keep) {
        let write = match keep {
            Keep::ToWrite => self.answer_write(op, &answer, at),
            Keep::Written => None,
        };
        let index = op.0 as usize;
        match self.work.get(index) {
            Some(Work::Performing) => self.in_flight -= 1,
            Some(Work::Stepping | Work::TimerRuns) => {}
            _ => return,
        }
        self.writes.extend(write);
        let entry = &mut self.entries[index];
        entry.state = state_of(&answer);
        entry.answered_at = Some(at);
        entry.answer = Some(kept(entry, &answer));
        if entry.is_ephemeral() {
            self.ephemeral.insert(op, answer);
        }
        self.answered(op);
        self.fill();
    }

    /// An answer came that cannot be kept; the pass is to end.
    pub fn unrecordable(&mut self, op: Op, at: u64) {
        let index = op.0 as usize;
        if self.work.get(index) == Some(&Work::Performing) {
            self.in_flight -= 1;
        }
        if let Some(entry) = self.entries.get_mut(index) {
            entry.state = EntryState::Unrecordable;
            entry.answer = None;
            entry.answered_at = Some(at);
            entry.answered_event = number(&mut self.next_event, entry.seq);
            self.work[index] = Work::Cancelled;
            self.writes.push(Write::Answered {
                op,
                from: ANSWERABLE,
                state: EntryState::Unrecordable,
                answer: None,
                rerun: Rerun::No,
                at,
                event: entry.answered_event,
            });
        }
    }

    /// The code takes a timer back.
    pub fn cancel(&mut self, op: Op) {
        let index = op.0 as usize;
        let is_timer = matches!(self.entries.get(index).map(|e| &e.request), Some(Request::Sleep { .. }));
        // A recorded delivery is delivered: the code of the recorded run had not cancelled it before.
        if is_timer && self.entries[index].delivery.is_none() && self.work[index] != Work::Delivered {
            self.work[index] = Work::Cancelled;
            self.arrivals.retain(|a| *a != op);
            self.queue.retain(|q| *q != op);
        }
    }

    /// Whether a timer still counts.
    #[must_use]
    pub fn is_armed(&self, op: Op) -> bool {
        self.work.get(op.0 as usize) == Some(&Work::TimerRuns)
    }

    /// The code has run every runnable job: what now? `now` is the wall clock in epoch milliseconds.
    pub fn next(&mut self, settled: Settled, now: u64) -> Next {
        if let Some(&head) = self.order.get(self.delivered) {
            return self.next_recorded(head);
        }
        if self.asked < self.recorded {
            let entry = &self.entries[self.asked];
            let divergence = Divergence::NotReached { seq: entry.seq, expected: entry.request.title() };
            return Next::End(End::Failed(divergence.into_error()));
        }
        self.fill();
        if let Some(op) = self.arrivals.pop_front() {
            return self.deliver(op, now);
        }
        if self.in_flight > 0 || !self.queue.is_empty() {
            return Next::Wait;
        }
        let timers = self.work.contains(&Work::TimerRuns);
        let stepping = self.work.contains(&Work::Stepping);
        let waiting = self.work.contains(&Work::Waiting);
        match settled {
            Settled::Yes if stepping && timers && !waiting => Next::Wait,
            Settled::Yes => Next::Finished,
            Settled::No if waiting => Next::End(End::Paused),
            Settled::No if timers => Next::Wait,
            Settled::No => Next::End(End::Failed(never_settles())),
        }
    }

    /// Calls that wait for a person, in order.
    pub fn pending(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.state == EntryState::Pending)
    }

    /// Whether anything waits for a person: a consent, or the word whether something happened.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.work.contains(&Work::Waiting)
    }

    fn place(&mut self, request: Request, at: u64) -> Result<(Op, Verdict), CodeError> {
        let op = Op(u32::try_from(self.asked).unwrap_or(u32::MAX));
        let seq = request.is_numbered().then_some(self.next_seq);
        if self.is_next_fresh() && self.delivered < self.order.len() {
            return Err(Divergence::Early { actual: request.title() }.into_error());
        }
        let verdict = decide(self.entries.get(self.asked), &request);
        if let Verdict::Diverge(divergence) = &verdict {
            self.fail_diverged(self.asked, divergence.clone(), at);
        }
        if verdict == Verdict::Fresh {
            let event = number(&mut self.next_event, seq);
            self.entries.push(fresh_entry(op, seq, request, self.pass, at, event));
            self.work.push(Work::Unasked);
        }
        if seq.is_some() {
            self.next_seq = self.next_seq.next();
        }
        self.asked += 1;
        Ok((op, verdict))
    }

    /// The entry at the diverging place becomes failed where it was not answered (REPLAY-09). A call that an earlier pass
    /// began stays in doubt: that the code diverged does not undo it.
    fn fail_diverged(&mut self, index: usize, divergence: Divergence, at: u64) {
        let entry = &mut self.entries[index];
        let in_doubt = matches!(entry.request, Request::Call { .. }) && entry.attempt > 0;
        if entry.state == EntryState::Pending || (entry.state == EntryState::Executing && !in_doubt) {
            let answer = Err(Failure::new("divergence", divergence.into_error().message));
            entry.state = EntryState::Failed;
            entry.answer = Some(answer.clone());
            self.writes.push(Write::Answered {
                op: entry.op,
                from: &[EntryState::Executing, EntryState::Pending],
                state: EntryState::Failed,
                answer: Some(answer),
                rerun: entry.rerun,
                at,
                event: None,
            });
        }
    }

    fn begin(&mut self, op: Op, terms: Result<Terms, Failure>, at: u64) {
        let index = op.0 as usize;
        let entry = &mut self.entries[index];
        match terms {
            Ok(terms) => {
                entry.terms = terms;
                if waits_for_approval(entry) {
                    entry.state = EntryState::Pending;
                    entry.digest = Some(super::approval::call_digest(entry));
                    entry.attempt = 0;
                    self.work[index] = Work::Waiting;
                    self.writes.push(Write::Asked(Box::new(entry.clone())));
                } else {
                    // Rows enter the journal in the order of asking, so also one that has to wait for its turn.
                    entry.attempt = 1;
                    self.writes.push(Write::Asked(Box::new(entry.clone())));
                    self.enqueue(op);
                }
            }
            Err(failure) => {
                entry.state = EntryState::Failed;
                entry.answer = Some(Err(failure));
                entry.answered_at = Some(at);
                entry.answered_event = number(&mut self.next_event, entry.seq);
                self.writes.push(Write::Asked(Box::new(entry.clone())));
                self.answered(op);
            }
        }
    }

    fn answered(&mut self, op: Op) {
        let index = op.0 as usize;
        self.work[index] = Work::Answered;
        if self.entries[index].delivery.is_none() {
            self.arrivals.push_back(op);
        }
    }

    /// Queues a performance. Only re-executed reads that have a recorded place run while the record is being consumed.
    fn enqueue(&mut self, op: Op) {
        let index = op.0 as usize;
        self.work[index] = Work::Queued;
        if self.entries[index].delivery.is_some() {
            self.queue.push_front(op);
            self.fill();
        } else {
            self.queue.push_back(op);
        }
    }

    /// Begins what may begin now.
    fn fill(&mut self) {
        let replaying = self.is_replaying();
        let mut kept = VecDeque::new();
        while let Some(op) = self.queue.pop_front() {
            let entry = &self.entries[op.0 as usize];
            let is_timer = matches!(entry.request, Request::Sleep { .. });
            let held = replaying && entry.delivery.is_none();
            if held || (!is_timer && self.in_flight >= self.max_in_flight) {
                kept.push_back(op);
            } else {
                self.start(op);
            }
        }
        self.queue = kept;
    }

    fn start(&mut self, op: Op) {
        let index = op.0 as usize;
        let pass = self.pass;
        let entry = &mut self.entries[index];
        if let Request::Sleep { ms } = entry.request {
            self.work[index] = Work::TimerRuns;
            self.starts.push(Start::Timer(op, entry.remaining_ms.unwrap_or(ms)));
            return;
        }
        self.work[index] = Work::Performing;
        self.in_flight += 1;
        // A fresh row is written already; an ephemeral one with a place keeps its row as it is.
        if index < self.recorded && entry.delivery.is_none() {
            entry.attempt += 1;
            entry.state = EntryState::Executing;
            entry.pass = pass;
            self.writes.push(Write::Asked(Box::new(entry.clone())));
        }
        self.starts.push(Start::Perform(op));
    }

    fn next_recorded(&mut self, head: Op) -> Next {
        let index = head.0 as usize;
        if index >= self.asked {
            let entry = &self.entries[self.asked.min(index)];
            let divergence = Divergence::NotReached { seq: entry.seq, expected: entry.request.title() };
            return Next::End(End::Failed(divergence.into_error()));
        }
        let entry = &self.entries[index];
        let answer = if entry.is_ephemeral() && entry.state != EntryState::Failed {
            self.ephemeral.remove(&head)
        } else {
            entry.answer.clone()
        };
        // Failures of re-executed reads replay; their answers are waited for.
        let (Some(answer), Some(delivery)) = (answer, entry.delivery) else { return Next::Wait };
        self.delivered += 1;
        self.work[index] = Work::Delivered;
        self.clock = self.clock.max(delivery.now);
        Next::Deliver { op: head, answer, now: self.clock }
    }

    fn deliver(&mut self, op: Op, now: u64) -> Next {
        let index = op.0 as usize;
        let entry = &mut self.entries[index];
        let answer = self.ephemeral.remove(&op).or_else(|| entry.answer.clone()).unwrap_or(Ok(None));
        self.clock = self.clock.max(now);
        let place = u32::try_from(self.delivered).unwrap_or(u32::MAX);
        let delivery = Delivery { place, now: self.clock };
        entry.delivery = Some(delivery);
        self.order.push(op);
        self.delivered += 1;
        self.work[index] = Work::Delivered;
        self.writes.push(Write::Delivered { op, delivery });
        Next::Deliver { op, answer, now: self.clock }
    }
}
