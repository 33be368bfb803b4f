//! A report for people: what is broken comes last, where a terminal shows it, with the reason and the command.

use std::fmt::Write as _;

use super::{Checked, Report, Verdict};

/// How words are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

/// The report as a text of several lines.
#[must_use]
pub fn human(report: &Report, style: Style) -> String {
    let mut text = format!("{} {}\n\n", report.subject, report.name);
    let width = report.checked.iter().map(|checked| checked.rule.id.len()).max().unwrap_or(0);
    let mut group = "";
    for checked in &report.checked {
        let this = checked.rule.id.rsplit_once('-').map_or(checked.rule.id, |(group, _)| group);
        if this != group && !group.is_empty() {
            text.push('\n');
        }
        group = this;
        let _ = writeln!(
            text,
            "  {} {:<width$}  {}{}",
            mark(checked, style),
            checked.rule.id,
            checked.rule.title,
            aside(checked)
        );
    }
    for checked in report.broken() {
        text.push_str(&explained(report, checked, style));
    }
    for sentence in &report.stale {
        let _ = write!(text, "\n{} {sentence}\n", painted("31;1", "stale", style));
    }
    let counts = ["pass", "fail", "unsupported", "not-covered", "blocked"].map(|word| (word, report.count(word)));
    let counts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!("{count} {word}")).collect();
    let _ = write!(text, "\n{} (seed {})\n", counts.join(", "), report.seed);
    text
}

/// Why a rule matters and what broke it.
fn explained(report: &Report, checked: &Checked, style: Style) -> String {
    let Verdict::Fail(findings) = &checked.verdict else { return String::new() };
    let rule = checked.rule;
    let mut text = format!(
        "\n{} {} {}\n",
        painted("31;1", rule.id, style),
        rule.title,
        painted("2", rule.severity.as_str(), style)
    );
    for finding in findings {
        let _ = writeln!(text, "  {}", finding.what.replace('\n', "\n  "));
        if let Some(input) = &finding.input {
            let _ = writeln!(text, "  {} {}", painted("2", "with", style), input.replace('\n', "\n       "));
        }
    }
    let _ = writeln!(text, "  {} {}", painted("2", "demands:  ", style), rule.demands);
    let _ = writeln!(text, "  {} {}", painted("2", "why:      ", style), rule.why);
    let _ = writeln!(text, "  {} {}", painted("2", "reproduce:", style), checked.reproduce(report));
    text
}

fn mark(checked: &Checked, style: Style) -> String {
    let colour = match (&checked.verdict, &checked.expected) {
        (Verdict::Pass, _) => "32",
        (Verdict::Fail(_), None) => "31;1",
        (Verdict::Fail(_), Some(_)) | (Verdict::Blocked(_), _) => "33",
        (Verdict::Unsupported(_) | Verdict::NotCovered(_), _) => "2",
    };
    let word = if checked.is_broken() { "FAIL" } else { checked.verdict.as_str() };
    painted(colour, &format!("{word:<11}"), style)
}

fn aside(checked: &Checked) -> String {
    match (&checked.expected, checked.verdict.reason()) {
        (Some(reason), _) => format!(" (expected: {reason})"),
        (None, Some(reason)) => format!(" ({reason})"),
        (None, None) => String::new(),
    }
}

fn painted(colour: &str, text: &str, style: Style) -> String {
    if style == Style::Coloured { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}
