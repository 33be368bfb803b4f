//! A report for machines. The names and their meaning stay; members may be added.

use serde_json::{Value, json};

use super::{Checked, OwnCase, Report, Verdict, WORDS};

/// The report as one JSON value: `subject`, `name`, `seed`, `counts`, `rules`, `cases`, `methods`, `stale`.
#[must_use]
pub fn json(report: &Report) -> Value {
    let counts: Value = WORDS.iter().map(|word| ((*word).to_owned(), json!(report.count(word)))).collect();
    json!({
        "subject": report.subject.as_str(),
        "name": report.name,
        "seed": report.seed,
        "counts": counts,
        "rules": report.checked.iter().map(|checked| rule(report, checked)).collect::<Vec<_>>(),
        "cases": report.cases.iter().map(|own| case(report, own)).collect::<Vec<_>>(),
        "methods": report.methods.iter().map(|line| {
            json!({ "name": line.name, "verdict": line.verdict, "rules": line.broken })
        }).collect::<Vec<_>>(),
        "stale": report.stale,
    })
}

fn rule(report: &Report, checked: &Checked) -> Value {
    let mut value = json!({
        "id": checked.rule.id,
        "title": checked.rule.title,
        "severity": checked.rule.severity.as_str(),
        "verdict": checked.word(),
        "cases": checked.cases,
        "ms": u64::try_from(checked.took.as_millis()).unwrap_or(u64::MAX),
    });
    more(&mut value, &checked.verdict, checked.expected.as_deref(), checked.is_cut, || checked.reproduce(report));
    value
}

fn case(report: &Report, own: &OwnCase) -> Value {
    let mut value = json!({
        "id": own.id,
        "name": own.name,
        "verdict": own.verdict.as_str(),
        "ms": u64::try_from(own.took.as_millis()).unwrap_or(u64::MAX),
    });
    more(&mut value, &own.verdict, own.expected.as_deref(), own.is_cut, || own.reproduce(report));
    value
}

/// What is there for some verdicts only.
fn more(
    value: &mut Value,
    verdict: &Verdict,
    expected: Option<&str>,
    is_cut: bool,
    reproduce: impl FnOnce() -> String,
) {
    if let Some(reason) = verdict.reason() {
        value["reason"] = json!(reason);
    }
    if let Some(expected) = expected {
        value["expected"] = json!(expected);
    }
    if is_cut {
        value["cut"] = json!(true);
    }
    if let Verdict::Fail(findings) = verdict {
        let finding = |f: &super::Finding| json!({ "what": f.what, "input": f.input, "calls": f.calls });
        value["findings"] = findings.iter().map(finding).collect();
        value["reproduce"] = json!(reproduce());
    }
}
