//! Values: the test vectors of `docs/values.md`, both ways through the real codec.

use crate::host::{Ask, Breach, code, result, value};

/// What one expression is as argument, and what it is after the way back.
#[track_caller]
fn travels(expression: &str, json: &str) {
    let ran = code(&format!("async () => {{ const back = await t.echo({{ v: {expression} }}); return back; }}")).run();
    let Ask::Call(_, _, Some(sent)) = &ran.host.asks[0] else { panic!("{:?}", ran.host.asks) };
    assert_eq!(sent, &format!("{{\"v\":{json}}}"), "{expression}");
    assert_eq!(ran.result(), format!("{{\"v\":{json}}}"), "{expression} again");
}

#[test]
fn the_test_vectors_hold() {
    let text = std::fs::read_to_string("../docs/values.json").expect("the vectors are beside the documentation");
    let vectors: serde_json::Value = serde_json::from_str(&text).expect("they are JSON");
    for row in vectors["values"].as_array().expect("rows") {
        let expression = row["js"].as_str().expect("an expression");
        let Ask::Call(_, _, sent) = &code(&format!("async () => t.echo({expression})")).run().host.asks[0] else {
            panic!("{expression} is no call");
        };
        assert_eq!(sent.as_deref(), row["json"].as_str(), "{expression}");
        assert_eq!(
            result(&format!("async () => t.echo({expression})")),
            row["json"].as_str().unwrap_or("undefined"),
            "{expression} again"
        );
    }
}

#[test]
fn the_vectors_of_refusals_hold() {
    let text = std::fs::read_to_string("../docs/values.json").expect("the vectors are beside the documentation");
    let vectors: serde_json::Value = serde_json::from_str(&text).expect("they are JSON");
    for row in vectors["refused_by_sandbox"].as_array().expect("rows") {
        let expression = row["js"].as_str().expect("an expression");
        let path = format!("args{}", row["path"].as_str().expect("a path"));
        match code(&format!("async () => t.echo({expression})")).run().refused().1 {
            Breach::Unsupported((found, _)) | Breach::Cyclic(found) => assert_eq!(found, path, "{expression}"),
            other => panic!("{expression}: {other:?}"),
        }
    }
}

#[test]
fn plain_values_are_plain_json() {
    travels("[1, 1.5, -3, 1e21, 1e-7, true, false, null, 'é🙂']", "[1,1.5,-3,1e+21,1e-7,true,false,null,\"é🙂\"]");
    travels("{ b: 1, a: 2, 1: 0 }", "{\"1\":0,\"b\":1,\"a\":2}");
    travels("{ a: undefined, b: 1 }", "{\"b\":1}");
    travels(
        "'\\u0000\\u001f\\b\\f\\n\\r\\t\"\\\\/\\u2028</script>'",
        "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\u{2028}</script>\"",
    );
    travels("'\\ud800x\\udc00'", "\"\\ud800x\\udc00\"");
    travels("Object(1)", "1");
    travels("[Object('s'), Object(true), Object(2n)]", "[\"s\",true,{\"$cm\":[\"bigint\",\"2\"]}]");
    travels("new (class A { x = 1; #y = 2; get z() { return 3; } })()", "{\"x\":1}");
    travels("Object.assign(Object.create(null), { a: 1 })", "{\"a\":1}");
    travels("new Proxy([1, 2], {})", "[1,2]");
}

