//! The connector for large texts, call by call: what it keeps, in which pieces, and what it refuses.

use codemode_runtime::connector::{Connector, Flag};
use codemode_runtime::durable::journal::{Approval, Effect, Reach, Repeatable, ReplayPolicy};
use codemode_runtime::durable::write::Scope;
use serde_json::{Value, json};

use crate::desk::{Desk, FILES, stores};
use crate::kit::store;

/// The units of one piece.
const PIECE: usize = 400_000;
/// The limit `text size`.
const TEXT: usize = 1_000_000;
/// The limit `file size`.
const FILE: usize = 6_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn it_describes_reads_that_are_not_recorded_and_writes_that_can_be_taken_back() {
    let description = FILES.describe().await.unwrap();
    assert_eq!(description.suggested_name, "files");
    let instructions = description.instructions.unwrap();
    assert!(instructions.contains("append: true") && instructions.contains("6000000"), "{instructions}");
    let [write, read, list, delete] = &description.methods[..] else { panic!("{:?}", description.methods) };
    let names: Vec<_> = description.methods.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["write", "read", "list", "delete"]);
    for method in &description.methods {
        let schema: Value = serde_json::from_str(method.input_schema.as_deref().unwrap()).unwrap();
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert!(method.output_schema.is_some() && method.description.is_some(), "{}", method.name);
    }
    for change in [write, delete] {
        assert_eq!((change.effect, change.repeatable), (Effect::Write, Repeatable::WithKey), "{}", change.name);
        assert_eq!((change.revertible, change.replay), (Flag::Yes, ReplayPolicy::Recorded), "{}", change.name);
    }
    assert_eq!((write.approval, write.destructive), (Approval::NotNeeded, Some(Flag::No)));
    assert_eq!((delete.approval, delete.destructive), (Approval::Required, Some(Flag::Yes)));
    assert_eq!((read.effect, read.replay), (Effect::ReadOnly, ReplayPolicy::Reexecute));
    assert_eq!((list.effect, list.replay), (Effect::ReadOnly, ReplayPolicy::Recorded));
    assert_eq!(FILES.reach(), Reach::StateOnly);
    assert!(FILES.inspection().offending.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_several_pieces_comes_back_and_a_shorter_one_leaves_none_of_them_behind() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let desk = Desk::over(&store).await;
        let long: String = (0..100_000).map(|n| format!("line {n:05}\n")).collect::<String>()[..TEXT].to_owned();
        assert_eq!(desk.write(0, "a", &long).await, json!({ "path": "a", "size": TEXT }));
        assert_eq!(desk.read("a").await.unwrap(), long);
        assert_eq!(desk.keys(Scope::Connector), ["file/a", "text/a\t0000", "text/a\t0001", "text/a\t0002"]);
        // Exactly one piece, then less than one, then nothing at all.
        for (seq, size) in [(1, PIECE), (2, 5), (3, 0)] {
            assert_eq!(desk.write(seq, "a", &long[..size]).await["size"], size);
            assert_eq!(desk.read("a").await.unwrap(), long[..size]);
            let left = desk.keys(Scope::Connector);
            assert_eq!(left.len(), if size == 0 { 1 } else { 2 }, "{left:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_stands_where_two_pieces_meet_is_read_as_it_was_written() {
    let desk = Desk::over(&store()).await;
    // An emoji of two units across the border, a letter wider than a byte right before it, and one right after it.
    for (before, sign) in [(PIECE - 1, "🙂"), (PIECE - 1, "中"), (PIECE, "é"), (PIECE - 2, "\u{1}\"\\\u{e000}🙂")]
    {
        let text = format!("{}{sign}end", "x".repeat(before));
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(desk.write(0, "a", &text).await["size"], units.len());
        assert_eq!(desk.read("a").await.unwrap(), text);
        desk.append(1, "a", "🙂🙂").await;
        assert_eq!(desk.read("a").await.unwrap(), format!("{text}🙂🙂"), "{sign} from {before} on");
        desk.revert(1).await.unwrap();
        let part = desk.call(2, "read", json!({ "path": "a", "offset": before - 2, "length": 20 })).await.unwrap();
        assert_eq!(part.as_str().unwrap(), format!("xx{sign}end"));
        desk.revert(0).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_is_what_slice_gives_and_half_of_an_emoji_is_kept_as_it_is() {
    let desk = Desk::over(&store()).await;
    desk.write(0, "a", "ab🙂cd").await;
    let cases = [
        (json!({ "offset": 2, "length": 2 }), r#""🙂""#),
        (json!({ "offset": 1, "length": 2 }), r#""b\ud83d""#),
        (json!({ "offset": 3 }), r#""\ude42cd""#),
        (json!({ "length": 0 }), r#""""#),
        (json!({ "offset": 6, "length": 9 }), r#""""#),
        (json!({ "offset": 9_007_199_254_740_991_u64, "length": 9_007_199_254_740_991_u64 }), r#""""#),
        (json!({ "offset": 4, "length": 9_007_199_254_740_991_u64 }), r#""cd""#),
    ];
    for (mut args, expected) in cases {
        args["path"] = json!("a");
        assert_eq!(desk.text(1, "read", &args.to_string()).await.unwrap(), expected, "{args}");
    }
    let halves = [(2, r#"{"path":"b","text":"\ud83d"}"#), (3, r#"{"path":"b","append":true,"text":"\ude42\u00e9"}"#)];
    for (seq, args) in halves {
        desk.text(seq, "write", args).await.unwrap();
    }
    assert_eq!(desk.read("b").await.unwrap(), "🙂é");
    desk.text(4, "write", r#"{"path":"c","text":"\ud83d\n\/\b\f\r\t"}"#).await.unwrap();
    assert_eq!(desk.text(5, "read", r#"{"path":"c"}"#).await.unwrap(), r#""\ud83d\n/\u0008\u000c\u000d\u0009""#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_characters_are_written_at_once_and_one_more_are_not() {
    let desk = Desk::over(&store()).await;
    // Three bytes each on their way, two where they are kept.
    let text = "中".repeat(TEXT);
    assert_eq!(desk.write(0, "a", &text).await["size"], TEXT);
    assert!(desk.read("a").await.unwrap() == text);
    let over = desk.call(1, "write", json!({ "path": "b", "text": format!("{text}.") })).await.unwrap_err();
    assert_eq!(over.code, "too-large");
    for part in ["1000000", "1000001", "`text size`", "append: true"] {
        assert!(over.message.contains(part), "{part}: {}", over.message);
    }
    assert_eq!(desk.read("b").await.unwrap_err().code, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_takes_six_million_characters_and_not_one_more() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let desk = Desk::over(&store).await;
        let part = "中".repeat(TEXT);
        for seq in 0..6 {
            assert_eq!(desk.append(seq, "a", &part).await["size"], TEXT * (seq as usize + 1));
        }
        let args = json!({ "path": "a", "text": ".", "append": true });
        let over = desk.call(6, "write", args).await.unwrap_err();
        assert_eq!(over.code, "too-large");
        for part in ["6000001", "6000000", "`file size`", "another file"] {
            assert!(over.message.contains(part), "{part}: {}", over.message);
        }
        assert!(desk.read("a").await.unwrap() == part.repeat(6));
        // Even such a file can be replaced by the longest text, deleted, and restored, within what a call may write.
        desk.write(7, "a", &part).await;
        desk.revert(7).await.unwrap();
        assert_eq!(desk.call(8, "delete", json!({ "path": "a" })).await.unwrap()["deleted"], true);
        desk.revert(8).await.unwrap();
        let end = desk.call(9, "read", json!({ "path": "a", "offset": FILE - 2 })).await.unwrap();
        assert_eq!(end, "中中");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_listed_by_prefix_page_by_page() {
    let desk = Desk::over(&store()).await;
    assert_eq!(desk.call(0, "list", json!({})).await.unwrap(), json!({ "files": [] }));
    let paths = ["a", "a/1", "a/10", "a/2", "a/🙂", "b", "../a", "a\\b"];
    for (seq, path) in (1..).zip(paths) {
        desk.write(seq, path, &"x".repeat(seq as usize)).await;
    }
    let page = |args: Value| async { desk.call(0, "list", args).await.unwrap() };
    let first = page(json!({ "prefix": "a/", "limit": 2 })).await;
    let expected = json!([{ "path": "a/1", "size": 2 }, { "path": "a/10", "size": 3 }]);
    assert_eq!(first, json!({ "files": expected, "next": "a/10" }));
    let second = page(json!({ "prefix": "a/", "limit": 2, "after": first["next"] })).await;
    assert_eq!(second, json!({ "files": [{ "path": "a/2", "size": 4 }, { "path": "a/🙂", "size": 5 }] }));
    let all = page(json!({ "limit": 1_000 })).await;
    let all: Vec<&str> = all["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(all, ["../a", "a", "a/1", "a/10", "a/2", "a/🙂", "a\\b", "b"]);
    for limit in [json!(0), json!(1_001), json!(-1), json!(1.5), json!("1")] {
        let refused = desk.call(0, "list", json!({ "limit": limit })).await.unwrap_err();
        assert!(refused.code == "invalid-arguments" && refused.message.contains("`limit`"), "{}", refused.message);
    }
    for seq in 100..201 {
        desk.write(seq, &format!("c/{seq}"), "").await;
    }
    let page = page(json!({ "prefix": "c/" })).await;
    assert_eq!((page["files"].as_array().unwrap().len(), &page["next"]), (100, &json!("c/199")));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_refused_with_what_is_expected() {
    let desk = Desk::over(&store()).await;
    let long = json!({ "path": "é".repeat(301), "text": "" }).to_string();
    let cases = [
        ("write", "null", "no object"),
        ("write", r#"{"text":"a"}"#, "no `path`"),
        ("write", r#"{"path":"","text":"a"}"#, "an empty `path`"),
        ("write", r#"{"path":1,"text":"a"}"#, "a `path` that is no string"),
        ("write", r#"{"path":"a\nb","text":"a"}"#, "control character '\\n'"),
        ("write", r#"{"path":"a\u0000","text":"a"}"#, "control character"),
        ("write", r#"{"path":"a\u0085","text":"a"}"#, "control character"),
        ("write", r#"{"path":"\ud800","text":"a"}"#, "half of a surrogate pair"),
        ("write", long.as_str(), "301 characters; the limit is 300"),
        ("write", r#"{"path":"a"}"#, "no `text`"),
        ("write", r#"{"path":"a","text":{"b":1}}"#, "JSON.stringify"),
        ("write", r#"{"path":"a","text":"","append":1}"#, "neither true nor false"),
        ("write", r#"{"path":"a","text":"","mode":"append"}"#, "unknown member \"mode\""),
        ("read", r#"{"path":"a","offset":-1}"#, "a `offset` that is no whole number"),
        ("read", r#"{"path":"a","length":1.5}"#, "a `length` that is no whole number"),
        ("read", r#"{"path":"a","length":null}"#, "a `length` that is no whole number"),
        ("list", r#"{"prefix":1}"#, "a `prefix` that is no string"),
        ("list", r#"{"after":"a\tb"}"#, "control character"),
        ("delete", r#"{}"#, "no `path`"),
        ("delete", r#"["a"]"#, "no object"),
    ];
    for (method, args, got) in cases {
        let failure = desk.text(0, method, args).await.unwrap_err();
        assert_eq!(failure.code, "invalid-arguments", "{method} {args}");
        let expected = format!("{method} expects {{ ");
        assert!(failure.message.contains(&expected) && failure.message.contains(got), "{}", failure.message);
    }
    assert_eq!(desk.call(0, "rename", json!({})).await.unwrap_err().code, "unknown-method");
    assert_eq!(desk.keys(Scope::Connector), Vec::<String>::new());
    let longest = "中".repeat(300);
    desk.write(1, &longest, "a").await;
    assert_eq!(desk.read(&longest).await.unwrap(), "a");
    let missing = desk.read("nothing/here").await.unwrap_err();
    assert_eq!((missing.code.as_str(), missing.message.contains("\"nothing/here\"")), ("not-found", true));
}
