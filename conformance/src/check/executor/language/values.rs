//! Collections, numbers, text, bytes, dates and JSON.

use super::Probes;

pub(super) const COLLECTIONS: Probes = &[
    ("[[2, 'a'], [1, 'b'], [2, 'c'], [1, 'd']].sort((x, y) => x[0] - y[0]).map((p) => p[1]).join('')", "\"bdac\""),
    (
        "Array.from({ length: 600 }, (_, i) => ({ k: i % 3, i })).sort((a, b) => a.k - b.k).every((v, at, all) => at === 0 || all[at - 1].k < v.k || all[at - 1].i < v.i)",
        "true",
    ),
    ("[10, 9, 1].sort()", "[1,10,9]"),
    ("[3, undefined, 1].sort().map(String)", "[\"1\",\"3\",\"undefined\"]"),
    ("[1, [2, [3, [4]]]].flat(Infinity).concat([5], 6)", "[1,2,3,4,5,6]"),
    (
        "[[3, 1, 2].toSorted(), [1, 2, 3].toReversed(), [1, 2, 3].with(1, 9), [1, 2, 3].toSpliced(0, 1)]",
        "[[1,2,3],[3,2,1],[1,9,3],[2,3]]",
    ),
    (
        "[[1, 2, 3].findLast((n) => n < 3), [1, 2, 3].at(-1), [1, 2, 3].includes(NaN), [NaN].includes(NaN), [1, 2].lastIndexOf(2)]",
        "[2,3,false,true,1]",
    ),
    ("Array.from({ length: 3 }, (_, i) => i * i)", "[0,1,4]"),
    ("[1, 2, 3, 4].reduce((sum, n) => sum + n, 0) + [1, 2, 3].reduceRight((a, b) => a + '-' + b)", "\"103-2-1\""),
    (
        "(() => { const a = [1, 2, 3, 4]; return [a.splice(1, 2), a, a.fill(0), [1, 2, 3, 4].copyWithin(0, 2)]; })()",
        "[[2,3],[0,0],[0,0],[3,4,3,4]]",
    ),
    ("[...new Map([['b', 1], ['a', 2], ['b', 3]])]", "[[\"b\",3],[\"a\",2]]"),
    ("[...new Set([1, NaN, NaN, -0, 0, '1'])].length", "4"),
    (
        "(() => { const m = new Map([[1, 'a'], [2, 'b']]); const seen = []; m.forEach((v, k) => { seen.push(k + v); if (k === 1) m.set(3, 'c'); }); m.delete(1); return [seen, m.size, m.has(1)]; })()",
        "[[\"1a\",\"2b\",\"3c\"],2,false]",
    ),
    (
        "(() => { const k = {}; const w = new WeakMap([[k, 1]]); return [w.get(k), w.has({}), new WeakSet([k]).has(k)]; })()",
        "[1,false,true]",
    ),
    ("Object.entries({ b: 1, 2: 2, 1: 3 })", "[[\"1\",3],[\"2\",2],[\"b\",1]]"),
    ("Object.fromEntries(new Map([['a', 1], ['b', 2]]))", "{\"a\":1,\"b\":2}"),
    ("Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))", "{\"odd\":[1,3],\"even\":[2]}"),
    ("[Object.assign({}, { a: 1 }, null, { b: 2 }), { ...{ a: 1 }, ...null, a: 3 }]", "[{\"a\":1,\"b\":2},{\"a\":3}]"),
    (
        "(() => { const o = Object.freeze({ a: 1 }); try { o.a = 2; } catch {} return [o.a, Object.isFrozen(o), Object.hasOwn(o, 'a')]; })()",
        "[1,true,true]",
    ),
    ("[1, 2, 3].entries().next().value", "[0,1]"),
    ("[[, 1].length, 0 in [, 1], [1, , 3].map((n) => n * 2).length]", "[2,false,3]"),
];

