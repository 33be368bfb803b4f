//! What is not in the language and what code of models uses all the same.

use super::Probes;

pub(super) const GLOBALS: Probes = &[
    (
        "(() => { const a = { n: 1, d: new Date(0), m: new Map([[1, new Set([2])]]) }; a.self = a; const b = structuredClone(a); \
         return [b !== a, b.self === b, b.d instanceof Date, b.m.get(1).has(2)]; })()",
        "[true,true,true,true]",
    ),
    ("(() => { try { structuredClone({ f() {} }); } catch (e) { return e.name; } })()", "\"DataCloneError\""),
    ("[...new TextEncoder().encode('aé🙂')]", "[97,195,169,240,159,153,130]"),
    (
        "[new TextDecoder().decode(new Uint8Array([97, 195, 169])), new TextDecoder().decode(new Uint8Array([255, 65]))]",
        "[\"aé\",\"\u{fffd}A\"]",
    ),
    ("[btoa('a'), atob('YQ=='), btoa('\\u00ff')]", "[\"YQ==\",\"a\",\"/w==\"]"),
    (
        "(() => { const u = new URL('../b?x=1&x=2#f', 'https://user@Example.com:443/a/c'); return [u.href, u.host, u.searchParams.getAll('x'), u.hash]; })()",
        "[\"https://user@example.com/b?x=1&x=2#f\",\"example.com\",[\"1\",\"2\"],\"#f\"]",
    ),
    (
        "(() => { const p = new URLSearchParams({ a: '1 2', b: 'ü' }); p.append('a', '&'); return [String(p), [...p.keys()], p.get('a')]; })()",
        "[\"a=1+2&b=%C3%BC&a=%26\",[\"a\",\"b\",\"a\"],\"1 2\"]",
    ),
    ("(() => { try { new URL('nope'); } catch (e) { return e instanceof TypeError; } })()", "true"),
    ("new Promise((ok) => queueMicrotask(() => ok(1)))", "1"),
    (
        "(() => { const c = new AbortController(); const seen = []; c.signal.addEventListener('abort', (e) => seen.push(e.type)); \
         c.abort(); return [seen, c.signal.aborted, c.signal.reason.name]; })()",
        "[[\"abort\"],true,\"AbortError\"]",
    ),
    ("[typeof performance.now(), performance.now() >= 0]", "[\"number\",true]"),
];

pub(super) const ENGLISH: Probes = &[
    (
        "[(1234567.891).toLocaleString(), (1e6).toLocaleString('en-US'), (12345678901234567890n).toLocaleString()]",
        "[\"1,234,567.891\",\"1,000,000\",\"12,345,678,901,234,567,890\"]",
    ),
    (
        "[(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }), (0.256).toLocaleString('en-US', { style: 'percent' }), (5).toLocaleString('en-US', { minimumFractionDigits: 2 })]",
        "[\"$1,234.50\",\"26%\",\"5.00\"]",
    ),
    (
        "[new Date(0).toLocaleDateString('en-US'), new Date(0).toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric' })]",
        "[\"1/1/1970\",\"January 1, 1970\"]",
    ),
    ("['b', 'A', 'a', 'é', 'e', 'B'].sort((x, y) => x.localeCompare(y)).join('')", "\"aAbBeé\""),
    ("['a10', 'a2'].sort(new Intl.Collator('en', { numeric: true }).compare).join()", "\"a2,a10\""),
    ("new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(2.25)", "\"2.3\""),
    ("Intl.DateTimeFormat().resolvedOptions().timeZone", "\"UTC\""),
];
