//! A connector that speaks http, checked against answers from a list; and doubles of it that break one rule each.

use std::collections::BTreeMap;

use codemode_conformance::check::connector::{Component, MockAnswer, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human};
use codemode_conformance::check::{Expected, Options};

const WEB: &str = env!("CODEMODE_WEB_WASM");
const HTTP: [&str; 4] = ["CONN-HTTP-01", "CONN-HTTP-02", "CONN-HTTP-03", "CONN-HTTP-04"];

fn answer(method: &str, url: &str, body: &str) -> MockAnswer {
    let (method, url, body) = (method.to_owned(), url.to_owned(), body.to_owned());
    MockAnswer { method, url, status: 200, headers: BTreeMap::new(), body }
}

fn answers() -> Vec<MockAnswer> {
    vec![
        answer("GET", "https://items.example/items", r#"[{"id":"a","text":"b"}]"#),
        answer("PUT", "https://items.example/items/*", r#"{"version":3}"#),
    ]
}

fn checked(config: &[(&str, &str)], http: Vec<MockAnswer>) -> Report {
    of_rules(&[], config, http)
}

/// The rules whose ids start so; all of them for none.
fn of_rules(only: &[&str], config: &[(&str, &str)], http: Vec<MockAnswer>) -> Report {
    let bytes = std::fs::read(WEB).unwrap();
    let config = config.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let component = Component { config, http, ..Component::new("web.wasm", &bytes) };
    let (only, cache_dir) = (only.iter().map(ToString::to_string).collect(), Some(env!("CODEMODE_TEST_CACHE").into()));
    // No verdict here is about time, and machines may be busy.
    let options = Options { only, cache_dir, cases: 8, call_ms: 20_000, run_ms: 600_000, ..Options::default() };
    check_connector(&component, &Expected::default(), &options, &mut ()).unwrap()
}

fn verdict<'a>(report: &'a Report, id: &str) -> &'a Verdict {
    &report.checked.iter().find(|checked| checked.rule.id == id).unwrap().verdict
}

fn broken(report: &Report) -> Vec<&'static str> {
    report.broken().iter().map(|checked| checked.rule.id).collect()
}

#[test]
fn a_client_that_does_with_failures_what_it_should_keeps_every_rule() {
    let report = checked(&[], answers());
    assert_eq!(
        (report.judgement(), broken(&report)),
        (Judgement::Kept, Vec::new()),
        "{}",
        human(&report, Style::Plain)
    );
    for id in HTTP.into_iter().chain(["CONN-LOAD-02", "CONN-CALL-03", "CONN-KEY-01", "CONN-KEY-02"]) {
        assert_eq!(verdict(&report, id), &Verdict::Pass, "{id}: {}", human(&report, Style::Plain));
    }
}

#[test]
fn each_double_of_the_client_is_told_by_its_own_rule_and_by_no_other() {
    for rule in HTTP {
        let report = checked(&[("bug", rule)], answers());
        assert_eq!(broken(&report), [rule], "{}", human(&report, Style::Plain));
    }
}

#[test]
fn what_breaks_a_rule_is_told_with_the_request() {
    let said = |bug: &str| human(&of_rules(&[bug], &[("bug", bug)], answers()), Style::Plain);
    assert!(said("CONN-HTTP-01").contains("https://ping.example"));
    let swallowed = said("CONN-HTTP-02");
    assert!(swallowed.contains("every request was refused the connection, and it gave"), "{swallowed}");
    let silent = said("CONN-HTTP-03");
    assert!(silent.contains("request 1 (PUT https://items.example/items/"), "{silent}");
    assert!(said("CONN-HTTP-04").contains("with one key it sends PUT"));
}

#[test]
fn an_origin_that_is_declared_has_to_be_one() {
    let report = of_rules(&["CONN-HTTP-01"], &[("bug", "origin")], answers());
    assert_eq!(broken(&report), ["CONN-HTTP-01"], "{}", human(&report, Style::Plain));
    assert!(human(&report, Style::Plain).contains("it has a path"), "{}", human(&report, Style::Plain));
}

#[test]
fn a_client_that_traps_on_nonsense_is_told_which() {
    let report = of_rules(&["CONN-HTTP"], &[("bug", "CONN-HTTP-02, by a trap")], answers());
    let text = human(&report, Style::Plain);
    assert_eq!(broken(&report), ["CONN-HTTP-02"], "{text}");
    assert!(text.contains("request 1 (GET https://items.example/items) was answered with an empty body"), "{text}");
}

#[test]
fn clients_that_fall_back_on_what_they_stored_or_try_twice_are_not_blamed() {
    for care in ["nothing, but it remembers", "nothing, but it tries twice"] {
        let report = of_rules(&["CONN-HTTP"], &[("bug", care)], answers());
        assert_eq!(broken(&report), Vec::<&str>::new(), "{care}: {}", human(&report, Style::Plain));
    }
}

#[test]
fn without_answers_no_http_is_granted() {
    let report = checked(&[], Vec::new());
    assert_eq!(broken(&report), ["CONN-LOAD-02"], "{}", human(&report, Style::Plain));
    assert!(human(&report, Style::Plain).contains("needs a grant of http origins"));
    assert_eq!(verdict(&report, "CONN-HTTP-01"), &Verdict::Blocked("CONN-LOAD-02"));
}

#[test]
fn a_request_that_nothing_answers_is_denied_and_the_connector_says_so() {
    // Another place of the same service; so its requests are granted, and denied by the list.
    let report = checked(&[], vec![answer("GET", "https://items.example/other", "")]);
    assert_eq!(broken(&report), Vec::<&str>::new(), "{}", human(&report, Style::Plain));
    assert_eq!(verdict(&report, "CONN-HTTP-02"), &Verdict::Pass);
    // Another service: not even granted, and still only what was declared is asked for.
    let report = checked(&[], vec![answer("GET", "https://other.example/", "")]);
    assert_eq!((verdict(&report, "CONN-HTTP-01"), broken(&report).len()), (&Verdict::Pass, 0));
}

#[test]
fn an_answer_that_is_none_is_refused_before_anything_is_tried() {
    let bytes = std::fs::read(WEB).unwrap();
    let component = Component { http: vec![answer("GET", "items", "")], ..Component::new("web.wasm", &bytes) };
    let refused = check_connector(&component, &Expected::default(), &Options::default(), &mut ()).unwrap_err();
    assert!(refused.contains("https://host"), "{refused}");
}
