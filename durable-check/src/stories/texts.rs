//! Of texts and paths into them.

use super::*;
use crate::durable::json::{canonical, cut, first_difference, normalize, path_of_pointer, prefix};

fn refused(text: &str) -> String {
    normalize(text, 512).unwrap_err().path
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    assert_eq!(normalize("[1 2]", 512).unwrap_err().to_string(), "expected `,` or a closing bracket at byte 3");
    assert_eq!(format!("{:?} {}", json("[1]"), json("[2]")), "[1] [2]");
}

#[test]
fn a_long_path_is_cut_at_a_segment_and_a_long_key_within_itself() {
    // Each level takes three characters.
    let nested = |levels: usize| format!("{}1e999{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(refused(&nested(100)), "[0]".repeat(100));
    assert_eq!(refused(&nested(101)), format!("{}…", "[0]".repeat(100)));
    assert_eq!(refused(&nested(300)), format!("{}…", "[0]".repeat(100)));
    let keyed = |key: &str| refused(&format!("{{\"{key}\":1e999}}"));
    assert_eq!(keyed(&"k".repeat(60)), format!(".{}", "k".repeat(60)));
    assert_eq!(keyed(&"k".repeat(61)), format!("[\"{}…\"]", "k".repeat(60)));
    assert_eq!(keyed(&" ".repeat(60)), format!("[\"{}\"]", " ".repeat(60)));
    assert_eq!(keyed(&"é".repeat(31)), format!("[\"{}…\"]", "é".repeat(30)), "between characters");
    assert_eq!(keyed(&format!("x{}", "é".repeat(30))), format!("[\"x{}…\"]", "é".repeat(29)));
    for (key, path) in [("$a_1", ".$a_1"), ("1a", "[\"1a\"]"), ("a b", "[\"a b\"]"), ("", "[\"\"]")] {
        assert_eq!(keyed(key), path);
    }
}

#[test]
fn a_pointer_leads_where_a_path_says() {
    let value = serde_json::json!({ "a": [{ "b/c": 1, "~": 2, "0": [3] }], "q\"": 4 });
    for (pointer, path) in [
        ("", ""),
        ("/a", ".a"),
        ("/a/0/b~1c", ".a[0][\"b/c\"]"),
        ("/a/0/~0", ".a[0][\"~\"]"),
        ("/a/0/0/0", ".a[0][\"0\"][0]"),
        ("/q\"", "[\"q\\\"\"]"),
        ("/gone/0", ".gone[\"0\"]"),
        ("/a/7/x", ".a[7].x"),
    ] {
        assert_eq!(path_of_pointer(&value, pointer), path, "{pointer}");
    }
}

#[test]
fn a_difference_is_named_from_both_sides() {
    for (a, b, path) in [
        ("{}", "{\"x\":1}", ".x"),
        ("[]", "[\"x\"]", "[0]"),
        ("[[]]", "[[1]]", "[0][0]"),
        ("{\"a\":{}}", "{\"a\":{\"b\":1}}", ".a.b"),
        ("[{}]", "[{\"$$cm\":1}]", "[0].$cm"),
        ("{\"a\":[1,{\"k\":1}]}", "{\"a\":[1]}", ".a[1]"),
        ("{\"a\":1,\"b\":[2,3]}", "{\"a\":1}", ".b"),
        ("{\"ab\":1}", "{\"ac\":1}", ".ab"),
        ("{\"a\":[1],\"b\":2}", "{\"a\":[1],\"b\":3}", ".b"),
        ("[{\"a\":1},2]", "[{\"a\":1},3]", "[1]"),
        ("[[1]]", "[[1,2]]", "[0][1]"),
        ("[[1],[2,[3]]]", "[[1],[2,[3,4]]]", "[1][1][1]"),
        ("{\"$a\":1}", "{\"$a\":2}", ".$a"),
        ("{\"$$x\":1}", "{\"$$x\":2}", ".$$x"),
        ("{\"$$$cm\":1}", "{\"$$$cm\":2}", ".$$cm"),
        ("{\"a\":\"x\\\"y\"}", "{\"a\":\"x\\\"z\"}", ".a"),
        ("{\"a\":\"x,y\"}", "{\"a\":\"x\"}", ".a"),
        ("{\"a\":\"1\",\"b\":{\"c\":\"d:e\"}}", "{\"a\":\"1\",\"b\":{\"c\":\"d:f\"}}", ".b.c"),
        ("{\"$cm\":[\"map\",[[1,2]]]}", "{\"$cm\":[\"map\",[[1,3]]]}", ""),
        ("[1,{\"$cm\":[\"map\",[[1,2]]]}]", "[1,{\"$cm\":[\"map\",[[1,3]]]}]", "[1]"),
    ] {
        assert_eq!(first_difference(a, b).as_deref(), Some(path), "{a} {b}");
        assert_eq!(first_difference(b, a).as_deref(), Some(path), "{b} {a}");
    }
}

#[test]
fn texts_are_cut_at_exactly_the_limit() {
    let marker = "… [cut; 40 characters in full]";
    let text = "a".repeat(40);
    assert_eq!(cut(&text, 40), text);
    assert_eq!(cut(&text, 39), format!("{}{marker}", "a".repeat(39 - marker.chars().count())));
    assert_eq!(cut(&text, marker.chars().count()), marker);
    assert_eq!(cut(&text, marker.chars().count() - 1), "a".repeat(marker.chars().count() - 1));
    assert_eq!((prefix("a🙂b", 3), prefix("a🙂b", 2), prefix("a🙂b", 9)), ("a🙂", "a", "a🙂b"));
    // Many bytes, few code units.
    assert_eq!(cut("中中中", 3), "中中中");
}

#[test]
fn numbers_at_the_edges_of_their_forms() {
    for (text, form) in [
        ("100000000000000000000.0", "100000000000000000000"),
        ("999999999999999900000.0", "999999999999999900000"),
        ("1e21", "1e+21"),
        ("12e20", "1.2e+21"),
        ("0.1e-5", "0.000001"),
        ("1.25e-6", "0.00000125"),
        ("0.1e-6", "1e-7"),
        ("123.5e0", "123.5"),
        ("-0.5e0", "-0.5"),
        ("10.0", "10"),
        ("999999999999999", "999999999999999"),
        ("9999999999999999", "9999999999999999"),
    ] {
        assert_eq!(canonical(text).unwrap(), form, "{text}");
    }
}

#[test]
fn a_half_pair_takes_no_other_character_for_its_half() {
    for (text, normal) in [
        ("\"\\u0041\\udc00\"", "\"A\\udc00\""),
        ("\"\\ud800\\u0041\"", "\"\\ud800A\""),
        ("\"\\ud800x\\udc00\"", "\"\\ud800x\\udc00\""),
        ("\"\\udbff\\udfff\"", "\"\u{10ffff}\""),
        ("\"\\ud800\\udc00\"", "\"\u{10000}\""),
        ("\"\\ue000\\udc00\"", "\"\u{e000}\\udc00\""),
    ] {
        assert_eq!(normalize(text, 512).unwrap(), normal, "{text}");
    }
}

#[test]
fn a_repeated_key_is_named_wherever_it_stands() {
    let ten: Vec<String> = (0..10).map(|n| format!("\"k{n}\":0")).collect();
    let ten = ten.join(",");
    for (text, path) in [
        ("{\"b\":1,\"a\":2,\"b\":3}".to_owned(), ".b"),
        ("{\"x\":{\"b\":1,\"a\":2,\"b\":3}}".to_owned(), ".x.b"),
        ("{\"w\":0,\"x\":{\"b\":1,\"a\":2,\"b\":3}}".to_owned(), ".x.b"),
        (format!("{{\"w\":0,\"v\":0,\"x\":{{{ten},\"k4\":1}}}}"), ".x.k4"),
        (format!("[{{\"k4\":1,{ten}}}]"), "[0].k4"),
    ] {
        assert_eq!(refused(&text), path, "{text}");
        assert_eq!(canonical(&text).unwrap_err().path, path, "{text}");
    }
    assert_eq!(normalize(&format!("{{{ten}}}"), 512).unwrap(), format!("{{{ten}}}"));
    // Keys are compared as the code would read them, not as they are written.
    assert_eq!(canonical("{\"A\":1,\"\\n\":2}").unwrap(), "{\"\\n\":2,\"A\":1}");
}

#[test]
fn binary_data_is_taken_exactly_as_an_encoder_writes_it() {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let taken = |view: &str, text: &str| {
        Json::from_tagged(&format!("{{\"$cm\":[\"bytes\",\"{view}\",\"{text}\"]}}"), &ValueLimits::default()).is_ok()
    };
    for (value, c) in ALPHABET.chars().enumerate() {
        // The bits that padding leaves over are zero.
        assert_eq!(taken("Uint8Array", &format!("A{c}==")), value.is_multiple_of(16), "{c}");
        assert_eq!(taken("Uint8Array", &format!("AA{c}=")), value.is_multiple_of(4), "{c}");
        assert!(taken("Uint8Array", &format!("AAA{c}")) && taken("Uint8Array", &format!("{c}AAA")), "{c}");
    }
    for bad in ["A", "AA", "AAA", "A===", "====", "AA=A", "AAA-", "AAA_", "AAAA=", "AAAAA", "AA A"] {
        assert!(!taken("Uint8Array", bad), "{bad}");
    }
    // So many bytes make whole elements, or they do not.
    for (view, size) in [("Int8Array", 1), ("Int16Array", 2), ("Float32Array", 4), ("BigUint64Array", 8)] {
        for (bytes, text) in [(0, ""), (1, "AA=="), (2, "AAA="), (3, "AAAA"), (4, "AAAAAA=="), (8, "AAAAAAAAAAA=")] {
            assert_eq!(taken(view, text), bytes % size == 0, "{view} {bytes}");
        }
    }
}
