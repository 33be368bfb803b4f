//! Describe: the docs of one connector, method or snippet. Which of them a target means follows DESCRIBE-04 to
//! DESCRIBE-10; what is not there is said as data.

use serde::Serialize;

use super::{Offer, fitting};
use crate::connector::{Description, Method};
use crate::durable::failure::Failure;
use crate::durable::journal::Approval;
use crate::durable::json::{cut, utf16_len};
use crate::durable::snippet::Snippet;
use crate::durable::value::{Json, ValueLimits};

/// What a target means.
#[derive(Debug)]
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
    if let Some(label) = offer.snippets.iter().find(|label| label.name == target) {
        return Target::Snippet(&label.name);
    }
    let mut parts = target.split('.');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let known = offer.connectors.iter().find(|(name, _)| *name == first);
    let method = |(name, d): &(&'a str, &'a Description), wanted: &str| {
        d.methods.iter().find(|m| m.name == wanted).map(|m| Target::Method(name, m))
    };
    match known {
        Some((name, description)) if second.is_empty() => Target::Connector(name, description),
        Some(connector) => method(connector, second).unwrap_or(Target::NotFound),
        // A wrong connector, or none: the method's name may still tell.
        None => {
            let wanted = if second.is_empty() { first } else { second };
            offer.connectors.iter().find_map(|connector| method(connector, wanted)).unwrap_or(Target::NotFound)
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Docs<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    types: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    requires_approval: Option<bool>,
}

/// The docs of what `target` means. `snippet` is the snippet itself, where it means one. What does not fit into a value is
/// cut, and says so.
pub(crate) fn describe(
    target: &str,
    means: &Target<'_>,
    snippet: Option<&Snippet>,
    limits: &ValueLimits,
) -> Result<Json, Failure> {
    let not_found = format!("\"{}\" not found: search for a word of what you want to do", cut(target, 200));
    let (path, description, types, kind, approval) = match (means, snippet) {
        (Target::Connector(name, d), _) => {
            ((*name).to_owned(), d.instructions.as_deref(), of_connector(name, d), "connector", None)
        }
        (Target::Method(connector, m), _) => {
            let approval = (m.approval == Approval::Required).then_some(true);
            (format!("{connector}.{}", m.name), m.description.as_deref(), of_method(m), "method", approval)
        }
        (Target::Snippet(_), Some(s)) => {
            let description = Some(s.description.as_str()).filter(|text| !text.is_empty());
            (s.name.clone(), description, of_snippet(s), "snippet", None)
        }
        _ => (cut(target, 4_096).into_owned(), None, not_found, "method", None),
    };
    let longest = description.map_or(0, utf16_len).max(utf16_len(&types));
    fitting(limits, usize::try_from(longest).unwrap_or(usize::MAX), |size| {
        let description = description.map(|text| cut(text, size));
        let docs = Docs {
            path: &path,
            description: description.as_deref(),
            types: &cut(&types, size),
            kind,
            requires_approval: approval,
        };
        serde_json::to_string(&docs).unwrap_or_default()
    })
}

fn of_connector(name: &str, description: &Description) -> String {
    let line = |m: &Method| {
        let about = m.description.as_deref().map_or_else(String::new, |text| format!(": {text}"));
        let approval = if m.approval == Approval::Required { " (a person is asked first)" } else { "" };
        format!("{name}.{}(input){approval}{about}", m.name)
    };
    let methods: Vec<String> = description.methods.iter().map(line).collect();
    let instructions = description.instructions.as_ref().map(|text| format!("{text}\n\n"));
    format!("{}{}", instructions.unwrap_or_default(), methods.join("\n"))
}

fn of_method(method: &Method) -> String {
    let schema = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    format!(
        "input (JSON Schema): {}\noutput (JSON Schema): {}",
        schema(&method.input_schema),
        schema(&method.output_schema)
    )
}

/// DESCRIBE-05, and how the input is checked.
fn of_snippet(snippet: &Snippet) -> String {
    // Longer than any fence inside.
    let inside = snippet.code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(inside.max(2) + 1);
    let input = snippet.input_schema.as_ref().map(|schema| format!("\n\ninput (JSON Schema): {schema}"));
    format!("{}\n\n{fence}ts\n{}\n{fence}{}", snippet.description, snippet.code, input.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Sample, limits};
    use super::*;

    fn snippet(name: &str, code: &str) -> Snippet {
        Snippet {
            name: name.to_owned(),
            description: "Show open pull requests".to_owned(),
            code: code.to_owned(),
            saved_at: 0,
            input_schema: None,
            connectors: Vec::new(),
        }
    }

    fn described(target: &str) -> Value {
        let sample = Sample::new();
        let offer = sample.offer();
        let means = resolve(&offer, target);
        let it = snippet(target, "async () => 1");
        let json = describe(target, &means, Some(&it), &limits(1_000_000)).unwrap();
        serde_json::from_str(&json.to_plain().unwrap()).unwrap()
    }

    fn path_and_kind(target: &str) -> (String, String) {
        let docs = described(target);
        (docs["path"].as_str().unwrap().to_owned(), docs["kind"].as_str().unwrap().to_owned())
    }

    fn method(path: &str) -> (String, String) {
        (path.to_owned(), "method".to_owned())
    }

    #[test]
    fn targets_are_resolved_in_the_order_of_the_catalogue() {
        for target in ["github", "github."] {
            assert_eq!(path_and_kind(target), ("github".to_owned(), "connector".to_owned()));
        }
        let create = method("github.create_issue");
        for target in ["github.create_issue", "create_issue", "wrong.create_issue", ".create_issue"] {
            assert_eq!(path_and_kind(target), create, "{target}");
        }
        assert_eq!(path_and_kind("github.create_issue.extra"), create);
        assert_eq!(path_and_kind("list-open-prs").1, "snippet");
        let mut sample = Sample::new();
        sample.snippets[1].name = "github".to_owned();
        assert!(matches!(resolve(&sample.offer(), "github"), Target::Snippet("github")), "it hides the connector");
    }

    #[test]
    fn what_is_not_there_is_said_as_data() {
        for target in ["nope", "", "github.nope", "github.constructor", "constructor", "__proto__", "toString"] {
            let docs = described(target);
            assert_eq!((docs["path"].as_str(), docs["kind"].as_str()), (Some(target), Some("method")));
            let types = docs["types"].as_str().unwrap();
            assert!(types.starts_with(&format!("\"{target}\" not found")), "{types}");
            assert!(docs.get("description").is_none());
        }
    }

    #[test]
    fn methods_and_connectors_say_what_they_take_and_whether_a_person_is_asked() {
        let create = described("create_issue");
        assert_eq!((&create["requiresApproval"], &create["description"]), (&json!(true), &json!("Open an issue")));
        assert!(create["types"].as_str().unwrap().contains("{\"type\":\"object\"}"));
        assert!(described("search_issues").get("requiresApproval").is_none());
        let github = described("github");
        assert_eq!(github["description"], "Use me.");
        assert!(github["types"].as_str().unwrap().starts_with("Use me.\n\ngithub.list_pull_requests(input): Show"));
    }

    #[test]
    fn a_snippet_shows_its_source_in_a_fence_that_holds() {
        assert_eq!(described("list-open-prs")["types"], "Show open pull requests\n\n```ts\nasync () => 1\n```");
        let bare = Snippet { description: String::new(), ..snippet("s", "`` ````x````") };
        let with_schema = Snippet { input_schema: Some("{\"type\":\"null\"}".to_owned()), ..bare };
        let text = of_snippet(&with_schema);
        assert!(text.starts_with("\n\n`````ts\n`` ````x````\n`````\n\ninput (JSON Schema): {"), "{text}");
    }

    #[test]
    fn docs_that_do_not_fit_are_cut_and_say_so() {
        let sample = Sample::new();
        let offer = sample.offer();
        let means = resolve(&offer, "triage");
        let long = snippet("triage", &"\u{1}".repeat(10_000));
        let json = describe("triage", &means, Some(&long), &limits(5_000)).unwrap();
        assert!(json.units() <= 5_000 && json.units() > 1_000, "{}", json.units());
        assert!(json.as_str().contains("characters in full]"), "{json}");
    }
}
