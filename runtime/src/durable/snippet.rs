//! Saved code with a name, and how a journal keeps the code that an execution used. A snippet may be edited or deleted
//! while an execution is paused; the execution goes on with what it got.
//!
//! Only the host makes the answers to `codemode.run`, so their shapes are ours alone: `{code}` is run inside of the
//! sandbox, `{error}` is for the code to look at, and `{sameAs}` stands in the journal for a text that it has already: a
//! loop that runs a snippet a thousand times does not copy it a thousand times.

use std::collections::BTreeMap;

use super::failure::{Failure, code};
use super::id::Op;
use super::journal::{Answer, Entry, Request};
use super::json::utf16_len;
use super::value::{Json, ValueLimits};

/// Saved code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Its name: any text of 1 to [`MAX_SNIPPET_NAME`] UTF-16 code units; data, never a pattern.
    pub name: String,
    /// For the model; empty where nobody wrote one.
    pub description: String,
    /// The source of the execution that it was made of, exactly as given.
    pub code: String,
    /// Epoch milliseconds.
    pub saved_at: u64,
    /// JSON Schema of the input, as text.
    pub input_schema: Option<String>,
    /// The connectors of that execution, in order; all of them must be there when it runs (IDENT-04).
    pub connectors: Vec<String>,
}

/// What a search sees of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnippetLabel {
    /// Its name.
    pub name: String,
    /// For the model.
    pub description: String,
}

/// The longest name of a snippet, in UTF-16 code units.
pub const MAX_SNIPPET_NAME: usize = 4_096;

/// Checks the name of a snippet. Everything but nothing and too much is allowed.
///
/// # Errors
/// What is wrong, as the end of a sentence about the name.
pub fn check_snippet_name(name: &str) -> Result<(), String> {
    match utf16_len(name) {
        0 => Err("is empty".to_owned()),
        units if units > MAX_SNIPPET_NAME as u64 => {
            Err(format!("is too long: {units} characters, the limit is {MAX_SNIPPET_NAME} (limit `snippet name`)"))
        }
        _ => Ok(()),
    }
}

const CODE: &str = "{\"code\":";
const SAME_AS: &str = "{\"sameAs\":";

/// The answer whose code the sandbox runs: the text of one function expression.
#[must_use]
pub fn code_answer(function: &str) -> Json {
    object("code", function)
}

/// The answer that says why there is nothing to run. The code gets it as a value (SNIPPET-08, SNIPPET-09).
#[must_use]
pub fn error_answer(message: &str) -> Json {
    object("error", message)
}

/// An object with one text. The size of code is limited when it is saved, not as a value.
fn object(key: &str, text: &str) -> Json {
    let limits = ValueLimits { units: u64::MAX, depth: 1 };
    let plain = format!("{{\"{key}\":{}}}", Json::string(text));
    Json::from_plain(&plain, &limits).unwrap_or_else(|_| Json::string(text))
}

/// Which code the journal of one execution has: the last text of each snippet.
#[derive(Debug, Default)]
pub struct Sources(BTreeMap<String, Op>);

impl Sources {
    /// Those of a journal.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let source = |e: &Entry| Some((name_of(e)?.to_owned(), code_of(e.answer.as_ref()?).map(|_| e.op)?));
        Self(entries.iter().filter_map(source).collect())
    }

    /// The answer as the journal is to keep it: a reference where it has the same text already.
    pub fn kept(&mut self, entries: &[Entry], op: Op, answer: Answer) -> Answer {
        let entry = |op: Op| entries.get(op.0 as usize);
        let Some(name) = entry(op).and_then(name_of) else { return answer };
        let Some(text) = code_of(&answer) else { return answer };
        let before = self.0.get(name).filter(|before| {
            entry(**before).and_then(|e| e.answer.as_ref()).and_then(code_of).is_some_and(|known| known == text)
        });
        match before {
            Some(before) => Ok(Some(same_as(*before))),
            None => {
                self.0.insert(name.to_owned(), op);
                answer
            }
        }
    }
}

/// The answer to `op` as the code gets it.
pub fn delivered(entries: &[Entry], op: Op, answer: Answer) -> Answer {
    let entry = |op: Op| entries.get(op.0 as usize);
    let is_snippet = entry(op).and_then(name_of).is_some();
    let Some(at) = answer.as_ref().ok().and_then(Option::as_ref).and_then(reference).filter(|_| is_snippet) else {
        return answer;
    };
    match entry(at).and_then(|e| e.answer.as_ref()) {
        Some(source) if code_of(source).is_some() => source.clone(),
        _ => Err(Failure::new(code::INTERNAL, format!("the code of a snippet is missing in the journal (op {at})"))),
    }
}

fn name_of(entry: &Entry) -> Option<&str> {
    if let Request::Snippet { name, .. } = &entry.request { Some(name) } else { None }
}

