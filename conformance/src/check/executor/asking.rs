//! Calls and searches: what is asked for, in which order, and how answers and failures reach the code.

use codemode_runtime::durable::execution::Namespace;
use codemode_runtime::durable::failure::{EffectState, Failure};

use super::Check;
use super::script::{Order, Reply, usual};
use super::story::{Ask, Came, Event};
use super::subject::{Case, METHODS, Subject, json, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-ASK-01", asks_in_order, ""),
    ("EXEC-ASK-02", takes_the_first_argument, ""),
    ("EXEC-ASK-03", answers_each, ""),
    ("EXEC-ASK-04", throws_failures, ""),
    ("EXEC-ASK-05", asks_for_any_method, ""),
    ("EXEC-ASK-06", shows_methods, ""),
    ("EXEC-ASK-07", adds_to_codemode, ""),
    ("EXEC-ASK-08", goes_on_with_what_came, ""),
    ("EXEC-ASK-09", searches, ""),
    ("EXEC-ASK-10", bears_many, ""),
];

fn asks_in_order(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const all = [t.echo(1), codemode.describe('t'), codemode.step('s', () => 1),
            new Promise((ok) => setTimeout(ok, 5)), codemode.run('none', 2), t.add({ b: 1, a: 2 })];
        await Promise.all(all);
        return t.echo('last');
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "\"last\"")?;
        let told = came.lines(|event| matches!(event, Event::Asked(_) | Event::Awaited(_)));
        let first = told.iter().take_while(|line| *line != "next").cloned().collect::<Vec<_>>();
        let wanted =
            ["call t.echo 1", "describe \"t\"", "step s", "sleep 5", "snippet none 2", "call t.add {\"b\":1,\"a\":2}"];
        same("before the first `next` it asked for", &first, &wanted)?;
        same("at last it asked for", &came.asks()[6..], &["call t.echo \"last\""])
    });
}

fn takes_the_first_argument(subject: &Subject, trial: &mut Trial) {
    let code =
        "async () => { t.echo(); t.echo(undefined); t.echo(null); t.echo(1, 2); await t.echo({}); return 'done'; }";
    let wanted = ["call t.echo", "call t.echo", "call t.echo null", "call t.echo 1", "call t.echo {}"];
    subject.asks(trial, Case::new(code), &wanted);
}

fn answers_each(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const seen = [];
        await Promise.all(['a', 'b', 'c'].map(async (k) => {
            const given = await t.echo({ k });
            seen.push(given.k === k ? k : `${given.k} for ${k}`);
        }));
        return seen.join();
    }";
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let wanted = order.map(|op| ["a", "b", "c"][op as usize]).join(",");
        subject.returns(trial, Case::new(code).order(Order::These(order.to_vec())), &format!("\"{wanted}\""));
    }
}

fn throws_failures(subject: &Subject, trial: &mut Trial) {
    let failing = |name: Option<&'static str>| {
        move |_: &Ask| {
            let failure = Failure::new("not-found", "no such book").with_effect(EffectState::Possible);
            let (name, details) = (name.map(str::to_owned), json(r#"{"isbn":7}"#));
            Reply::Now(Err(Failure { name, details, retry_after_ms: Some(250), ..failure }))
        }
    };
    let code = "async () => { try { await t.fail({}); } catch (e) {
        return [e instanceof Error, e.name, e.message, e.code, e.details, e.retryAfterMs, e.effect]; } }";
    let wanted = r#"[true,"ConnectorError","no such book","not-found",{"isbn":7},250,"possible"]"#;
    subject.returns(trial, Case::new(code).answering(failing(None)), wanted);
    let named =
        "async () => { try { await t.fail({}); } catch (e) { return [e instanceof TypeError, e.name, e.code]; } }";
    let case = Case::new(named).answering(failing(Some("TypeError")));
    subject.returns(trial, case, r#"[true,"TypeError","not-found"]"#);
    subject.judge(trial, Case::new("async () => { await t.fail({}); }").answering(failing(None)), |came| {
        let thrown = came.threw()?;
        let found = [thrown.name.clone(), thrown.message.clone()];
        same("what nobody caught is told as", &found, &["ConnectorError", "no such book"])
    });
}

fn asks_for_any_method(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const same = (await t) === t;
        const end = await t.ecko({ a: 1 }).then(() => 'answered', () => 'failed');
        return [same, end];
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "[true,\"failed\"]")?;
        same("it asked for", &came.asks(), &["call t.ecko {\"a\":1}"])
    });
    let odd = "async () => {
        const names = ['a b', 'é🙂', '', '0', 'con\\u0000trol', '__x'];
        return (await Promise.allSettled(names.map((name) => t[name]({})))).every((end) => end.reason instanceof Error);
    }";
    subject.judge(trial, Case::new(odd), |came| {
        returned(came, "true")?;
        let wanted = ["a b", "é🙂", "", "0", "con\u{0}trol", "__x"].map(|name| format!("call t.{name} {{}}"));
        same("it asked for", &came.asks(), &wanted.each_ref().map(String::as_str))
    });
}

