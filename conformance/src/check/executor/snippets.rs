//! Snippets: code that the host hands over and that runs in the same sandbox.

use super::Check;
use super::script::{Reply, usual};
use super::story::Ask;
use super::subject::{Case, Subject, json, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-SNIPPET-01", runs_snippets, ""),
    ("EXEC-SNIPPET-02", takes_other_answers, ""),
    ("EXEC-SNIPPET-03", throws_their_failures, ""),
    ("EXEC-SNIPPET-04", bounds_levels, ""),
];

/// What the host has.
fn answers(ask: &Ask) -> Reply {
    let source = match ask {
        Ask::Snippet(name, _) => match name.as_str() {
            "double" => "async (n) => { await t.echo({ n }); return n * 2; }",
            "outer" => "async (n) => [typeof n, await codemode.run('double', 4)] // calls t.echo( inside",
            "throws" => "async () => { throw new RangeError('inside'); }",
            "broken" => "async () => {",
            "value" => "42",
            "deep" => "async (n) => { await null; return n === 0 ? 'end' : codemode.run('deep', n - 1); }",
            "five" => return Reply::Now(Ok(json("5"))),
            "coded" => return Reply::Now(Ok(json(r#"{"code":7}"#))),
            "none" => return Reply::Now(Ok(None)),
            _ => return Reply::Now(Ok(json(r#"{"error":"it is not there"}"#))),
        },
        other => return usual(other),
    };
    Reply::Now(Ok(json(&serde_json::json!({ "code": source }).to_string())))
}

fn case(code: &str) -> Case {
    Case::new(code).answering(answers)
}

fn runs_snippets(subject: &Subject, trial: &mut Trial) {
    subject.judge(trial, case("async () => codemode.run('double', 21)"), |came| {
        returned(came, "42")?;
        same("it asked for", &came.asks(), &["snippet double 21", "call t.echo {\"n\":21}"])
    });
    subject.judge(trial, case("async () => codemode.run('outer')"), |came| {
        returned(came, "[\"undefined\",8]")?;
        same("it asked for", &came.asks(), &["snippet outer", "snippet double 4", "call t.echo {\"n\":4}"])
    });
}

fn takes_other_answers(subject: &Subject, trial: &mut Trial) {
    subject.returns(trial, case("async () => codemode.run('missing', 1)"), r#"{"error":"it is not there"}"#);
    subject.returns(trial, case("async () => codemode.run('five')"), "5");
    subject.returns(trial, case("async () => codemode.run('coded')"), "{\"code\":7}");
    subject.returns(trial, case("async () => typeof await codemode.run('none')"), "\"undefined\"");
}

fn throws_their_failures(subject: &Subject, trial: &mut Trial) {
    for (name, seen, wanted) in [
        ("throws", "[e instanceof RangeError, e.message]", "[true,\"inside\"]"),
        ("broken", "e.name", "\"SyntaxError\""),
        ("value", "e instanceof Error", "true"),
    ] {
        let code = format!("async () => codemode.run('{name}').then(() => 'it ran', (e) => {seen})");
        subject.returns(trial, case(&code), wanted);
    }
}

fn bounds_levels(subject: &Subject, trial: &mut Trial) {
    subject.returns(trial, case("async () => codemode.run('deep', 7)"), "\"end\"");
    let over = "async () => codemode.run('deep', 8).then(() => 'it ran', (e) => e instanceof Error)";
    subject.judge(trial, case(over), |came| {
        returned(came, "true")?;
        let asks = came.asks().len();
        if asks == 8 {
            Ok(())
        } else {
            Err(format!("it asked for {asks} snippets, and eight levels are all there are"))
        }
    });
    let beside = "async () => (await Promise.all(Array.from({ length: 20 }, () => codemode.run('deep', 1)))).join('')";
    subject.returns(trial, case(beside), &format!("\"{}\"", "end".repeat(20)));
}