pub(super) const NUMBERS: Probes = &[
    ("0.1 + 0.2", "0.30000000000000004"),
    (
        "[1 / 3, 1e21, 1e-7, 123456789.123, 0.000001234, 5e-324, 1.7976931348623157e308].map(String)",
        "[\"0.3333333333333333\",\"1e+21\",\"1e-7\",\"123456789.123\",\"0.000001234\",\"5e-324\",\"1.7976931348623157e+308\"]",
    ),
    ("(25).toString(36) + (0.5).toString(2) + (-255).toString(16)", "\"p0.1-ff\""),
    (
        "[(1.005).toFixed(2), (1.45).toFixed(1), (0).toFixed(2), (1234.5678).toPrecision(6), (12345).toExponential(2)]",
        "[\"1.00\",\"1.4\",\"0.00\",\"1234.57\",\"1.23e+4\"]",
    ),
    (
        "[Number('0x1f'), Number(''), Number(' 12 '), parseInt('12px'), parseFloat('.5.5'), String(Number('1a'))]",
        "[31,0,12,12,0.5,\"NaN\"]",
    ),
    ("[5 % -3, -5 % 3, 2 ** -1, 7 >>> 1, -1 >>> 28, ~~-1.9, 1 << 31]", "[2,-2,0.5,3,15,-1,-2147483648]"),
    (
        "[Math.hypot(3, 4), Math.trunc(-1.5), Math.sign(-3), Math.cbrt(27), Math.log2(8), Math.max(), Math.clz32(1)].map(String)",
        "[\"5\",\"-1\",\"-1\",\"3\",\"3\",\"-Infinity\",\"31\"]",
    ),
    ("[Math.round(2.5), Math.round(-2.5), Object.is(Math.round(-0.4), -0), Math.fround(5.5)]", "[3,-2,true,5.5]"),
    (
        "[Number.MAX_SAFE_INTEGER, Number.isSafeInteger(2 ** 53), Number.isInteger(5.0), NaN === NaN, Object.is(0, -0)]",
        "[9007199254740991,false,true,false,false]",
    ),
    (
        "[2n ** 64n, -7n / 2n, -7n % 2n, 5n & 3n, BigInt('0xff'), BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n)].map(String)",
        "[\"18446744073709551616\",\"-3\",\"-1\",\"1\",\"255\",\"1\",\"-1\"]",
    ),
    ("[typeof 1n, 1n == 1, 2n > 1, BigInt(2 ** 53) + 1n === 9007199254740993n]", "[\"bigint\",true,true,true]"),
    ("(() => { try { return 1n + 1; } catch (e) { return e.name; } })()", "\"TypeError\""),
    ("['10' * '2', '3' + 4, +true, [] + {}, '5' - 2]", "[20,\"34\",1,\"[object Object]\",3]"),
    ("[null >= 0, undefined == null, '' == 0, [1] == 1]", "[true,true,true,true]"),
];

