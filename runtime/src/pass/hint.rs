//! What to do about what the code threw, where its message tells: a name that does not exist, or a promise that was taken
//! for its value. Pure.

use crate::catalogue::suggestion;

/// Advice for an exception, if there is any. `globals` are the connectors and `codemode`.
pub(super) fn hint(name: &str, message: &str, globals: &[&str]) -> Option<String> {
    if let Some(missing) = undefined_name(message) {
        let close = match absent(missing) {
            Some(why) => format!("; {why}"),
            None => suggestion(missing, globals.to_vec()),
        };
        return Some(format!("the only globals besides standard JavaScript are: {}{close}", globals.join(", ")));
    }
    let is_misuse = ["not a function", "not iterable", "of undefined"].iter().any(|words| message.contains(words));
    (name == "TypeError" && is_misuse).then(|| {
        "calls return promises: `await` them before using what they give, and look at its type with `codemode.describe`"
            .to_owned()
    })
}

/// RUN-12: the word before `is not defined`, on word boundaries.
fn undefined_name(message: &str) -> Option<&str> {
    let words = "is not defined";
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    message.match_indices(words).find_map(|(at, _)| {
        let (before, after) = (&message[..at], &message[at + words.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return None;
        }
        let before = before.trim_end().trim_end_matches(['\'', '"', '`']);
        let start = before
            .rfind(|c: char| !is_word(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        Some(&before[start..])
    })
}

/// Why a name that models are used to does not exist.
fn absent(name: &str) -> Option<&'static str> {
    match name {
        "fetch" | "XMLHttpRequest" | "WebSocket" | "axios" => Some("there is no network: call a connector"),
        "require" | "process" | "Buffer" | "module" | "exports" | "fs" | "global" | "__dirname" => {
            Some("this is not Node.js: call a connector")
        }
        "window" | "document" | "localStorage" | "navigator" => Some("this is no browser"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOBALS: [&str; 3] = ["shelf", "t", "codemode"];

    fn of(message: &str) -> Option<String> {
        hint("ReferenceError", message, &GLOBALS)
    }

    #[test]
    fn the_hint_on_globals_needs_the_whole_words() {
        let plain = "the only globals besides standard JavaScript are: shelf, t, codemode";
        assert_eq!(of("host is not defined").as_deref(), Some(plain));
        assert_eq!(of("is not defined.").as_deref(), Some(plain));
        assert_eq!(of("this not definedly"), None);
        assert_eq!(of("x is not definedx"), None);
        assert_eq!(of("ünï is not defined").as_deref(), Some(plain));
    }

    #[test]
    fn a_misspelt_global_is_told_with_the_one_that_was_meant() {
        assert!(of("shlef is not defined").unwrap().ends_with("; did you mean `shelf`?"));
        assert!(of("'codemod' is not defined").unwrap().ends_with("; did you mean `codemode`?"));
    }

    #[test]
    fn names_of_other_places_are_told_why_they_are_absent() {
        assert!(of("fetch is not defined").unwrap().ends_with("; there is no network: call a connector"));
        assert!(of("require is not defined").unwrap().ends_with("; this is not Node.js: call a connector"));
        assert!(of("document is not defined").unwrap().ends_with("; this is no browser"));
    }

    #[test]
    fn a_promise_taken_for_its_value_is_a_hint_for_type_errors_only() {
        let advice = |name: &str| hint(name, "not a function", &GLOBALS);
        assert!(advice("TypeError").unwrap().contains("`await`"));
        assert_eq!(advice("Error"), None);
    }
}
