//! A report for people: what is broken comes last, where a terminal shows it, with the reason and the command.

use std::fmt::Write as _;

use crate::check::trial::short;

use super::{Checked, Finding, Report, Verdict, WORDS};

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
            aside(&checked.verdict, checked.expected.as_deref())
        );
    }
    for own in &report.cases {
        let start = if own.id == report.cases[0].id { "\n" } else { "" };
        let mark = marked(&own.verdict, own.expected.as_deref(), style);
        let _ = writeln!(text, "{start}  {mark} {}{}", own.name, aside(&own.verdict, own.expected.as_deref()));
    }
    text.push_str(&methods(report, style));
    for checked in report.warnings().into_iter().chain(report.broken()) {
        text.push_str(&explained(report, checked, style));
    }
    for own in report.cases.iter().filter(|own| own.is_broken()) {
        let _ = write!(text, "\n{} {}\n", painted("31;1", &own.id, style), own.name);
        text.push_str(&findings(&own.verdict, style));
        let _ = writeln!(text, "  {} {}", painted("2", "reproduce:", style), own.reproduce(report));
    }
    for sentence in &report.stale {
        let _ = write!(text, "\n{} {sentence}\n", painted("31;1", "stale", style));
    }
    let counts: Vec<String> = WORDS
        .iter()
        .map(|word| (report.count(word), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let _ = write!(text, "\n{} (seed {})\n", counts.join(", "), report.seed);
    text
}

/// So many methods are listed; of more, only those that break something.
const MAX_METHODS: usize = 40;

/// One line for each method, where one of them breaks something.
fn methods(report: &Report, style: Style) -> String {
    let mut text = String::new();
    if report.methods.iter().all(|line| line.broken.is_empty()) {
        return text;
    }
    let name = |line: &super::MethodLine| match short(&line.name.chars().take(60).collect::<String>()) {
        none if none.is_empty() => "\"\"".to_owned(),
        name => name,
    };
    let width = report.methods.iter().map(|line| name(line).chars().count()).max().unwrap_or(0).min(40);
    // Where nothing was called, only the others are of interest.
    let is_listed = report.methods.len() <= MAX_METHODS && report.count("blocked") == 0;
    let is_shown = |line: &&super::MethodLine| is_listed || !line.broken.is_empty();
    text.push('\n');
    for line in report.methods.iter().filter(is_shown) {
        let (colour, word) = match line.verdict {
            "pass" => ("32", "pass"),
            "warn" => ("33", "warn"),
            "fail" => ("31;1", "FAIL"),
            other => ("2", other),
        };
        let mark = painted(colour, &format!("{word:<11}"), style);
        let line = format!("  {mark} {:<width$}  {}", name(line), line.broken.join(" "));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Why a rule matters and what broke it.
fn explained(report: &Report, checked: &Checked, style: Style) -> String {
    let rule = checked.rule;
    let mut text = format!(
        "\n{} {} {}\n",
        painted(if checked.is_warning() { "33" } else { "31;1" }, rule.id, style),
        rule.title,
        painted("2", rule.severity.as_str(), style)
    );
    text.push_str(&findings(&checked.verdict, style));
    let _ = writeln!(text, "  {} {}", painted("2", "demands:  ", style), rule.demands);
    let _ = writeln!(text, "  {} {}", painted("2", "why:      ", style), rule.why);
    let _ = writeln!(text, "  {} {}", painted("2", "reproduce:", style), checked.reproduce(report));
    text
}

/// What broke it.
fn findings(verdict: &Verdict, style: Style) -> String {
    let Verdict::Fail(findings) = verdict else { return String::new() };
    let mut text = String::new();
    for Finding { what, input, calls } in findings {
        let _ = writeln!(text, "  {}", what.replace('\n', "\n  "));
        if let Some(input) = input {
            let _ = writeln!(text, "  {} {}", painted("2", "with", style), input.replace('\n', "\n       "));
        }
        for (number, call) in calls.iter().enumerate() {
            let start = if number == 0 { "calls" } else { "" };
            let _ = writeln!(text, "  {} {}. {call}", painted("2", &format!("{start:<5}"), style), number + 1);
        }
    }
    text
}

fn mark(checked: &Checked, style: Style) -> String {
    if checked.is_warning() {
        return painted("33", &format!("{:<11}", "warn"), style);
    }
    marked(&checked.verdict, checked.expected.as_deref(), style)
}

fn marked(verdict: &Verdict, expected: Option<&str>, style: Style) -> String {
    let (colour, word) = match (verdict, expected) {
        (Verdict::Pass, _) => ("32", "pass"),
        (Verdict::Fail(_), None) => ("31;1", "FAIL"),
        (Verdict::Fail(_), Some(_)) | (Verdict::Blocked(_), _) => ("33", verdict.as_str()),
        (Verdict::Unsupported(_) | Verdict::NotCovered(_), _) => ("2", verdict.as_str()),
    };
    painted(colour, &format!("{word:<11}"), style)
}

fn aside(verdict: &Verdict, expected: Option<&str>) -> String {
    match (expected, verdict.reason()) {
        (Some(reason), _) => format!(" (expected: {reason})"),
        (None, Some(reason)) => format!(" ({reason})"),
        (None, None) => String::new(),
    }
}

fn painted(colour: &str, text: &str, style: Style) -> String {
    if style == Style::Coloured { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}