pub(super) const TEXT: Probes = &[
    (
        "['a-b-c'.replaceAll('-', '+'), 'aaa'.replace('a', '$&$&'), 'abc'.replace(/b/, (m, at) => m.toUpperCase() + at)]",
        "[\"a+b+c\",\"aaaa\",\"aB1c\"]",
    ),
    (r"'2024-05-06'.replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>/$<y>')", "\"05/2024-06\""),
    (r"[...'a1b22'.matchAll(/[a-z](\d+)/g)].map((m) => [m[1], m.index])", "[[\"1\",0],[\"22\",2]]"),
    (
        r"['$42 €7'.match(/(?<=€)\d+/)[0], 'a1'.match(/(?<!b)\d/)[0], 'foobar'.match(/foo(?!baz)/)[0]]",
        "[\"7\",\"1\",\"foo\"]",
    ),
    (
        "(() => { const r = /a/y; r.lastIndex = 1; return [r.test('ba'), r.lastIndex, r.test('ba')]; })()",
        "[true,2,false]",
    ),
    (
        r"[/^\p{Lu}$/u.test('É'), /^.$/u.test('🙂'), /^.$/.test('🙂'), /a.c/s.test('a\nc'), /^b/m.test('a\nb'), /B/i.test('b')]",
        "[true,true,false,true,true,true]",
    ),
    (r"/(\d+)-(?:x)?(\w)?/d.exec('12-').indices[1]", "[0,2]"),
    (
        r"['a1b2'.split(/\d/), 'a,b,,c'.split(',', 3), 'a1b'.split(/(\d)/), 'abc'.split('')]",
        "[[\"a\",\"b\",\"\"],[\"a\",\"b\",\"\"],[\"a\",\"1\",\"b\"],[\"a\",\"b\",\"c\"]]",
    ),
    (
        "['🙂é'.length, [...'🙂é'].length, '🙂'.codePointAt(0), '🙂'.charCodeAt(1), String.fromCodePoint(128578)]",
        "[3,2,128578,56898,\"🙂\"]",
    ),
    (r"['\u00e9'.normalize('NFD').length, 'e\u0301'.normalize('NFC').length]", "[2,1]"),
    (
        "'abc'.padStart(5, '*') + 'x'.padEnd(3, 'yz') + ' t '.trim() + 'ab'.repeat(2) + 'abc'.at(-1)",
        "\"**abcxyztababc\"",
    ),
    (
        "['ß'.toUpperCase(), 'ÀÉ'.toLowerCase(), 'abc'.slice(-2), 'abc'.substring(2, 0), 'abcabc'.lastIndexOf('b')]",
        "[\"SS\",\"àé\",\"bc\",\"ab\",4]",
    ),
    (
        r"[`a${1}${[2, 3]}`, String.raw`\n${1}`, ((s, ...v) => s.raw.join('|') + v)`x${1}y${2}`]",
        r#"["a12,3","\\n1","x|y|1,2"]"#,
    ),
    (
        "[encodeURIComponent('a b/ü&'), decodeURIComponent('%F0%9F%99%82'), encodeURI('a b/ü')]",
        "[\"a%20b%2F%C3%BC%26\",\"🙂\",\"a%20b/%C3%BC\"]",
    ),
    (
        "['a' < 'b', 'B' < 'a', 'a'.localeCompare('b') < 0, 'x'.startsWith('x'), 'abc'.includes('bc')]",
        "[true,true,true,true,true]",
    ),
    (r"['\ud800'.isWellFormed(), '\ud800x'.toWellFormed().length]", "[false,2]"),
    (
        r"(() => { const found = []; const r = /o(.)/g; let m; while ((m = r.exec('foo bor')) !== null) found.push(m[1] + r.lastIndex); return found; })()",
        "[\"o3\",\"r7\"]",
    ),
    ("(() => { try { new RegExp('('); } catch (e) { return e.name; } })()", "\"SyntaxError\""),
];

pub(super) const BYTES: Probes = &[
    (
        "[[...new Uint8Array([1, 2, 300])], [...new Uint8ClampedArray([300, -5, 1.5])], [...new Int8Array([200])]]",
        "[[1,2,44],[255,0,2],[-56]]",
    ),
    (
        "(() => { const d = new DataView(new Uint8Array([1, 2, 0, 0]).buffer); return [d.getInt16(0), d.getInt16(0, true), d.getUint32(0)]; })()",
        "[258,513,16908288]",
    ),
    ("[...new Uint8Array(new Uint32Array([1]).buffer)]", "[1,0,0,0]"),
    (
        "(() => { const b = new Uint8Array([1, 2, 3, 4]); const s = b.subarray(1, 3); s[0] = 9; const c = b.slice(1, 3); c[0] = 7; return [...b]; })()",
        "[1,9,3,4]",
    ),
    (
        "[new Float32Array([0.1])[0] === Math.fround(0.1), new Float64Array([0.1])[0], String(new BigInt64Array([-1n])[0]), String(new BigUint64Array([-1n])[0])]",
        "[true,0.1,\"-1\",\"18446744073709551615\"]",
    ),
    (
        "[[...new Uint8Array([3, 10, 2]).sort()], [...new Int16Array([1, 2]).map((n) => n * 2)], new Uint8Array([1, 2]).join('-')]",
        "[[2,3,10],[2,4],\"1-2\"]",
    ),
    (
        "(() => { const a = new Uint8Array(4); a.set([1, 2], 2); a[9] = 1; return [...a, a[9] === undefined, a.byteLength]; })()",
        "[0,0,1,2,true,4]",
    ),
    (
        "[new ArrayBuffer(8).byteLength, new ArrayBuffer(8).slice(2).byteLength, ArrayBuffer.isView(new DataView(new ArrayBuffer(1)))]",
        "[8,6,true]",
    ),
    (
        "[Uint8Array.from([1, 2]).includes(2), Uint8Array.of(5).at(-1), new Uint8Array(new Set([4, 5])).length]",
        "[true,5,2]",
    ),
];

