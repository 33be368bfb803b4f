//! JSON text in, JSON text out: what the normal and the canonical form keep, and what is refused.

use super::*;

fn refused(text: &str) -> (JsonReason, usize, String) {
    let error = normalize(text, 512).expect_err(text);
    (error.reason, error.offset, error.path)
}

#[test]
fn normal_form_drops_white_space_and_keeps_the_rest() {
    let text = " { \"b\" : [ 1.0 , -0 , 1E+2 , { } , [ ] ] ,\r\n\t\"a\" : [ true , false , null ] } \n";
    assert_eq!(normalize(text, 512).unwrap(), r#"{"b":[1.0,-0,1E+2,{},[]],"a":[true,false,null]}"#);
    for text in ["1", "\"\"", "[]", "{}", "null"] {
        assert_eq!(normalize(text, 512).unwrap(), text);
    }
}

#[test]
fn strings_are_escaped_as_javascript_does() {
    for (text, normal) in [
        (r#""\u0041\/\u007f""#, "\"A/\u{7f}\""),
        (r#""\u0000\u001F\u000a\u0009\u000d\u0008\u000c\u0022\u005c""#, r#""\u0000\u001f\n\t\r\b\f\"\\""#),
        (r#""\ud83d\ude42""#, "\"🙂\""),
        (r#""\uD83D\uDe42""#, "\"🙂\""),
        (r#""\uD800""#, r#""\ud800""#),
        (r#""\udc00\ud800""#, r#""\udc00\ud800""#),
        (r#""\ud800\ud83d\ude42""#, "\"\\ud800🙂\""),
        ("\"\u{2028}é🙂\"", "\"\u{2028}é🙂\""),
    ] {
        assert_eq!(normalize(text, 512).unwrap(), normal);
    }
}

#[test]
fn text_that_is_no_json_is_refused_with_its_place() {
    for (text, reason, offset) in [
        ("", JsonReason::UnexpectedEnd, 0),
        ("  ", JsonReason::UnexpectedEnd, 2),
        ("{", JsonReason::UnexpectedEnd, 1),
        ("[1", JsonReason::UnexpectedEnd, 2),
        ("\"ab", JsonReason::UnexpectedEnd, 3),
        ("\"a\\", JsonReason::UnexpectedEnd, 2),
        ("[1,]", JsonReason::ExpectedValue, 3),
        ("[,1]", JsonReason::ExpectedValue, 1),
        ("undefined", JsonReason::ExpectedValue, 0),
        ("nul", JsonReason::ExpectedValue, 0),
        ("NaN", JsonReason::ExpectedValue, 0),
        ("+1", JsonReason::ExpectedValue, 0),
        ("'a'", JsonReason::ExpectedValue, 0),
        ("\u{feff}1", JsonReason::ExpectedValue, 0),
        ("{a:1}", JsonReason::ExpectedKey, 1),
        ("{\"a\":1,}", JsonReason::ExpectedKey, 7),
        ("{\"a\" 1}", JsonReason::ExpectedColon, 5),
        ("[1 2]", JsonReason::ExpectedComma, 3),
        ("[1}", JsonReason::ExpectedComma, 2),
        ("1 2", JsonReason::TrailingText, 2),
        ("01", JsonReason::TrailingText, 1),
        ("1.", JsonReason::MalformedNumber, 0),
        ("-", JsonReason::MalformedNumber, 0),
        ("1e", JsonReason::MalformedNumber, 0),
        (".5", JsonReason::ExpectedValue, 0),
        ("\"\\x\"", JsonReason::MalformedEscape, 1),
        ("\"\\u12\"", JsonReason::MalformedEscape, 1),
        ("\"\\u+123\"", JsonReason::MalformedEscape, 1),
        ("\"\n\"", JsonReason::ControlCharacter, 1),
        ("\"\0\"", JsonReason::ControlCharacter, 1),
    ] {
        let (found, at, _) = refused(text);
        assert_eq!((found, at), (reason, offset), "{text}");
    }
}

#[test]
fn repeated_keys_are_found_however_they_are_written() {
    assert_eq!(refused(r#"{"x":[0,{"a":1,"\u0061":2}]}"#).0, JsonReason::RepeatedKey);
    assert_eq!(refused(r#"{"x":[0,{"a":1,"\u0061":2}]}"#).2, ".x[1].a");
    let many: Vec<String> = (0..40).map(|n| format!("\"k{}\":0", n % 39)).collect();
    assert_eq!(refused(&format!("{{{}}}", many.join(","))).2, ".k0");
    assert!(normalize(r#"{"a":{"a":{"a":1}},"b":{"a":1}}"#, 512).is_ok());
}

#[test]
fn numbers_beyond_a_double_are_refused() {
    assert_eq!(refused("{\"a\":[1e400]}").2, ".a[0]");
    assert_eq!(refused("1.8e308").0, JsonReason::NumberOutOfRange);
    assert_eq!(refused(&format!("-{}", "9".repeat(400))).0, JsonReason::NumberOutOfRange);
    for text in ["1.7976931348623157e308", "1e-400", "5e-324", &"9".repeat(308)] {
        assert_eq!(normalize(text, 512).unwrap(), *text);
    }
}

#[test]
fn depth_is_counted_in_brackets_and_costs_no_stack() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(normalize(&nested(512), 512).is_ok());
    assert_eq!(refused(&nested(513)).0, JsonReason::TooDeep { limit: 512 });
    assert_eq!(refused(&nested(513)).1, 512);
    let deep = nested(1_000_000);
    assert_eq!(canonical(&deep).unwrap(), deep);
    assert_eq!(first_difference(&deep, "1"), Some(String::new()));
}

#[test]
fn canonical_form_sorts_by_code_units_at_each_level() {
    for (text, sorted) in [
        (r#"{"b":1,"a":{"d":1,"c":2}}"#, r#"{"a":{"c":2,"d":1},"b":1}"#),
        (r#"[2,1]"#, "[2,1]"),
        (r#"{"10":0,"9":0,"B":0,"a":0,"":0}"#, r#"{"":0,"10":0,"9":0,"B":0,"a":0}"#),
        ("{\"\u{fb33}\":1,\"🙂\":2}", "{\"🙂\":2,\"\u{fb33}\":1}"),
        (r#"{"a\u0000":1,"a":2,"\ud800":3,"é":4}"#, r#"{"a":2,"a\u0000":1,"é":4,"\ud800":3}"#),
        (r#"{"b\n":1,"b\"":2,"b":3}"#, r#"{"b":3,"b\n":1,"b\"":2}"#),
    ] {
        assert_eq!(canonical(text).unwrap(), sorted);
        assert_eq!(canonical(sorted).unwrap(), sorted);
    }
}

#[test]
fn canonical_numbers_do_not_depend_on_the_writer() {
    for (text, canonical_text) in [
        ("[1.0,1e0,10e-1,-0,-0.0,0e9]", "[1,1,1,0,0,0]"),
        ("[1e21,1000000000000000000000,1E+21]", "[1e+21,1e+21,1e+21]"),
        ("[123456789012345680000]", "[123456789012345680000]"),
        ("[9007199254740993,9007199254740993.0]", "[9007199254740993,9007199254740992]"),
        ("[4.35,0.1,5e-324,1e308,0.00000010]", "[4.35,0.1,5e-324,1e+308,1e-7]"),
    ] {
        assert_eq!(canonical(text).unwrap(), canonical_text);
    }
}

#[test]
fn the_first_difference_is_named_by_its_path() {
    for (a, b, path) in [
        ("1", "2", ""),
        ("1", "12", ""),
        (r#"{"who":"a"}"#, r#"{"who":"b"}"#, ".who"),
        (r#"{"who":"a"}"#, r#"{"who":"ab"}"#, ".who"),
        (r#"{"a":1,"c":2}"#, r#"{"a":1,"b":5,"c":2}"#, ".b"),
        (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, ".b"),
        (r#"{"a":1,"b":2}"#, r#"{"a":1}"#, ".b"),
        (r#"{}"#, r#"{"x":1}"#, ".x"),
        (r#"{"x":1}"#, r#"{}"#, ".x"),
        (r#"[]"#, r#"[1]"#, "[0]"),
        (r#"[1]"#, r#"[1,2]"#, "[1]"),
        (r#"[0,0,{"b":1}]"#, r#"[0,0,{"b":2}]"#, "[2].b"),
        (r#"[1,[2,[3]]]"#, r#"[1,[2,[4]]]"#, "[1][1][0]"),
        (r#"{"a":[1,2]}"#, r#"{"a":[1,23]}"#, ".a[1]"),
        (r#"{"a":[1,2]}"#, r#"{"a":{"b":1}}"#, ".a"),
        (r#"{"a b":1}"#, r#"{"a b":2}"#, r#"["a b"]"#),
        (r#"{"$$cm":1}"#, r#"{"$$cm":2}"#, ".$cm"),
        (r#"{"d":{"$cm":["date",1]}}"#, r#"{"d":{"$cm":["date",2]}}"#, ".d"),
        (r#"{"d":{"$cm":["set",[[1]]]}}"#, r#"{"d":{"$cm":["set",[[2]]]}}"#, ".d"),
    ] {
        assert_eq!(first_difference(a, b).as_deref(), Some(path), "{a} {b}");
        assert_eq!(first_difference(b, a).as_deref(), Some(path), "{b} {a}");
        assert_eq!(first_difference(a, a), None);
    }
}

#[test]
fn differences_are_found_in_any_text() {
    let odd = ["", "\"", "{", "[", "{\"", "{\"a\":", "\"a\\", "é", "{\"é\"}", "]]", ",,"];
    for a in odd {
        for b in odd {
            assert_eq!(first_difference(a, b).is_none(), a == b);
        }
    }
}
