//! A connector whose methods, description, hooks and `revert` misbehave in every way: the run ends in its own time, says of
//! each method which rule it breaks, and goes on to the next.

use std::collections::BTreeMap;

use codemode_conformance::check::connector::{Component, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, human, json};
use codemode_conformance::check::{Expected, Options};

use crate::connector::told;

fn rogues(config: &[(&str, &str)], options: &Options) -> Report {
    let bytes = std::fs::read(env!("CODEMODE_ROGUES_WASM")).unwrap();
    let config: BTreeMap<String, String> = config.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let component = Component { config, ..Component::new("rogues.wasm", &bytes) };
    check_connector(&component, &Expected::default(), options, &mut ()).unwrap()
}

/// Short times: what hangs takes all of them.
fn quick() -> Options {
    Options { cases: 2, call_ms: 1_000, method_ms: 1_000, run_ms: 120_000, ..crate::connector::options() }
}

/// Covers BUG-CNF-04.
#[test]
fn each_method_that_misbehaves_is_told_with_its_rule_and_the_next_one_is_tried() {
    let report = rogues(&[], &quick());
    let text = human(&report, Style::Plain);
    let lines: BTreeMap<&str, (&str, &[&str])> =
        report.methods.iter().map(|line| (line.name.as_str(), (line.verdict, &line.broken[..]))).collect();
    for name in ["trap", "panics", "exits", "recurse", "loops", "sleeps", "late", "allocates"] {
        assert_eq!(lines[name], ("fail", &["CONN-CALL-01"][..]), "{name}\n{text}");
    }
    for name in ["cutJson", "duplicateKeys", "nan", "deep", "emptyText", "trailing"] {
        assert_eq!(lines[name], ("fail", &["CONN-CALL-02"][..]), "{name}\n{text}");
    }
    assert_eq!(lines["loneSurrogate"], ("warn", &["CONN-CALL-09"][..]), "{text}");
    assert_eq!(lines["huge"], ("fail", &["CONN-BOUND-03"][..]), "{text}");
    for name in ["well", "hugeFailure", "prints", "readsEnv", "socket", "wellToo"] {
        assert_eq!(lines[name], ("pass", &[][..]), "{name}\n{text}");
    }
    assert_eq!(lines.len(), 22);
    assert!(text.lines().any(|line| line.split_whitespace().eq(["FAIL", "loops", "CONN-CALL-01"])), "{text}");
    assert_eq!(report.judgement(), Judgement::Broken);
    assert_eq!(json(&report)["methods"][0]["name"], "well");
}

/// Covers BUG-CNF-01.
#[test]
fn another_order_is_a_warning_and_another_text_or_schema_is_a_failure_that_names_the_method() {
    let only = |rule: &str| Options { only: vec![rule.to_owned()], ..quick() };
    let shuffled = rogues(&[("describe", "shuffle")], &only("CONN-DESC"));
    assert_eq!(told(&shuffled), ["CONN-DESC-07"], "{}", human(&shuffled, Style::Plain));
    assert_eq!((shuffled.judgement(), json(&shuffled)["counts"]["warn"].as_u64()), (Judgement::Kept, Some(1)));
    let stamped = rogues(&[("describe", "stamp")], &only("CONN-DESC"));
    assert_eq!(told(&stamped), ["CONN-DESC-02", "CONN-DESC-07"], "{}", human(&stamped, Style::Plain));
    let cases = [
        ("daily stamp", "method `well`, description: first \"Made on day "),
        ("second schema", "method `well`, input schema differs: first \"\", then \"{\\\"type\\\":\\\"object\\\"}\""),
    ];
    for (how, what) in cases {
        let report = rogues(&[("describe", how)], &only("CONN-DESC"));
        let text = human(&report, Style::Plain);
        assert_eq!((told(&report), report.judgement()), (vec!["CONN-DESC-02"], Judgement::Broken), "{how}\n{text}");
        assert!(text.contains(what), "{how}\n{text}");
    }
}

/// Covers BUG-CNF-04.
#[test]
fn descriptions_that_cannot_be_used_are_told_by_one_rule_and_block_the_others() {
    for (how, rule) in [
        ("trap", "CONN-DESC-01"),
        ("hang", "CONN-DESC-01"),
        ("sleep", "CONN-DESC-01"),
        ("fail", "CONN-DESC-01"),
        ("many", "CONN-DESC-01"),
        ("huge", "CONN-DESC-01"),
        ("unicode", "CONN-DESC-03"),
        ("twice", "CONN-DESC-03"),
        ("deep", "CONN-DESC-04"),
        ("elsewhere", "CONN-DESC-04"),
        ("no json", "CONN-DESC-04"),
    ] {
        let report = rogues(&[("describe", how)], &quick());
        let text = human(&report, Style::Plain);
        assert_eq!((told(&report), report.judgement()), (vec![rule], Judgement::Broken), "{how}\n{text}");
        assert!(text.contains("blocked     CONN-CALL-01"), "{how}\n{text}");
        assert!(!text.contains('\u{202e}'), "{how}: what a terminal would obey is written out\n{text}");
    }
}

#[test]
fn schemas_without_end_are_tried_like_others() {
    for (how, broken) in [("endless", vec![]), ("endless parts", vec![]), ("pattern", vec!["CONN-DESC-04"])] {
        let report = rogues(&[("describe", how), ("only", "well")], &quick());
        let text = human(&report, Style::Plain);
        assert_eq!(told(&report), broken, "{how}\n{text}");
        assert!(text.contains("pass        CONN-CALL-02"), "{how}\n{text}");
    }
}

#[test]
fn hooks_and_reverts_that_misbehave_are_told_and_end() {
    for how in ["trap", "hang", "sleep"] {
        let hooks = rogues(&[("hooks", how), ("only", "well")], &quick());
        assert_eq!(told(&hooks), ["CONN-HOOK-01"], "{how}\n{}", human(&hooks, Style::Plain));
    }
    for how in ["trap", "hang", "sleep", "fail"] {
        let report = rogues(&[("revert", how), ("only", "well")], &quick());
        let text = human(&report, Style::Plain);
        assert!(told(&report).contains(&"CONN-REVERT-01"), "{how}\n{text}");
        assert!(text.contains("well: step 2, revert: it "), "{how}\n{text}");
        assert!(told(&report).iter().all(|rule| rule.starts_with("CONN-REVERT")), "{how}\n{text}");
    }
}

#[test]
fn a_run_ends_in_its_own_time_and_says_what_was_not_tried() {
    let options = Options { run_ms: 1_500, call_ms: 200, ..Options::default() };
    let report = rogues(&[("describe", "crowd")], &options);
    let text = human(&report, Style::Plain);
    assert_eq!(report.judgement(), Judgement::Untried, "{text}");
    assert!(text.contains("the run was over after 1500 ms; --run-ms gives it more"), "{text}");
    assert!(text.lines().count() < 200, "{} lines", text.lines().count());
}
