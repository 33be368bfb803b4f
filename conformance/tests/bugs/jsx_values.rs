//! Values that JSON cannot say, names and texts with odd characters, nesting: the same in each pass, or refused by name
//! before anything happens.

use codemode_conformance::harness::{Host, approve_all, error_of, executor, id_of, journal_of, json, result_of};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Code, Error, ErrorKind, Outcome, Query, Runtime};
use serde_json::Value;

use crate::kit::{executed, pending_args, plain, through};

fn nested(levels: usize) -> String {
    format!(
        "async () => {{
            let v = 1; for (let i = 0; i < {levels}; i++) v = [v];
            const r = await t.echo({{ v }});
            await t.gate({{ v: r.v }});
            return JSON.stringify(r.v).length; }}"
    )
}

/// Covers BUG-JSX-09.
#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_and_twelve_levels_pass_and_replay() {
    let host = Host::new();
    for levels in [1, 126, 127, 128, 129, 200, 511] {
        let outcome = through(&host, &nested(levels)).await;
        assert_eq!(result_of(&outcome), (levels * 2 + 1).to_string());
    }
    assert_eq!(host.runtime().executions(&Query::default()).unwrap().len(), 7);
}

/// Covers BUG-JSX-09.
#[tokio::test(flavor = "multi_thread")]
async fn deeper_values_are_refused_before_the_call() {
    let host = Host::new();
    let runtime = host.runtime();
    for levels in [512, 513, 1_000, 200_000] {
        let outcome = runtime.execute(nested(levels)).await.unwrap();
        let error = error_of(&outcome);
        assert_eq!(error.kind, ErrorKind::Unrecordable, "{levels}: {error:?}");
        assert!(error.message.contains("arguments to t.echo") && error.message.contains("512 levels"), "{error:?}");
        assert!(runtime.record(&id_of(&outcome)).unwrap().unwrap().entries.is_empty());
    }
    assert_eq!(host.ledger.count("t", "echo"), 0);
    assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 4);
    // Results of steps, of connectors and of the code itself are bounded in the same way.
    let deep = |n: usize| format!("let v = 1; for (let i = 0; i < {n}; i++) v = [v];");
    for (levels, passes) in [(512, true), (513, false), (100_000, false)] {
        for code in [
            format!("async () => {{ await codemode.step('s', () => {{ {} return v; }}); return 1; }}", deep(levels)),
            format!(
                "async () => {{ await codemode.step('s', async () => {{ {} return v; }}); return 1; }}",
                deep(levels)
            ),
            format!("async () => {{ {} return v; }}", deep(levels)),
        ] {
            let outcome = runtime.execute(code.as_str()).await.unwrap();
            if passes {
                assert!(matches!(outcome, Outcome::Completed { .. }), "{levels}: {outcome:#?}");
            } else {
                assert_eq!(error_of(&outcome).kind, ErrorKind::Unrecordable, "{levels}: {outcome:#?}");
            }
        }
        let code = format!(
            "async () => {{ try {{ await t.raw({{ json: '['.repeat({levels}) + ']'.repeat({levels}) }}); return 'fine'; }} \
             catch (e) {{ return e.message; }} }}"
        );
        let result = result_of(&runtime.execute(code.as_str()).await.unwrap());
        assert_eq!(result == "\"fine\"", passes, "{levels}: {result}");
        assert!(passes || result.contains("512 levels"), "{levels}: {result}");
    }
    assert!(runtime.pending(None).unwrap().is_empty());
}

/// Covers BUG-JSX-11.
#[tokio::test(flavor = "multi_thread")]
async fn texts_with_nul_are_kept_whole() {
    let host = Host::new();
    let code = r#"async () => {
        const a = await t.echo({ s: "x\u0000y", ["k\u0000"]: 1 });
        const b = await codemode.step("n\u0000ame", () => "\u0000");
        await t.gate({ s: a.s });
        return [a.s.length, b.length, Object.keys(a).length]; }"#;
    let outcome = through(&host, code).await;
    assert_eq!(result_of(&outcome), "[3,1,2]");
    assert_eq!(executed(&host.ledger, "gate"), [serde_json::json!({ "s": "x\u{0}y" })]);
    let journal = journal_of(&host.runtime(), &id_of(&outcome));
    assert_eq!(journal[1], "1 __step.n\u{0}ame applied");
    // A step of the name up to the NUL is another one.
    let code = r#"async () => {
        const { n } = await t.live();
        await codemode.step(n === 1 ? "a\u0000b" : "a\u0000c", () => 1);
        await t.gate({}); }"#;
    assert_eq!(error_of(&through(&host, code).await).kind, ErrorKind::Divergence);
}

