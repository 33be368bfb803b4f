//! The words that the replay machine and its shell exchange.

use super::super::failure::CodeError;
use super::super::id::Op;
use super::super::journal::{Answer, EntryState};

/// What the shell is to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Perform the ask at this op (a call, a fetch, discovery), after the drained writes are durable where the entry's
    /// terms need it.
    Perform(Op),
    /// Let this many milliseconds pass, then report an arrival.
    Timer(Op, u64),
}

/// What `next` says.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Give this answer to the code.
    Deliver {
        /// Which ask.
        op: Op,
        /// What was answered.
        answer: Answer,
        /// The code's clock from here on.
        now: u64,
    },
    /// Something is outstanding: wait for an arrival, then ask again.
    Wait,
    /// Nothing is outstanding and the code has settled.
    Finished,
    /// The pass ends here.
    End(End),
}

/// Why a pass ends before its code settles.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Only a person can go on.
    Paused,
    /// With an error.
    Failed(CodeError),
}

/// How a step is to be treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRun {
    /// Run the closure.
    Run,
    /// Its outcome comes through `next`.
    Skip,
}

/// Whether the code's own promise has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It has.
    Yes,
    /// It has not.
    No,
}

/// Whether an answer is in the journal already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It is to be written.
    ToWrite,
    /// The shell wrote it with [`super::Replay::answer_write`].
    Written,
}

/// In which states an entry still takes an answer.
pub const ANSWERABLE: &[EntryState] = &[EntryState::Executing, EntryState::Unknown];
