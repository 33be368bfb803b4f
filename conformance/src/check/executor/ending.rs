//! Running one function once: its input, its result, when it is over, what stops it, and that nothing stays behind.

use codemode_runtime::executor::Ran;

use super::Check;
use super::script::Ending;
use super::story::{Came, Event};
use super::subject::{Case, Subject, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-RUN-01", runs, ""),
    ("EXEC-RUN-02", ends_what_never_settles, ""),
    ("EXEC-RUN-03", forgets, ""),
    ("EXEC-NEXT-01", says_when_it_settled, ""),
    ("EXEC-NEXT-02", goes_on, ""),
    ("EXEC-NEXT-03", runs_jobs_first, ""),
    ("EXEC-STOP-01", stops, ""),
    ("EXEC-STOP-02", runs_out_of_memory, ""),
    ("EXEC-STOP-03", bears_depth, ""),
    ("EXEC-STOP-04", stops_encoding, ""),
    ("EXEC-STOP-05", ends_where_the_host_says, ""),
];

fn runs(subject: &Subject, trial: &mut Trial) {
    for (code, wanted) in [
        ("() => 1", "1"),
        ("async () => 1 + 1", "2"),
        ("async function main() { return 'a'; }", "\"a\""),
        ("function () { return [null]; }", "[null]"),
        ("async () => {}", "undefined"),
        ("async () => null", "null"),
        ("async () => { await null; return { a: { b: [] } }; } // the end", "{\"a\":{\"b\":[]}}"),
        ("async (input) => typeof input", "\"undefined\""),
        ("() => ({ then(ok) { ok(3); } })", "3"),
    ] {
        subject.returns(trial, Case::new(code), wanted);
    }
    let input = Case::new("async (input, more) => [input.a, typeof more]");
    subject.returns(trial, input.with(|request| request.input = Some(r#"{"a":1}"#.to_owned())), "[1,\"undefined\"]");
}

fn ends_what_never_settles(subject: &Subject, trial: &mut Trial) {
    for code in ["async () => { await new Promise(() => {}); }", "async () => { await t.echo(1); await t.never(1); }"] {
        subject.judge(trial, Case::new(code), |came| match came.threw() {
            Ok(thrown) if !thrown.message.is_empty() => Ok(()),
            Ok(_) => Err("it threw an error without a message".to_owned()),
            Err(told) => Err(format!("nothing is outstanding and the code still waits; {told}")),
        });
    }
}

fn forgets(subject: &Subject, trial: &mut Trial) {
    let leaves =
        "() => { globalThis.left = 1; Array.prototype.left = 1; Object.left = 1; Math.max.left = 1; return 1; }";
    let looks = "() => [typeof globalThis.left, typeof [].left, typeof Object.left, typeof Math.max.left]";
    let nothing = r#"["undefined","undefined","undefined","undefined"]"#;
    subject.returns(trial, Case::new(leaves), "1");
    subject.returns(trial, Case::new(looks), nothing);
    let breaks = "() => { delete globalThis.Map; Object.prototype.left = 1; throw 1; }";
    subject.judge(trial, Case::new(breaks), |came| came.threw().map(drop));
    subject.returns(trial, Case::new("() => [typeof Map, typeof ({}).left]"), r#"["function","undefined"]"#);
}

/// The flags of `next`, in their order.
fn awaited(came: &Came) -> Vec<String> {
    came.lines(|event| matches!(event, Event::Awaited(_)))
}

fn says_when_it_settled(subject: &Subject, trial: &mut Trial) {
    for code in ["async () => { t.echo(1); return 'early'; }", "() => 1"] {
        subject.judge(trial, Case::new(code), |came| {
            came.returned()?;
            let all = awaited(came);
            same(
                "the code had settled at the first `next`, which was told",
                &all[..all.len().min(1)],
                &["next settled"],
            )
        });
    }
    let waits = "async () => { await t.echo(1); await null; return 1; }";
    subject.judge(trial, Case::new(waits), |came| {
        came.returned()?;
        same("the code settled after the first answer; `next` was told", &awaited(came), &["next", "next settled"])
    });
    let fails = "async () => { await t.echo(1); throw 1; }";
    subject.judge(trial, Case::new(fails), |came| {
        came.threw()?;
        same("the code threw after the first answer; `next` was told", &awaited(came), &["next", "next settled"])
    });
}

fn goes_on(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        (async () => { await t.echo(1); await t.add(2); await codemode.step('s', () => 3); await t.echo(4); })();
        return 'early';
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "\"early\"")?;
        same("it asked for", &came.asks(), &["call t.echo 1", "call t.add 2", "step s", "call t.echo 4"])
    });
    let throws = "async () => { (async () => { await t.echo(1); await t.add(2); })(); throw new Error('early'); }";
    subject.judge(trial, Case::new(throws), |came| {
        came.threw()?;
        same("it asked for", &came.asks(), &["call t.echo 1", "call t.add 2"])
    });
}

fn runs_jobs_first(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const late = async (n) => { for (let i = 0; i < 50; i++) await null; return t.add(n); };
        queueMicrotask(() => t.echo(0));
        const first = Promise.all([late(1), late(2)]);
        await t.echo('go');
        await late(3);
        await first;
        return 'done';
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "\"done\"")?;
        let told = came.lines(|event| matches!(event, Event::Asked(_) | Event::Awaited(_)));
        let wanted =
            ["call t.echo \"go\"", "call t.echo 0", "call t.add 1", "call t.add 2", "next", "call t.add 3", "next"];
        same("it asked for", &told[..told.len().min(wanted.len())], &wanted)
    });
}

