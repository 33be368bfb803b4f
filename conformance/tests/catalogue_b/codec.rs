//! Values keep their type and their content over the journal: in the first pass as in each replay.

use codemode_conformance::harness::{Host, approve_all, error_of, json, pending_of, result_of};
use codemode_runtime::{ErrorKind, Json, ValueLimits};

use crate::kit::{result, run, stored};

const MIXED: &str =
    "({ n: 98765432109876543210n, raw: new Uint8Array([254, 0, 17]), rest: { k: 3, t: 'x', z: null } })";

/// Covers CODEC-01, codec#2.
#[tokio::test(flavor = "multi_thread")]
async fn big_integers_and_bytes_come_back_from_the_record_as_they_were() {
    let runtime = Host::new().runtime();
    let outcome = runtime.execute(format!("async () => shelf.echo({MIXED})")).await.unwrap();
    let text = r#"{"n":{"$cm":["bigint","98765432109876543210"]},"raw":{"$cm":["bytes","Uint8Array","/gAR"]},"rest":{"k":3,"t":"x","z":null}}"#;
    let record = stored(&runtime, &outcome);
    assert_eq!(record.entries[0].request.args().unwrap().as_str(), text);
    assert_eq!(record.entries[0].answer, Some(Ok(Some(json(text)))));
    assert_eq!(record.execution.result, Some(json(text)));
    let read = format!(
        "async () => {{ const v = await shelf.echo({MIXED}); return [typeof v.n, v.n === 98765432109876543210n,
            v.raw instanceof Uint8Array, [...v.raw], v.rest]; }}"
    );
    assert_eq!(result(&read).await, r#"["bigint",true,true,[254,0,17],{"k":3,"t":"x","z":null}]"#);
    let digits = "123456789012345678901234567890";
    let long = format!("async () => {{ const v = await codemode.step('s', () => ({{ n: {digits}n, b: new Uint8Array([0, 128, 255]) }}));
        return [v.n === {digits}n, [...v.b]]; }}");
    assert_eq!(result(&long).await, "[true,[0,128,255]]");
}

/// Covers CODEC-02, codec#1, executor#11, WEAK-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_view_keeps_its_type_and_only_its_visible_bytes() {
    let code = "async () => {
        const v = await t.echo({ bytes: new Uint8Array([1, 2, 255]), nested: [new Uint8Array([7]).buffer],
            part: new Uint8Array([10, 20, 30, 40]).subarray(1, 3), f: new Float64Array([1.5]),
            d: new DataView(new Uint8Array([1, 2, 3]).buffer, 1) });
        return [[...v.bytes], v.nested[0] instanceof ArrayBuffer, [...new Uint8Array(v.nested[0])], [...v.part],
            v.part.buffer.byteLength, v.f.constructor.name, v.f[0], v.d.constructor.name, v.d.getUint8(0), v.d.byteLength];
    }";
    assert_eq!(result(code).await, r#"[[1,2,255],true,[7],[20,30],2,"Float64Array",1.5,"DataView",2,2]"#);
    // As an argument of a call that waits, it is the same in the next pass.
    let host = Host::new();
    let code =
        "async () => { await t.echo(new Float64Array([1.5, NaN])); await t.echo(new DataView(new ArrayBuffer(2)));
        await shelf.put({ title: new Float32Array([0.5]) }); return 'done'; }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(pending_of(&paused), [r#"2 shelf.put {"title":{"$cm":["bytes","Float32Array","AAAAPw=="]}}"#]);
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "\"done\"");
}

/// Covers CODEC-04, codec#3.
#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_something_else_than_null() {
    let runtime = Host::new().runtime();
    let code = "async () => [typeof await shelf.echo(), await shelf.echo(null), typeof await codemode.step('u', () => undefined)]";
    let outcome = runtime.execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), r#"["undefined",null,"undefined"]"#);
    let record = stored(&runtime, &outcome);
    let args: Vec<Option<&str>> = record.entries.iter().map(|e| e.request.args().map(Json::as_str)).collect();
    assert_eq!(args, [None, Some("null"), None]);
    let answers: Vec<_> = record.entries.iter().map(|e| e.answer.clone().unwrap().unwrap()).collect();
    assert_eq!(answers, [None, Some(json("null")), None]);
    let nothing = runtime.execute("async () => undefined").await.unwrap();
    assert_eq!(stored(&runtime, &nothing).execution.result, None);
    let null = runtime.execute("async () => null").await.unwrap();
    assert_eq!(stored(&runtime, &null).execution.result, Some(json("null")));
}

/// Covers CODEC-06, codec#4.
#[tokio::test(flavor = "multi_thread")]
async fn a_cycle_cannot_be_recorded_and_a_part_that_is_there_twice_can() {
    let cycle = "const a = { b: {} }; a.b.c = a;";
    for (use_it, message) in [
        ("await t.echo(a)", "arguments to t.echo: args.b.c contains itself (a cycle)"),
        ("await codemode.step('s', () => a)", "result of __step.s: result.b.c contains itself (a cycle)"),
        ("return a", "the final result: result.b.c contains itself (a cycle)"),
    ] {
        let outcome = run(&format!("async () => {{ {cycle} {use_it}; }}")).await;
        assert_eq!(error_of(&outcome).kind, ErrorKind::Unrecordable, "{use_it}");
        assert_eq!(error_of(&outcome).message, message);
    }
    assert_eq!(
        result("async () => { const s = { x: 1 }; return t.echo([s, s, { s }]); }").await,
        r#"[{"x":1},{"x":1},{"s":{"x":1}}]"#
    );
}

