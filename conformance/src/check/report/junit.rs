//! A report for the test pages of CI systems.

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Finding, OwnCase, Report, Verdict};

/// The report as JUnit XML: one suite, one test case for each rule and each case of the user's own. What is not applicable is skipped, with its reason; an
/// expectation that is stale fails as a case of its own.
///
/// # Errors
/// What cannot be written as XML.
pub fn junit(report: &Report) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(format!("{} {}", report.subject, report.name));
    suite.add_test_cases(report.checked.iter().map(|checked| case(report, checked)));
    suite.add_test_cases(report.cases.iter().map(|case| own(report, case)));
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
    let (rule, verdict) = (checked.rule, &checked.verdict);
    let name = format!("{} {}", rule.id, rule.title);
    let mut case = if checked.is_warning() {
        // JUnit knows no warnings.
        let mut case = TestCase::new(name, TestCaseStatus::success());
        case.set_system_out(format!("warning: {}", told(verdict)));
        case
    } else {
        TestCase::new(name, status(verdict, checked.expected.as_deref(), rule.id, || checked.reproduce(report)))
    };
    case.set_classname(format!("codemode.{}", rule.subject)).set_time(checked.took);
    case
}

/// A case of the user's own.
fn own(report: &Report, own: &OwnCase) -> TestCase {
    let status = status(&own.verdict, own.expected.as_deref(), &own.id, || own.reproduce(report));
    let mut case = TestCase::new(own.name.clone(), status);
    case.set_classname(format!("codemode.{}.cases", report.subject)).set_time(own.took);
    case
}

fn status(verdict: &Verdict, expected: Option<&str>, id: &str, reproduce: impl FnOnce() -> String) -> TestCaseStatus {
    match (verdict, expected) {
        (Verdict::Pass, _) => TestCaseStatus::success(),
        (Verdict::Fail(_), Some(reason)) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("expected to fail: {reason}"));
            status
        }
        (Verdict::Fail(findings), None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(findings.first().map_or_else(String::new, |f| f.what.clone())).set_type(id);
            status.set_description(format!("{}\n\nreproduce: {}", told(verdict), reproduce()));
            status
        }
        (other, _) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{}: {}", other.as_str(), other.reason().unwrap_or_default()));
            status
        }
    }
}

fn told(verdict: &Verdict) -> String {
    let Verdict::Fail(findings) = verdict else { return String::new() };
    let each = |Finding { what, input, calls }: &Finding| {
        let with = input.as_ref().map_or_else(String::new, |input| format!("\n  with {input}"));
        let calls: String = calls.iter().map(|call| format!("\n  call {call}")).collect();
        format!("{what}{with}{calls}")
    };
    findings.iter().map(each).collect::<Vec<_>>().join("\n")
}
