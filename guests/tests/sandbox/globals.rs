//! What code finds in its realm, and what it does not.

use crate::host::{result, value};

#[test]
fn nothing_of_a_machine_is_there() {
    let absent =
        "['process', 'Buffer', 'require', 'module', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'localStorage',
        'navigator', 'scriptArgs', 'std', 'os', 'gc', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics',
        'Deno', 'Bun', 'WebAssembly', 'importScripts'].filter((name) => typeof globalThis[name] !== 'undefined')";
    assert_eq!(value(absent), "[]");
    assert_eq!(
        result("async () => { try { fetch('http://a'); } catch (e) { return String(e); } }"),
        "\"ReferenceError: fetch is not defined\""
    );
    assert_eq!(value("Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('__'))"), "[]");
    assert_eq!(result("async () => import('node:fs').then(() => 'imported', (e) => e instanceof Error)"), "true");
}

#[test]
fn our_globals_cannot_be_changed() {
    let text = "async () => ['codemode', 'console', 't'].flatMap((name) => [
        () => { globalThis[name] = 1; }, () => { delete globalThis[name]; }, () => { globalThis[name].x = 1; },
        () => { globalThis[name].log = 1; }, () => { globalThis[name].step = 1; },
    ]).filter((change) => { try { change(); return true; } catch (e) { return !(e instanceof TypeError); } }).length";
    assert_eq!(result(text), "0");
}

#[test]
fn functions_of_the_language_lead_to_nothing_else() {
    assert_eq!(value("typeof t.echo.constructor('return this')().process"), "\"undefined\"");
    assert_eq!(value("(0, eval)('1 + 1')"), "2");
    assert_eq!(value("/native code/.test(Function.prototype.toString.call(t.echo))"), "true");
}

#[test]
fn habits_of_models_work() {
    assert_eq!(
        value("structuredClone({ a: [1, new Date(0), new Map([[1, new Set([2])]])] })"),
        "{\"a\":[1,{\"$cm\":[\"date\",0]},{\"$cm\":[\"map\",[[1,{\"$cm\":[\"set\",[2]]}]]]}]}"
    );
    assert_eq!(value("new TextEncoder().encode('é').length"), "2");
    assert_eq!(value("btoa('a') + atob('YQ==')"), "\"YQ==a\"");
    assert_eq!(result("async () => { try { btoa('€'); } catch (e) { return e.name; } }"), "\"InvalidCharacterError\"");
    assert_eq!(value("new URL('a', 'http://b/c').href"), "\"http://b/a\"");
    assert_eq!(value("Intl.DateTimeFormat().resolvedOptions().timeZone"), "\"UTC\"");
    assert_eq!(value("[1, 2, 3].at(-1) + Object.groupBy([1, 2], (n) => n % 2 ? 'odd' : 'even').odd[0]"), "4");
    assert_eq!(value("typeof crypto.randomUUID() + typeof performance.now()"), "\"stringnumber\"");
}

#[test]
fn clones_keep_shared_parts_and_cycles() {
    let text = "async () => { const a = { n: 1 }; a.self = a; const b = structuredClone([a, a]);
        return [b[0] === b[1], b[0].self === b[0], b[0] !== a]; }";
    assert_eq!(result(text), "[true,true,true]");
    assert_eq!(
        result("async () => { try { structuredClone({ f() {} }); } catch (e) { return e.name; } }"),
        "\"DataCloneError\""
    );
    assert_eq!(
        result(
            "async () => { const e = structuredClone(new RangeError('m')); return [e instanceof RangeError, e.message]; }"
        ),
        "[true,\"m\"]"
    );
    assert_eq!(
        result(
            "async () => { let v = []; for (let i = 0; i < 1e5; i++) v = [v]; try { structuredClone(v); } catch (e) { return e.name; } }"
        ),
        "\"RangeError\""
    );
}

#[test]
fn texts_and_bytes() {
    assert_eq!(value("new TextDecoder().decode(new TextEncoder().encode('aé🙂'))"), "\"aé🙂\"");
    assert_eq!(value("new TextDecoder().decode(new Uint8Array([0xff, 65]))"), "\"\u{FFFD}A\"");
    assert_eq!(
        result(
            "async () => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])); } catch (e) { return e.name; } }"
        ),
        "\"TypeError\""
    );
    assert_eq!(value("[...new TextEncoder().encode('\\ud800')]"), "[239,191,189]");
    assert_eq!(value("new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])).length"), "1");
    assert_eq!(
        value("new TextDecoder('utf8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])).length"),
        "2"
    );
    let streamed = "async () => { const d = new TextDecoder(); const b = new TextEncoder().encode('é🙂'); let s = '';
        for (const x of b) s += d.decode(new Uint8Array([x]), { stream: true }); return s + d.decode(); }";
    assert_eq!(result(streamed), "\"é🙂\"");
    assert_eq!(value("new TextEncoder().encodeInto('aé', new Uint8Array(2))"), "{\"read\":1,\"written\":1}");
}

