//! Describe: the docs of one connector, method or snippet. Which of them a target means follows DESCRIBE-04 to
//! DESCRIBE-10; what is not there is said as data, with close names.

use serde::{Serialize, Serializer};

use super::declarations::{Declared, Sizes, declare, declare_input, declare_types};
use super::shown::visible;
use super::{Kind, Offer, fitting, is_not_needed, is_required, path, search};
use crate::catalogue::suggestion;
use crate::connector::{Description, Method};
use crate::durable::failure::Failure;
use crate::durable::journal::{Approval, Effect};
use crate::durable::json::{cut, utf16_len};
use crate::durable::snippet::Snippet;
use crate::durable::value::{Json, ValueLimits};

/// The docs of one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Docs {
    /// The full path of what was found; the target where nothing was.
    pub path: String,
    /// What it does, or how it is used, without characters that nobody sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// TypeScript declarations; the code of a snippet; or that nothing was found.
    pub types: String,
    /// What it is; a method where nothing was found.
    pub kind: Kind,
    /// Whether a person is asked before the method is called.
    #[serde(rename = "requiresApproval", serialize_with = "is_required", skip_serializing_if = "is_not_needed")]
    pub approval: Approval,
    /// What the method changes; absent where that is not declared.
    #[serde(serialize_with = "effect_word", skip_serializing_if = "is_undeclared")]
    pub effect: Effect,
}

fn effect_word<S: Serializer>(effect: &Effect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *effect == Effect::ReadOnly { "read-only" } else { "write" })
}

fn is_undeclared(effect: &Effect) -> bool {
    *effect == Effect::Unknown
}

/// What a target means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// A connector.
    Connector(&'a str, &'a Description),
    /// A method of a connector.
    Method(&'a str, &'a Method),
    /// A snippet, of that name.
    Snippet(&'a str),
    /// Nothing of that name.
    NotFound,
}

/// Finds what a target means: an exact snippet name; a connector; a method by its path, or by its name alone. Further
/// dotted parts are ignored.
pub(crate) fn resolve<'a>(offer: &Offer<'a>, target: &str) -> Target<'a> {
    let snippet = offer.snippets.iter().find(|label| label.name == target);
    snippet.map_or_else(|| resolve_method(offer, target), |label| Target::Snippet(&label.name))
}

/// The same without snippets: one may have the name of a connector or the path of a method.
fn resolve_method<'a>(offer: &Offer<'a>, target: &str) -> Target<'a> {
    let mut parts = target.split('.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let known = offer.seen().find(|connector| connector.name == first);
    let wanted = if second.is_empty() { first } else { second };
    let mut methods = offer.methods().filter(|(_, method)| method.name == wanted);
    let found = match known {
        Some(connector) if second.is_empty() => return Target::Connector(connector.name, connector.description),
        Some(connector) => methods.find(|(name, _)| *name == connector.name),
        // A wrong connector, or none: the method's name may still tell.
        None => methods.next(),
    };
    found.map_or(Target::NotFound, |(connector, method)| Target::Method(connector, method))
}

/// The docs of what `target` means. `snippet` is the snippet itself, where it means one.
pub(crate) fn describe(
    offer: &Offer<'_>,
    target: &str,
    means: Target<'_>,
    snippet: Option<&Snippet>,
    sizes: Sizes,
) -> Docs {
    let (path, description, types, kind) = match (means, snippet) {
        (Target::Connector(name, d), _) => {
            (name.to_owned(), d.instructions.as_deref(), of_connector(name, d, sizes), Kind::Connector)
        }
        (Target::Method(connector, m), _) => {
            (path(connector, m), m.description.as_deref(), of_method(m, sizes), Kind::Method)
        }
        (Target::Snippet(_), Some(s)) => {
            (s.name.clone(), Some(s.description.as_str()), of_snippet(offer, s, sizes), Kind::Snippet)
        }
        _ => (cut(target, MAX_TARGET).into_owned(), None, not_found(offer, target), Kind::Method),
    };
    // A person is asked whether a snippet hides the method or not (BUG-SRC-05).
    let (approval, effect) = match (means, hidden(offer, means)) {
        (Target::Method(_, m), _) => (m.approval, m.effect),
        (_, Target::Method(_, m)) => (m.approval, Effect::Unknown),
        _ => (Approval::NotNeeded, Effect::Unknown),
    };
    let description = description.map(|text| shortened(text, sizes)).filter(|text| !text.is_empty());
    Docs { path, description, types, kind, approval, effect }
}

/// The same as a value; more than fits into one is cut, and says so.
pub(crate) fn described(
    offer: &Offer<'_>,
    target: &str,
    means: Target<'_>,
    snippet: Option<&Snippet>,
    (sizes, limits): (Sizes, &ValueLimits),
) -> Result<Json, Failure> {
    fitting(limits, sizes.block, |block| {
        let sizes = Sizes { block, declaration: sizes.declaration.min(block / 2) };
        serde_json::to_string(&describe(offer, target, means, snippet, sizes)).unwrap_or_default()
    })
}

