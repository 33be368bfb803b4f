//! What the model is told before it writes code. Some three hundred words that do not grow with what the connectors can do, then
//! the names of the connectors: methods and schemas are for `codemode.search` and `codemode.describe`.

use crate::discovery::one_line;
use crate::durable::json::{cut, utf16_len};

/// The longest hint on a connector, in UTF-16 code units; the rest is left out.
pub const MAX_HINT: usize = 300;

/// Up to so many connectors are named in the sentence on globals; more are only in the list.
pub const NAMED: usize = 8;

/// The description, in at most `size` UTF-16 code units, but never without the text around the list.
pub(super) fn describe(connectors: &[&str], hints: &[(String, String)], size: usize) -> String {
    let mut text = guide(connectors);
    if connectors.is_empty() {
        text.push_str("Connectors: none.\n");
        return text;
    }
    text.push_str("Connectors:\n");
    let lines: Vec<String> = connectors.iter().map(|name| line(name, hints)).collect();
    let room = size.saturating_sub(units(&text));
    let shown = fitting(&lines, room);
    text.extend(lines[..shown].iter().map(String::as_str));
    if shown < lines.len() {
        text.push_str(&rest(lines.len() - shown));
    }
    text
}

/// How many of the lines fit, with the line about the others where there are any.
fn fitting(lines: &[String], room: usize) -> usize {
    let mut used = 0;
    let mut with_rest = 0;
    for (at, line) in lines.iter().enumerate() {
        if used + units(&rest(lines.len() - at)) <= room {
            with_rest = at;
        }
        used += units(line);
    }
    if used <= room { lines.len() } else { with_rest }
}

fn line(name: &str, hints: &[(String, String)]) -> String {
    // The operator's text, or a third party's that was passed on: one line, nothing that is not seen.
    let hint = hints.iter().rev().find(|(connector, _)| connector == name).map(|(_, text)| one_line(text));
    match hint.filter(|text| !text.is_empty()) {
        Some(hint) => format!("- `{name}` - {}\n", cut(&hint, MAX_HINT)),
        None => format!("- `{name}`\n"),
    }
}

fn rest(count: usize) -> String {
    format!("- and {count} more that have no room here: find their methods with codemode.search.\n")
}

fn units(text: &str) -> usize {
    usize::try_from(utf16_len(text)).unwrap_or(usize::MAX)
}

fn guide(connectors: &[&str]) -> String {
    let (globals, example) = match connectors {
        [] => ("`codemode`".to_owned(), "connector"),
        [one] => (format!("`{one}` and `codemode`"), *one),
        [first, ..] if connectors.len() <= NAMED => (format!("`{}` and `codemode`", connectors.join("`, `")), *first),
        [first, ..] => ("the connectors listed below and `codemode`".to_owned(), *first),
    };
    format!(
        "\
Runs JavaScript that you write. `code` is one async arrow function, with no text around it: async () => {{ … }}. What it \
returns is the result; return only what you need.

The ONLY globals are {globals}, besides standard JavaScript. There is no host, fs, require or process, and no network: \
do not use fetch.

How to work:
1. Search: const {{ results }} = await codemode.search(\"send a message\"), with a short phrase for what you want to do.
2. Describe: await codemode.describe(results[0].path) gives the types of its argument and result.
3. Call: await {example}.method({{ … }}), with one argument object.
Never guess the name of a method. If you have not used a connector before, search and describe first, return what you \
found, and call the method in your next code.

Some methods need the approval of a person. Write code as if the call returns. If the status of the outcome is `paused`, \
tell the user what waits for approval, and wait. Do not send the code again: once approved it continues by itself, and \
nothing is done twice.

Code must be deterministic apart from calls and steps, because it runs from the start again after an approval. Calls that \
depend on each other are issued in sequence, each awaited, above all where one may pause; independent ones may run in \
parallel with Promise.all, and all of them that need approval wait together. Work outside connectors whose result varies \
or that has side effects goes into a step: await codemode.step(\"name\", async () => …). Calls of connectors need no step.

Snippets are saved code: await codemode.run(\"name\", input) runs one, and search finds them. Write code that is worth \
keeping as async (input) => {{ … }}.

"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn list(text: &str) -> Vec<&str> {
        text.split_once("Connectors:\n").unwrap().1.lines().collect()
    }

    #[test]
    fn the_text_around_the_list_is_short() {
        let names: Vec<String> = (0..NAMED).map(|n| format!("connector_{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let length = units(&guide(&names));
        assert!(length < 2_300, "{length}");
    }

    #[test]
    fn hints_are_one_harmless_line() {
        let said = hints(&[
            ("shelf", "old"),
            ("shelf", " manage\nthe \u{202e}item\r\nstore\0 "),
            ("blank", " \u{200b} "),
            ("nobody", "ignored"),
        ]);
        let text = describe(&["shelf", "blank", "t"], &said, 8_000);
        assert_eq!(list(&text), ["- `shelf` - manage the item store", "- `blank`", "- `t`"]);
    }

    #[test]
    fn a_hint_has_its_limit() {
        let said = |units: usize| describe(&["t"], &hints(&[("t", &"h".repeat(units))]), 8_000);
        assert!(list(&said(MAX_HINT))[0].ends_with(&"h".repeat(MAX_HINT)));
        assert!(units(list(&said(MAX_HINT + 1))[0]) <= units("- `t` - ") + MAX_HINT);
        assert!(!said(MAX_HINT + 1).contains(&"h".repeat(MAX_HINT)));
    }

    #[test]
    fn what_has_no_room_is_counted_and_left_to_search() {
        let names: Vec<String> = (0..1_000).map(|n| format!("connector_{n:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let whole = describe(&names, &[], usize::MAX);
        assert_eq!(list(&whole).len(), 1_000);
        let size = units(&whole);
        assert_eq!(describe(&names, &[], size), whole, "what fits exactly is whole");
        let cut = describe(&names, &[], size - 1);
        assert!(units(&cut) < size);
        assert!(list(&cut).last().unwrap().starts_with("- and 5 more "), "{:?}", list(&cut).last());
        for size in (0..9_000).step_by(7) {
            let text = describe(&names, &[], size);
            let around = units(&guide(&names)) + units("Connectors:\n") + units(&rest(1_000));
            assert!(units(&text) <= size.max(around), "{size}");
            let lines = list(&text);
            let said = lines.last().unwrap().split(' ').nth(2).unwrap().parse::<usize>().unwrap();
            assert_eq!(said + lines.len() - 1, 1_000);
        }
    }
}