fn shows_methods(subject: &Subject, trial: &mut Trial) {
    let code = "() => [Object.keys(t), METHODS.every((name) => name in t && typeof t[name] === 'function'), typeof t,
        t.echo === t.echo, typeof other]";
    let methods = serde_json::json!(METHODS).to_string();
    let wanted = format!("[{methods},true,\"object\",true,\"undefined\"]");
    subject.returns(trial, Case::new(code.replace("METHODS", &methods)), &wanted);
}

fn adds_to_codemode(subject: &Subject, trial: &mut Trial) {
    let code = "async () => [typeof codemode.step, await codemode.extra({ a: 1 })]";
    let case = Case::new(code).answering(|ask| match ask {
        Ask::Call { args, .. } => Reply::Now(Ok(args.as_deref().and_then(json))),
        _ => Reply::Never,
    });
    let extra = Namespace { name: "codemode".to_owned(), methods: vec!["extra".to_owned()] };
    let case = case.with(|request| request.namespaces.push(extra));
    subject.judge(trial, case, |came| {
        returned(came, "[\"function\",{\"a\":1}]")?;
        same("it asked for", &came.asks(), &["call codemode.extra {\"a\":1}"])
    });
    let without = "async () => codemode.extra({ a: 1 }).then(() => 'answered', (e) => e instanceof Error)";
    subject.judge(trial, Case::new(without), |came| {
        returned(came, "true")?;
        same("it asked for", &came.asks(), &[])
    });
}

/// Asks and answers, in their order.
fn turns(came: &Came) -> Vec<String> {
    came.lines(|event| matches!(event, Event::Asked(_) | Event::Gave(_)))
}

fn goes_on_with_what_came(subject: &Subject, trial: &mut Trial) {
    for (group, wanted) in [
        ("await Promise.race([t.slow({ v: 'a' }), t.slow({ v: 'b' })])", "\"b\""),
        ("await Promise.any([t.slow({ v: 'a' }), t.fail({})]).catch(() => 'none')", "\"a\""),
        (
            "(await Promise.allSettled([t.slow({ v: 'a' }), t.fail({})])).map((r) => r.status).join()",
            "\"fulfilled,rejected\"",
        ),
        ("await Promise.all([t.slow({ v: 'a' }), t.fail({})]).catch((e) => e.code)", "\"not-found\""),
    ] {
        let code = format!("async () => {{ const first = {group}; await t.echo(first); return first; }}");
        let early = group.contains("race") || group.contains("all([");
        subject.judge(trial, Case::new(code).order(Order::These(vec![1, 0])), |came| {
            returned(came, wanted)?;
            let turns = turns(came);
            let told = turns.iter().skip(2).take(3).map(String::as_str).collect::<Vec<_>>();
            let ask = format!("call t.echo {wanted}");
            let right = if early { ["gave 1", ask.as_str(), "gave 0"] } else { ["gave 1", "gave 0", ask.as_str()] };
            if told == right { Ok(()) } else { Err(format!("it went on as {told:?}, and it has to be {right:?}")) }
        });
    }
}

fn searches(subject: &Subject, trial: &mut Trial) {
    let code = "async () => [await codemode.search('x \"y\"\\n'), await codemode.describe(5)]";
    let answer = |ask: &Ask| match ask {
        Ask::Search(_) => Reply::Now(Ok(json(r#"{"hits":[1]}"#))),
        Ask::Describe(_) => Reply::Now(Ok(json("null"))),
        other => usual(other),
    };
    subject.judge(trial, Case::new(code).answering(answer), |came| {
        returned(came, "[{\"hits\":[1]},null]")?;
        same("it asked for", &came.asks(), &["search \"x \\\"y\\\"\\n\"", "describe \"5\""])
    });
    let promises = "async () => {
        const asked = [t.echo(1), codemode.search('x'), codemode.describe('t'), codemode.step('s', () => 1), codemode.run('none')];
        const all = asked.every((promise) => promise instanceof Promise);
        await Promise.allSettled(asked);
        return all;
    }";
    subject.returns(trial, Case::new(promises), "true");
    let fails = "async () => codemode.search('x').then(() => 'answered', (e) => e.message)";
    let failing = |_: &Ask| Reply::Now(Err(Failure::new("internal", "no index")));
    subject.returns(trial, Case::new(fails).answering(failing), "\"no index\"");
}

fn bears_many(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        let sum = 0;
        for (let i = 0; i < 600; i++) sum += (await t.echo({ i, pad: 'x'.repeat(i % 50) })).i;
        const all = await Promise.all(Array.from({ length: 400 }, (_, i) => t.echo({ i })));
        return [sum, all.every((given, i) => given.i === i)];
    }";
    subject.returns(trial, Case::new(code), "[179700,true]");
}
