//! Names that code can call. Tools of third parties are called `get-item` or `日本語`; methods are ASCII identifiers. The
//! mapping is one to one and pure: two tools never get one name, and the original goes on the wire.
//!
//! [`sanitized`] is the plain rule. [`exact`] applies it to a list that its author can change, and refuses what would
//! collide. [`adapted`] applies it to a list that nobody here can change, such as that of an MCP server, and keeps what
//! would collide apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::durable::digest::digest;
use crate::durable::id::{MAX_NAME, check_method_name};
use crate::durable::json::cut;

/// A tool's name as code calls it, and as its owner knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    /// An identifier that is a valid name of a method.
    pub name: String,
    /// What goes on the wire.
    pub original: String,
}

/// A list of names, adapted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adapted {
    /// In the given order; no two have the same name.
    pub names: Vec<Callable>,
    /// What could not be taken, with the reason, for a warning.
    pub left_out: Vec<LeftOut>,
}

/// A tool that has no callable name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeftOut {
    /// Its name is empty.
    #[error("a tool without a name is left out")]
    Nameless,
    /// Another one before it has the same name.
    #[error("a second tool {0:?} is left out")]
    Repeated(String),
}

/// Why a list of names is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameClash {
    /// Two names become one.
    #[error("{first:?} and {second:?} of `{owner}` both sanitize to `{name}`: rename one of them")]
    Same {
        /// Whose tools they are.
        owner: String,
        /// The earlier one.
        first: String,
        /// The later one.
        second: String,
        /// What both become.
        name: String,
    },
    /// A name becomes one that JavaScript calls by itself, or one that is too long.
    #[error("{original:?} of `{owner}` cannot be called as `{name}`: rename it")]
    Uncallable {
        /// Whose tool it is.
        owner: String,
        /// Its name.
        original: String,
        /// What it becomes.
        name: String,
    },
}

/// The identifier that a name becomes (SANITIZE-01): `-`, `.` and white space become `_`; other characters outside of
/// ASCII letters, digits, `_` and `$` are dropped; a leading digit gets `_` in front and a reserved word one behind;
/// nothing at all becomes `_`. Different names may become the same.
#[must_use]
pub fn sanitized(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        match c {
            '-' | '.' | '\u{feff}' => out.push('_'),
            c if c.is_whitespace() => out.push('_'),
            c if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') => out.push(c),
            _ => {}
        }
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if RESERVED.binary_search(&out.as_str()).is_ok() {
        out.push('_');
    }
    out
}

/// The callable names of a list whose author can rename. `owner` is the connector or provider, for messages.
///
/// # Errors
/// The first two names that become the same, or the first one that cannot be called (RESOLVE-06, TOOLSET-05).
pub fn exact<'a>(owner: &str, originals: impl IntoIterator<Item = &'a str>) -> Result<Vec<Callable>, NameClash> {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let mut names = Vec::new();
    for original in originals {
        let name = sanitized(original);
        let shown = |text: &str| cut(text, SHOWN).into_owned();
        if check_method_name(owner, &name).is_err() {
            let (owner, original, name) = (owner.to_owned(), shown(original), shown(&name));
            return Err(NameClash::Uncallable { owner, original, name });
        }
        if let Some(first) = taken.insert(name.clone(), original) {
            let (owner, first, second) = (owner.to_owned(), shown(first), shown(original));
            return Err(NameClash::Same { owner, first, second, name });
        }
        names.push(Callable { name, original: original.to_owned() });
    }
    Ok(names)
}

/// The callable names of a list that nobody here can change. A name that [`sanitized`] leaves alone stays as it is.
/// Another one is sanitized; where that is taken, says nothing any more, or is too long, a part of the digest of the
/// original follows, so that the name does not depend on the order of the list.
#[must_use]
pub fn adapted<'a>(originals: impl IntoIterator<Item = &'a str>) -> Adapted {
    let mut left_out = Vec::new();
    let mut seen = BTreeSet::new();
    let mut listed = Vec::new();
    for original in originals {
        if original.is_empty() {
            left_out.push(LeftOut::Nameless);
        } else if seen.insert(original) {
            listed.push((original, wanted(original)));
        } else {
            left_out.push(LeftOut::Repeated(cut(original, SHOWN).into_owned()));
        }
    }
    let mut wishes: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, wanted) in &listed {
        *wishes.entry(wanted).or_default() += 1;
    }
    // A name that is its own wish keeps it; one that is changed gets its wish only where nobody else has the same.
    let kept = |original: &str, wanted: &str| {
        let alone = wishes.get(wanted) == Some(&1) && says_something(wanted);
        wanted.len() <= MAX_NAME && (original == wanted || alone)
    };
    let mut taken: BTreeSet<String> =
        listed.iter().filter(|(original, wanted)| kept(original, wanted)).map(|(_, wanted)| wanted.clone()).collect();
    let names = listed.iter().map(|(original, wanted)| {
        let name = if kept(original, wanted) { wanted.clone() } else { marked(original, wanted, &mut taken) };
        Callable { name, original: (*original).to_owned() }
    });
    Adapted { names: names.collect(), left_out }
}

/// What a tool would be called if it were alone and its name not too long.
fn wanted(original: &str) -> String {
    let name = sanitized(original);
    if name.len() <= MAX_NAME && check_method_name("", &name).is_err() { format!("{name}_") } else { name }
}

fn says_something(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_alphanumeric())
}

/// The wanted name with as much of a digest of the original as tells it apart.
fn marked(original: &str, wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let start = wanted[..wanted.len().min(MAX_NAME - 1 - MARK)].trim_end_matches('_');
    let mark = |attempt: u32| match attempt {
        0 => digest(&[original]),
        more => digest(&[original, &more.to_string()]),
    };
    // The names that are taken are fewer than the attempts.
    let mut names = (0..=u32::MAX).map(|attempt| format!("{start}_{}", &mark(attempt)[..MARK]));
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// So many hexadecimal digits tell two names apart.
const MARK: usize = 8;

/// Names are data of any length; messages show so many UTF-16 code units of them.
const SHOWN: usize = 200;

/// Words that get a `_` (SANITIZE-02): those of ECMAScript, past ones included. In order.
const RESERVED: [&str; 65] = [
    "abstract",
    "arguments",
    "await",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "function",
    "goto",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "let",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "volatile",
    "while",
    "with",
    "yield",
];

#[cfg(test)]
mod tests;
