//! Values on their way out of the code and back into it: the table of `docs/values.json`, what arrives, and random ones.

mod arriving;
mod random;

use codemode_runtime::executor::{Ran, Refusal};
use serde::Deserialize;

use super::Check;
use super::script::{Reply, usual};
use super::story::{Ask, Came, Event};
use super::subject::{Case, Subject, json, returned, same};
use crate::check::trial::{Trial, short};

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-VALUE-01", encodes, ""),
    ("EXEC-VALUE-02", arriving::decodes, ""),
    ("EXEC-VALUE-03", carries_everywhere, ""),
    ("EXEC-VALUE-04", refuses, ""),
    ("EXEC-VALUE-05", reads_once, ""),
];

/// The documented examples.
static VECTORS: &str = include_str!("../../../../docs/values.json");

#[derive(Deserialize)]
struct Vectors {
    values: Vec<Value>,
    refused_by_sandbox: Vec<Refused>,
}

#[derive(Deserialize)]
struct Value {
    js: String,
    json: Option<String>,
}

#[derive(Deserialize)]
struct Refused {
    js: String,
    path: String,
}

fn vectors(trial: &mut Trial) -> Option<Vectors> {
    match serde_json::from_str(VECTORS) {
        Ok(vectors) => Some(vectors),
        Err(error) => {
            trial.case(Err(format!("the table of values cannot be read: {error}")));
            None
        }
    }
}

/// The argument of the first call.
fn argument(came: &Came) -> Option<&str> {
    came.events.iter().find_map(|event| match event {
        Event::Asked(Ask::Call { args, .. }) => args.as_deref(),
        _ => None,
    })
}

fn encodes(subject: &Subject, trial: &mut Trial) {
    let Some(Vectors { values, .. }) = vectors(trial) else { return };
    let rows: Vec<(&str, &str)> =
        values.iter().filter_map(|row| Some((row.js.as_str(), row.json.as_deref()?))).collect();
    // All of them in one run; only where that is not right, each in one of its own.
    let calls: String = rows.iter().map(|(js, _)| format!("() => t.echo({js}),\n")).collect();
    let all = subject.run(Case::new(format!("async () => {{ for (const ask of [{calls}]) ask(); return 1; }}")));
    let wanted: Vec<String> = rows.iter().map(|(_, json)| format!("call t.echo {json}")).collect();
    if all.asks() == wanted && all.returned() == Ok("1") {
        rows.iter().for_each(|(js, _)| trial.case_of("", js, Ok(())));
        return;
    }
    for (js, wanted) in rows {
        subject.judge(trial, Case::new(format!("async () => {{ t.echo({js}); return 1; }}")), |came| {
            match (argument(came), came.returned()) {
                (Some(text), Ok("1")) if text == wanted => Ok(()),
                (Some(text), Ok("1")) => {
                    Err(format!("it is encoded as {}, and has to be {}", short(text), short(wanted)))
                }
                _ => Err(came.told()),
            }
        });
    }
}

/// One value with all kinds in it.
const ALL_KINDS: &str = concat!(
    r#"[null,true,0.5,"é",{"$cm":["undefined"]},{"$cm":["number","NaN"]},{"$cm":["number","-0"]},{"$cm":["bigint","-10"]},"#,
    r#"{"$cm":["date",0]},{"$cm":["date",null]},{"$cm":["map",[["k",{"$cm":["set",[1]]}]]]},{"$cm":["regexp","a","g"]},"#,
    r#"{"$cm":["error",{"name":"RangeError","message":"m","code":{"$$cm":1}}]},"#,
    r#"{"$cm":["bytes","Uint8Array","AP8="]},{"$cm":["bytes","ArrayBuffer","AA=="]}]"#,
);

fn carries_everywhere(subject: &Subject, trial: &mut Trial) {
    trial.case_of("", ALL_KINDS, carries(subject, ALL_KINDS));
    trial.values("a value", random::values(), |value| carries(subject, &value.to_string()));
}

