//! What the host learns when the code throws or cannot run.

use super::Check;
use super::story::Came;
use super::subject::{Case, Subject, same};
use crate::check::trial::{Trial, short};

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-ERROR-01", tells_what_was_thrown, ""),
    ("EXEC-ERROR-02", tells_the_place, "it tells no places"),
    ("EXEC-ERROR-03", tells_what_does_not_parse, ""),
    ("EXEC-ERROR-04", shows_frames_of_the_code, "it tells no stack"),
];

fn tells_what_was_thrown(subject: &Subject, trial: &mut Trial) {
    tells_large_values(subject, trial);
    for (thrown, name, message, value) in [
        ("new Error('m')", "Error", Some("m"), Some(r#"{"$cm":["error",{"name":"Error","message":"m"}]}"#)),
        ("new TypeError('bad')", "TypeError", Some("bad"), None),
        ("Object.assign(new Error('m'), { name: 'Mine' })", "Mine", Some("m"), None),
        ("new Error('')", "Error", None, None),
        ("'boom'", "Thrown", Some("boom"), Some("\"boom\"")),
        ("''", "Thrown", None, Some("\"\"")),
        ("null", "Thrown", Some("null"), Some("null")),
        ("undefined", "Thrown", Some("undefined"), None),
        ("0", "Thrown", Some("0"), Some("0")),
        ("{ code: 5 }", "Thrown", None, Some("{\"code\":5}")),
        ("() => {}", "Thrown", None, None),
    ] {
        subject.judge(trial, Case::new(format!("async () => {{ throw {thrown}; }}")), |came| {
            let told = came.threw()?;
            told_as("name", &told.name, name)?;
            match message {
                Some(wanted) => told_as("message", &told.message, wanted)?,
                None if told.message.is_empty() => return Err("the message is empty".to_owned()),
                None => {}
            }
            match value {
                Some(wanted) => told_as("value", told.value.as_deref().unwrap_or("missing"), wanted),
                None => Ok(()),
            }
        });
    }
    for code in ["() => { throw new TypeError('bad'); }", "() => Promise.reject(new TypeError('bad'))"] {
        subject.judge(trial, Case::new(code), |came| told_as("message", &came.threw()?.message, "bad"));
    }
}

fn told_as(part: &str, told: &str, wanted: &str) -> Result<(), String> {
    if told == wanted { Ok(()) } else { Err(format!("the {part} is {}, and has to be {wanted}", short(told))) }
}

/// What was thrown has no more room than any other value.
fn tells_large_values(subject: &Subject, trial: &mut Trial) {
    for thrown in ["{ text: 'x'.repeat(1000) }", "new Error('x'.repeat(1000))", "'x'.repeat(1000)"] {
        let case = Case::new(format!("async () => {{ throw {thrown}; }}")).limits(|limits| limits.value_units = 100);
        subject.judge(trial, case, |came| match came.threw()? {
            thrown if thrown.message.is_empty() => Err("the message is empty".to_owned()),
            thrown if thrown.value.is_some() => {
                Err("the value is over the limit of values, and has to be left out".to_owned())
            }
            _ => Ok(()),
        });
    }
}

/// A place that code throws at: the code, the line, and the columns between which the throwing text stands.
const PLACES: [(&str, u32, u32, u32); 6] = [
    ("async () => {\n  const x = 1;\n  await null;\n  throw new Error('here');\n}", 4, 3, 27),
    ("async () => {\n  await null;\n  const o = { a: null };\n  o.a.b;\n}", 4, 3, 9),
    ("async () => {\n  const f = () => {\n    missing();\n  };\n  f();\n}", 3, 5, 15),
    ("async () => {\n  const s = '🙂🙂';  throw new Error(s);\n}", 2, 21, 40),
    ("async () => {\n\n  await t.fail({});\n}", 3, 3, 20),
    ("async () => {\n  const x = ;\n}", 2, 3, 14),
];

fn tells_the_place(subject: &Subject, trial: &mut Trial) {
    for (code, line, from, to) in PLACES {
        let came = subject.run(Case::new(code));
        if matches!(came.threw(), Ok(thrown) if thrown.line.is_none()) {
            continue;
        }
        trial.case_of("", code, place(&came, (line, from, to)));
    }
}

fn place(came: &Came, (line, from, to): (u32, u32, u32)) -> Result<(), String> {
    let thrown = came.threw()?;
    let right = thrown.line == Some(line) && thrown.column.is_none_or(|column| (from..=to).contains(&column));
    let told = (thrown.line, thrown.column);
    if right {
        Ok(())
    } else {
        Err(format!("the place is {told:?}, and has to be in line {line}, columns {from} to {to}"))
    }
}

fn tells_what_does_not_parse(subject: &Subject, trial: &mut Trial) {
    for code in [
        "async () => {",
        "async () => { t.echo(1); const x = ; }",
        "async () => { let a b }",
        "() => { let a; let a; }",
    ] {
        subject.judge(trial, Case::new(code), |came| {
            let thrown = came.threw()?;
            told_as("name", &thrown.name, "SyntaxError")?;
            same("it asked for", &came.asks(), &[])
        });
    }
    for code in ["1 + 1", "'async () => 1'", "({})"] {
        subject.judge(trial, Case::new(code), |came| came.threw().map(drop));
    }
}

fn shows_frames_of_the_code(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {\n  await null;\n  [1].forEach(function inner() { throw new Error('in'); });\n}";
    let came = subject.run(Case::new(code));
    let stack = match came.threw() {
        Ok(thrown) => thrown.stack.clone(),
        Err(_) => Some(String::new()),
    };
    let Some(stack) = stack else { return };
    let frames = stack.lines().filter(|line| !line.trim().is_empty()).count();
    // Two functions of the code are under way; `forEach` is none of them.
    let told = format!("the stack has {frames} lines, and two functions of the code were under way:\n{stack}");
    trial.case_of("", code, if (1..=2).contains(&frames) { Ok(()) } else { Err(told) });
}
