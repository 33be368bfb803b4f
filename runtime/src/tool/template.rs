//! The description of a code tool: a text with places for the declarations and for an example. What is put in is taken as
//! it is: no `$&` in a third party's description means anything, and a place that it brings along stays text (WEAK-30).

/// Where the declarations of everything that code can call stand.
const TYPES: &str = "{{types}}";
/// Where the example stands.
const EXAMPLE: &str = "{{example}}";

/// The description where the host gives none.
pub(super) const DEFAULT: &str = "\
Runs JavaScript that you write. `code` is one async arrow function in plain JavaScript, without TypeScript types and with \
no text around it: async () => { … }. What it returns is the result; return only what you need. There is no host, fs, \
require or process, and no network: do not use fetch.

What the code can call, declared in TypeScript:

{{types}}

{{example}}";

/// The text with the first place of each kind filled.
pub(super) fn filled(template: &str, types: &str, example: Option<&str>) -> String {
    let example = example.map(|code| format!("For example: {code}")).unwrap_or_default();
    let mut places: Vec<(usize, &str, &str)> = [(TYPES, types), (EXAMPLE, example.as_str())]
        .into_iter()
        .filter_map(|(place, text)| Some((template.find(place)?, place, text)))
        .collect();
    places.sort_unstable();
    let mut out = String::with_capacity(template.len() + types.len() + example.len());
    let mut from = 0;
    for (at, place, text) in places {
        out.push_str(&template[from..at]);
        out.push_str(text);
        from = at + place.len();
    }
    out.push_str(&template[from..]);
    if example.is_empty() { out.trim_end().to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers CODETOOL-03, tool#4, tanstack-ai#13.
    #[test]
    fn the_first_place_of_each_kind_is_filled() {
        assert_eq!(filled("pre {{types}} post", "T", None), "pre T post");
        assert_eq!(filled("{{example}} {{types}} {{types}}", "T", Some("f()")), "For example: f() T {{types}}");
        assert_eq!(filled("no place", "T", Some("f()")), "no place");
        assert_eq!(filled("é{{types}}ü", "ß", None), "éßü");
    }

    #[test]
    fn what_is_put_in_is_never_a_pattern_and_never_a_place() {
        let hostile = "$& $$ $1 $` \\0 {{example}} {{types}}";
        assert_eq!(filled("a {{types}} b {{example}}", hostile, Some("$&")), format!("a {hostile} b For example: $&"));
    }

    /// Covers shared#1, shared#2.
    #[test]
    fn the_default_has_both_places_and_asks_for_an_arrow_function() {
        assert!(DEFAULT.contains(TYPES) && DEFAULT.contains(EXAMPLE) && DEFAULT.contains("async arrow function"));
        assert!(filled(DEFAULT, "T", None).ends_with("TypeScript:\n\nT"));
    }
}
