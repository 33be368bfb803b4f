//! Steps: what the host is told of a closure, and that its outcome reaches the code only through `next`.

use codemode_runtime::durable::failure::{Failure, code};

use super::Check;
use super::script::{Order, Steps};
use super::story::{Ask, Came, Event};
use super::subject::{Case, Subject, json, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-STEP-01", enters_and_exits, ""),
    ("EXEC-STEP-02", says_what_runs_again, ""),
    ("EXEC-STEP-03", takes_the_recorded_value, ""),
    ("EXEC-STEP-04", waits_for_the_outcome, ""),
    ("EXEC-STEP-05", throws_as_it_was, ""),
    ("EXEC-STEP-06", draws_apart, ""),
];

/// Steps and calls, without what is said of running again.
fn told(came: &Came) -> Vec<String> {
    let lines = came.lines(|event| matches!(event, Event::Asked(_) | Event::Exited(..)));
    lines.into_iter().map(|line| line.trim_end_matches(" again").to_owned()).collect()
}

fn enters_and_exits(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const a = await codemode.step('one', () => ({ n: 1 }));
        const b = await codemode.step('two', async () => { await t.echo('in'); return 2; });
        const c = await codemode.step('three', () => undefined);
        return [a, b, c === undefined];
    }";
    let wanted = [
        "step one",
        "exit 0 {\"n\":1}",
        "step two",
        "call t.echo \"in\"",
        "exit 1 2",
        "step three",
        "exit 3 undefined",
    ];
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "[{\"n\":1},2,true]")?;
        same("it told", &told(came), &wanted)
    });
    let names =
        "async () => { await codemode.step(7, () => 1); await codemode.step('n\\u0000 é', () => 1); return 1; }";
    subject.asks(trial, Case::new(names), &["step 7", "step n\u{0} é"]);
    let beside = "async () => Promise.all(['a', 'b'].map((name) => codemode.step(name, async () => t.echo(name))))";
    let case = Case::new(beside).order(Order::These(vec![3, 1]));
    subject.judge(trial, case, |came| {
        returned(came, "[\"a\",\"b\"]")?;
        let wanted = ["step a", "call t.echo \"a\"", "step b", "call t.echo \"b\"", "exit 2 \"b\"", "exit 0 \"a\""];
        same("it told", &told(came), &wanted)
    });
}

fn says_what_runs_again(subject: &Subject, trial: &mut Trial) {
    for (closure, wanted) in [
        ("() => 42", "exit 0 42"),
        ("() => { throw 1; }", "exit 0 thrown 1"),
        ("async () => 1", "exit 0 1 again"),
        ("async () => { throw 1; }", "exit 0 thrown 1 again"),
        ("() => ({ then(ok) { ok(5); } })", "exit 0 5 again"),
        ("() => { t.echo(1); return 1; }", "exit 0 1 again"),
        ("() => { setTimeout(() => {}, 1); return 1; }", "exit 0 1 again"),
        ("() => { codemode.step('in', () => 2); return 1; }", "exit 0 1 again"),
    ] {
        let code = format!("async () => {{ await codemode.step('k', {closure}).catch(() => {{}}); return 'done'; }}");
        subject.judge(trial, Case::new(code), |came| {
            returned(came, "\"done\"")?;
            let exits = came.lines(|event| matches!(event, Event::Exited(op, _) if op.0 == 0));
            same("it told", &exits, &[wanted])
        });
    }
}

fn takes_the_recorded_value(subject: &Subject, trial: &mut Trial) {
    let code = "async () => { let ran = 0;
        const v = await codemode.step('k', () => { ran += 1; return 1; });
        const w = await codemode.step('l', async () => { ran += 1; await t.echo(1); return 1; });
        return [v, w, ran]; }";
    let case = Case::new(code).steps(Steps::Recorded(Ok(json("\"recorded\""))));
    subject.judge(trial, case, |came| {
        returned(came, "[\"recorded\",\"recorded\",0]")?;
        same("it told", &told(came), &["step k", "step l"])
    });
}

fn waits_for_the_outcome(subject: &Subject, trial: &mut Trial) {
    for closure in ["() => 1", "async () => 1", "() => { t.echo(2); return 1; }"] {
        let case = Case::new(format!("async () => codemode.step('k', {closure})"));
        subject.returns(trial, case.steps(Steps::Overruled(Ok(json("\"of the host\"")))), "\"of the host\"");
    }
    let order = "async () => {
        const seen = [];
        await Promise.all([codemode.step('k', () => 1).then(() => seen.push('step')), t.echo(1).then(() => seen.push('call'))]);
        return seen;
    }";
    subject.returns(trial, Case::new(order).order(Order::These(vec![1, 0])), "[\"call\",\"step\"]");
}

fn throws_as_it_was(subject: &Subject, trial: &mut Trial) {
    for (thrown, seen, wanted) in [
        ("Object.assign(new RangeError('r'), { x: 1 })", "[e instanceof RangeError, e.message, e.x]", "[true,\"r\",1]"),
        ("{ a: 1 }", "e", "{\"a\":1}"),
        ("'text'", "[typeof e, e]", "[\"string\",\"text\"]"),
        ("null", "[e]", "[null]"),
        ("() => {}", "[e instanceof Error, e.message.length > 0]", "[true,true]"),
    ] {
        let code = format!(
            "async () => {{ try {{ await codemode.step('k', () => {{ throw {thrown}; }}); }} catch (e) {{ return {seen}; }} }}"
        );
        subject.returns(trial, Case::new(code), wanted);
    }
    let failure = Failure { details: json("{\"a\":1}"), ..Failure::new(code::THROWN, "m") };
    let replayed = "async () => codemode.step('k', () => 1).catch((e) => e)";
    subject.returns(trial, Case::new(replayed).steps(Steps::Recorded(Err(failure))), "{\"a\":1}");
    let no_function = "async () => codemode.step('k', 42).then(() => 'ran', (e) => e.name)";
    subject.returns(trial, Case::new(no_function), "\"TypeError\"");
}

fn draws_apart(subject: &Subject, trial: &mut Trial) {
    let code = |closure: &str| {
        format!(
            "async () => {{ const a = Math.random(); await codemode.step('k', {closure}); return [a, Math.random()]; }}"
        )
    };
    let skipped = subject.run(Case::new(code("() => Math.random()")).steps(Steps::Recorded(Ok(None))));
    let wanted = skipped.returned().map(str::to_owned);
    for closure in ["() => Math.random()", "() => Math.random() + Math.random() + Math.random()"] {
        subject.judge(trial, Case::new(code(closure)), |came| returned(came, wanted.as_ref().map_err(Clone::clone)?));
    }
    let inside =
        "async () => [await codemode.step('k', () => Math.random()), await codemode.step('k', () => Math.random())]";
    subject.judge(trial, Case::new(inside), |came| {
        let exits = came.lines(|event| matches!(event, Event::Exited(..)));
        came.returned()?;
        let drawn: Vec<&str> = exits.iter().filter_map(|line| line.rsplit(' ').next()).collect();
        match drawn.as_slice() {
            [a, b] if a != b => Ok(()),
            _ => Err(format!("two steps drew {drawn:?}, and each has draws of its own")),
        }
    });
    let asks = came_asks(&skipped);
    trial.case_of("", "", same("it asked for", &asks, &["step k"]));
}

fn came_asks(came: &Came) -> Vec<String> {
    came.lines(|event| matches!(event, Event::Asked(Ask::Step(_))))
}