fn code_of(answer: &Answer) -> Option<&str> {
    answer.as_ref().ok()?.as_ref().map(Json::as_str).filter(|text| text.starts_with(CODE))
}

fn same_as(op: Op) -> Json {
    let limits = ValueLimits::default();
    Json::from_plain(&format!("{SAME_AS}{op}}}"), &limits).unwrap_or_else(|_| Json::string(""))
}

fn reference(answer: &Json) -> Option<Op> {
    answer.as_str().strip_prefix(SAME_AS)?.strip_suffix('}')?.parse().ok().map(Op)
}

#[cfg(test)]
mod tests {
    use super::super::journal::EntryState;
    use super::super::replay::testing;
    use super::*;

    fn run(op: u32, name: &str) -> Entry {
        let request = Request::Snippet { name: name.to_owned(), input: None };
        Entry { op: Op(op), state: EntryState::Executing, ..testing::entry(request) }
    }

    fn code(text: &str) -> Answer {
        Ok(Some(code_answer(text)))
    }

    /// Takes an answer in as a pass does.
    fn arrive(sources: &mut Sources, entries: &mut [Entry], op: u32, answer: Answer) -> Answer {
        let kept = sources.kept(entries, Op(op), answer);
        entries[op as usize].answer = Some(kept.clone());
        kept
    }

    #[test]
    fn the_same_text_is_kept_once_and_delivered_each_time() {
        let mut entries = vec![run(0, "a"), run(1, "a"), run(2, "b"), run(3, "a"), run(4, "a")];
        let mut sources = Sources::default();
        assert_eq!(arrive(&mut sources, &mut entries, 0, code("x => 1")), code("x => 1"));
        let copy = arrive(&mut sources, &mut entries, 1, code("x => 1"));
        assert_eq!(copy.as_ref().unwrap().as_ref().unwrap().as_str(), "{\"sameAs\":0}");
        assert_eq!(arrive(&mut sources, &mut entries, 2, code("x => 1")), code("x => 1"), "another snippet's own");
        assert_eq!(arrive(&mut sources, &mut entries, 3, code("x => 2")), code("x => 2"), "an edited one");
        // A later pass starts from the journal.
        let mut sources = Sources::of(&entries);
        let copy = arrive(&mut sources, &mut entries, 4, code("x => 2"));
        assert_eq!(copy.as_ref().unwrap().as_ref().unwrap().as_str(), "{\"sameAs\":3}");
        let got = |op: usize| delivered(&entries, Op(op as u32), entries[op].answer.clone().unwrap());
        assert_eq!([got(0), got(1), got(3), got(4)], [code("x => 1"), code("x => 1"), code("x => 2"), code("x => 2")]);
    }

    #[test]
    fn failures_errors_and_answers_to_other_asks_stay_as_they_are() {
        let call = Request::Call { connector: "t".into(), method: "m".into(), args: None };
        let forged = Json::from_plain("{\"sameAs\":0}", &ValueLimits::default()).unwrap();
        let mut entries = vec![run(0, "a"), Entry { op: Op(1), ..testing::entry(call) }];
        let mut sources = Sources::default();
        for answer in [Err(Failure::new(code::UNAVAILABLE, "no")), Ok(Some(error_answer("not found"))), Ok(None)] {
            assert_eq!(arrive(&mut sources, &mut entries, 0, answer.clone()), answer);
            assert_eq!(delivered(&entries, Op(0), answer.clone()), answer);
        }
        let _ = arrive(&mut sources, &mut entries, 0, code("x => 1"));
        assert_eq!(delivered(&entries, Op(1), Ok(Some(forged.clone()))), Ok(Some(forged)), "what a connector says");
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_a_failure() {
        let entries = vec![run(0, "a")];
        let lost = delivered(&entries, Op(0), Ok(Some(same_as(Op(7)))));
        assert!(lost.is_err_and(|f| f.message.contains("op 7")));
    }

    #[test]
    fn any_text_is_code_and_a_name_of_any_characters_is_taken() {
        for text in ["", "\u{0}\"\\\n\u{2028}", "{\"$cm\":1}", "🙂"] {
            let answer = code_answer(text);
            let parsed: serde_json::Value = serde_json::from_str(&answer.to_plain().unwrap()).unwrap();
            assert_eq!(parsed["code"], text);
        }
        for name in ["a\nb", "50%_off", "'", &"n".repeat(MAX_SNIPPET_NAME)] {
            assert_eq!(check_snippet_name(name), Ok(()));
        }
        assert!(check_snippet_name("").is_err());
        assert!(check_snippet_name(&"n".repeat(MAX_SNIPPET_NAME + 1)).unwrap_err().contains("4097"));
        assert!(check_snippet_name(&"🙂".repeat(MAX_SNIPPET_NAME / 2 + 1)).is_err(), "code units are counted");
    }
}
