//! The rows of `docs/values.json` that concern the host, and the bounds of values.

use serde_json::Value;

use super::*;

const LIMITS: ValueLimits = ValueLimits { units: 1_000_000, depth: 512 };

/// The rows of one table of the published test vectors.
fn rows(table: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(include_str!("../../../../docs/values.json")).unwrap();
    vectors[table].as_array().unwrap().clone()
}

fn tagged(text: &str) -> Json {
    Json::from_tagged(text, &LIMITS).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn what_the_sandbox_encodes_is_in_normal_form_already() {
    let rows = rows("values");
    assert!(rows.len() >= 60);
    for row in rows {
        let Some(text) = row["json"].as_str() else { continue };
        assert_eq!(tagged(text).as_str(), text);
        assert_eq!(tagged(text).canonical(), row["canonical"].as_str().unwrap_or(text));
    }
}

#[test]
fn plain_json_becomes_tagged_and_plain_again() {
    for row in rows("plain") {
        let plain = row["plain"].as_str().unwrap();
        let json = Json::from_plain(plain, &LIMITS).unwrap_or_else(|error| panic!("{plain}: {error}"));
        assert_eq!(json.as_str(), row["tagged"].as_str().unwrap());
        assert_eq!(tagged(json.as_str()), json);
        match row["back_error"].as_str() {
            Some(path) => assert!(matches!(json.to_plain(), Err(ValueError::Tagged { path: p, .. }) if p == path)),
            None => assert_eq!(json.to_plain().unwrap(), row["back"].as_str().unwrap_or(plain)),
        }
    }
}

#[test]
fn tagged_values_are_refused_for_plain_connectors() {
    for row in rows("not_plain") {
        let text = row["tagged"].as_str().unwrap();
        let Err(ValueError::Tagged { path, kind }) = tagged(text).to_plain() else { panic!("{text}") };
        assert_eq!(
            (path.as_str(), kind.to_string().as_str()),
            (row["path"].as_str().unwrap(), row["kind"].as_str().unwrap())
        );
    }
}

#[test]
fn malformed_values_are_refused_with_their_kind() {
    for row in rows("refused_by_host") {
        let result = match (row["plain"].as_str(), row["tagged"].as_str()) {
            (Some(plain), _) => Json::from_plain(plain, &LIMITS),
            (_, Some(tagged)) => Json::from_tagged(tagged, &LIMITS),
            _ => panic!("{row}"),
        };
        assert_eq!(result.expect_err(&row.to_string()).code(), row["error"].as_str().unwrap(), "{row}");
    }
}

#[test]
fn the_length_limit_counts_utf16_units_of_the_text() {
    let size = |count: usize, text: &str| Json::from_plain(&format!("\"{}\"", text.repeat(count)), &LIMITS);
    for (count, text) in
        [(999_998, "a"), (499_999, "\\n"), (333_332, "中"), (999_998, "中"), (499_999, "🙂"), (166_666, "\\u0001")]
    {
        assert!(size(count, text).is_ok(), "{count} {text}");
    }
    for (count, text) in [(999_999, "a"), (500_000, "\\n"), (500_000, "🙂"), (166_667, "\\u0001")] {
        let error = size(count, text).unwrap_err();
        assert_eq!(error.code(), "too-large");
        assert!(error.to_string().contains("characters of JSON, at most 1000000"), "{error}");
    }
    assert_eq!(size(999_998, "é").unwrap().units(), 1_000_000);
}

#[test]
fn depth_counts_levels_of_the_text() {
    let nest = |open: &str, leaf: &str, close: &str, levels: usize| {
        Json::from_tagged(&format!("{}{leaf}{}", open.repeat(levels), close.repeat(levels)), &LIMITS)
    };
    for (open, leaf, close, most) in [
        ("[", "1", "]", 512),
        ("[", r#"{"$cm":["bigint","1"]}"#, "]", 512),
        ("[", r#"{"$cm":["date",1]}"#, "]", 510),
        (r#"{"a":"#, r#"{"$cm":["undefined"]}"#, "}", 512),
        (r#"{"$cm":["map",[[1,"#, "1", "]]]}", 128),
        (r#"{"$cm":["set",["#, "1", "]]}", 170),
        (r#"{"$cm":["error",{"name":"E","message":"","a":"#, "1", "}]}", 170),
    ] {
        assert!(nest(open, leaf, close, most).is_ok(), "{open}");
        assert_eq!(nest(open, leaf, close, most + 1).unwrap_err(), ValueError::TooDeep { limit: 512 }, "{open}");
    }
}

#[test]
fn depth_has_no_effect_on_the_stack() {
    let deep = format!("{}{}", r#"[{"$cm":["set",["#.repeat(50_000), "]]}]".repeat(50_000));
    let limits = ValueLimits { units: u64::MAX, depth: u32::MAX };
    assert_eq!(Json::from_tagged(&deep, &limits).unwrap().to_plain().unwrap_err().code(), "tagged");
}

#[test]
fn messages_name_the_value_and_say_what_to_do() {
    let refused = tagged(r#"{"v":{"$cm":["bigint","10"]}}"#).to_plain().unwrap_err();
    assert_eq!(refused.about("args"), "args.v is a big integer; send it as text, String(value)");
    let twice = Json::from_plain(r#"{"a":[{"b c":1,"b c":1}]}"#, &LIMITS).unwrap_err();
    assert_eq!(twice.about("result"), "result.a[0][\"b c\"] is there twice; give each key once");
    let own_key = Json::from_plain(r#"{"$cm":{"x":1e999}}"#, &LIMITS).unwrap_err();
    assert!(own_key.about("result").starts_with("result.$cm.x is beyond"), "{own_key}");
    let tag = Json::from_tagged(r#"{"a":[0,{"x":{"$cm":7}}]}"#, &LIMITS).unwrap_err();
    assert!(tag.about("args").starts_with("args.a[1].x has the reserved key"), "{tag}");
    let large = Json::from_plain("\"aaa\"", &ValueLimits { units: 4, depth: 1 }).unwrap_err();
    assert_eq!(large, ValueError::TooLarge { units: 5, limit: 4 });
    assert!(large.to_string().contains("file path"));
}

#[test]
fn a_value_is_stored_as_a_string_and_checked_when_read() {
    let json = tagged(r#"{"b":1.0,"a":"\ud800\u0000"}"#);
    let stored = serde_json::to_string(&json).unwrap();
    assert_eq!(serde_json::from_str::<Json>(&stored).unwrap(), json);
    assert!(serde_json::from_str::<Json>(r#""{\"$cm\":1}""#).is_err());
}

#[test]
fn equality_is_by_text_and_comparison_by_canonical_form() {
    assert_ne!(tagged("1.0"), tagged("1"));
    assert_eq!(tagged("1.0").canonical(), tagged("1").canonical());
    assert_ne!(tagged("9007199254740993").canonical(), tagged("9007199254740992").canonical());
}
