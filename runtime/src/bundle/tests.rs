//! Writing and reading: what is written comes back, and what is not as it was written is refused with its line.

mod damage;
mod sample;

use super::*;
use sample::{resealed, sample, with_line};

fn again(bundle: &Bundle) -> Bundle {
    read(write(bundle).as_bytes(), &ReadLimits::default()).unwrap()
}

#[test]
fn everything_that_is_written_comes_back() {
    let bundle = sample();
    assert_eq!(again(&bundle), bundle);
    assert_eq!(write(&again(&bundle)), write(&bundle), "the same bundle is the same text");
}

#[test]
fn values_of_the_code_stand_in_the_text_as_they_are() {
    let text = write(&sample());
    let values = [
        r#""args":{"n":1.0,"big":{"$cm":["bigint","123456789012345678901234567890"]},"lone":"\ud800","e":1e-7}"#,
        r#""value":{"$cm":["bytes","Uint8Array","AP8="]}"#,
        r#""input":{"$$cm":[-0.50]}"#,
        r#""result":{"at":{"$cm":["date",0]}}"#,
    ];
    for value in values {
        assert!(text.contains(value), "{value} is not in {text}");
    }
    assert_eq!(text.lines().filter(|l| l.contains("\"ask\":\"call\"") && l.contains("\"args\":null")).count(), 1);
}

#[test]
fn no_argument_and_null_are_told_apart() {
    let entries = again(&sample()).entries;
    let args: Vec<Option<&str>> = entries.iter().map(|e| e.request.args().map(Json::as_str)).take(3).collect();
    assert_eq!((args[1], args[2]), (Some("null"), None));
}

#[test]
fn what_belongs_to_the_store_or_is_secret_is_not_in_it() {
    let text = write(&sample());
    for word in ["token", "owner", "version\":7", "hook", "config"] {
        assert!(!text.contains(word), "{word} is in {text}");
    }
}

#[test]
fn only_connectors_of_the_execution_are_taken_and_only_known_ones() {
    let bundle = sample();
    let other = Offered { name: "other".to_owned(), ..bundle.connectors[0].clone() };
    let record = Record { execution: sample::execution(), entries: Vec::new(), hooks: Vec::new() };
    let names = |offered: Vec<Offered>| {
        Bundle::of(record.clone(), offered).connectors.into_iter().map(|o| o.name).collect::<Vec<_>>()
    };
    assert_eq!(names(vec![other.clone(), bundle.connectors[0].clone()]), ["t"]);
    assert_eq!(names(vec![other]), Vec::<String>::new());
}

#[test]
fn members_that_this_version_does_not_know_are_ignored() {
    let text = write(&sample());
    let newer = text.replace("{\"kind\":", "{\"later\":{\"a\":[1,\"\\ud800\"]},\"kind\":");
    assert_eq!(read(resealed(&newer).as_bytes(), &ReadLimits::default()).unwrap(), sample());
}

#[test]
fn lines_that_this_version_does_not_know_are_passed_over_only_where_they_allow_it() {
    let text = write(&sample());
    for at in 1..text.lines().count() - 1 {
        let optional = with_line(&text, at, r#"{"kind":"screenshot","optional":true,"bytes":"AA=="}"#);
        assert_eq!(read(resealed(&optional).as_bytes(), &ReadLimits::default()).unwrap(), sample(), "line {at}");
        let needed = with_line(&text, at, r#"{"kind":"screenshot"}"#);
        let error = read(resealed(&needed).as_bytes(), &ReadLimits::default()).unwrap_err();
        let reason = "a line of the unknown kind \"screenshot\"".to_owned();
        assert_eq!(error, BundleError::Damaged { line: at as u64 + 1, reason });
    }
}

#[test]
fn each_limit_lets_so_much_pass_and_no_more() {
    let text = write(&sample());
    let longest = text.lines().map(str::len).max().unwrap() as u64;
    let exact = ReadLimits {
        bytes: text.len() as u64,
        line_bytes: longest,
        lines: text.lines().count() as u32,
        depth: sample::DEPTH,
    };
    assert_eq!(read(text.as_bytes(), &exact).unwrap(), sample());
    let limit = |limits: &ReadLimits| match read(text.as_bytes(), limits).unwrap_err() {
        BundleError::TooLarge { limit, .. } => limit.to_owned(),
        other => other.to_string(),
    };
    assert_eq!(limit(&ReadLimits { bytes: exact.bytes - 1, ..exact }), "bundle size");
    assert_eq!(limit(&ReadLimits { line_bytes: exact.line_bytes - 1, ..exact }), "bundle line");
    assert_eq!(limit(&ReadLimits { lines: exact.lines - 1, ..exact }), "bundle lines");
    let shallow = limit(&ReadLimits { depth: exact.depth - 1, ..exact });
    assert!(shallow.contains("nested deeper than 4 levels"), "{shallow}");
}
