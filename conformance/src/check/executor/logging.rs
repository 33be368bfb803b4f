//! The console, line by line.

use super::Check;
use super::ending::LOOP_MS;
use super::story::Event;
use super::subject::{Case, Subject, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-LOG-01", keeps_levels, ""),
    ("EXEC-LOG-02", makes_text, ""),
    ("EXEC-LOG-03", never_throws, ""),
    ("EXEC-LOG-04", writes_at_once, ""),
    ("EXEC-LOG-05", tells_of_lost_failures, ""),
];

/// Tries code that returns 1 and has to write these lines.
fn writes(subject: &Subject, trial: &mut Trial, body: &str, wanted: &[&str]) {
    subject.judge(trial, Case::new(format!("async () => {{ {body} return 1; }}")), |came| {
        returned(came, "1")?;
        same("it wrote", &came.logs(), wanted)
    });
}

fn keeps_levels(subject: &Subject, trial: &mut Trial) {
    let body = "console.log('a'); console.info('b'); console.warn('c', 2); console.error('d'); console.debug('e');";
    writes(subject, trial, body, &["log a", "info b", "warn c 2", "error d", "debug e"]);
}

fn makes_text(subject: &Subject, trial: &mut Trial) {
    for (arguments, wanted) in [
        ("{ a: 1 }, [1, [2]], null, undefined, 's'", "log [object Object] 1,2 null undefined s"),
        ("", "log "),
        ("new RangeError('e'), 5n, true, -0, 1e21", "log RangeError: e 5 true 0 1e+21"),
        ("'%s and %d', 'a'", "log %s and %d a"),
        ("{ toString() { return 'mine'; } }, Symbol('s')", "log mine Symbol(s)"),
    ] {
        writes(subject, trial, &format!("console.log({arguments});"), &[wanted]);
    }
}

fn never_throws(subject: &Subject, trial: &mut Trial) {
    for argument in [
        "Object.create(null)",
        "{ toString() { throw 1; } }",
        "{ [Symbol.toPrimitive]: 1 }",
        "t",
        "codemode",
        "new Proxy({}, { get() { throw 1; } })",
        "(() => { const a = []; a.push(a); return a; })()",
    ] {
        let code = format!("async () => {{ console.log({argument}, 'end'); return 1; }}");
        subject.judge(trial, Case::new(code), |came| {
            returned(came, "1")?;
            match came.logs().as_slice() {
                [line] if line.ends_with(" end") => Ok(()),
                lines => Err(format!("it wrote {lines:?}, and it has to be one line that ends in `end`")),
            }
        });
    }
}

fn writes_at_once(subject: &Subject, trial: &mut Trial) {
    let code =
        "async () => { console.log(1); const p = t.echo(1); console.log(2); await p; console.log(3); return 1; }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "1")?;
        let told = came.lines(|event| matches!(event, Event::Asked(_) | Event::Said(..) | Event::Gave(_)));
        same("it told", &told, &["log 1", "call t.echo 1", "log 2", "gave 0", "log 3"])
    });
    let lost = "async () => { console.log('before the end'); for (;;) {} }";
    subject.judge(trial, Case::new(lost).limits(|limits| limits.cpu_ms = LOOP_MS), |came| {
        same("before it was stopped it wrote", &came.logs(), &["log before the end"])
    });
}

fn tells_of_lost_failures(subject: &Subject, trial: &mut Trial) {
    let code = "async () => { t.fail({}); t.fail({}).catch(() => {}); await t.echo(1); return 1; }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "1")?;
        match came.logs().as_slice() {
            [line] if line.starts_with("warn ") && line.contains("no such book") => Ok(()),
            lines => {
                Err(format!("it wrote {lines:?}, and a failure that nobody awaited is one warn line with its message"))
            }
        }
    });
}
