//! Promises and the order of jobs; classes, generators, destructuring and the other forms.

use super::Probes;

pub(super) const ASYNC: Probes = &[
    (
        "(async () => { const seen = []; const p = Promise.resolve().then(() => seen.push('a')).then(() => seen.push('c')); \
         const q = (async () => { await null; seen.push('b'); })(); seen.push('0'); await p; await q; return seen.join(''); })()",
        "\"0abc\"",
    ),
    (
        "(async () => { const seen = []; const f = async () => Promise.resolve('x'); const p = f().then(() => seen.push('f')); \
         let q = Promise.resolve(); for (const n of [1, 2, 3]) q = q.then(() => seen.push(n)); await p; await q; return seen; })()",
        "[1,2,\"f\",3]",
    ),
    (
        "(async () => { const seen = []; try { await Promise.reject(new Error('e')); } catch (e) { seen.push(e.message); } \
         finally { seen.push('end'); } return seen; })()",
        "[\"e\",\"end\"]",
    ),
    (
        "Promise.allSettled([1, Promise.reject('x')]).then((r) => r.map((s) => s.status))",
        "[\"fulfilled\",\"rejected\"]",
    ),
    ("Promise.all([1, Promise.resolve(2), { then(ok) { ok(3); } }])", "[1,2,3]"),
    ("Promise.any([Promise.reject(1), Promise.resolve(2)])", "2"),
    ("Promise.any([Promise.reject(1)]).catch((e) => [e instanceof AggregateError, e.errors])", "[true,[1]]"),
    ("Promise.resolve(1).finally(() => 2)", "1"),
    ("Promise.reject(1).finally(() => 2).catch((n) => n + 10)", "11"),
    (
        "(async () => { const out = []; for await (const n of (async function* () { yield 1; yield Promise.resolve(2); })()) \
         out.push(n); return out; })()",
        "[1,2]",
    ),
    (
        "(async () => { const out = []; for await (const n of [Promise.resolve(1), 2]) out.push(n); return out; })()",
        "[1,2]",
    ),
    ("(async () => await ({ then(ok) { ok(3); } }))()", "3"),
    ("(async () => { const all = []; for (const n of [1, 2, 3]) all.push(await n); return all; })()", "[1,2,3]"),
    ("(async () => { const [a, b] = await Promise.all([1, 2].map(async (n) => n * 2)); return a + b; })()", "6"),
    ("new Promise((ok, no) => { ok(1); no(2); ok(3); })", "1"),
    ("new Promise(() => { throw 5; }).catch((n) => n)", "5"),
];

pub(super) const FORMS: Probes = &[
    (
        "(() => { class A { #n = 1; static s = 2; get n() { return this.#n; } set n(v) { this.#n = v; } static { A.t = 3; } \
         has(o) { return #n in o; } } const a = new A(); a.n = 5; return [a.n, A.s, A.t, a.has(a), a.has({})]; })()",
        "[5,2,3,true,false]",
    ),
    (
        "(() => { class A { name() { return 'A'; } } class B extends A { name() { return super.name() + 'B'; } } \
         return [new B().name(), new B() instanceof A]; })()",
        "[\"AB\",true]",
    ),
    (
        "(() => { const g = (function* () { const x = yield 1; yield x * 2; })(); \
         return [g.next().value, g.next(21).value, g.next().done]; })()",
        "[1,42,true]",
    ),
    ("[...(function* () { yield* [1, 2]; return 3; })()]", "[1,2]"),
    ("(() => { const f = []; for (let i = 0; i < 3; i++) f.push(() => i); return f.map((g) => g()); })()", "[0,1,2]"),
    (
        "[null?.a.b ?? 'none', ({ a: 0 }).a ?? 1, ({}).x?.() ?? 2, (() => { let v = null; v ??= 4; return v; })()]",
        "[\"none\",0,2,4]",
    ),
    ("(() => { const [a, , b = 5, ...rest] = [1, 2, undefined, 3, 4]; return [a, b, rest]; })()", "[1,5,[3,4]]"),
    (
        "(() => { const { a: { b = 1, ...c } = {}, ...rest } = { a: { d: 2 }, e: 3 }; return [b, c, rest]; })()",
        "[1,{\"d\":2},{\"e\":3}]",
    ),
    ("((a, b = a + 1, ...c) => [a, b, c])(1, undefined, 3, 4)", "[1,2,[3,4]]"),
    (
        "(() => { const out = []; outer: for (const a of [1, 2, 3]) { for (const b of [1, 2]) { if (b === 2) continue outer; \
         if (a === 3) break outer; out.push(a); } } return out; })()",
        "[1,2]",
    ),
    ("(() => { switch (2) { case 1: return 'a'; case 2: case 3: return 'b'; default: return 'c'; } })()", "\"b\""),
    (
        "(() => { const s = []; try { s.push(1); throw 1; } catch { s.push(2); } finally { s.push(3); } return s; })()",
        "[1,2,3]",
    ),
    (
        "(() => { const seen = []; const p = new Proxy({}, { get: (_, k) => { seen.push(k); return 1; }, has: () => true }); \
         return [p.a + p.b, 'z' in p, seen]; })()",
        "[2,true,[\"a\",\"b\"]]",
    ),
    ("Reflect.ownKeys({ b: 1, 1: 1, [Symbol.for('s')]: 1 }).map(String)", "[\"1\",\"b\",\"Symbol(s)\"]"),
    (
        "(() => { const o = { get a() { return this.b * 2; }, set a(v) { this.b = v; }, b: 1 }; o.a = 5; return [o.a, Object.keys(o)]; })()",
        "[10,[\"a\",\"b\"]]",
    ),
    ("[...{ *[Symbol.iterator]() { yield 'a'; yield 'b'; } }]", "[\"a\",\"b\"]"),
    ("`${{ [Symbol.toPrimitive]: (hint) => hint }}`", "\"string\""),
    (
        "(() => { try { null.x; } catch (e) { return [e instanceof TypeError, e.name, typeof e.message]; } })()",
        "[true,\"TypeError\",\"string\"]",
    ),
    ("(() => { try { missing; } catch (e) { return e.name; } })()", "\"ReferenceError\""),
    ("(() => { try { x; let x = 1; } catch (e) { return e.name; } })()", "\"ReferenceError\""),
    ("(() => { const c = 1; try { eval('c = 2'); } catch (e) { return e.name; } })()", "\"TypeError\""),
    (
        "(() => { class Own extends Error { constructor(m) { super(m); this.name = 'Own'; } } const e = new Own('m'); \
      return [String(e), e instanceof Own, e instanceof Error]; })()",
        "[\"Own: m\",true,true]",
    ),
    ("[new Error('m', { cause: 1 }).cause, new RangeError('r') instanceof Error]", "[1,true]"),
    (
        "[typeof undefined, typeof null, typeof (() => 1), typeof Symbol(), void 0 === undefined]",
        "[\"undefined\",\"object\",\"function\",\"symbol\",true]",
    ),
    ("(function () { return this === undefined; })()", "true"),
    ("[1_000, 0b11, 0o17, 0xff, 2 ** 10, .5]", "[1000,3,15,255,1024,0.5]"),
];
