//! The tables of `docs/values.json`, each row through the real sandbox, the journal and back.

use std::sync::Arc;

use codemode_conformance::harness::{Host, anna, error_of, id_of, json, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::{Code, ErrorKind, Json, Picks};
use serde_json::Value;

use crate::kit::{shared, stored};

fn table(name: &str) -> Vec<Value> {
    let tables: Value = serde_json::from_str(include_str!("../../../docs/values.json")).unwrap();
    let rows = tables[name].as_array().unwrap().clone();
    assert!(rows.len() >= 10, "{name} has {} rows", rows.len());
    rows
}

fn text<'a>(row: &'a Value, member: &str) -> Option<&'a str> {
    row[member].as_str()
}

/// Each value as a step's result, as an argument and as a result, in the first pass and in the replay after an approval,
/// decoded and encoded again.
///
/// Covers CODEC-01, CODEC-05, CODEC-09, WEAK-09.
#[tokio::test(flavor = "multi_thread")]
async fn every_value_of_the_table_is_encoded_as_it_says_and_survives_the_round_trip() {
    let host = Host::new();
    let runtime = host.runtime();
    for row in table("values") {
        let js = text(&row, "js").unwrap();
        let expected = text(&row, "json").map(json);
        let code = format!(
            "async () => {{ const s = await codemode.step('v', () => ({js})); const e = await t.echo(({js}));
                const again = await t.echo(s); await t.gate({{}}); return again === undefined ? e : again; }}"
        );
        let paused = runtime.execute(code.as_str()).await.unwrap();
        let record = stored(&runtime, &paused);
        let [step, echo, again, _gate] = &record.entries[..] else { panic!("{js}: {paused:#?}") };
        assert_eq!(step.answer, Some(Ok(expected.clone())), "{js} as step");
        for call in [echo, again] {
            assert_eq!(call.request.args(), expected.as_ref(), "{js} as argument");
            assert_eq!(call.answer, Some(Ok(expected.clone())), "{js} as result");
        }
        let done = runtime.approve(&id_of(&paused), Picks::AllPending, anna()).await.unwrap();
        assert_eq!(result_of(&done), text(&row, "json").unwrap_or_default(), "{js} after replay");
        if let Some(value) = expected {
            let canonical = text(&row, "canonical").or_else(|| text(&row, "json")).unwrap();
            assert_eq!(value.canonical(), canonical, "{js}");
        }
    }
}

/// As the input of the code, which no sandbox encoded.
///
/// Covers CODEC-01.
#[tokio::test(flavor = "multi_thread")]
async fn every_value_of_the_table_is_the_same_to_the_code_wherever_it_comes_from() {
    let runtime = Host::new().runtime();
    for row in table("values").iter().filter(|r| r["json"].is_string()) {
        let (js, encoded) = (text(row, "js").unwrap(), text(row, "json").unwrap());
        let code = Code::new("async (input) => input").with_input(json(encoded));
        assert_eq!(result_of(&runtime.execute(code).await.unwrap()), encoded, "{js}");
    }
}

/// Covers CODEC-05, CODEC-06, DIFF-14.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_encoding_is_refused_with_its_path() {
    let host = Host::new();
    for row in table("refused_by_sandbox") {
        let (js, path) = (text(&row, "js").unwrap(), text(&row, "path").unwrap());
        for (code, place) in [
            (format!("async () => t.echo(({js}))"), format!("arguments to t.echo: args{path} ")),
            (format!("async () => codemode.step('s', () => ({js}))"), format!("result of __step.s: result{path} ")),
        ] {
            // An async function's or a step's promise is awaited, so a promise itself is no case of its own.
            let outcome = host.runtime().execute(code.as_str()).await.unwrap();
            let error = error_of(&outcome);
            assert_eq!(error.kind, ErrorKind::Unrecordable, "{code}");
            assert!(error.message.starts_with(&place), "{code}: {}", error.message);
        }
    }
    assert_eq!(host.ledger.count("t", "echo"), 0);
}