#[test]
fn what_json_cannot_say_is_tagged() {
    travels("[undefined, , 3]", "[{\"$cm\":[\"undefined\"]},{\"$cm\":[\"undefined\"]},3]");
    travels(
        "[NaN, Infinity, -Infinity, -0]",
        "[{\"$cm\":[\"number\",\"NaN\"]},{\"$cm\":[\"number\",\"Infinity\"]},\
        {\"$cm\":[\"number\",\"-Infinity\"]},{\"$cm\":[\"number\",\"-0\"]}]",
    );
    travels(
        "[10n, -1n, 2n ** 70n]",
        "[{\"$cm\":[\"bigint\",\"10\"]},{\"$cm\":[\"bigint\",\"-1\"]},\
        {\"$cm\":[\"bigint\",\"1180591620717411303424\"]}]",
    );
    travels("[new Date(0), new Date(NaN)]", "[{\"$cm\":[\"date\",0]},{\"$cm\":[\"date\",null]}]");
    travels(
        "new Map([[1, { a: 2 }], ['k', undefined]])",
        "{\"$cm\":[\"map\",[[1,{\"a\":2}],[\"k\",{\"$cm\":[\"undefined\"]}]]]}",
    );
    travels("new Set([1, 'a', new Set()])", "{\"$cm\":[\"set\",[1,\"a\",{\"$cm\":[\"set\",[]]}]]}");
    travels("/a\\/b/giu", "{\"$cm\":[\"regexp\",\"a\\\\/b\",\"giu\"]}");
}

#[test]
fn bytes_keep_their_view() {
    travels("new Uint8Array([0, 255])", "{\"$cm\":[\"bytes\",\"Uint8Array\",\"AP8=\"]}");
    travels("new ArrayBuffer(2)", "{\"$cm\":[\"bytes\",\"ArrayBuffer\",\"AAA=\"]}");
    travels("new Uint8Array([10, 20, 30, 40]).subarray(1, 3)", "{\"$cm\":[\"bytes\",\"Uint8Array\",\"FB4=\"]}");
    travels("new Float64Array([1.5])", "{\"$cm\":[\"bytes\",\"Float64Array\",\"AAAAAAAA+D8=\"]}");
    travels("new DataView(new ArrayBuffer(4), 1, 2)", "{\"$cm\":[\"bytes\",\"DataView\",\"AAA=\"]}");
    travels("new BigInt64Array([1n])", "{\"$cm\":[\"bytes\",\"BigInt64Array\",\"AQAAAAAAAAA=\"]}");
    travels("new Uint8ClampedArray(0)", "{\"$cm\":[\"bytes\",\"Uint8ClampedArray\",\"\"]}");
    assert_eq!(value("(await t.echo(new Float32Array([1.5, 2])))[0]"), "1.5");
    assert_eq!(value("(await t.echo(new Uint8Array(700000).fill(7))).length"), "700000");
}

#[test]
fn errors_keep_name_message_and_members() {
    travels("new RangeError('m')", "{\"$cm\":[\"error\",{\"name\":\"RangeError\",\"message\":\"m\"}]}");
    travels(
        "Object.assign(new Error('m'), { code: 5 })",
        "{\"$cm\":[\"error\",{\"name\":\"Error\",\"message\":\"m\",\"code\":5}]}",
    );
    travels(
        "new Error('m', { cause: new TypeError('c') })",
        "{\"$cm\":[\"error\",{\"name\":\"Error\",\"message\":\"m\",\
        \"cause\":{\"$cm\":[\"error\",{\"name\":\"TypeError\",\"message\":\"c\"}]}}]}",
    );
    travels(
        "new AggregateError([new Error('a')], 'm')",
        "{\"$cm\":[\"error\",{\"name\":\"AggregateError\",\
        \"message\":\"m\",\"errors\":[{\"$cm\":[\"error\",{\"name\":\"Error\",\"message\":\"a\"}]}]}]}",
    );
    travels("new Error('m', { cause: () => {} })", "{\"$cm\":[\"error\",{\"name\":\"Error\",\"message\":\"m\"}]}");
    travels(
        "new (class MyError extends Error { name = 'MyError'; })('m')",
        "{\"$cm\":[\"error\",{\"name\":\"MyError\",\"message\":\"m\"}]}",
    );
    let text = "async () => { const e = (await t.echo({ e: new RangeError('m') })).e;
        return [e instanceof RangeError, e.message, Object.keys(e), String(e)]; }";
    assert_eq!(result(text), "[true,\"m\",[],\"RangeError: m\"]");
}

