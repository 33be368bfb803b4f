//! What `codemode.run` is answered with: the code to run inside of the sandbox, or why there is none. Pure; the pass reads
//! the store and journals the answer.
//!
//! The stored code is the source as the model wrote it. It is normalized when it is run, and the journal gets the
//! normalized text: a save need not parse (any execution may be promoted, also one that failed to parse), and a replay
//! depends neither on the snippet nor on the normalizer of that day.

use serde_json::json;

use crate::catalogue::suggestion;
use crate::durable::failure::{Failure, code};
use crate::durable::journal::Answer;
use crate::durable::json::cut;
use crate::durable::snippet::{Snippet, SnippetLabel, code_answer, error_answer};
use crate::durable::value::{Json, ValueLimits};
use crate::normalize::{NormalizeError, normalize};
use crate::schema::Schema;

/// The answer for a snippet that exists. `connectors` are those that the asking execution sees.
pub(crate) fn run(snippet: &Snippet, input: Option<&Json>, connectors: &[String]) -> Answer {
    let title = format!("snippet {:?}", cut(&snippet.name, SHOWN));
    let missing: Vec<String> =
        snippet.connectors.iter().filter(|name| !connectors.contains(name)).map(|name| format!("\"{name}\"")).collect();
    if !missing.is_empty() {
        let message = format!("{title} requires connector(s) {} that are not configured", missing.join(", "));
        return Ok(Some(error_answer(&message)));
    }
    if let Some(text) = &snippet.input_schema {
        let schema = Schema::parse(text).map_err(|reason| {
            // It was checked when it was saved, by whatever version did that.
            Failure::new(code::INTERNAL, format!("{title}: its input schema {reason}"))
        })?;
        schema.check(input, "input", &title)?;
    }
    let normalized = normalize(&snippet.code).map_err(|error| unparsable(&title, &error))?;
    Ok(Some(code_answer(&normalized.function)))
}

/// The answer for one that does not exist.
pub(crate) fn unknown(name: &str, labels: &[SnippetLabel]) -> Answer {
    let close = suggestion(name, labels.iter().map(|l| l.name.as_str()).collect());
    Ok(Some(error_answer(&format!("snippet {:?} not found{close}", cut(name, SHOWN)))))
}

/// Names are data of any length; messages show so many UTF-16 code units of them.
const SHOWN: usize = 200;

fn unparsable(title: &str, error: &NormalizeError) -> Failure {
    let NormalizeError { line, column, message, source_line } = error;
    let details = json!({ "line": line, "column": column, "sourceLine": source_line });
    Failure {
        name: Some("SyntaxError".to_owned()),
        details: Json::from_plain(&details.to_string(), &ValueLimits::default()).ok(),
        ..Failure::new(code::SYNTAX, format!("{title}: {message} (line {line}, column {column})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(code: &str) -> Snippet {
        Snippet {
            name: "s".to_owned(),
            description: String::new(),
            code: code.to_owned(),
            saved_at: 0,
            input_schema: None,
            connectors: vec!["shelf".to_owned(), "t".to_owned()],
        }
    }

    fn answered(answer: Answer) -> serde_json::Value {
        serde_json::from_str(&answer.unwrap().unwrap().to_plain().unwrap()).unwrap()
    }

    const ALL: [&str; 3] = ["t", "shelf", "other"];

    fn run_it(snippet: &Snippet, input: Option<&str>) -> Answer {
        let input = input.map(|text| Json::from_tagged(text, &ValueLimits::default()).unwrap());
        run(snippet, input.as_ref(), &ALL.map(str::to_owned))
    }

    #[test]
    fn the_code_that_runs_is_normalized() {
        let fenced = answered(run_it(&snippet("```ts\nasync () => 7\n```"), None));
        let text = fenced["code"].as_str().unwrap();
        assert!(text.contains("async () => 7") && !text.contains("```"), "{text}");
        assert!(answered(run_it(&snippet("return 1"), None))["code"].as_str().unwrap().contains("return 1"));
    }

    #[test]
    fn missing_connectors_are_all_named_before_anything_else_is_looked_at() {
        let broken = Snippet { input_schema: Some("{".to_owned()), ..snippet("((") };
        let error = answered(run(&broken, None, &["other".to_owned()]));
        assert_eq!(error["error"], "snippet \"s\" requires connector(s) \"shelf\", \"t\" that are not configured");
    }

    #[test]
    fn code_that_does_not_parse_fails_with_its_position() {
        let failure = run_it(&snippet("async () => {\n  return (;\n}"), None).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.name.as_deref()), (code::SYNTAX, Some("SyntaxError")));
        assert!(failure.message.starts_with("snippet \"s\": "), "{}", failure.message);
        assert!(failure.message.contains("(line 2, column"), "{}", failure.message);
        assert!(failure.details.unwrap().as_str().contains("\"line\":2"));
    }

    #[test]
    fn a_wrong_input_is_refused_by_its_place() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
        let checked = Snippet { input_schema: Some(schema.to_owned()), ..snippet("(x) => x.n") };
        assert!(run_it(&checked, Some("{\"n\":1}")).is_ok());
        let failure = run_it(&checked, Some("{\"n\":\"1\"}")).unwrap_err();
        assert_eq!(failure.code, code::INVALID_ARGUMENTS);
        assert!(failure.message.starts_with("snippet \"s\": input.n: "), "{}", failure.message);
        assert!(run_it(&checked, None).is_err());
    }

    #[test]
    fn close_names_are_offered_for_an_unknown_one() {
        let labels = ["greet", "other"].map(|n| SnippetLabel { name: n.to_owned(), description: String::new() });
        let error = answered(unknown("great", &labels));
        assert_eq!(error["error"], "snippet \"great\" not found; did you mean `greet`?");
        assert_eq!(answered(unknown("zzz", &[]))["error"], "snippet \"zzz\" not found");
        let long = answered(unknown(&"n".repeat(5_000), &labels));
        assert!(long["error"].as_str().unwrap().len() < 300);
    }
}
