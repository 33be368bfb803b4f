//! Names that code expects from browsers and Node: they work, the same in each pass, or are missing with a hint.

use codemode_conformance::harness::{Host, approve_all, error_of, result_of};
use codemode_runtime::{ErrorKind, Outcome};
use serde_json::Value;

use crate::kit::{executed, pending_args};

/// Covers BUG-JSX-23.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_exist_work_and_replay() {
    let works: [(&str, Option<Value>); 22] = [
        ("(setTimeout(() => {}, 1), 1)", Some(1.into())),
        ("await new Promise(r => setTimeout(r, 10, 'v'))", Some("v".into())),
        ("structuredClone({ a: 1 }).a", Some(1.into())),
        ("new TextEncoder().encode('é').length", Some(2.into())),
        ("new TextDecoder().decode(new Uint8Array([195, 169]))", Some("é".into())),
        ("btoa('e') + atob('ZQ==')", Some("ZQ==e".into())),
        ("crypto.randomUUID()", None),
        ("performance.now()", None),
        ("await new Promise(r => queueMicrotask(() => r(1)))", Some(1.into())),
        ("new URL('a', 'http://b/c').href", Some("http://b/a".into())),
        ("new URLSearchParams('a=1&b=2').get('b')", Some("2".into())),
        ("Intl.DateTimeFormat().resolvedOptions().timeZone", Some("UTC".into())),
        ("new AbortController().signal.aborted", Some(false.into())),
        ("typeof globalThis", Some("object".into())),
        ("[1, 2, 3].at(-1) + [3, 1, 2].toSorted().join('')", Some("3123".into())),
        ("Object.groupBy([1, 2], (x) => x > 1 ? 'a' : 'b').a[0]", Some(2.into())),
        ("'ß'.toUpperCase() + 'İ'.toLowerCase().length", Some("SS2".into())),
        ("['ä', 'z', 'a'].sort((a, b) => a.localeCompare(b)).join('')", Some("aäz".into())),
        ("(1234.5).toLocaleString()", Some("1,234.5".into())),
        ("(clearTimeout(setTimeout(() => {}, 1)), 'ok')", Some("ok".into())),
        ("escape('ü') + encodeURIComponent('ü')", Some("%FC%C3%BC".into())),
        ("eval('1 + 1') + new Function('return 1')()", Some(3.into())),
    ];
    for (expression, expected) in works {
        let host = Host::new();
        let code = format!("async () => {{ const v = {expression}; await t.gate({{ v }}); return v; }}");
        let paused = host.runtime().execute(code.as_str()).await.unwrap();
        let shown = pending_args(&paused)["v"].clone();
        if let Some(expected) = expected {
            assert_eq!(shown, expected, "{expression}");
        }
        let outcome = approve_all(&host.runtime(), paused).await;
        assert_eq!(serde_json::from_str::<Value>(&result_of(&outcome)).unwrap(), shown, "{expression}");
        assert_eq!(executed(&host.ledger, "gate")[0]["v"], shown, "{expression}");
    }
}

/// Covers BUG-JSX-23, DIFF-04.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_do_not_exist_come_with_the_list_of_those_that_do() {
    let runtime = Host::new().runtime();
    let missing = [
        ("process.env.HOME", "process"),
        ("require('fs')", "require"),
        ("Buffer.from('a')", "Buffer"),
        ("localStorage.getItem('a')", "localStorage"),
        ("window.location", "window"),
        ("document.title", "document"),
        ("new XMLHttpRequest()", "XMLHttpRequest"),
        ("new WebSocket('ws://a')", "WebSocket"),
        ("__dirname", "__dirname"),
        ("module.exports", "module"),
        ("Deno.env", "Deno"),
        ("new WeakRef({})", "WeakRef"),
        ("new SharedArrayBuffer(1)", "SharedArrayBuffer"),
        ("shelves.list()", "shelves"),
    ];
    for (code, name) in missing {
        let outcome = runtime.execute(format!("async () => {code}")).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!((error.kind, error.name.as_str()), (ErrorKind::Thrown, "ReferenceError"), "{code}: {error:?}");
        assert_eq!(error.message, format!("{name} is not defined"), "{code}");
        let hint = error.hint.as_deref().unwrap_or_default();
        let (globals, more) = hint.split_once(';').unwrap_or((hint, ""));
        assert!(globals.ends_with(": shelf, t, codemode"), "{code}: {hint}");
        let meant = if name == "shelves" { " did you mean `shelf`?" } else { "" };
        assert!(more == meant || more.starts_with(" this is no") || more.starts_with(" there is no"), "{code}: {hint}");
    }
}

/// Covers BUG-JSX-23.
#[tokio::test(flavor = "multi_thread")]
async fn the_network_and_modules_are_out_of_reach() {
    let runtime = Host::new().runtime();
    for code in [
        "async () => fetch('http://127.0.0.1')",
        "async () => import.meta.url",
        "async () => import('fs')",
        "async () => (await import('node:fs')).readFileSync('/etc/passwd')",
        "async () => eval('import(\"fs\")')",
    ] {
        let outcome = runtime.execute(code).await.unwrap();
        let Outcome::Failed { error, .. } = &outcome else { panic!("{code}: {outcome:#?}") };
        assert!(matches!(error.kind, ErrorKind::Thrown | ErrorKind::Syntax), "{code}: {error:?}");
        assert!(!error.message.is_empty(), "{code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_host_shows_through_the_globals() {
    let runtime = Host::new().runtime();
    let code = "async () => {
        const seen = Object.getOwnPropertyNames(globalThis).filter((n) => /^_|dispatch|host|bridge|native|prelude/i.test(n));
        const stack = new Error('x').stack;
        return [seen, typeof this, /native|prelude|dispatch/i.test(stack), Object.keys(codemode).sort().join(),
            Object.keys(t).includes('gate'), t.constructor, typeof codemode.__stepRecord]; }";
    let result: Vec<Value> = serde_json::from_str(&result_of(&runtime.execute(code).await.unwrap())).unwrap();
    assert_eq!(result[0], serde_json::json!([]), "{result:?}");
    assert_eq!((&result[2], &result[3]), (&Value::Bool(false), &Value::from("describe,run,search,step")));
    assert_eq!(result[4], Value::Bool(true));

    // What the code changes stays its own affair: the next run has everything whole.
    let breaks = "async () => { Array.prototype.map = null; Promise = null; JSON.stringify = null; globalThis.leak = 1;
        Object.prototype.polluted = 1; return (await t.echo({ a: 1 })).a; }";
    assert_eq!(result_of(&runtime.execute(breaks).await.unwrap()), "1");
    let whole = "async () => [typeof leak, ({}).polluted === undefined, [1].map((x) => x)[0], JSON.stringify(1)]";
    assert_eq!(result_of(&runtime.execute(whole).await.unwrap()), r#"["undefined",true,1,"1"]"#);
}
