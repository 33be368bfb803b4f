//! Cuts a result to what a model can use. For results on their way to a model only, such as in
//! [`RuntimeBuilder::transform`](crate::RuntimeBuilder::transform): what is journaled is whole, or refused (TRUNCATE-08).
//!
//! ```
//! use codemode_runtime::truncate::{Budget, truncated_text};
//!
//! let budget = Budget { chars: Some(10), ..Budget::default() };
//! let text = truncated_text("0123456789abc", budget);
//! assert!(text.starts_with("0123456789\n\n"));
//! ```

use std::borrow::Cow;

use crate::durable::json::{prefix, string_end, utf16_len};
use crate::durable::value::{Json, TagKind, ValueError};

/// How much is left. Default: 6,000 tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Tokens, of which each is taken for [`CHARS_PER_TOKEN`] characters.
    pub tokens: usize,
    /// Characters instead, in UTF-16 code units.
    pub chars: Option<usize>,
}

/// What a token is taken for, in UTF-16 code units.
pub const CHARS_PER_TOKEN: usize = 4;

impl Default for Budget {
    fn default() -> Self {
        Self { tokens: 6_000, chars: None }
    }
}

impl Budget {
    pub(crate) fn units(self) -> usize {
        self.chars.unwrap_or_else(|| self.tokens.saturating_mul(CHARS_PER_TOKEN))
    }
}

/// The text, if it is within the budget; else its start, between two characters, a mark, and how much there was.
#[must_use]
pub fn truncated_text(text: &str, budget: Budget) -> Cow<'_, str> {
    let units = usize::try_from(utf16_len(text)).unwrap_or(usize::MAX);
    if units <= budget.units() {
        return Cow::Borrowed(text);
    }
    let (had, limit) = (grouped(units.div_ceil(CHARS_PER_TOKEN)), grouped(budget.tokens));
    Cow::Owned(format!(
        "{}\n\n--- cut here ---\nThe result has ~{had} tokens, and the limit is {limit}: ask for less of it, for example with \
         a filter or fewer fields.",
        prefix(text, budget.units())
    ))
}

/// The result of an execution, if it is within the budget as text, or as JSON with an indent of two; else that, cut, as
/// a text. No result, and one with big integers, which no JSON text can say, stay as they are.
#[must_use]
pub fn truncated(result: Option<Json>, budget: Budget) -> Option<Json> {
    let value = result?;
    let plain = match value.to_plain() {
        Ok(plain) => plain,
        Err(ValueError::Tagged { kind: TagKind::BigInt, .. }) => return Some(value),
        Err(_) => value.as_str().to_owned(),
    };
    // Half a surrogate pair is shown as it is escaped.
    let text = serde_json::from_str::<String>(&plain).unwrap_or_else(|_| indented(&plain));
    match truncated_text(&text, budget) {
        Cow::Borrowed(_) => Some(value),
        Cow::Owned(cut) => Some(Json::string(&cut)),
    }
}

/// JSON in normal form, with an indent of two, as `JSON.stringify(value, null, 2)` has it.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut at = 0;
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = json[at..].chars().next() {
        let end = if c == '"' { string_end(json, at) } else { at + c.len_utf8() };
        let token = &json[at..end];
        at = end;
        match c {
            '{' | '[' if json[at..].starts_with(['}', ']']) => {
                out.push_str(&json[at - 1..=at]);
                at += 1;
            }
            '{' | '[' => {
                out.push(c);
                depth += 1;
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push_str(token),
        }
    }
    out
}