/// Whether a value comes through everywhere as it was.
fn carries(subject: &Subject, text: &str) -> Result<(), String> {
    let code = "async (input) => {
        const v = await t.get(1);
        await t.echo(v);
        await codemode.step('s', () => v);
        return [input, v, await codemode.run('same', v)];
    }";
    let value = json(text).ok_or_else(|| "it is no tagged JSON".to_owned())?;
    let (given, text) = (value.clone(), value.as_str().to_owned());
    let answers = move |ask: &Ask| match ask {
        Ask::Call { method, .. } if method == "get" => Reply::Now(Ok(Some(given.clone()))),
        Ask::Snippet(..) => Reply::Now(Ok(json(r#"{"code":"async (n) => n"}"#))),
        other => usual(other),
    };
    let came = subject.run(Case::new(code).answering(answers).with(|request| request.input = Some(text.clone())));
    let told = came.lines(|event| matches!(event, Event::Asked(_) | Event::Exited(..)));
    let wanted = [
        "call t.get 1",
        &format!("call t.echo {text}"),
        "step s",
        &format!("exit 2 {text}"),
        &format!("snippet same {text}"),
    ];
    same("it told", &told, &wanted)?;
    returned(&came, &format!("[{text},{text},{text}]"))
}

fn refuses(subject: &Subject, trial: &mut Trial) {
    let Some(Vectors { refused_by_sandbox, .. }) = vectors(trial) else { return };
    for Refused { js, path } in refused_by_sandbox {
        let wanted = format!("args{path}");
        subject.judge(
            trial,
            Case::new(format!("async () => {{ try {{ t.echo({js}); }} catch (e) {{}} return 1; }}")),
            |came| match (came.refused(), &came.ran) {
                (Some(("arguments to t.echo", Refusal::Unsupported(at, _) | Refusal::Cyclic(at))), Ran::Over)
                    if *at == wanted =>
                {
                    Ok(())
                }
                _ => Err(format!("{}, and has to refuse the arguments to t.echo at {wanted}", came.told())),
            },
        );
    }
    for (code, named) in [
        ("async () => codemode.step('n', () => ({ f() {} }))", "result of step \"n\""),
        ("async () => codemode.step('n', async () => Symbol('s'))", "result of step \"n\""),
        ("async () => () => {}", "the result"),
        ("() => { const a = []; a.push({ a }); return a; }", "the result"),
        ("() => t", "the result"),
    ] {
        subject.judge(trial, Case::new(code), |came| match came.refused() {
            Some((subject, Refusal::Unsupported(..) | Refusal::Cyclic(_))) if subject == named => Ok(()),
            _ => Err(format!("{}, and has to refuse {named}", came.told())),
        });
    }
    let shared = "async () => { const s = { a: 1 }; return t.echo([s, s]); }";
    subject.returns(trial, Case::new(shared), "[{\"a\":1},{\"a\":1}]");
}

fn reads_once(subject: &Subject, trial: &mut Trial) {
    let getters = "async () => {
        const seen = [];
        const args = { get b() { seen.push('b'); return 1; }, get a() { seen.push('a'); return 2; } };
        const call = t.echo(args);
        args.c = 3;
        await call;
        return seen;
    }";
    subject.judge(trial, Case::new(getters), |came| {
        returned(came, "[\"b\",\"a\"]")?;
        same("it asked for", &came.asks(), &["call t.echo {\"b\":1,\"a\":2}"])
    });
    let to_json = "async () => {
        let n = 0;
        await t.echo({ v: { toJSON(key) { n += 1; return { key, inner: { toJSON: () => 'twice' } }; } } });
        return n;
    }";
    subject.judge(trial, Case::new(to_json), |came| {
        returned(came, "1")?;
        same("it asked for", &came.asks(), &["call t.echo {\"v\":{\"key\":\"v\",\"inner\":\"twice\"}}"])
    });
    let throws = "async () => { try { await t.echo({ get a() { throw new RangeError('mine'); } }); return 'asked'; }
        catch (e) { return [e instanceof RangeError, e.message]; } }";
    subject.judge(trial, Case::new(throws), |came| {
        returned(came, "[true,\"mine\"]")?;
        same("it asked for", &came.asks(), &[])
    });
}
