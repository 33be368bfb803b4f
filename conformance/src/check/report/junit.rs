//! A report for the test pages of CI systems.

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Report, Verdict};

/// The report as JUnit XML: one suite, one test case for each rule. What is not applicable is skipped, with its reason; an
/// expectation that is stale fails as a case of its own.
///
/// # Errors
/// What cannot be written as XML.
pub fn junit(report: &Report) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(format!("{} {}", report.subject, report.name));
    suite.add_test_cases(report.checked.iter().map(|checked| case(report, checked)));
    for sentence in &report.stale {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(sentence).set_type("stale");
        suite.add_test_case(TestCase::new("expected failures", status));
    }
    let mut junit = Junit::new("codemode-conformance");
    junit.add_test_suite(suite);
    junit.to_string()
}

fn case(report: &Report, checked: &Checked) -> TestCase {
    let status = match (&checked.verdict, &checked.expected) {
        (Verdict::Pass, _) => TestCaseStatus::success(),
        (Verdict::Fail(_), Some(reason)) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("expected to fail: {reason}"));
            status
        }
        (Verdict::Fail(findings), None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let said: Vec<String> = findings.iter().map(told).collect();
            status.set_message(findings.first().map_or_else(String::new, |f| f.what.clone())).set_type(checked.rule.id);
            status.set_description(format!("{}\n\nreproduce: {}", said.join("\n"), checked.reproduce(report)));
            status
        }
        (other, _) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{}: {}", other.as_str(), other.reason().unwrap_or_default()));
            status
        }
    };
    let mut case = TestCase::new(format!("{} {}", checked.rule.id, checked.rule.title), status);
    case.set_classname(format!("codemode.{}", checked.rule.subject)).set_time(checked.took);
    case
}

fn told(finding: &super::Finding) -> String {
    match &finding.input {
        Some(input) => format!("{}\n  with {input}", finding.what),
        None => finding.what.clone(),
    }
}
