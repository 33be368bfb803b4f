//! Timers: each is asked for, taken back and fired as the host says.

use super::Check;
use super::story::Event;
use super::subject::{Case, Subject, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-TIMER-01", asks_for_timers, ""),
    ("EXEC-TIMER-02", takes_timers_back, ""),
    ("EXEC-TIMER-03", repeats, ""),
    ("EXEC-TIMER-04", bears_callbacks_that_throw, ""),
];

fn asks_for_timers(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const seen = [];
        await new Promise((done) => {
            setTimeout((...args) => { seen.push(args); done(); }, 30, 'c', 3);
            setTimeout(() => seen.push('a'), 10);
            setTimeout(() => seen.push('b'), 20.9);
            setTimeout(() => seen.push('0'), -5);
            setTimeout(() => seen.push('1'));
        });
        return seen;
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "[\"0\",\"1\",\"a\",\"b\",[\"c\",3]]")?;
        same("it asked for", &came.asks(), &["sleep 30", "sleep 10", "sleep 20", "sleep 0", "sleep 0"])
    });
}

fn takes_timers_back(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const id = setTimeout(() => console.log('fired'), 5);
        clearTimeout(id); clearTimeout(id); clearTimeout(undefined); clearTimeout('x'); clearTimeout(99);
        await t.echo(1);
        await new Promise((ok) => setTimeout(ok, 20));
        return 'done';
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "\"done\"")?;
        same("it asked for", &came.asks(), &["sleep 5", "cancel 0", "call t.echo 1", "sleep 20"])?;
        same("it wrote", &came.logs(), &[])
    });
}

fn repeats(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        let n = 0;
        await new Promise((done) => {
            const id = setInterval((by) => { n += by; if (n === 5) { clearInterval(id); done(); } }, 10, 1);
        });
        await new Promise((done) => setTimeout(done, 100));
        return n;
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "5")?;
        let timers = came.lines(|event| matches!(event, Event::Asked(_)));
        same("it asked for", &timers, &["sleep 10", "sleep 10", "sleep 10", "sleep 10", "sleep 10", "sleep 100"])
    });
}

fn bears_callbacks_that_throw(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        setTimeout(() => { throw new TypeError('lost'); }, 1);
        await new Promise((done) => setTimeout(done, 5));
        return 'done';
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "\"done\"")?;
        match came.logs().as_slice() {
            [line] if line.starts_with("error ") && line.contains("lost") => Ok(()),
            lines => Err(format!("it wrote {lines:?}, and an exception in a timer is one error line with its message")),
        }
    });
}
