//! Every bound of an execution: its name, its default, and the error that names it. Sizes are UTF-16 code units, as
//! JavaScript counts the length of a text; times are milliseconds.

use super::failure::{CodeError, ErrorKind};
use super::value::ValueLimits;

/// The bounds of one runtime's executions. All have defaults; all are checked by the host.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// `pass wall time`: how long one pass may take, paused time not counted. 60,000 ms.
    pub pass_ms: u64,
    /// `call time`: how long one call of a connector may take. 30,000 ms.
    pub call_ms: u64,
    /// `guest CPU`: how long the sandbox may compute in one pass. 10,000 ms.
    pub cpu_ms: u64,
    /// `guest memory`: linear memory of the sandbox. 128 MiB.
    pub memory_bytes: u64,
    /// `calls`: calls and steps of one execution. 10,000.
    pub calls: u32,
    /// `ops`: everything that one execution asks for, timers and discovery included. 100,000.
    pub ops: u32,
    /// `calls in flight`: how many are performed at once; more wait. 300.
    pub in_flight: u32,
    /// `value size`: UTF-16 code units of each journaled value. 1,000,000.
    pub value_units: u32,
    /// `code size`: UTF-16 code units of the source. 1,000,000.
    pub code_units: u32,
    /// `result size`: UTF-16 code units of the final result, which is returned but recorded only up to the value size.
    /// 16,000,000.
    pub outcome_units: u32,
    /// `nesting`: levels of a value. 512.
    pub depth: u32,
    /// `log lines`: console lines of one pass; later ones are counted only. 1,000.
    pub log_lines: u32,
    /// `log line size`: UTF-16 code units of one console line; longer ones are cut. 10,000.
    pub log_line_units: u32,
    /// `declaration size`: UTF-16 code units of the TypeScript type of one argument or result; the rest is `unknown`.
    /// 20,000.
    pub declaration_units: u32,
    /// `docs size`: UTF-16 code units of what a description shows; the rest is named, or cut. 100,000.
    pub docs_units: u32,
    /// `cancel time`: how long delete and rollback wait for whoever works on the execution to stop. 5,000 ms.
    pub cancel_ms: u64,
    /// `executions`: ended executions that are kept when a new one starts (PRUNE-01). 50.
    pub executions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pass_ms: 60_000,
            call_ms: 30_000,
            cpu_ms: 10_000,
            memory_bytes: 128 << 20,
            calls: 10_000,
            ops: 100_000,
            in_flight: 300,
            value_units: 1_000_000,
            code_units: 1_000_000,
            outcome_units: 16_000_000,
            depth: 512,
            log_lines: 1_000,
            log_line_units: 10_000,
            declaration_units: 20_000,
            docs_units: 100_000,
            cancel_ms: 5_000,
            executions: 50,
        }
    }
}

impl Limits {
    /// The bounds of each journaled value.
    #[must_use]
    pub fn of_values(&self) -> ValueLimits {
        ValueLimits { units: self.value_units.into(), depth: self.depth }
    }
}

/// A bound that was exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breach {
    /// The pass took too long.
    PassTime(u64),
    /// A timer longer than what is left of the pass.
    TimerTime {
        /// The timer.
        ms: u64,
        /// What was left.
        left_ms: u64,
        /// The limit.
        limit_ms: u64,
    },
    /// The sandbox computed for too long.
    Cpu(u64),
    /// The sandbox needed too much memory.
    Memory(u64),
    /// Too many calls and steps.
    Calls(u32),
    /// Too many asks.
    Ops(u32),
    /// A journaled value is too large.
    Value {
        /// What holds it, such as `result of shelf.huge`.
        subject: String,
        /// Its size, where it was measured to the end.
        units: Option<u64>,
        /// The limit.
        limit: u32,
    },
    /// The final result is too large even to be returned.
    Outcome(u32),
    /// The source is too large.
    Code {
        /// Its size.
        units: u64,
        /// The limit.
        limit: u32,
    },
}

impl Breach {
    /// The error that ends the pass.
    #[must_use]
    pub fn into_error(self) -> CodeError {
        let (kind, message, hint) = match self {
            Self::PassTime(ms) => (
                ErrorKind::Limit,
                format!("execution timed out: a pass may take {ms} ms (limit `pass wall time`)"),
                "do less in one execution, or raise the limit; calls that were in flight may have taken effect",
            ),
            Self::TimerTime { ms, left_ms, limit_ms } => (
                ErrorKind::Limit,
                format!(
                    "execution timed out: a timer of {ms} ms is longer than the {left_ms} ms that are left of the pass \
                     (limit `pass wall time`, {limit_ms} ms)"
                ),
                "use a shorter timer, or raise the limit",
            ),
            Self::Cpu(ms) => (
                ErrorKind::Limit,
                format!("execution timed out: the code computed for more than {ms} ms (limit `guest CPU`)"),
                "look for an endless loop or a costly regular expression",
            ),
            Self::Memory(bytes) => (
                ErrorKind::Limit,
                format!("out of memory: the sandbox has {} MiB (limit `guest memory`)", bytes >> 20),
                "keep less in memory; write large data with a connector such as `files` and pass a reference",
            ),
            Self::Calls(limit) => (
                ErrorKind::Limit,
                format!("an execution may make {limit} calls and steps (limit `calls`)"),
                "use a method that handles many items at once",
            ),
            Self::Ops(limit) => (
                ErrorKind::Limit,
                format!("an execution may ask for {limit} things, timers included (limit `ops`)"),
                "look for a loop that starts timers",
            ),
            Self::Value { subject, units, limit } => (
                ErrorKind::Unrecordable,
                match units {
                    Some(units) => {
                        format!("{subject} is too large: {units} characters, the limit is {limit} (limit `value size`)")
                    }
                    None => format!("{subject} is too large: more than {limit} characters (limit `value size`)"),
                },
                "write the data elsewhere, for example to a file with a connector such as `files`, and pass a short \
                 reference such as its path",
            ),
            Self::Outcome(limit) => (
                ErrorKind::Limit,
                format!("the final result is too large: more than {limit} characters (limit `result size`)"),
                "write the data elsewhere, for example to a file with a connector such as `files`, and return a short \
                 reference such as its path",
            ),
            Self::Code { units, limit } => (
                ErrorKind::CodeTooLarge,
                format!(
                    "the execution code is too large: {units} characters, the limit is {limit} (limit `code size`)"
                ),
                "write the data elsewhere, for example to a file with a connector such as `files`, and pass a short \
                 reference such as its path",
            ),
        };
        CodeError::new(kind, message).with_hint(hint)
    }
}