/// Covers CODEC-05, WEAK-09, DIFF-14.
#[tokio::test(flavor = "multi_thread")]
async fn what_json_would_change_is_kept_or_refused_and_never_changed() {
    let code = "async () => {
        const v = await t.echo({ gone: undefined, list: [undefined, NaN, Infinity, -Infinity, -0], at: new Date(0),
            map: new Map([[1, 'a']]), set: new Set([1]), re: /a/g, error: new RangeError('m'), lone: '\\ud800' });
        return ['gone' in v, v.list.length, v.list[0] === undefined, Number.isNaN(v.list[1]), v.list[2] === Infinity,
            v.list[3] === -Infinity, Object.is(v.list[4], -0), v.at instanceof Date && v.at.getTime(), v.map.get(1), v.set.has(1),
            v.re.test('a') && v.re.flags, v.error instanceof RangeError && v.error.message, v.lone.charCodeAt(0) === 0xd800];
    }";
    assert_eq!(result(code).await, r#"[false,5,true,true,true,true,true,0,"a",true,"g","m",true]"#);
    for refused in ["() => 1", "Symbol('s')", "new WeakMap()", "Promise.resolve(1)"] {
        let outcome = run(&format!("async () => t.echo([{refused}])")).await;
        assert_eq!(error_of(&outcome).kind, ErrorKind::Unrecordable, "{refused}");
        assert!(error_of(&outcome).message.starts_with("arguments to t.echo: args[0] is "), "{refused}");
    }
}

/// Covers CODEC-08, WEAK-10.
#[tokio::test(flavor = "multi_thread")]
async fn data_that_looks_like_a_tag_is_data() {
    let runtime = Host::new().runtime();
    let code = r#"async () => {
        const tags = [{ $cm: ["bigint", "abc"] }, { $cm: 1 }, { $$cm: [1] }, { a: { $cm: ["undefined"] } }, { $cm: 1, b: 2 },
            { __codemode_bigint_v1__: "abc" }, { __codemode_binary_v1__: "Uint8Array", data: "!!" }];
        const echoed = await t.echo(tags);
        return JSON.stringify(echoed) === JSON.stringify(tags);
    }"#;
    let outcome = runtime.execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), "true");
    assert_eq!(
        stored(&runtime, &outcome).entries[0].request.args().unwrap().as_str(),
        r#"[{"$$cm":["bigint","abc"]},{"$$cm":1},{"$$$cm":[1]},{"a":{"$$cm":["undefined"]}},{"$$cm":1,"b":2},{"__codemode_bigint_v1__":"abc"},{"__codemode_binary_v1__":"Uint8Array","data":"!!"}]"#
    );
    assert_eq!(runtime.executions(&Default::default()).unwrap()[0].damaged, None);
}

/// Covers CODEC-09, WEAK-08, WEAK-09.
#[tokio::test(flavor = "multi_thread")]
async fn the_code_sees_the_same_types_in_the_first_pass_and_in_a_replay() {
    let host = Host::new();
    let code = "async () => {
        const kind = (v) => Object.prototype.toString.call(v) + (Object.is(v, -0) ? '-0' : String(v));
        const values = () => [undefined, null, -0, NaN, 10n, 'x', new Date(5), new Map([[1, 2]]), new Set([3]), /r/i,
            new Uint8Array([1]), new TypeError('t'), [undefined], { a: 1 }];
        const seen = [];
        for (const v of values()) { seen.push(kind(await t.echo(v))); seen.push(kind(await codemode.step('s', () => v))); }
        const first = await codemode.step('first', () => seen);
        await t.gate({});
        return JSON.stringify(first) === JSON.stringify(seen) ? seen.length : { first, seen };
    }";
    let paused = host.runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&approve_all(&host.runtime(), paused).await), "28");
}

/// Covers CODEC-10.
#[tokio::test(flavor = "multi_thread")]
async fn large_byte_arrays_cross_without_trouble() {
    let code = "async () => { const b = new Uint8Array(700000); for (let i = 0; i < b.length; i++) b[i] = i % 251;
        const v = await t.echo(b); return [v.length, v[699999], v.every((x, i) => x === i % 251)]; }";
    assert_eq!(result(code).await, format!("[700000,{},true]", 699_999 % 251));
}

/// Covers CODEC-01.
#[tokio::test(flavor = "multi_thread")]
async fn a_stored_value_that_is_read_back_is_checked_and_never_guessed_at() {
    let limits = ValueLimits::default();
    for malformed in
        [r#"{"$cm":["bigint","abc"]}"#, r#"{"$cm":["what",1]}"#, r#"{"a":1,"$cm":["undefined"]}"#, r#"{"$cm":1}"#]
    {
        assert!(Json::from_tagged(malformed, &limits).is_err(), "{malformed}");
    }
    let host = Host::new();
    let code = r#"async () => { try { await t.raw({ json: '{"$cm":["bigint","abc"]}' }); } catch (e) { return e.message; } return 'data'; }"#;
    assert_eq!(result_of(&host.runtime().execute(code).await.unwrap()), "\"data\"");
}
