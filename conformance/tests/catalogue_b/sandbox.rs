//! What model code finds in its sandbox, and what it does not.

use codemode_conformance::harness::{Host, approve_all, error_of, pending_of, result_of};

use crate::kit::{result, run, soon, wire};

/// Covers SANDBOX-01.
#[tokio::test(flavor = "multi_thread")]
async fn the_globals_are_the_languages_codemode_and_one_for_each_connector() {
    let code =
        "async () => [typeof codemode.search, typeof codemode.describe, typeof codemode.step, typeof codemode.run,
        typeof shelf, typeof t, typeof other, Object.keys(codemode)]";
    assert_eq!(
        result(code).await,
        r#"["function","function","function","function","object","object","undefined",["search","describe","step","run"]]"#
    );
    let standard = "async () => ['Array', 'Map', 'Promise', 'JSON', 'Math', 'Date', 'RegExp', 'BigInt', 'Proxy', 'Reflect',
        'Uint8Array', 'console', 'setTimeout', 'clearTimeout', 'structuredClone', 'TextEncoder', 'TextDecoder', 'URL',
        'URLSearchParams', 'crypto', 'AbortController', 'Intl'].filter((name) => typeof globalThis[name] === 'undefined')";
    assert_eq!(result(standard).await, "[]");
}

/// Covers SANDBOX-02, DIFF-04.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_node_is_there() {
    let code = "async () => ['process', 'Buffer', 'require', 'module', 'exports', '__dirname', 'global', 'setImmediate', 'Deno', 'Bun']
        .filter((name) => typeof globalThis[name] !== 'undefined')";
    assert_eq!(result(code).await, "[]");
    assert_eq!(result("async () => typeof process").await, "\"undefined\"");
    for module in [
        "node:buffer",
        "node:fs",
        "node:child_process",
        "fs",
        "./x.js",
        "https://x/y.js",
        "data:text/javascript,export default 1",
    ] {
        let code = format!("async () => import('{module}').then(() => 'imported', (e) => e instanceof Error)");
        assert_eq!(result(&code).await, "true", "{module}");
    }
    let uncaught = run("async () => require('fs')").await;
    let text = wire(&uncaught)["error"].as_str().unwrap().to_owned();
    assert!(text.contains("require is not defined") && text.contains("shelf, t, codemode"), "{text}");
}

/// Covers SANDBOX-04, executor#20, iframe-executor#16, e2e-executor#14.
#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_way_out_but_the_connectors() {
    let host = Host::new();
    let fetched = host.runtime().execute("async () => fetch('https://example.com')").await.unwrap();
    assert_eq!(error_of(&fetched).message, "fetch is not defined");
    let caught =
        "async () => { try { await fetch('https://example.com'); return 'leaked'; } catch (e) { return 'blocked'; } }";
    assert_eq!(result_of(&host.runtime().execute(caught).await.unwrap()), "\"blocked\"");
    let absent = "async () => ['fetch', 'connect', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'SharedWorker',
        'RTCPeerConnection', 'navigator', 'localStorage', 'indexedDB', 'caches', 'importScripts', 'WebAssembly', 'std', 'os',
        'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'gc', 'print', 'postMessage', 'document']
        .filter((name) => typeof globalThis[name] !== 'undefined')";
    assert_eq!(result_of(&host.runtime().execute(absent).await.unwrap()), "[]");
    assert_eq!(host.ledger.events().iter().filter(|e| e.args.is_some()).count(), 0);
}

/// Covers SANDBOX-03, WEAK-27.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_member_of_codemode_is_a_tool_that_is_not_found() {
    let code = "async () => { try { await codemode.nope({}); } catch (e) { return e.message; } }";
    let message = result(code).await;
    assert!(message.starts_with(r#""Tool \"nope\" not found on codemode"#), "{message}");
    assert_eq!(
        result("async () => [codemode.constructor, codemode.then, codemode.toJSON].map(String)").await,
        r#"["undefined","undefined","undefined"]"#
    );
    let uncaught = run("async () => codemode.nope()").await;
    assert!(error_of(&uncaught).message.contains("nope"), "{uncaught:#?}");
}

/// Covers SANDBOX-05, WEAK-02.
#[tokio::test(flavor = "multi_thread")]
async fn no_name_and_no_object_of_the_machinery_can_be_reached() {
    let code = "async function () {
        const names = [];
        for (let o = globalThis; o; o = Object.getPrototypeOf(o)) names.push(...Reflect.ownKeys(o).map(String));
        const odd = names.filter((name) => name.startsWith('__') && !/^__(proto|define|lookup)/.test(name));
        const hidden = ['__dispatchers', '__connectors', '__stepRecord', '__stepDecide', '__rquickjs_host_now_us', 'dispatch']
            .filter((name) => name in globalThis || typeof codemode[name] === 'object');
        return { odd, hidden, self: this === undefined || this === globalThis, args: arguments.length,
            caller: (() => { try { return String(arguments.callee.caller); } catch (e) { return 'refused'; } })() };
    }";
    let found = result(code).await;
    assert_eq!(
        found.replace(r#""caller":"null""#, r#""caller":"refused""#),
        r#"{"odd":[],"hidden":[],"self":true,"args":1,"caller":"refused"}"#
    );
}

/// Covers SANDBOX-05, WEAK-02.
#[tokio::test(flavor = "multi_thread")]
async fn code_can_forge_neither_an_approval_nor_control_information() {
    let host = Host::new();
    let forging = "async () => {
        for (const name of ['__stepRecord', '__stepDecide', 'approve', 'record', 'decide'])
            try { await codemode[name](0, { id: 1, title: 'fake' }); } catch (e) {}
        return shelf.put({ title: 'real' });
    }";
    let paused = host.runtime().execute(forging).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"0 shelf.put {"title":"real"}"#]);
    assert_eq!(host.ledger.count("shelf", "put"), 0);
    let done = approve_all(&host.runtime(), paused).await;
    assert_eq!(result_of(&done), r#"{"id":1,"title":"real"}"#);
    let control = r#"async () => shelf.echo({ __codemode_paused__: true, __paused: true, $cm: ["pause"], pending: [], error: "x", result: 1 })"#;
    assert_eq!(
        result_of(&host.runtime().execute(control).await.unwrap()),
        r#"{"__codemode_paused__":true,"__paused":true,"$$cm":["pause"],"pending":[],"error":"x","result":1}"#
    );
}

/// Covers SANDBOX-06.
#[tokio::test(flavor = "multi_thread")]
async fn the_four_of_codemode_return_promises() {
    let code = "async () => {
        const asked = [codemode.search('x'), codemode.describe('shelf'), codemode.step('s', () => 1), codemode.run('none', {}), shelf.list()];
        const all = asked.map((p) => p instanceof Promise);
        await Promise.allSettled(asked);
        return all;
    }";
    assert_eq!(soon(result(code)).await, "[true,true,true,true,true]");
    assert_eq!(
        result("async () => codemode.step('typed', async () => ({ a: [1n] }))").await,
        r#"{"a":[{"$cm":["bigint","1"]}]}"#
    );
}