#[test]
fn keys_that_look_like_tags_are_the_codes_own() {
    travels("{ $cm: 1 }", "{\"$$cm\":1}");
    travels(
        "{ a: 1, $$cm: ['bigint', '5'], $cm: 2, b: 3 }",
        "{\"a\":1,\"$$$cm\":[\"bigint\",\"5\"],\"$$cm\":2,\"b\":3}",
    );
    assert_eq!(value("Object.keys(await t.echo({ z: 1, $cm: 2, a: 3 }))"), "[\"z\",\"$cm\",\"a\"]");
    assert_eq!(value("(await t.echo('{\"$cm\":[\"bigint\",\"5\"]}'))"), "\"{\\\"$cm\\\":[\\\"bigint\\\",\\\"5\\\"]}\"");
}

#[test]
fn malformed_tags_are_refused_and_never_guessed_at() {
    for text in [
        "{\"$cm\":[\"nope\"]}",
        "{\"$cm\":1}",
        "{\"$cm\":[]}",
        "{\"$cm\":[\"bigint\",\"1x\"]}",
        "{\"$cm\":[\"bigint\",\"1\"],\"a\":1}",
        "{\"$cm\":[\"bytes\",\"Uint8Array\",\"A\"]}",
        "{\"$cm\":[\"bytes\",\"Float64Array\",\"AP8=\"]}",
        "{\"$cm\":[\"map\",[[1]]]}",
        "not json",
    ] {
        let run = code("async () => { try { return await t.echo(); } catch (e) { return e.name; } }");
        let name = run.answering(move |_| crate::host::Reply::Now(Ok(Some(text.to_owned())))).run().result();
        assert!(name == "\"TypeError\"" || name == "\"SyntaxError\"", "{text}: {name}");
    }
}

#[test]
fn dangerous_keys_are_ordinary_members() {
    let text = "async () => {
        const input = JSON.parse('{\"__proto__\":{\"isAdmin\":true,\"polluted\":1},\"constructor\":{\"prototype\":{}},\"a\":1}');
        const r = await t.echo(input);
        return [Object.keys(r), r.isAdmin === undefined, ({}).polluted === undefined];
    }";
    assert_eq!(result(text), "[[\"__proto__\",\"constructor\",\"a\"],true,true]");
    let text =
        "async () => { const r = await t.echo(JSON.parse('{\"__proto__\":{\"x\":1},\"n\":1}')); r.d = new Date(0);
        const again = await t.echo(r); return [Object.keys(again), again.x === undefined]; }";
    assert_eq!(result(text), "[[\"__proto__\",\"n\",\"d\"],true]");
}

#[test]
fn to_json_is_asked_once() {
    travels("{ toJSON: () => ({ a: 1 }) }", "{\"a\":1}");
    travels("{ x: { toJSON: (key) => key } }", "{\"x\":\"x\"}");
    travels("{ x: { toJSON: () => undefined }, y: 1 }", "{\"y\":1}");
    travels("{ toJSON: () => new Date(5) }", "{\"$cm\":[\"date\",5]}");
    travels("Object.assign(new Date(5), { toJSON: () => 1 })", "{\"$cm\":[\"date\",5]}");
    travels("new URL('http://a/b')", "\"http://a/b\"");
}