/// A connector that answers a fixed text as plain JSON, and one that notes the text it got.
fn plain(answer: String, got: Arc<std::sync::Mutex<Option<String>>>) -> Native {
    Native::new("plain")
        .raw(Method::read("give"), move |_, _| {
            let answer = answer.clone();
            async move { Ok(Some(answer)) }
        })
        .raw(Method::read("take"), move |args, _| {
            *got.lock().unwrap() = args;
            async { Ok(None) }
        })
}

/// Covers CODEC-01, CODEC-03, CODEC-08.
#[tokio::test(flavor = "multi_thread")]
async fn plain_json_of_a_connector_is_tagged_where_javascript_would_change_it() {
    for row in table("plain") {
        let (answer, tagged) = (text(&row, "plain").unwrap(), text(&row, "tagged").unwrap());
        let got = Arc::default();
        let host = Host::new().with("plain", shared(plain(answer.to_owned(), Arc::clone(&got))));
        let runtime = host.runtime();
        let outcome = runtime.execute("async () => { await plain.give(); }").await.unwrap();
        assert_eq!(stored(&runtime, &outcome).entries[0].answer, Some(Ok(Some(json(tagged)))), "{answer}");

        let code = Code::new("async (input) => { try { await plain.take(input); } catch (e) { return e.message; } }");
        let outcome = runtime.execute(code.with_input(json(tagged))).await.unwrap();
        match text(&row, "back_error") {
            None => {
                // The code had it in its hands, so numbers are written as JavaScript writes them.
                let back = text(&row, "back").unwrap_or(answer);
                let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                let taken = got.lock().unwrap().clone().unwrap();
                assert!(taken == back || number(&taken).as_f64() == number(back).as_f64(), "{answer}: {taken}");
            }
            Some(path) => {
                let message: String = serde_json::from_str(&result_of(&outcome)).unwrap();
                let place = format!("arguments to plain.take: args{path} is a big integer");
                assert!(message.starts_with(&place), "{answer}: {message}");
                assert_eq!(*got.lock().unwrap(), None, "{answer}");
            }
        }
    }
}

/// Covers CODEC-03.
#[tokio::test(flavor = "multi_thread")]
async fn a_plain_connector_is_never_called_with_what_json_cannot_say() {
    let got = Arc::default();
    let host = Host::new().with("plain", shared(plain("null".to_owned(), Arc::clone(&got))));
    for row in table("not_plain") {
        let (tagged, path, kind) =
            (text(&row, "tagged").unwrap(), text(&row, "path").unwrap(), text(&row, "kind").unwrap());
        let code = Code::new("async (input) => { try { await plain.take(input); } catch (e) { return e.message; } }");
        let outcome = host.runtime().execute(code.with_input(json(tagged))).await.unwrap();
        let message: String = serde_json::from_str(&result_of(&outcome)).unwrap();
        assert!(message.starts_with(&format!("arguments to plain.take: args{path} is {kind}")), "{tagged}: {message}");
        assert_eq!(*got.lock().unwrap(), None, "{tagged}");
    }
}

/// Covers CODEC-01, CODEC-08.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_refuses_from_a_connector_fails_the_call_and_nothing_else() {
    for row in table("refused_by_host") {
        let Some(answer) = text(&row, "plain") else { continue };
        let host = Host::new().with("plain", shared(plain(answer.to_owned(), Arc::default())));
        let code = "async () => { try { await plain.give(); return 'taken'; } catch (e) { return [e.code, await t.echo(1)]; } }";
        let outcome = host.runtime().execute(code).await.unwrap();
        let shown: String = answer.chars().take(60).collect();
        assert_eq!(result_of(&outcome), r#"["internal",1]"#, "{shown}");
    }
    let tagged =
        table("refused_by_host").iter().filter_map(|r| text(r, "tagged").map(str::to_owned)).collect::<Vec<_>>();
    for text in tagged {
        assert!(Json::from_tagged(&text, &codemode_runtime::ValueLimits::default()).is_err());
    }
}
