//! What runs the code: once, in a fresh sandbox, keeping nothing. The executor asks through [`Dispatch`]; whoever
//! serves it (the pass) decides. Errors of the code come back as data.

pub mod component;

use crate::connector::BoxFuture;
use crate::durable::execution::{Determinism, Namespace};
use crate::durable::id::Op;
use crate::durable::journal::Answer;
use crate::durable::limits::Limits;
use crate::durable::replay::{Settled, StepRun};

/// One run of the code.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The text of one function expression.
    pub code: String,
    /// The function's argument, as tagged JSON.
    pub input: Option<String>,
    /// The globals of the connectors. One that is called `codemode` adds its methods to that global.
    pub namespaces: Vec<Namespace>,
    /// Where time comes from.
    pub determinism: Determinism,
    /// The clock at the start of the execution, epoch milliseconds.
    pub clock_ms: u64,
    /// 32 bytes for the code's randomness.
    pub seed: [u8; 32],
    /// The bounds.
    pub limits: Limits,
}

/// An answer on its way to the code.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// Which ask.
    pub op: Op,
    /// What was answered.
    pub answer: Answer,
    /// The code's clock from here on, epoch milliseconds.
    pub now: u64,
}

/// How grave a console line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `console.log`.
    Log,
    /// `console.info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
    /// `console.debug`.
    Debug,
}

/// A value that the executor could not encode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Longer than the limit.
    TooLarge,
    /// Deeper than the limit.
    TooDeep,
    /// Contains itself, at this path.
    Cyclic(String),
    /// Has no encoding: path and kind.
    Unsupported(String, String),
}

/// The pass is over: the executor stops the guest at once, without letting it catch anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassOver;

/// What an executor may ask of its host; the same functions as in the WIT contract.
pub trait Dispatch: Send + 'static {
    /// A call.
    ///
    /// # Errors
    /// [`PassOver`].
    fn submit(&mut self, connector: String, method: String, args: Option<String>) -> Result<Op, PassOver>;
    /// An outbound request.
    ///
    /// # Errors
    /// [`PassOver`].
    fn fetch(&mut self, request: String) -> Result<Op, PassOver>;
    /// A timer.
    ///
    /// # Errors
    /// [`PassOver`].
    fn sleep(&mut self, ms: u64) -> Result<Op, PassOver>;
    /// A timer is taken back.
    fn cancel(&mut self, op: Op);
    /// A search.
    ///
    /// # Errors
    /// [`PassOver`].
    fn search(&mut self, query: String) -> Result<Op, PassOver>;
    /// The docs of a target.
    ///
    /// # Errors
    /// [`PassOver`].
    fn describe(&mut self, target: String) -> Result<Op, PassOver>;
    /// A snippet.
    ///
    /// # Errors
    /// [`PassOver`].
    fn snippet(&mut self, name: String, input: Option<String>) -> Result<Op, PassOver>;
    /// A step begins.
    ///
    /// # Errors
    /// [`PassOver`].
    fn step_enter(&mut self, name: String) -> Result<(Op, StepRun), PassOver>;
    /// A step's closure ended: a value or failure as tagged JSON, and whether it must run on replay.
    ///
    /// # Errors
    /// [`PassOver`].
    fn step_exit(&mut self, op: Op, outcome: StepOutcome) -> Result<(), PassOver>;
    /// The next answer; `None`: nothing is outstanding.
    ///
    /// # Errors
    /// [`PassOver`].
    fn next(&mut self, settled: Settled) -> BoxFuture<'_, Result<Option<Completion>, PassOver>>;
    /// A console line.
    fn log(&mut self, level: Level, line: String);
    /// A value that the journal cannot keep. Always ends the pass.
    fn refuse(&mut self, subject: String, refusal: Refusal) -> PassOver;
    /// The wall clock, epoch milliseconds.
    fn now(&self) -> u64;
    /// Whether the pass was cancelled or its time is up; asked while the guest computes.
    fn is_over(&self) -> bool;
    /// Itself, so that whoever made it gets it back.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any>;
}

/// What a step's closure came to.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutcome {
    /// The value as tagged JSON, or what was thrown.
    pub result: Result<Option<String>, RawFailure>,
    /// Whether it returned a promise or asked for something.
    pub rerun: crate::durable::journal::Rerun,
}

/// A failure whose details are not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFailure {
    /// Its code.
    pub code: String,
    /// For people.
    pub message: String,
    /// The `name` of what was thrown.
    pub name: Option<String>,
    /// Tagged JSON.
    pub details: Option<String>,
}

/// How a run came to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// The code returned; tagged JSON, `None` is `undefined`.
    Returned(Option<String>),
    /// The code threw, or does not parse.
    Threw(Thrown),
    /// The host ended the pass.
    Over,
    /// The sandbox computed for longer than the limit.
    CpuLimit,
    /// The sandbox needed more memory than the limit.
    MemoryLimit,
    /// The sandbox broke: a trap, in plain words.
    Broke(String),
}

/// What the code threw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thrown {
    /// `TypeError`, …
    pub name: String,
    /// Never empty.
    pub message: String,
    /// From 1, in the request's code.
    pub line: Option<u32>,
    /// From 1.
    pub column: Option<u32>,
    /// Frames of the code.
    pub stack: Option<String>,
    /// Tagged JSON.
    pub value: Option<String>,
}

/// Runs code.
pub trait Executor: Send + Sync + 'static {
    /// Identifies the executor and its version; stored with each execution.
    fn digest(&self) -> &str;

    /// Where passes run. Guests share threads with nothing that must answer quickly.
    fn runtime(&self) -> tokio::runtime::Handle;

    /// Runs the code once in a fresh sandbox, and gives the dispatch back. Never fails by itself: what goes wrong is a
    /// [`Ran`].
    fn run(&self, request: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)>;
}