#[test]
fn what_has_no_encoding_is_refused_with_its_path() {
    for (expression, path, what) in [
        ("{ a: [0, 1, 2, { b: () => {} }] }", "args.a[3].b", "a function"),
        ("{ s: Symbol('x') }", "args.s", "a symbol"),
        ("[class A {}]", "args[0]", "a function"),
        ("{ p: Promise.resolve(1) }", "args.p", "a promise"),
        ("{ 'a b': new WeakMap() }", "args[\"a b\"]", "a WeakMap"),
        ("[new Map([[1, () => {}]])]", "args[0][0][1]", "a function"),
        ("(function* () {})()", "args", "a generator"),
        ("[].values()", "args", "an iterator"),
        ("codemode", "args", "a connector namespace"),
    ] {
        let (subject, breach) = code(&format!("async () => t.echo({expression})")).run().refused();
        assert_eq!(subject, "arguments to t.echo");
        let Breach::Unsupported(found) = breach else { panic!("{expression}: {breach:?}") };
        assert_eq!(found, (path.to_owned(), what.to_owned()), "{expression}");
    }
}

#[test]
fn cycles_are_found_and_shared_parts_are_none() {
    let (_, breach) = code("async () => { const a = { x: [] }; a.x.push({ a }); await t.echo(a); }").run().refused();
    assert!(matches!(breach, Breach::Cyclic(path) if path == "args.x[0].a"));
    let (_, breach) = code("async () => { const m = new Map(); m.set('m', m); await t.echo(m); }").run().refused();
    assert!(matches!(breach, Breach::Cyclic(_)));
    assert_eq!(result("async () => { const s = { a: 1 }; return t.echo([s, s]); }"), "[{\"a\":1},{\"a\":1}]");
}

#[test]
fn the_limit_is_exact() {
    let limits = |code: crate::host::Case| code.with(|request| request.limits.value = 100);
    let ran = limits(code("async () => (await t.echo('x'.repeat(98))).length")).run();
    assert_eq!(ran.result(), "98");
    let (_, breach) = limits(code("async () => t.echo('x'.repeat(99))")).run().refused();
    assert!(matches!(breach, Breach::TooLarge));
    // Units are UTF-16: 49 of these letters are 98 units.
    assert_eq!(limits(code("async () => (await t.echo('🙂'.repeat(49))).length")).run().result(), "98");
    assert!(matches!(limits(code("async () => t.echo('🙂'.repeat(49) + 'x')")).run().refused().1, Breach::TooLarge));
    assert!(matches!(limits(code("async () => t.echo(new Uint8Array(75))")).run().refused().1, Breach::TooLarge));
}

#[test]
fn an_exploding_value_costs_no_more_than_the_limit() {
    let ran = code("async () => { let v = [1]; for (let i = 0; i < 40; i++) v = [v, v]; await t.echo(v); }").run();
    assert!(ran.took.as_secs() < 5, "{:?}", ran.took);
    assert!(matches!(ran.refused().1, Breach::TooLarge));
    let ran = code("async () => t.echo(new Array(4294967295))").run();
    assert!(matches!(ran.refused().1, Breach::TooLarge));
}

#[test]
fn nesting_is_limited_exactly() {
    let nest = |levels: u32| {
        format!(
            "async () => {{ let v = 1; for (let i = 0; i < {levels}; i++) v = [v]; const r = await t.echo(v);
            return JSON.stringify(r).length; }}"
        )
    };
    assert_eq!(result(&nest(200)), "401");
    assert_eq!(result(&nest(512)), "1025");
    assert!(matches!(code(&nest(513)).run().refused().1, Breach::TooDeep));
    assert!(matches!(code(&nest(200_000)).run().refused().1, Breach::TooDeep));
}

#[test]
fn an_exception_of_a_getter_is_the_exception_of_the_call() {
    let text = "async () => { try { await t.echo({ get a() { throw new RangeError('mine'); } }); } catch (e) { return String(e); } }";
    assert_eq!(result(text), "\"RangeError: mine\"");
}

#[test]
fn the_final_result_has_a_limit_of_its_own() {
    let run = code("async () => 'x'.repeat(50)").with(|request| request.limits.outcome = 20);
    let (subject, breach) = run.run().refused();
    assert_eq!(subject, "the result");
    assert!(matches!(breach, Breach::TooLarge));
}