/// Covers BUG-JSX-11, WEAK-29.
#[tokio::test(flavor = "multi_thread")]
async fn connectors_with_nul_in_their_names_are_refused() {
    for name in ["a\u{0}b", "", "a b", "class", "a-b", "1a", "a'b", "a\nb", "codemode", "__step"] {
        let built = Runtime::builder()
            .store(std::sync::Arc::new(MemoryStore::new()))
            .executor(executor())
            .connector(name, plain())
            .build();
        let refused = built.unwrap_err();
        assert!(matches!(refused, Error::Name(_)), "{name:?}: {refused}");
    }
}

/// Covers BUG-JSX-12.
#[tokio::test(flavor = "multi_thread")]
async fn big_integers_round_trip_everywhere() {
    let host = Host::new();
    let code = "async () => {
        const s = await codemode.step('b', () => ({ big: 2n ** 70n, neg: -1n }));
        const r = await t.echo({ v: 10n, arr: [1n, null] });
        await t.gate({ v: r.v });
        return { s, r, sum: typeof s.big }; }";
    let outcome = through(&host, code).await;
    assert_eq!(
        result_of(&outcome),
        r#"{"s":{"big":{"$cm":["bigint","1180591620717411303424"]},"neg":{"$cm":["bigint","-1"]}},"r":{"v":{"$cm":["bigint","10"]},"arr":[{"$cm":["bigint","1"]},null]},"sum":"bigint"}"#
    );
    let runtime = host.runtime();
    let record = runtime.record(&id_of(&outcome)).unwrap().unwrap();
    assert_eq!(record.entries.len(), 3);
    assert_eq!(runtime.executions(&Query::default()).unwrap().len(), 1);
    let wire: Value = serde_json::from_str(&outcome.to_wire()).unwrap();
    assert_eq!(wire["result"]["s"]["neg"]["$cm"][1], "-1");
}

/// Covers BUG-JSX-12.
#[tokio::test(flavor = "multi_thread")]
async fn a_connector_that_speaks_plain_json_refuses_a_big_integer_by_its_path() {
    let host = Host::new().with("p", plain());
    let code = "async () => {
        const seen = [];
        for (const a of [{ v: [1, 10n] }, { d: new Date(0) }, { 'odd key': new Map() }, [NaN]])
            try { await p.echo(a); seen.push('performed'); } catch (e) { seen.push(e.message); }
        return seen; }";
    let result = result_of(&host.runtime().execute(code).await.unwrap());
    let seen: Vec<String> = serde_json::from_str(&result).unwrap();
    for (message, path) in
        seen.iter().zip(["args.v[1] is a big integer", "args.d is a", "args[\"odd key\"] is a", "args[0] is"])
    {
        assert!(message.starts_with("arguments to p.echo: ") && message.contains(path), "{message}");
    }
}

