//! What offers methods to the code. One trait, two implementations: a WASI component, and closures in Rust. The pass
//! journals, checks and converts; a connector only performs.

mod check;
pub mod component;
mod convert;
pub mod http;
mod imports;
pub mod native;
mod state;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) use check::check_schema_text;
pub use check::{MAX_CONFIG_KEYS, MAX_METHODS, MAX_ORIGIN, MAX_ORIGINS, MAX_SCHEMA_BYTES, check_description};
pub use state::{MAX_CALL_BYTES, MAX_KEY_BYTES, MAX_PAGE, MAX_VALUE_BYTES, StateAccess, StateFault, StateSession};

use crate::durable::failure::Failure;
use crate::durable::id::{ExecutionId, Seq};
use crate::durable::journal::{Answer, Approval, Effect, Reach, Repeatable, ReplayPolicy, Terms};
pub use crate::durable::rollback::Reverted;
use crate::durable::{digest, execution::Status};

/// A boxed future, so that the trait is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whether an option of a method or connector is on; one type instead of many `bool`s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flag {
    /// It is not, or nobody said so.
    #[default]
    No,
    /// It is.
    Yes,
}

/// Which form of JSON a connector speaks; see `docs/values.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Values {
    /// Plain JSON: a tagged argument is refused before the call.
    #[default]
    Plain,
    /// The tagged form as it is.
    Tagged,
}

/// One operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// An identifier, unique in its connector.
    pub name: String,
    /// For the model.
    pub description: Option<String>,
    /// JSON Schema, as text.
    pub input_schema: Option<String>,
    /// JSON Schema, as text.
    pub output_schema: Option<String>,
    /// Whether a person is asked first.
    pub approval: Approval,
    /// Whether its result is kept.
    pub replay: ReplayPolicy,
    /// What it does.
    pub effect: Effect,
    /// Whether repeating is harmless.
    pub repeatable: Repeatable,
    /// Whether it destroys something; `None`: not declared.
    pub destructive: Option<Flag>,
    /// Whether `revert` undoes it.
    pub revertible: Flag,
}

impl Method {
    /// The digest of everything that a person relies on when they approve a call.
    #[must_use]
    pub fn contract(&self, connector: &str) -> String {
        let flags = format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            self.approval, self.replay, self.effect, self.repeatable, self.destructive, self.revertible
        );
        digest::digest(&[
            connector,
            &self.name,
            self.input_schema.as_deref().unwrap_or("-"),
            self.output_schema.as_deref().unwrap_or("-"),
            &flags,
        ])
    }

    /// What the journal keeps of it.
    #[must_use]
    pub fn terms(&self, connector: &str, reach: Reach) -> Terms {
        Terms {
            approval: self.approval,
            replay: self.replay,
            effect: self.effect,
            repeatable: self.repeatable,
            reach,
            contract: self.contract(connector),
        }
    }
}

/// A configuration value that a connector reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigKey {
    /// Its name.
    pub name: String,
    /// For the operator.
    pub description: Option<String>,
    /// Whether it must be set.
    pub required: Flag,
    /// Whether the component sees only a placeholder.
    pub secret: Flag,
}

/// Which hooks a connector wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// After each pass.
    pub pass_ended: Flag,
    /// After the end of the execution.
    pub execution_ended: Flag,
}

/// What a connector is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// A suggestion; the operator's name wins.
    pub suggested_name: String,
    /// For the model.
    pub instructions: Option<String>,
    /// In declared order.
    pub methods: Vec<Method>,
    /// What it reads.
    pub config: Vec<ConfigKey>,
    /// Where it wants to reach.
    pub origins: Vec<String>,
    /// Which hooks it wants.
    pub hooks: Hooks,
    /// Which form of JSON it speaks.
    pub values: Values,
}

/// Which call this is; the same in the WIT contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallContext {
    /// The execution, the same in each pass (LIFECYCLE-07).
    pub execution: ExecutionId,
    /// The call's place in the journal.
    pub seq: Seq,
    /// The pass that makes the call, from 1.
    pub pass: u32,
    /// The same in each attempt.
    pub idempotency_key: String,
    /// From 1.
    pub attempt: u32,
    /// Until the host gives up.
    pub remaining_ms: u64,
}

/// A call to perform.
pub struct Call {
    /// Which call.
    pub context: CallContext,
    /// A declared method.
    pub method: String,
    /// JSON in the form that the connector speaks; `None`: no argument.
    pub args: Option<String>,
    /// The connector's state, as this call sees it. The pass commits what was written.
    pub state: Arc<StateSession>,
}

/// What a call gave: JSON in the form that the connector speaks, `None` for no value; or a failure.
pub type CallOutput = Result<Option<String>, Failure>;

/// A call to revert.
pub struct Revert {
    /// The revert's own context: its key ends in `:revert`.
    pub context: CallContext,
    /// The key that the call had.
    pub call_key: String,
    /// The method.
    pub method: String,
    /// The recorded arguments, in the form that the connector speaks.
    pub args: Option<String>,
    /// What the journal knows of the call; `None`: unknown whether it happened.
    pub outcome: Option<Answer>,
    /// The connector's state, as the revert sees it.
    pub state: Arc<StateSession>,
}

/// Something that offers methods.
pub trait Connector: Send + Sync {
    /// What it is. The host asks once per runtime, and again after a failure (WEAK-31).
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>>;

    /// How far its effects go.
    fn reach(&self) -> Reach {
        Reach::Outside
    }

    /// Performs one call. Dropping the future gives the call up.
    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput>;

    /// Undoes one call.
    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>>;

    /// A pass ended. Failures are logged and ignored (LIFECYCLE-05).
    fn pass_ended<'a>(
        &'a self,
        _execution: &'a ExecutionId,
        _pass: u32,
        _status: Status,
        _state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    /// The execution ended.
    fn execution_ended<'a>(
        &'a self,
        _execution: &'a ExecutionId,
        _status: Status,
        _state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}