#[test]
fn urls() {
    let text = "async () => {
        const u = new URL('HTTPS://user:pw@Bücher.example:443/a/../b?x=1&x=2#f');
        u.searchParams.append('y', 'a b&c');
        u.hash = '';
        return [u.href, u.host, u.origin, u.username, u.pathname, u.searchParams.getAll('x'), u.port, u.protocol];
    }";
    assert_eq!(
        result(text),
        "[\"https://user:pw@xn--bcher-kva.example/b?x=1&x=2&y=a+b%26c\",\"xn--bcher-kva.example\",\
        \"https://xn--bcher-kva.example\",\"user\",\"/b\",[\"1\",\"2\"],\"\",\"https:\"]"
    );
    assert_eq!(
        result("async () => { try { new URL('nope'); } catch (e) { return [e.name, e.message, e.code]; } }"),
        "[\"TypeError\",\"Invalid URL\",\"ERR_INVALID_URL\"]"
    );
    assert_eq!(
        value(
            "[URL.canParse('a:b'), URL.canParse('x'), String(new URLSearchParams({ a: 1, b: 'ü' })), new URL('http://a/?q=%20+').searchParams.get('q')]"
        ),
        "[true,false,\"a=1&b=%C3%BC\",\"  \"]"
    );
    assert_eq!(value("[...new URLSearchParams('b=1&a=2&b=3')]"), "[[\"b\",\"1\"],[\"a\",\"2\"],[\"b\",\"3\"]]");
}

#[test]
fn abort_signals() {
    let text = "async () => {
        const c = new AbortController(); const seen = [];
        c.signal.addEventListener('abort', (e) => seen.push(e.type)); c.signal.onabort = () => seen.push('on');
        c.abort(); c.abort();
        let name; try { c.signal.throwIfAborted(); } catch (e) { name = e.name; }
        const timed = AbortSignal.timeout(10);
        await new Promise((done) => timed.addEventListener('abort', done));
        return [seen, c.signal.aborted, name, timed.reason.name, AbortSignal.any([timed]).aborted];
    }";
    assert_eq!(result(text), "[[\"on\",\"abort\"],true,\"AbortError\",\"TimeoutError\",true]");
}

#[test]
fn numbers_and_dates_for_english_readers() {
    for (expression, text) in [
        ("(1234567.891).toLocaleString()", "1,234,567.891"),
        ("(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })", "$1,234.50"),
        ("(-1234.5).toLocaleString('en-US', { style: 'currency', currency: 'EUR' })", "-€1,234.50"),
        ("(0.256).toLocaleString('en-US', { style: 'percent' })", "26%"),
        ("(5).toLocaleString('en-US', { minimumFractionDigits: 2 })", "5.00"),
        ("(1e6).toLocaleString('en-US', { useGrouping: false })", "1000000"),
        ("new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(2.25)", "2.3"),
        ("(12345678901234567890n).toLocaleString()", "12,345,678,901,234,567,890"),
        ("NaN.toLocaleString()", "NaN"),
        ("new Date(0).toLocaleDateString()", "1/1/1970"),
        ("new Date(0).toLocaleTimeString()", "12:00:00 AM"),
        ("new Date(0).toLocaleString()", "1/1/1970, 12:00:00 AM"),
        (
            "new Date(0).toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric' })",
            "January 1, 1970",
        ),
        (
            "new Date(0).toLocaleDateString('en-US', { weekday: 'long', month: 'short', day: 'numeric' })",
            "Thursday, Jan 1",
        ),
        (
            "new Date(0).toLocaleDateString('en-US', { month: '2-digit', day: '2-digit', year: 'numeric' })",
            "01/01/1970",
        ),
        (
            "new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(0))",
            "Jan 1, 1970, 12:00 AM",
        ),
        ("new Date(0).toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hour12: false })", "00:00"),
        ("[1, 2].toLocaleString()", "1,2"),
        ("new Intl.PluralRules('en').select(1) + new Intl.PluralRules('en', { type: 'ordinal' }).select(22)", "onetwo"),
        ("['b', 'A', 'a', 'é', 'e', 'B'].sort((x, y) => x.localeCompare(y)).join('')", "aAbBeé"),
        ("['a10', 'a2'].sort(new Intl.Collator('en', { numeric: true }).compare).join()", "a2,a10"),
        ("'a'.localeCompare('A', 'en', { sensitivity: 'base' }) + ''", "0"),
        ("new Intl.ListFormat('en').format(['a', 'b', 'c'])", "a, b, and c"),
        ("new Intl.RelativeTimeFormat('en').format(-3, 'day')", "3 days ago"),
    ] {
        assert_eq!(value(expression), serde_json::json!(text).to_string(), "{expression}");
    }
}