pub(super) const DATES: Probes = &[
    ("new Date('2024-02-29T12:30:45.678Z').toISOString()", "\"2024-02-29T12:30:45.678Z\""),
    ("new Date(Date.UTC(2024, 0, 31 + 30)).toISOString().slice(0, 10)", "\"2024-03-01\""),
    (
        "[new Date('2024-01-01').getTime(), Date.parse('1970-01-02T00:00:00Z'), new Date('2024-01-01T00:00:00+02:00').toISOString()]",
        "[1704067200000,86400000,\"2023-12-31T22:00:00.000Z\"]",
    ),
    (
        "[String(new Date('nope').getTime()), String(new Date(8.64e15 + 1)), String(new Date(NaN))]",
        "[\"NaN\",\"Invalid Date\",\"Invalid Date\"]",
    ),
    ("(() => { try { new Date(NaN).toISOString(); } catch (e) { return e.name; } })()", "\"RangeError\""),
    (
        "(() => { const d = new Date(0); d.setUTCMonth(13); d.setUTCDate(0); d.setUTCHours(25, 61); return d.toISOString(); })()",
        "\"1971-02-01T02:01:00.000Z\"",
    ),
    (
        "[new Date(0).getUTCDay(), new Date(0).getUTCFullYear(), new Date(2020, 5, 15) < new Date(2021, 0, 1), new Date(5) - new Date(2)]",
        "[4,1970,true,3]",
    ),
    (
        "[new Date(0).toUTCString(), new Date(0).toJSON()]",
        "[\"Thu, 01 Jan 1970 00:00:00 GMT\",\"1970-01-01T00:00:00.000Z\"]",
    ),
    (
        "[typeof Date.now(), typeof Date(), Object.prototype.toString.call(new Date(0))]",
        "[\"number\",\"string\",\"[object Date]\"]",
    ),
];

pub(super) const JSON: Probes = &[
    (
        "JSON.stringify({ a: [1, { b: 2 }], c: {} }, null, 2)",
        r#""{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": {}\n}""#,
    ),
    (
        "JSON.stringify({ a: undefined, b: () => 1, c: NaN, d: new Date(0), e: [undefined, () => 1], f: new Map([[1, 2]]) })",
        r#""{\"c\":null,\"d\":\"1970-01-01T00:00:00.000Z\",\"e\":[null,null],\"f\":{}}""#,
    ),
    (
        "[JSON.stringify({ a: 1, b: 2, 1: 3 }), JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ['a', 'b'])]",
        r#"["{\"1\":3,\"a\":1,\"b\":2}","{\"a\":1,\"b\":{\"a\":2}}"]"#,
    ),
    ("JSON.stringify({ a: 1, b: 'x' }, (k, v) => (typeof v === 'number' ? v + 1 : v))", r#""{\"a\":2,\"b\":\"x\"}""#),
    ("JSON.parse('{\"a\":[1,2],\"b\":{}}', (k, v) => (Array.isArray(v) ? v.length : v))", r#"{"a":2,"b":{}}"#),
    (
        "['{', '', 'undefined', \"{'a':1}\", '[1,]', '01', '\\t1\\n'].map((s) => { try { return JSON.parse(s); } catch (e) { return e.name; } })",
        "[\"SyntaxError\",\"SyntaxError\",\"SyntaxError\",\"SyntaxError\",\"SyntaxError\",\"SyntaxError\",1]",
    ),
    ("Object.keys(JSON.parse('{\"__proto__\":1,\"b\":2,\"1\":3,\"b\":4}'))", "[\"1\",\"__proto__\",\"b\"]"),
    (r"[JSON.stringify('\ud800\b\u001f'), JSON.stringify('é🙂/')]", r#"["\"\\ud800\\b\\u001f\"","\"é🙂/\""]"#),
    ("(() => { const a = {}; a.a = a; try { JSON.stringify(a); } catch (e) { return e.name; } })()", "\"TypeError\""),
    ("(() => { try { JSON.stringify({ n: 1n }); } catch (e) { return e.name; } })()", "\"TypeError\""),
    (
        "[JSON.stringify({ toJSON: () => 5 }), JSON.stringify(Object(1)), JSON.stringify(undefined) === undefined, JSON.stringify([-0, 1e21, Infinity])]",
        "[\"5\",\"1\",true,\"[0,1e+21,null]\"]",
    ),
    (
        "[JSON.parse('1e3'), JSON.parse(' [1] ')[0], JSON.parse('\"\\\\u0041\\\\n\"'), JSON.parse('12345678901234567890')]",
        "[1000,1,\"A\\n\",12345678901234567000]",
    ),
];
