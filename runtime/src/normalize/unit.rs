//! One program to one function expression: the order in which the grammars are tried.
//!
//! JavaScript comes first: what is JavaScript means what JavaScript says, and keeps its meaning when the result is
//! normalized again. Two texts are TypeScript although they parse as JavaScript, because type arguments look like
//! comparisons (`new Set<string>(names)`): one that its fence calls TypeScript, and one that would compare with a
//! name that only TypeScript knows.

use std::borrow::Cow;

use oxc_allocator::Allocator;
use oxc_semantic::SemanticBuilder;

use super::explain::problem;
use super::nesting::{Unread, check, with_stack};
use super::parse::{Grammar, message, offset, parse};
use super::shape::{Shape, shape, value};
use super::whole::Whole;
use super::{Normalized, build, position, quoted, types};

/// What is wrong with a program.
pub(super) struct Problem {
    pub(super) position: (u32, u32),
    pub(super) message: String,
}

/// Why a text is not taken as a program of one grammar.
pub(super) enum Refusal {
    /// It does not parse; it may in the other grammar.
    Unparsed { offset: usize, message: String },
    /// It could not be parsed.
    Unread(Unread),
    /// It parses and cannot run.
    Problem(Problem),
}

impl Refusal {
    pub(super) fn at(code: &str, offset: usize, message: String) -> Self {
        Self::Problem(Problem { position: position::of(code, offset), message })
    }
}

/// Makes a function expression of a program that is to be read in this grammar first.
pub(super) fn function(code: &str, first: Grammar) -> Result<Normalized, Problem> {
    let code = &*without_hashbang(code);
    match first {
        Grammar::JavaScript => match javascript(code) {
            Ok(normalized) if compares_with_types(code) => Ok(typescript(code).unwrap_or(normalized)),
            Ok(normalized) => Ok(normalized),
            Err(Refusal::Problem(problem)) => Err(problem),
            Err(plain) => typescript(code).map_err(|typed| problem(code, plain, typed)),
        },
        Grammar::TypeScript => match typescript(code) {
            Ok(normalized) => Ok(normalized),
            Err(Refusal::Problem(problem)) => Err(problem),
            Err(typed) => javascript(code).map_err(|plain| problem(code, plain, typed)),
        },
    }
}

/// A first line for a shell is a comment only at the very start, where the wrapper goes.
fn without_hashbang(code: &str) -> Cow<'_, str> {
    if !code.starts_with("#!") {
        return Cow::Borrowed(code);
    }
    let end = code.find('\n').unwrap_or(code.len());
    Cow::Owned(format!("{}{}", " ".repeat(end), &code[end..]))
}

fn javascript(code: &str) -> Result<Normalized, Refusal> {
    let normalized =
        with_stack(code, Grammar::JavaScript, || read(code)).unwrap_or_else(|unread| Err(Refusal::Unread(unread)))?;
    // The function has a few brackets more; what is made here must be readable again.
    check(&normalized.function, Grammar::JavaScript).map_err(Refusal::Unread)?;
    Ok(normalized)
}

fn read(code: &str) -> Result<Normalized, Refusal> {
    let mut shape = Err(Refusal::Unparsed { offset: 0, message: "unexpected text".to_owned() });
    for whole in Whole::readings(code) {
        shape = reading(code, &whole);
        if !matches!(shape, Err(Refusal::Unparsed { .. })) {
            break;
        }
    }
    build::function(code, &shape?).map_err(Refusal::Problem)
}

fn reading(code: &str, whole: &Whole<'_>) -> Result<Shape, Refusal> {
    let text = whole.text();
    let allocator = Allocator::default();
    let parsed = parse(&allocator, &text, Grammar::JavaScript.module());
    let unparsed = |offset, message| Refusal::Unparsed { offset: whole.offset(offset), message };
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        return Err(unparsed(offset(diagnostic), message(diagnostic)));
    }
    if !whole.suits(&parsed.program) {
        return Err(unparsed(0, String::new()));
    }
    let found = match whole.value(&parsed.program) {
        Some(found) => quoted::in_object(found).map_or_else(|| value(found), Err),
        None => quoted::in_string(&parsed.program).map_or_else(|| shape(&parsed.program), Err),
    };
    match found {
        Ok(shape) => Ok(shape.moved(|at| whole.offset(at))),
        Err((span, message)) => Err(Refusal::at(code, whole.offset(span.start as usize), message.to_owned())),
    }
}

/// A program with types. One without any is to be read as JavaScript.
fn typescript(code: &str) -> Result<Normalized, Refusal> {
    let stripped = with_stack(code, Grammar::TypeScript, || types::strip(code))
        .unwrap_or_else(|unread| Err(Refusal::Unread(unread)))?;
    let back = |(line, column)| (line, position::unshift(&stripped.shifts, line, column));
    match javascript(&stripped.text) {
        // What would be taken for types again is no code that anybody means: `f<A><B>(c)`.
        Ok(normalized) if compares_with_types(&normalized.function) => {
            let message = "type arguments cannot be told from comparisons here: put the operands in parentheses";
            Err(Refusal::at(code, 0, message.to_owned()))
        }
        Ok(normalized) => Ok(Normalized { stripped: stripped.shifts, ..normalized }),
        Err(Refusal::Problem(found)) => Err(Refusal::Problem(Problem { position: back(found.position), ..found })),
        Err(Refusal::Unparsed { offset, message }) => {
            Err(Refusal::Problem(Problem { position: back(position::of(&stripped.text, offset)), message }))
        }
        Err(unread) => Err(unread),
    }
}

/// Names that are types in TypeScript and nothing in JavaScript.
const TYPE_NAMES: [&str; 9] = ["string", "number", "boolean", "any", "unknown", "never", "object", "bigint", "symbol"];

/// Whether a program compares with a type that nothing declares as a value, which would throw: `f<string>(x)`,
/// `f<User>(x)`.
fn compares_with_types(code: &str) -> bool {
    let compared = |at: usize| {
        let rest = code[at + 1..].trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        let (name, behind) = (&rest[..end], rest[end..].trim_start());
        let is_called =
            name.starts_with(char::is_uppercase) && behind.strip_prefix('>').is_some_and(|it| it.starts_with('('));
        (is_called || TYPE_NAMES.contains(&name)).then_some(name)
    };
    let mut names: Vec<&str> = code.match_indices('<').filter_map(|(at, _)| compared(at)).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return false;
    }
    let undeclared = || {
        let allocator = Allocator::default();
        let parsed = parse(&allocator, code, Grammar::JavaScript.module());
        let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
        let unresolved = semantic.scoping().root_unresolved_references();
        unresolved.keys().any(|name| names.binary_search(&name.as_str()).is_ok())
    };
    with_stack(code, Grammar::JavaScript, undeclared).unwrap_or(false)
}
