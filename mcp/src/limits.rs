//! Every bound of the server: its name, its default. Sizes are bytes, times are milliseconds.

use codemode_runtime::truncate::Budget;

/// The bounds of one server. All have defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// `message size`: one message of a client, over HTTP the body of a request. A larger one is refused and not kept.
    /// 4 MiB.
    pub message_bytes: usize,
    /// `calls at once`: tool calls of one client that are being worked on; a further one is an error. 64.
    pub calls: usize,
    /// `unsent messages`: messages that a client on streams has not read yet; above that nothing more is read from it. 256.
    pub unsent: usize,
    /// `result size`: what a model gets of a result, of an error, of console lines, of what a search finds, each.
    /// 6,000 tokens.
    pub result: Budget,
    /// `approval time`: how long a person may think about one pending call before it is left to the other door.
    /// 300,000 ms.
    pub approval_ms: u64,
    /// `questions`: how often one tool call asks the person; what is left stays paused. 25.
    pub questions: usize,
    /// `arguments shown`: UTF-16 code units of the arguments of a pending call that a person is shown; the rest is
    /// counted. 2,000.
    pub arguments_units: usize,
    /// `leave time`: how long running tool calls are waited for when the client is gone or the server stops. 10,000 ms.
    pub leave_ms: u64,
    /// `sessions`: clients that are connected over HTTP at the same time. 64.
    pub sessions: usize,
    /// `idle time`: after so long without a message in either direction, a session over HTTP is closed; longer than
    /// `approval time`. 1,800,000 ms.
    pub idle_ms: u64,
    /// `connections`: connections over HTTP at the same time; further ones wait. 512.
    pub connections: usize,
    /// `receive time`: how long a connection may take to send the head of a request, and again its body. 15,000 ms.
    pub receive_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            calls: 64,
            unsent: 256,
            result: Budget::default(),
            approval_ms: 300_000,
            questions: 25,
            arguments_units: 2_000,
            leave_ms: 10_000,
            sessions: 64,
            idle_ms: 1_800_000,
            connections: 512,
            receive_ms: 15_000,
        }
    }
}
