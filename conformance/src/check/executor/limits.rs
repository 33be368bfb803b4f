//! Limits of what is encoded: what is just within passes, and one more is refused by its subject.

use codemode_runtime::executor::Refusal;

use super::Check;
use super::subject::{Case, Subject, returned};
use crate::check::trial::{Trial, short};

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-LIMIT-01", bounds_values, ""),
    ("EXEC-LIMIT-02", bounds_the_result, ""),
    ("EXEC-LIMIT-03", bounds_depth, ""),
    ("EXEC-LIMIT-04", bounds_lines, ""),
];

/// Tries code that has to be refused so.
fn refuses(subject: &Subject, trial: &mut Trial, case: Case, wanted: (&str, Refusal)) {
    subject.judge(trial, case, |came| match came.refused() {
        Some((named, refusal)) if (named, refusal) == (wanted.0, &wanted.1) => Ok(()),
        _ => Err(format!("{}, and has to refuse {} as {:?}", came.told(), wanted.0, wanted.1)),
    });
}

/// UTF-16 code units.
const UNITS: u32 = 100;

fn bounds_values(subject: &Subject, trial: &mut Trial) {
    let case = |code: &str| Case::new(code).limits(|limits| limits.value_units = UNITS);
    for within in [
        "async () => (await t.echo('x'.repeat(98))).length",
        "async () => (await t.echo('🙂'.repeat(49))).length",
        "async () => (await codemode.step('n', () => 'x'.repeat(98))).length",
    ] {
        subject.returns(trial, case(within), "98");
    }
    // What the limit is where nobody sets another.
    subject.returns(trial, Case::new("async () => (await t.echo('x'.repeat(999998))).length"), "999998");
    let over = Case::new("async () => t.echo('x'.repeat(999999))");
    refuses(subject, trial, over, ("arguments to t.echo", Refusal::TooLarge));
    for (over, named) in [
        ("async () => t.echo('x'.repeat(99))", "arguments to t.echo"),
        ("async () => t.echo('🙂'.repeat(49) + 'x')", "arguments to t.echo"),
        ("async () => t.echo('\\n'.repeat(50))", "arguments to t.echo"),
        ("async () => codemode.step('n', () => 'x'.repeat(99))", "result of step \"n\""),
        ("async () => codemode.step('n', async () => 'x'.repeat(99))", "result of step \"n\""),
    ] {
        refuses(subject, trial, case(over), (named, Refusal::TooLarge));
    }
}

fn bounds_the_result(subject: &Subject, trial: &mut Trial) {
    let case = |code: &str| Case::new(code).limits(|limits| limits.outcome_units = UNITS);
    let within = format!("\"{}\"", "x".repeat(98));
    subject.returns(trial, case("async () => 'x'.repeat(98)"), &within);
    refuses(subject, trial, case("async () => 'x'.repeat(99)"), ("the result", Refusal::TooLarge));
    refuses(subject, trial, case("() => ['x'.repeat(97)]"), ("the result", Refusal::TooLarge));
}

fn bounds_depth(subject: &Subject, trial: &mut Trial) {
    let nested = |levels: u32| format!("let v = 1; for (let i = 0; i < {levels}; i++) v = [v];");
    let case = |code: String, depth: u32| Case::new(code).limits(|limits| limits.depth = depth);
    let call = |levels: u32| format!("async () => {{ {} await t.echo(v); return 'within'; }}", nested(levels));
    let step = |levels: u32| {
        format!("async () => {{ {} await codemode.step('n', () => v); return 'within'; }}", nested(levels))
    };
    for (depth, text) in [(20, call(20)), (512, call(512)), (20, step(20))] {
        subject.returns(trial, case(text, depth), "\"within\"");
    }
    let result = |levels: u32| format!("() => {{ {} return v; }}", nested(levels));
    subject
        .judge(trial, case(result(20), 20), |came| returned(came, &format!("{}1{}", "[".repeat(20), "]".repeat(20))));
    for (levels, depth) in [(21, 20), (513, 512), (100_000, 512)] {
        refuses(subject, trial, case(call(levels), depth), ("arguments to t.echo", Refusal::TooDeep));
    }
    refuses(subject, trial, case(step(21), 20), ("result of step \"n\"", Refusal::TooDeep));
    refuses(subject, trial, case(result(21), 20), ("the result", Refusal::TooDeep));
}

fn bounds_lines(subject: &Subject, trial: &mut Trial) {
    for (length, wanted) in [(50_usize, 50_usize), (51, 50), (100_000, 50)] {
        let code = format!("() => {{ console.log('x'.repeat({length})); return 1; }}");
        subject.judge(trial, Case::new(code).limits(|limits| limits.log_line_units = 50), |came| {
            came.returned()?;
            let lines = came.logs();
            let [line] = lines.as_slice() else { return Err(format!("it wrote {} lines", lines.len())) };
            let text = line.strip_prefix("log ").unwrap_or(line);
            let units = text.encode_utf16().count();
            let right = if length <= wanted { units == length } else { units <= wanted && units > 0 };
            let told = format!("of a line of {length} characters it wrote {units}: {}", short(text));
            if right && text.starts_with('x') { Ok(()) } else { Err(told) }
        });
    }
}