/// What of a target is shown that means nothing, in UTF-16 code units.
const MAX_TARGET: usize = 4_096;

/// A text of a third party, in a quarter of the docs.
fn shortened(text: &str, sizes: Sizes) -> String {
    cut(&visible(text), sizes.block / 4).into_owned()
}

fn of_connector(name: &str, description: &Description, sizes: Sizes) -> String {
    let instructions = description.instructions.as_deref().map(|text| shortened(text, sizes));
    let instructions = instructions.filter(|text| !text.trim().is_empty()).map(|text| text + "\n\n");
    let instructions = instructions.unwrap_or_default();
    let methods: Vec<Declared<'_>> = description.methods.iter().map(declared).collect();
    let block = sizes.block.saturating_sub(units(&instructions));
    instructions + &declare(name, &methods, Sizes { block, ..sizes })
}

/// A method for a declaration.
pub(crate) fn declared(method: &Method) -> Declared<'_> {
    Declared {
        name: &method.name,
        title: &method.name,
        description: method.description.as_deref(),
        input: method.input_schema.as_deref(),
        output: method.output_schema.as_deref(),
        remarks: if method.approval == Approval::Required { &["@requiresApproval"] } else { &[] },
    }
}

fn of_method(method: &Method, sizes: Sizes) -> String {
    declare_types(&declared(method), sizes.declaration.min(sizes.block / 2))
}

/// DESCRIBE-05, what its input is checked against, and what it hides.
fn of_snippet(offer: &Offer<'_>, snippet: &Snippet, sizes: Sizes) -> String {
    let code = cut(&snippet.code, sizes.block / 2);
    // Longer than any fence inside.
    let inside = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(inside.max(2) + 1);
    let small = Sizes { declaration: sizes.declaration.min(sizes.block / 16), ..sizes };
    let input = snippet.input_schema.as_deref().map(|schema| {
        let declared = Declared { name: &snippet.name, input: Some(schema), ..Declared::default() };
        format!("\n\n{}", declare_input(&declared, small.declaration))
    });
    let other = match hidden(offer, Target::Snippet(&snippet.name)) {
        Target::Method(connector, m) => {
            format!("\n\n{} is a method, too:\n{}", path(connector, m), of_method(m, small))
        }
        Target::Connector(name, _) => format!("\n\n{name} is a connector, too: search for its methods."),
        _ => String::new(),
    };
    let description = shortened(&snippet.description, sizes);
    format!("{description}\n\n{fence}ts\n{code}\n{fence}{}{other}", input.unwrap_or_default())
}

/// What a snippet hides that has the name of a connector or the path of a method.
fn hidden<'a>(offer: &Offer<'a>, means: Target<'_>) -> Target<'a> {
    let Target::Snippet(name) = means else { return Target::NotFound };
    match resolve_method(offer, name) {
        Target::Method(connector, method) if path(connector, method) != name => Target::NotFound,
        // `github.` is no name of a connector.
        Target::Connector(connector, _) if connector != name => Target::NotFound,
        other => other,
    }
}

fn not_found(offer: &Offer<'_>, target: &str) -> String {
    let spelled = suggestion(target, close_paths(offer, target).iter().map(String::as_str).collect());
    let hint = match search(offer, target).results.as_slice() {
        _ if !spelled.is_empty() => spelled,
        [] => ": search for a word of what you want to do".to_owned(),
        found => {
            let paths: Vec<String> = found.iter().take(3).map(|hit| format!("`{}`", cut(&hit.path, SHOWN))).collect();
            format!("; did you mean {}?", paths.join(" or "))
        }
    };
    format!("\"{}\" not found{hint}", cut(target, SHOWN))
}

/// Names are data of any length; messages show so many UTF-16 code units of them.
const SHOWN: usize = 200;

/// What is compared with a target that is not found: the methods of its connector, or of all; at most so many.
const COMPARED: usize = 1_000;

fn close_paths(offer: &Offer<'_>, target: &str) -> Vec<String> {
    let connector = target.split('.').next().unwrap_or_default();
    let is_known = offer.seen().any(|c| c.name == connector);
    let methods = offer.methods().filter(|(name, _)| !is_known || *name == connector);
    let names = offer.seen().map(|c| c.name.to_owned());
    let snippets = offer.snippets.iter().map(|label| label.name.clone());
    let others = names.chain(snippets).filter(|_| !is_known);
    methods.map(|(name, method)| path(name, method)).chain(others).take(COMPARED).collect()
}

fn units(text: &str) -> usize {
    usize::try_from(utf16_len(text)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
