//! Names and numbers that identify things in the journal. They are newtypes so that a seq is never taken for an op,
//! and their rules are checked once, when they are made.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The place of an ask in its execution, from 0, dense: calls, steps, timers, discovery, snippets, fetches. What
/// replay matches; never shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Op(pub u32);

/// The place of a call or a step among the calls and steps of its execution, from 0, dense (REPLAY-01). What people
/// see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u32);

/// Fences the commits of one ownership of an execution: each new owner gets a higher token, and writes under an older
/// one are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(pub u64);

/// Counts the changes of an execution's row. A decision from outside names the version that it looked at; a store
/// refuses it when somebody else was first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(pub u64);

/// A process, or one `Runtime` in it, that runs executions of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OwnerId(pub u64);

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Seq {
    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The stable id of an execution: `exec_`, 16 digits of epoch milliseconds, `_`, a UUID (RUN-04). Text order is order
/// of creation: the ids of one process never go back, even when the clock does (WEAK-35).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ExecutionId(Arc<str>);

impl From<String> for ExecutionId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<ExecutionId> for String {
    fn from(id: ExecutionId) -> Self {
        id.as_str().to_owned()
    }
}

impl ExecutionId {
    /// Makes an id from a time and 16 random bytes.
    #[must_use]
    pub fn new(epoch_ms: u64, mut random: [u8; 16]) -> Self {
        random[6] = (random[6] & 0x0f) | 0x40;
        random[8] = (random[8] & 0x3f) | 0x80;
        let hex: String = random.iter().map(|b| format!("{b:02x}")).collect();
        let uuid = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        Self(format!("exec_{epoch_ms:016}_{uuid}").into())
    }

    /// Takes a text as it comes from outside; whether such an execution exists is for the store to say.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// The text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a name is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The runtime's name has characters outside the allowed set (IDENT-02).
    #[error(
        "the runtime name {0:?} is not allowed: use ASCII letters, digits, `_`, `-` and `.`, at least one and at most 128"
    )]
    Runtime(String),
    /// The connector's name is no ASCII identifier (WEAK-29).
    #[error(
        "the connector name {0:?} is not a valid identifier: use ASCII letters, digits, `_` and `$`, no digit first, at most 128"
    )]
    Connector(String),
    /// The connector's name means something else in the sandbox (IDENT-05, EXECUTOR-11).
    #[error("the connector name `{0}` is reserved: choose another namespace")]
    Reserved(String),
    /// Two connectors have the same name (IDENT-05).
    #[error(
        "Duplicate connector name `{name}` (the connectors number {first} and {second}): each connector needs a namespace of \
         its own"
    )]
    Duplicate {
        /// The name.
        name: String,
        /// Which connector has it first, counted from 1.
        first: usize,
        /// Which one has it again.
        second: usize,
    },
    /// The method's name cannot be called from code.
    #[error(
        "the method name {1:?} of connector `{0}` cannot be called: use an ASCII identifier of at most 128 characters that is not `then`, `toJSON`, `constructor`, `prototype` or `__proto__`"
    )]
    Method(String, String),
    /// The name of a tool is none that the interfaces of models take.
    #[error("the tool name {0:?} is not allowed: use ASCII letters, digits, `_` and `-`, at least one and at most 64")]
    Tool(String),
    /// A connector declares one method twice.
    #[error("Duplicate method `{1}` of connector `{0}`")]
    DuplicateMethod(String, String),
}

/// The longest name of a runtime, connector or method, in characters.
pub const MAX_NAME: usize = 128;

/// The longest name of a tool, in characters.
pub const MAX_TOOL_NAME: usize = 64;

/// Checks the name under which a model is given a tool.
///
/// # Errors
/// [`NameError::Tool`].
pub fn check_tool_name(name: &str) -> Result<(), NameError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_good = !name.is_empty() && name.len() <= MAX_TOOL_NAME && name.chars().all(allowed);
    if is_good { Ok(()) } else { Err(NameError::Tool(name.chars().take(MAX_NAME).collect())) }
}

/// Checks the name of a runtime (IDENT-02).
///
/// # Errors
/// [`NameError::Runtime`].
pub fn check_runtime_name(name: &str) -> Result<(), NameError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    // `.` and `..` are names of folders.
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(allowed) || name.chars().all(|c| c == '.') {
        return Err(NameError::Runtime(name.chars().take(MAX_NAME).collect()));
    }
    Ok(())
}

