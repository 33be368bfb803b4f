//! Text inside of TypeScript: literals, names of members, comments. Whatever a schema says stays inside of the quotes or
//! the comment into which it is put.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use super::surrogates::{held_escape, readable};
use crate::discovery::shown::{is_invisible, one_line};
use crate::durable::json::{cut, js_number};

/// A value as a literal type: strings escaped (SCHEMA-10), objects and arrays as compact JSON (SCHEMA-08).
pub(super) fn literal(value: &Value) -> String {
    let mut out = String::new();
    write_literal(value, &mut out);
    out
}

fn write_literal(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => out.push_str(&number(n)),
        Value::String(text) => write_quoted(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_literal(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_quoted(key, out);
                out.push(':');
                write_literal(member, out);
            }
            out.push('}');
        }
    }
}

/// Integers keep their digits; everything else is printed as JavaScript does.
fn number(number: &Number) -> String {
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    number.as_f64().map_or_else(|| number.to_string(), js_number)
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((escape, after)) = held_escape(rest) {
            out.push_str(&escape);
            rest = after;
            continue;
        }
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_invisible(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // A `String` takes everything.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    out.push('"');
}

/// The name of a member: plain where it is an ASCII identifier, else quoted (SCHEMA-19).
pub(super) fn member_name(name: &str) -> String {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    if name.chars().all(part) && name.chars().next().is_some_and(|c| !c.is_ascii_digit()) {
        return name.to_owned();
    }
    let mut out = String::new();
    write_quoted(name, &mut out);
    out
}

/// The longest text in one line of a comment, in UTF-16 code units; longer ones are cut and say so.
pub(super) const MAX_COMMENT: usize = 1_000;

/// A text in one line that does not end the comment around it (SCHEMA-20, SCHEMA-27).
pub(super) fn comment(text: &str) -> String {
    cut(&one_line(&readable(text)), MAX_COMMENT).replace("*/", "*\\/")
}

/// A doc comment, with `indent` in front of each line: one line alone, or a block. Empty for no lines.
pub(super) fn doc(lines: &[String], indent: &str) -> String {
    match lines {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        _ => block(lines, indent),
    }
}

/// A doc comment of several lines, or of one that looks so.
pub(super) fn block(lines: &[String], indent: &str) -> String {
    let mut out = format!("{indent}/**\n");
    for line in lines {
        out.extend([indent, " * ", line, "\n"]);
    }
    out.extend([indent, " */\n"]);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::surrogates::parse;
    use super::*;

    /// Covers SCHEMA-10, schema-conversion#47, schema-conversion#49.
    #[test]
    fn literals_are_escaped() {
        assert_eq!(
            literal(&json!("a\"b\\c\nd\re\tf\u{2028}\u{2029}\u{1}\u{7f}")),
            r#""a\"b\\c\nd\re\tf\u2028\u2029\u0001\u007f""#
        );
        assert_eq!(literal(&json!("\u{202e}\u{e0041}é中🙂${x}`'")), "\"\\u202e\\udb40\\udc41é中🙂${x}`'\"");
        assert_eq!(literal(&parse(r#""a\ud800b\udc00\ud83d\ude42""#).unwrap()), r#""a\ud800b\udc00🙂""#);
        assert_eq!(literal(&json!({"k": [1, 2.5, null, {"a\"": true}]})), r#"{"k":[1,2.5,null,{"a\"":true}]}"#);
        for (text, number) in
            [("1.0", "1"), ("-1", "-1"), ("1e21", "1e+21"), ("18446744073709551615", "18446744073709551615")]
        {
            assert_eq!(literal(&parse(text).unwrap()), number);
        }
    }

    /// Covers SCHEMA-19, schema-conversion#44, schema-conversion#45, schema-conversion#46.
    #[test]
    fn names_that_are_no_identifiers_are_quoted() {
        for plain in ["a", "_x", "$", "a1", "class", "constructor", "__proto__"] {
            assert_eq!(member_name(plain), plain);
        }
        for (name, quoted) in
            [("", "\"\""), ("a-b", "\"a-b\""), ("1st", "\"1st\""), ("日本", "\"日本\""), ("a\"\n", "\"a\\\"\\n\"")]
        {
            assert_eq!(member_name(name), quoted);
        }
    }

    #[test]
    fn no_text_ends_the_comment_around_it() {
        assert_eq!(comment("  A\r\nB */ c"), "A B *\\/ c");
        assert_eq!(comment("*\0/ **/ */*/"), "*\\/ **\\/ *\\/*\\/");
        assert_eq!(comment(" \n "), "");
    }

    #[test]
    fn a_line_of_a_comment_is_cut_at_its_limit_and_says_so() {
        let fits = "x".repeat(MAX_COMMENT);
        assert_eq!(comment(&fits), fits);
        let long = comment(&format!("{fits}x"));
        assert!(long.ends_with("x… [cut; 1001 characters in full]") && long.chars().count() == MAX_COMMENT, "{long}");
        assert!(comment(&"z".repeat(500_000)).contains("500000 characters in full"));
    }
}