/// Covers BUG-JSX-21, WEAK-08, WEAK-09.
#[tokio::test(flavor = "multi_thread")]
async fn values_that_json_cannot_say_have_one_shape_in_all_passes() {
    let values = "{ u8: new Uint8Array([0, 255]), f: new Float32Array([1.5]), ab: new ArrayBuffer(2), d: new Date(0), \
        m: new Map([[1, 2]]), s: new Set([1]), r: /x/g, u: undefined, nan: NaN, inf: -Infinity, nz: -0, sp: [1, , 3], \
        e: new RangeError('r') }";
    let shape = r#"u8:[object Uint8Array]:{"0":0,"1":255};f:[object Float32Array]:{"0":1.5};ab:[object ArrayBuffer]:{};d:[object Date]:"1970-01-01T00:00:00.000Z";m:[object Map]:{};s:[object Set]:{};r:[object RegExp]:{};nan:[object Number]:null;inf:[object Number]:null;nz:[object Number]:-0;sp:[object Array]:[1,null,3];e:[object Error]:{}"#;
    for from in [format!("codemode.step('v', () => ({values}))"), format!("t.echo({values})")] {
        let host = Host::new();
        let code = format!(
            "async () => {{
                const a = await {from};
                const show = (x) => Object.keys(x).map((k) => k + ':' + Object.prototype.toString.call(x[k]) + ':' +
                    (Object.is(x[k], -0) ? '-0' : JSON.stringify(x[k]))).join(';');
                const s = show(a);
                await t.gate({{ s }});
                return s; }}"
        );
        let outcome = through(&host, &code).await;
        assert_eq!(serde_json::from_str::<String>(&result_of(&outcome)).unwrap(), shape, "{from}");
        assert_eq!(executed(&host.ledger, "gate")[0]["s"], shape, "{from}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_inside_those_values_is_kept_too() {
    let seen = "[a.nan !== a.nan, a.inf === -Infinity, a.m.get(1).get('k')[0] === 5n, [...a.s][0] instanceof Date, \
        a.r.source + a.r.flags, a.u === undefined, 1 in a.sp, a.sp.length, a.e instanceof RangeError, a.e.message, \
        a.e.cause.message, a.dv.getUint8(1), a.f64[1] !== a.f64[1], a.big64[0] === -1n, a.box, a.inst.x, \
        a.inst.constructor === Object, a.inv.getTime() !== a.inv.getTime(), [...a.s][0].getTime()]";
    let values = "{ nan: NaN, inf: -Infinity, m: new Map([[1, new Map([['k', [5n]]])]]), s: new Set([new Date(7)]), \
        r: /a\\/b/gi, u: undefined, sp: [1, , 3], e: new RangeError('r', { cause: new Error('c') }), \
        dv: new DataView(new Uint8Array([1, 2, 3]).buffer), f64: new Float64Array([0, NaN]), \
        big64: new BigInt64Array([-1n]), box: Object('boxed'), inst: new (class A { x = 1; y() {} })(), inv: new Date(NaN) }";
    let host = Host::new();
    for from in [format!("codemode.step('v', () => ({values}))"), format!("t.echo({values})")] {
        let code =
            format!("async () => {{ const a = await {from}; const s = {seen}; await t.gate({{ s }}); return s; }}");
        let outcome = through(&host, &code).await;
        assert_eq!(
            result_of(&outcome),
            r#"[true,true,true,true,"a\\/bgi",true,true,3,true,"r","c",2,true,true,"boxed",1,true,true,7]"#,
            "{from}"
        );
    }
}

/// Covers BUG-JSX-21, DIFF-14.
#[tokio::test(flavor = "multi_thread")]
async fn values_without_a_shape_are_refused_by_path_and_kind() {
    let host = Host::new();
    let runtime = host.runtime();
    let cases = [
        ("{ f: () => 1 }", ".f", "function"),
        ("{ a: [Symbol('s')] }", ".a[0]", "symbol"),
        ("new WeakMap()", "", "WeakMap"),
        ("{ p: Promise.resolve() }", ".p", "promise"),
        ("{ g: (function* () {})() }", ".g", "enerator"),
        ("(() => { const c = { in: {} }; c.in.c = c; return c; })()", ".in.c", "contains itself"),
        ("{ n: t }", ".n", ""),
    ];
    for (value, path, kind) in cases {
        for (subject, code) in [
            ("arguments to t.add: args", format!("async () => {{ await t.add({value}); }}")),
            ("result of __step.s: result", format!("async () => {{ await codemode.step('s', () => ({value})); }}")),
        ] {
            let outcome = runtime.execute(code.as_str()).await.unwrap();
            let error = error_of(&outcome);
            assert_eq!(error.kind, ErrorKind::Unrecordable, "{code}: {error:?}");
            assert!(error.message.contains(&format!("{subject}{path}")), "{code}: {error:?}");
            assert!(error.message.contains(kind), "{code}: {error:?}");
        }
    }
    assert_eq!(host.ledger.count("t", "add"), 0);
}

/// Covers BUG-JSX-17.
#[tokio::test(flavor = "multi_thread")]
async fn an_own_member_called_proto_stays_a_member() {
    let host = Host::new();
    let text = r#"{"__proto__":{"isAdmin":true,"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":"\u2028</script>"}"#;
    let code = format!(
        "async (given) => {{
            const input = JSON.parse('{}');
            const look = (x) => [Object.keys(x), x.isAdmin === undefined, ({{}}).polluted === undefined, x.a];
            const r = await t.echo(input);
            const s = await codemode.step('s', () => input);
            await t.gate({{ r }});
            return [look(given), look(r), look(s), Object.keys(r), ({{}}).polluted === undefined]; }}",
        text.replace('\\', "\\\\")
    );
    let paused = host.runtime().execute(Code::new(code).with_input(json(text))).await.unwrap();
    assert_eq!(pending_args(&paused)["r"].as_object().unwrap().len(), 3);
    let outcome = approve_all(&host.runtime(), paused).await;
    let keys = r#"["__proto__","constructor","a"]"#;
    let look = format!("[{keys},true,true,\"\u{2028}</script>\"]");
    assert_eq!(result_of(&outcome), format!("[{look},{look},{look},{keys},true]"));
}