/// Checks the names of a runtime's connectors: identifiers, not reserved, no duplicates (IDENT-05, EXECUTOR-11).
///
/// # Errors
/// The first [`NameError`] in the given order.
pub fn check_connector_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), NameError> {
    let mut seen = std::collections::BTreeMap::new();
    for (name, second) in names.into_iter().zip(1..) {
        if RESERVED_NAMESPACES.contains(&name) || RESERVED_WORDS.contains(&name) || name.starts_with("__") {
            return Err(NameError::Reserved(name.to_owned()));
        }
        if !is_identifier(name) {
            return Err(NameError::Connector(name.chars().take(MAX_NAME).collect()));
        }
        if let Some(first) = seen.insert(name, second) {
            return Err(NameError::Duplicate { name: name.to_owned(), first, second });
        }
    }
    Ok(())
}

/// Checks a method's name: what the code could not write, or what JavaScript calls by itself, is refused.
///
/// # Errors
/// [`NameError::Method`].
pub fn check_method_name(connector: &str, method: &str) -> Result<(), NameError> {
    if !is_identifier(method) || UNCALLABLE_METHODS.contains(&method) {
        return Err(NameError::Method(connector.to_owned(), method.chars().take(MAX_NAME).collect()));
    }
    Ok(())
}

fn is_identifier(name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    name.len() <= MAX_NAME && name.chars().all(part) && name.chars().next().is_some_and(|c| !c.is_ascii_digit())
}

const UNCALLABLE_METHODS: [&str; 5] = ["then", "toJSON", "constructor", "prototype", "__proto__"];

/// Globals of the sandbox that a connector must not hide.
const RESERVED_NAMESPACES: [&str; 72] = [
    "codemode",
    "console",
    "globalThis",
    "self",
    "window",
    "global",
    "undefined",
    "NaN",
    "Infinity",
    "eval",
    "Object",
    "Function",
    "Array",
    "String",
    "Number",
    "Boolean",
    "Symbol",
    "BigInt",
    "Math",
    "JSON",
    "Date",
    "RegExp",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "Promise",
    "Proxy",
    "Reflect",
    "Error",
    "AggregateError",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
    "ArrayBuffer",
    "DataView",
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "BigInt64Array",
    "BigUint64Array",
    "Iterator",
    "Intl",
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "clearInterval",
    "queueMicrotask",
    "structuredClone",
    "TextEncoder",
    "TextDecoder",
    "URL",
    "URLSearchParams",
    "crypto",
    "performance",
    "AbortController",
    "AbortSignal",
    "Event",
    "EventTarget",
    "DOMException",
    "btoa",
    "atob",
];

/// Words that ECMAScript keeps for itself, in sloppy or strict code.
const RESERVED_WORDS: [&str; 48] = [
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execution_id_has_the_published_form_and_sorts_by_time() {
        let id = ExecutionId::new(1_700_000_000_000, [0xff; 16]);
        assert_eq!(id.as_str(), "exec_0001700000000000_ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert!(ExecutionId::new(1, [0xff; 16]) < ExecutionId::new(2, [0; 16]));
    }

    #[test]
    fn runtime_names_take_letters_digits_and_three_signs() {
        for good in ["default", "a.b-c_1", &"x".repeat(128)] {
            assert_eq!(check_runtime_name(good), Ok(()), "{good}");
        }
        for bad in ["", "bad name", "é", "a/b", "..", "a\0", &"x".repeat(129)] {
            assert!(check_runtime_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn connector_names_are_checked_when_the_runtime_is_built() {
        assert_eq!(check_connector_names(["a", "b"]), Ok(()));
        assert_eq!(
            check_connector_names(["a", "b", "a"]),
            Err(NameError::Duplicate { name: "a".into(), first: 1, second: 3 })
        );
        for reserved in ["codemode", "Promise", "setTimeout", "Error", "console", "class", "__host", "await"] {
            assert_eq!(check_connector_names([reserved]), Err(NameError::Reserved(reserved.into())));
        }
        for bad in ["my-box", "", "1a", "a b", "ü", "k\0", &"x".repeat(129)] {
            assert!(matches!(check_connector_names([bad]), Err(NameError::Connector(_))), "{bad}");
        }
    }

    #[test]
    fn methods_that_javascript_calls_by_itself_are_refused() {
        assert_eq!(check_method_name("k", "listNotes"), Ok(()));
        assert_eq!(check_method_name("k", "delete"), Ok(()));
        for bad in ["then", "toJSON", "constructor", "get-item", "", "a.b"] {
            assert!(check_method_name("k", bad).is_err(), "{bad}");
        }
    }
}
