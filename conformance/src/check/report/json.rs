//! A report for machines. The names and their meaning stay; members may be added.

use serde_json::{Value, json};

use super::{Checked, Report, Verdict};

/// The report as one JSON value: `subject`, `name`, `seed`, `counts`, `rules`, `stale`.
#[must_use]
pub fn json(report: &Report) -> Value {
    let words = ["pass", "fail", "unsupported", "not-covered", "blocked"];
    let counts: Value = words.iter().map(|word| ((*word).to_owned(), json!(report.count(word)))).collect();
    json!({
        "subject": report.subject.as_str(),
        "name": report.name,
        "seed": report.seed,
        "counts": counts,
        "rules": report.checked.iter().map(|checked| rule(report, checked)).collect::<Vec<_>>(),
        "stale": report.stale,
    })
}

fn rule(report: &Report, checked: &Checked) -> Value {
    let mut value = json!({
        "id": checked.rule.id,
        "title": checked.rule.title,
        "severity": checked.rule.severity.as_str(),
        "verdict": checked.verdict.as_str(),
        "cases": checked.cases,
        "ms": u64::try_from(checked.took.as_millis()).unwrap_or(u64::MAX),
    });
    if let Some(reason) = checked.verdict.reason() {
        value["reason"] = json!(reason);
    }
    if let Some(expected) = &checked.expected {
        value["expected"] = json!(expected);
    }
    if let Verdict::Fail(findings) = &checked.verdict {
        let finding = |f: &super::Finding| json!({ "what": f.what, "input": f.input });
        value["findings"] = findings.iter().map(finding).collect();
        value["reproduce"] = json!(checked.reproduce(report));
    }
    value
}
