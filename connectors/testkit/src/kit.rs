//! What the fixtures share: shorthands around the contract.

use serde_json::Value;

use crate::codemode::component::state::{self, Scope, StateError};
pub(crate) use crate::codemode::component::types::Method;
use crate::codemode::component::types::{CallContext, CallError, Effect, EffectState, Repeatable, ReplayPolicy};

/// What a method gives.
pub(crate) type Given = Result<Option<String>, CallError>;

/// One call.
pub(crate) struct Call {
    pub(crate) ctx: CallContext,
    pub(crate) method: String,
    pub(crate) args: Option<String>,
}

impl Call {
    /// The argument as JSON, `null` where there is none.
    pub(crate) fn json(&self) -> Result<Value, CallError> {
        let text = self.args.as_deref().unwrap_or("null");
        serde_json::from_str(text)
            .map_err(|e| failed("invalid-arguments", format!("`{}` expects JSON: {e}", self.method)))
    }

    /// A member of the argument that must be a string.
    pub(crate) fn text(&self, member: &str) -> Result<String, CallError> {
        let wrong = || failed("invalid-arguments", format!("`{}` expects a string `{member}`", self.method));
        self.json()?.get(member).and_then(Value::as_str).map(str::to_owned).ok_or_else(wrong)
    }

    /// A member of the argument that must be a whole number.
    pub(crate) fn number(&self, member: &str) -> Result<u64, CallError> {
        let wrong = || failed("invalid-arguments", format!("`{}` expects a number `{member}`", self.method));
        self.json()?.get(member).and_then(Value::as_u64).ok_or_else(wrong)
    }

    pub(crate) fn unknown(&self) -> Given {
        Err(failed("unknown-method", format!("there is no method `{}`", self.method)))
    }
}

pub(crate) fn give(value: &Value) -> Given {
    Ok(Some(value.to_string()))
}

pub(crate) fn method(name: &str, effect: Effect) -> Method {
    Method {
        name: name.to_owned(),
        description: None,
        input_schema: None,
        output_schema: None,
        requires_approval: false,
        replay: ReplayPolicy::Recorded,
        effect,
        repeatable: Repeatable::No,
        destructive: None,
        revertible: false,
        extras: Vec::new(),
    }
}

pub(crate) fn failed(code: &str, message: impl Into<String>) -> CallError {
    CallError {
        code: code.to_owned(),
        message: message.into(),
        details: None,
        effect: EffectState::None,
        retry_after_ms: None,
        extras: Vec::new(),
    }
}

pub(crate) fn state_error(error: StateError) -> CallError {
    match error {
        StateError::Denied(reason) => failed("denied", reason),
        StateError::TooLarge(limit) => failed("too-large", format!("over a limit of {limit}")),
        StateError::Conflict => failed("conflict", "the state changed meanwhile"),
        StateError::Unavailable(reason) => failed("unavailable", reason),
    }
}

pub(crate) fn read(scope: Scope, key: &str) -> Given {
    let bytes = state::get(scope, key).map_err(state_error)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

pub(crate) fn write(scope: Scope, key: &str, value: &str) -> Result<(), CallError> {
    state::set(scope, key, value.as_bytes()).map_err(state_error)
}
