//! What to say of a text that neither grammar takes: what is wrong, where, and what to do. A parser's words help with code
//! and confuse with everything else, so what is no code is told apart first.

use super::nesting::Unread;
use super::unit::{Problem, Refusal};
use super::{position, reads};

const ONLY_CODE: &str = "send only the code, without prose or markup";

/// The problem of a text that is neither JavaScript nor TypeScript.
pub(super) fn problem(code: &str, plain: Refusal, typed: Refusal) -> Problem {
    let (offset, message) = match (plain, typed) {
        (Refusal::Problem(problem), _) | (_, Refusal::Problem(problem)) => return problem,
        (Refusal::Unread(Unread::Broken), _) | (_, Refusal::Unread(Unread::Broken)) => {
            (0, "the parser failed on this code: write it in another way".to_owned())
        }
        (Refusal::Unread(Unread::TooDeep), _) => {
            (0, "the code is nested too deeply or too long to be parsed; make it smaller".to_owned())
        }
        (Refusal::Unparsed { offset, message }, Refusal::Unread(Unread::TooDeep)) => {
            let message =
                format!("not valid JavaScript: {message}; as TypeScript, it is nested too deeply or too long");
            no_code(code, offset).unwrap_or((offset, message))
        }
        (Refusal::Unparsed { offset: first, message: reason }, Refusal::Unparsed { offset, message }) => {
            // The grammar that comes further is the one that was meant; the other may say no more than that.
            let is_typed = offset > first || reason.contains("TypeScript");
            let (offset, message) = if is_typed { (offset, message) } else { (first, reason) };
            let language = if is_typed { "TypeScript" } else { "JavaScript" };
            no_code(code, first).unwrap_or_else(|| unparsed(code, offset, language, &message))
        }
    };
    Problem { position: position::of(code, offset), message }
}

fn unparsed(code: &str, offset: usize, language: &str, message: &str) -> (usize, String) {
    let end = code.trim_end().len();
    if message.ends_with("`EOF`") || offset >= end {
        let message = format!("the code ends too early, so something in it is not closed: {message}; send all of it");
        return (end, message);
    }
    (offset, format!("not valid {language}: {message}; {ONLY_CODE}"))
}

/// Where a text stops to be code and what it is there, if it is something that is not code at all.
fn no_code(code: &str, offset: usize) -> Option<(usize, String)> {
    let offset = (0..=offset.min(code.len())).rev().find(|&at| code.is_char_boundary(at)).unwrap_or(0);
    let (before, rest) = code.split_at(offset);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = code[start..].lines().next().unwrap_or("");
    if let Some((at, entity)) = entity(line) {
        return Some((start + at, format!("{entity} is an HTML entity: send plain characters, not HTML")));
    }
    if is_markup(rest) {
        return Some((offset, format!("JSX and other markup is not available: {ONLY_CODE}")));
    }
    if let Some(quote) = rest.chars().next().filter(|c| "“”„‘’«»".contains(*c)) {
        return Some((offset, format!("{quote} is a typographic quote: use \" or ' in code")));
    }
    if let Some(at) = escaped_line_end(code, offset.saturating_sub(2).max(start)) {
        let message =
            "\\n stands here as two characters: send the code with real line breaks, not as an escaped string";
        return Some((at, message.to_owned()));
    }
    if let Some(at) = call(code) {
        let message = "a function that is called needs parentheses around it: leave the call out, the function is run";
        return Some((at, message.to_owned()));
    }
    let heading = heading(code).filter(|heading| heading.end <= offset);
    let prose = heading.or_else(|| is_prose(line).then(|| start + line.len() - line.trim_start().len()..start))?;
    Some((
        prose.start,
        "this line is prose, not code: send only the code, or put it into one block marked js".to_owned(),
    ))
}

/// Where a line end is written as in a string, close behind an offset.
fn escaped_line_end(code: &str, from: usize) -> Option<usize> {
    code.get(from..)?.find("\\n").filter(|&at| at < 4).map(|at| from + at)
}

/// Where a text that is a function calls it: `async () => { … }()`.
fn call(code: &str) -> Option<usize> {
    let function = code.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).strip_suffix("()")?;
    reads::read(function).filter(|read| read.is_function).map(|_| function.len())
}

/// The first entity of HTML in a line.
fn entity(line: &str) -> Option<(usize, &str)> {
    let found = line.match_indices('&').find_map(|(at, _)| {
        let name = &line[at + 1..];
        let end = name.find(';').filter(|end| (2..=6).contains(end))?;
        is_entity(&name[..end]).then(|| (at, &line[at..at + end + 2]))
    });
    // Inside of a string it would be no reason.
    found.filter(|(at, _)| line[..*at].matches(['"', '\'', '`']).count().is_multiple_of(2))
}

/// Whether a name is that of an entity that stands for a character of code.
pub(super) fn is_entity(name: &str) -> bool {
    matches!(name, "lt" | "gt" | "amp" | "quot" | "apos" | "nbsp") || name.starts_with('#')
}

/// Whether an element or a fragment starts a text.
fn is_markup(text: &str) -> bool {
    let opens = text.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '>'));
    opens && (text.contains("</") || text.contains("/>"))
}

/// A first line such as `Here is the code:`.
fn heading(code: &str) -> Option<std::ops::Range<usize>> {
    let start = code.len() - code.trim_start().len();
    let line = code[start..].lines().next()?.trim_end();
    let words = line.strip_suffix(':')?;
    let is_heading = words.starts_with(char::is_uppercase) && words.split(' ').all(is_word);
    is_heading.then(|| start..start + line.len())
}

/// Whether a line is mostly words with blanks between.
fn is_prose(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let plain = words.iter().filter(|word| is_word(word)).count();
    let has_code = ["=>", "=", "{", "}", "();", "//", "/*", " + ", " * "].iter().any(|sign| line.contains(sign));
    let is_statement = line.trim_end().ends_with(';') && !line.trim_end().ends_with(".;");
    plain >= 3 && plain * 10 >= words.len() * 7 && !has_code && !is_statement
}

fn is_word(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ':', '!', '?', ')']).trim_start_matches('(');
    !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
}