/// Whether another run of the same executor goes well.
fn unharmed(subject: &Subject, trial: &mut Trial) {
    subject.returns(trial, Case::new("async () => (await t.echo({ n: 1 })).n"), "1");
}

/// How long a loop without end may compute, in milliseconds: an engine that starts anew for each run needs a tenth of a
/// second before the code begins.
pub(super) const LOOP_MS: u64 = 400;

fn stops(subject: &Subject, trial: &mut Trial) {
    for body in ["for (;;) {}", "for (;;) await null;", "await t.echo({ get a() { for (;;) {} } });"] {
        let case = Case::new(format!("async () => {{ {body} }}")).limits(|limits| limits.cpu_ms = LOOP_MS);
        subject.judge(trial, case, |came| match came.ran {
            Ran::CpuLimit => Ok(()),
            _ => Err(format!("{}, and never ends by itself", came.told())),
        });
    }
    unharmed(subject, trial);
}

fn runs_out_of_memory(subject: &Subject, trial: &mut Trial) {
    for body in [
        "const all = []; for (;;) all.push(new Array(1000).fill(1));",
        "let text = 'x'; for (;;) text += text;",
        "const all = []; for (;;) all.push(new Uint8Array(1 << 20));",
    ] {
        let case = Case::new(format!("async () => {{ {body} }}")).limits(|limits| limits.memory_bytes = 24 << 20);
        subject.judge(trial, case, |came| match &came.ran {
            Ran::MemoryLimit | Ran::CpuLimit => Ok(()),
            Ran::Threw(thrown) if !thrown.message.is_empty() => Ok(()),
            _ => Err(format!("{}, and has to end by the limit or by an error that the code can catch", came.told())),
        });
    }
    unharmed(subject, trial);
}

fn bears_depth(subject: &Subject, trial: &mut Trial) {
    for body in [
        "const f = (n) => f(n + 1) + 1; f(0);",
        "const o = { get a() { return this.a; } }; o.a;",
        "class A { constructor() { new A(); } } new A();",
        "const f = () => [1].map(f); f();",
        "const f = async () => { await f(); }; await f();",
        "JSON.parse('['.repeat(30000) + ']'.repeat(30000));",
        "let v = []; for (let i = 0; i < 3e4; i++) v = [v]; JSON.stringify(v);",
        "let v = []; for (let i = 0; i < 3e4; i++) v = [v]; String(v);",
        "let p = Promise.resolve(); for (let i = 0; i < 1e4; i++) p = p.then(() => {}); await p;",
        "const f = () => t.echo({ get a() { return f(); } }); f();",
        "new RegExp('('.repeat(30000) + ')'.repeat(30000));",
    ] {
        let code = format!(
            "async () => {{ let odd = false; try {{ {body} }} catch (e) {{ odd = !(e instanceof Error); }}
            return [odd, (await t.echo({{ ok: 1 }})).ok]; }}"
        );
        subject.returns(trial, Case::new(code), "[false,1]");
    }
}

fn stops_encoding(subject: &Subject, trial: &mut Trial) {
    let code = "async () => { let v = [1]; for (let i = 0; i < 40; i++) v = [v, v]; await t.echo(v); }";
    let case = Case::new(code).limits(|limits| (limits.value_units, limits.memory_bytes) = (1_000_001, 64 << 20));
    subject.judge(trial, case, |came| match came.refused() {
        Some(("arguments to t.echo", _)) => Ok(()),
        _ => Err(format!("{}, and has to refuse the arguments as too large", came.told())),
    });
}

fn ends_where_the_host_says(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const go = async () => {
            try { await t.echo(1); await t.add(2); } catch (e) { t.add('caught'); } finally { t.add('finally'); }
        };
        await Promise.all([go(), codemode.step('s', async () => { await t.echo('in'); return 1; })]);
        return 'done';
    }";
    let asks = [0, 1, 2, 3].map(Ending::Ask);
    for ending in asks.into_iter().chain([0, 1, 2].map(Ending::Next)) {
        subject.judge(trial, Case::new(code).ending(ending), |came| {
            let after: Vec<String> = came.lines(|_| true).into_iter().skip_while(|line| line != "ended").collect();
            same("from where the host ended the run it told", &after, &["ended"])?;
            if came.ran == Ran::Over { Ok(()) } else { Err(format!("the host ended the run, and {}", came.told())) }
        });
    }
}