/// A number with a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::durable::value::ValueLimits;

    fn chars(chars: usize) -> Budget {
        Budget { chars: Some(chars), ..Budget::default() }
    }

    fn value(plain: &str) -> Json {
        Json::from_plain(plain, &ValueLimits::default()).unwrap()
    }

    /// What a result became, where it was cut.
    fn cut(result: &Json, budget: Budget) -> Option<String> {
        let after = truncated(Some(result.clone()), budget).unwrap();
        (after != *result).then(|| serde_json::from_str(after.as_str()).unwrap())
    }

    /// Covers TRUNCATE-02, truncate#1.
    #[test]
    fn what_is_within_the_budget_is_not_touched() {
        for text in ["", "hello", &"x".repeat(24_000)] {
            assert!(matches!(truncated_text(text, Budget::default()), Cow::Borrowed(same) if same == text));
        }
    }

    /// Covers TRUNCATE-01, TRUNCATE-03, TRUNCATE-06, truncate#2, truncate#3.
    #[test]
    fn what_is_over_is_cut_and_says_how_much_there_was() {
        let one_over = truncated_text(&"x".repeat(24_001), Budget::default()).into_owned();
        let start = format!(
            "{}\n\n--- cut here ---\nThe result has ~6,001 tokens, and the limit is 6,000: ",
            "x".repeat(24_000)
        );
        assert!(one_over.starts_with(&start) && one_over.len() < 24_300);
        assert!(truncated_text(&"x".repeat(25_000), Budget::default()).contains("~6,250 tokens"));
        let ten = truncated_text(&"x".repeat(100), chars(10)).into_owned();
        assert!(ten.starts_with("xxxxxxxxxx\n\n---") && ten.contains("~25 tokens, and the limit is 6,000"), "{ten}");
        let two = Budget { tokens: 2, chars: None };
        let tokens = truncated_text(&"y".repeat(50), two).into_owned();
        assert!(tokens.starts_with("yyyyyyyy\n\n---") && tokens.contains("the limit is 2:"), "{tokens}");
        assert!(truncated_text("x", chars(0)).starts_with("\n\n--- cut here ---\n"));
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1_000, 1_234_567].map(grouped));
    }

    #[test]
    fn a_cut_is_between_characters() {
        for text in ["é", "中", "🙂", "e\u{301}", "👨\u{200d}👩"] {
            for room in 0..20 {
                let cut = truncated_text(&text.repeat(30), chars(room)).into_owned();
                let start = cut.split("\n\n---").next().unwrap();
                assert!(utf16_len(start) <= room as u64 && text.repeat(30).starts_with(start));
            }
        }
    }

    /// Covers TRUNCATE-04, truncate#4, truncate#5, truncate#6.
    #[test]
    fn structures_are_measured_and_cut_as_indented_json() {
        let one = value(r#"{"a":1}"#);
        assert_eq!(cut(&one, chars(12)), None, "its indented form has twelve characters");
        assert!(cut(&one, chars(11)).unwrap().starts_with("{\n  \"a\": 1\n\n\n---"));
        assert!(cut(&one, chars(3)).unwrap().starts_with("{\n \n\n---"));
        assert!(cut(&value("\"some text\""), chars(4)).unwrap().starts_with("some\n\n---"), "a text is its own text");
        assert_eq!(cut(&value("\"some text\""), chars(9)), None);
        assert!(cut(&value("12345"), chars(4)).unwrap().starts_with("1234\n\n"));
    }

    /// Covers TRUNCATE-05, truncate#7.
    #[test]
    fn what_json_cannot_say_and_nothing_stay_as_they_are() {
        assert_eq!(truncated(None, chars(1)), None);
        let big =
            Json::from_tagged(r#"{"n":{"$cm":["bigint","12345678901234567890"]}}"#, &ValueLimits::default()).unwrap();
        assert_eq!(cut(&big, chars(1)), None);
        let date = Json::from_tagged(r#"{"at":{"$cm":["date",0]}}"#, &ValueLimits::default()).unwrap();
        assert!(cut(&date, chars(1)).is_some(), "a date is no reason to show everything");
        let half = Json::from_tagged(r#""\ud800xxxxxxxxxxxx""#, &ValueLimits::default()).unwrap();
        assert!(cut(&half, chars(9)).unwrap().starts_with("\"\\ud800xx\n\n---"));
    }

    #[test]
    fn an_indented_text_is_what_javascript_makes() {
        let json = r#"{"a":[],"b":{},"c":[1,"x,]:{\"",[null]],"":true}"#;
        let text = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    \"x,]:{\\\"\",\n    [\n      null\n    ]\n  ],\n  \"\": true\n}";
        assert_eq!(indented(json), text);
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_its_budget_and_its_mark(text in "\\PC{0,60}", room in 0usize..40) {
            let cut = truncated_text(&text, chars(room)).into_owned();
            let start = cut.split("\n\n--- cut here").next().unwrap();
            prop_assert!(utf16_len(start) <= room as u64);
            prop_assert!(text.starts_with(start));
        }

        #[test]
        fn indenting_changes_no_value(value in prop::collection::vec(("[a\"\\\\]{0,3}", any::<i32>()), 0..5)) {
            let members = value.into_iter().map(|(key, n)| (key, serde_json::json!([n, {}, []])));
            let value = serde_json::Value::Object(members.collect());
            prop_assert_eq!(indented(&value.to_string()), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
