//! Calls: what crosses, what comes back, and what a namespace answers for.

use crate::host::{Ask, Breach, Reply, code, echo, failure, result, value};

#[test]
fn a_trivial_function_returns_its_value() {
    assert_eq!(result("async () => 1 + 1"), "2");
    assert_eq!(result("() => 'sync'"), "\"sync\"");
    assert_eq!(result("async () => {}"), "undefined");
    assert_eq!(result("async () => null"), "null");
}

#[test]
fn the_input_is_the_first_argument() {
    let run = code("async (input) => [input.a, typeof input.b]");
    assert_eq!(
        run.with(|request| request.input = Some("{\"a\":1,\"b\":2}".to_owned())).run().result(),
        "[1,\"number\"]"
    );
    assert_eq!(result("async (input) => typeof input"), "\"undefined\"");
}

#[test]
fn only_the_first_argument_crosses() {
    let ran =
        code("async () => { await t.echo(); await t.echo(undefined); await t.echo(null); await t.echo(1, 2); }").run();
    let args: Vec<_> = ran
        .host
        .asks
        .iter()
        .map(|ask| match ask {
            Ask::Call(_, _, args) => args.as_deref(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(args, [None, None, Some("null"), Some("1")]);
}

#[test]
fn calls_run_in_parallel_and_each_gets_its_own_answer() {
    let text = "async () => (await Promise.all([1, 2, 3].map((n) => t.echo({ n })))).map((r) => r.n)";
    assert_eq!(result(text), "[1,2,3]");
}

#[test]
fn many_calls_in_a_row_do_not_wear_out_the_engine() {
    let text = "async () => {
        let sum = 0;
        for (let i = 0; i < 500; i++) {
            const r = await t.echo({ i, pad: 'x'.repeat(i % 50), o: { a: [i] } });
            sum += r.i;
            if (i % 7 === 0) await Promise.all([t.echo({}), t.echo({})]);
        }
        return sum;
    }";
    assert_eq!(result(text), "124750");
}

#[test]
fn arguments_are_encoded_once_at_the_moment_of_the_call() {
    let text = "async () => {
        let read = 0;
        const args = { get a() { read += 1; return read; } };
        const call = t.echo(args);
        args.b = 2;
        return [await call, read];
    }";
    assert_eq!(result(text), "[{\"a\":1},1]");
}

#[test]
fn a_failed_call_is_an_error_with_its_message_and_members() {
    let text = "async () => {
        try { await t.fail(); } catch (e) {
            return [e instanceof Error, e.name, e.message, e.code, e.details, e.data.isbn, e.retryAfterMs, e.effect,
                Object.keys(e)];
        }
    }";
    assert_eq!(
        result(text),
        "[true,\"ConnectorError\",\"no such book\",\"not-found\",{\"isbn\":7},7,250,\"none\",\
         [\"code\",\"details\",\"data\",\"retryAfterMs\",\"effect\"]]"
    );
}

#[test]
fn a_failure_may_carry_the_name_of_the_exception() {
    let run = code("async () => { try { await t.fail(); } catch (e) { return [e.name, e instanceof TypeError]; } }");
    let ran = run.answering(|_| {
        let mut error = failure("x", "y");
        error.extras.push(("name".to_owned(), "\"TypeError\"".to_owned()));
        Reply::Now(Err(error))
    });
    assert_eq!(ran.run().result(), "[\"TypeError\",true]");
}

#[test]
fn an_uncaught_failure_tells_where_the_code_asked() {
    let error = code("async () => {\n  await null;\n  await t.fail({});\n}").run().error();
    assert_eq!((error.name.as_str(), error.message.as_str()), ("ConnectorError", "no such book"));
    assert_eq!(error.line, Some(3));
}

#[test]
fn an_unknown_method_is_asked_for_like_others() {
    let ran = code("async () => { try { await t.ecko({ a: 1 }); } catch (e) { return e.message; } }").run();
    assert_eq!(ran.host.asks[0], Ask::Call("t".to_owned(), "ecko".to_owned(), Some("{\"a\":1}".to_owned())));
    assert_eq!(ran.result(), "\"Tool \\\"ecko\\\" not found\"");
}

#[test]
fn a_namespace_has_its_methods_and_nothing_else() {
    assert_eq!(value("Object.keys(shelf)"), "[\"list\",\"put\"]");
    assert_eq!(
        value("['list' in shelf, 'nope' in shelf, 'toString' in shelf, 'then' in shelf]"),
        "[true,false,false,false]"
    );
    assert_eq!(
        value("[typeof shelf, typeof other, typeof shelf.list, typeof shelf.nope]"),
        "[\"object\",\"undefined\",\"function\",\"function\"]"
    );
    assert_eq!(
        value("[shelf.list === shelf.list, shelf.nope === shelf.nope, shelf.list === shelf.put]"),
        "[true,true,false]"
    );
    assert_eq!(value("shelf.list.name"), "\"list\"");
    assert_eq!(
        value(
            "[shelf[Symbol.iterator], shelf[Symbol.toPrimitive], shelf.then, shelf.toJSON, shelf.constructor, \
        shelf.__proto__, shelf.valueOf, shelf.hasOwnProperty].every((v) => v === undefined)"
        ),
        "true"
    );
    assert_eq!(value("Object.getPrototypeOf(shelf) === null"), "true");
    assert_eq!(value("`${shelf} ${shelf.toString === shelf.toString}`"), "\"[connector shelf] true\"");
}

#[test]
fn a_namespace_cannot_be_changed() {
    let text = "async () => [
        () => { shelf.list = 1; },
        () => { shelf.more = 1; },
        () => { delete shelf.list; },
        () => { Object.defineProperty(shelf, 'x', { value: 1 }); },
        () => { Object.setPrototypeOf(shelf, {}); },
        () => { globalThis.shelf = 1; },
        () => { delete globalThis.shelf; },
        () => { shelf.list.x = 1; },
    ].map((change) => { try { change(); return 'changed'; } catch (e) { return e.name; } })";
    assert_eq!(result(text), format!("[{}]", ["\"TypeError\""; 8].join(",")));
}

#[test]
fn awaiting_a_namespace_does_not_hang_and_returning_one_is_refused() {
    assert_eq!(result("async () => { const s = await shelf; return typeof s.list; }"), "\"function\"");
    let (subject, breach) = code("async () => shelf").run().refused();
    assert_eq!(subject, "the result");
    assert!(matches!(breach, Breach::Unsupported((path, what)) if path == "result" && what == "a connector namespace"));
    let (subject, _) = code("async () => t.echo({ shelf })").run().refused();
    assert_eq!(subject, "arguments to t.echo");
}

#[test]
fn an_unanswered_call_ends_the_run_with_an_error() {
    let error = code("async () => { await t.never(); }").run().error();
    assert_eq!(error.message, "the code waits for something that never settles");
}

#[test]
fn calls_that_nobody_awaits_are_answered_before_the_end() {
    let text = "async () => {
        t.add({ n: 1 });
        for (const n of [3, 4]) (async () => { await null; await t.add({ n }); await t.add({ n: n * 10 }); })();
        return 'done';
    }";
    let ran = code(text).run();
    assert_eq!(ran.host.asks.len(), 5);
    assert_eq!(ran.result(), "\"done\"");
}

#[test]
fn a_rejected_call_that_nobody_awaited_is_one_warning() {
    let ran =
        code("async () => { t.fail(); t.fail().catch(() => {}); (async () => { await shelf.nope(); })(); return 1; }")
            .answering(echo)
            .run();
    let lines: Vec<_> = ran.host.logs.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "t.fail rejected and nobody awaited it: ConnectorError: no such book",
            "shelf.nope rejected and nobody awaited it: ConnectorError: Tool \"nope\" not found",
        ]
    );
    assert_eq!(ran.result(), "1");
}

#[test]
fn replaced_built_ins_break_nothing_of_ours() {
    let text = "async () => {
        globalThis.Promise = class { constructor() { throw 1; } };
        JSON.parse = JSON.stringify = () => { throw 2; };
        Array.prototype.push = Array.prototype[Symbol.iterator] = () => { throw 3; };
        Object.prototype.toJSON = undefined;
        Object.defineProperty(Object.prototype, 'n', { set() { throw 4; }, get() { throw 4; }, configurable: true });
        Map.prototype.forEach = Map.prototype.set = () => { throw 5; };
        Object.keys = () => { throw 6; };
        const r = await t.echo({ n: 1, m: new Map([['k', { n: 2 }]]), l: [1] });
        const step = await codemode.step('s', () => ({ n: 3 }));
        return { r, step };
    }";
    let text = text.replace("new Map([['k', { n: 2 }]])", "globalThis.map").replacen(
        "globalThis.Promise",
        "globalThis.map = new Map([['k', { n: 2 }]]); globalThis.Promise",
        1,
    );
    assert_eq!(
        result(&text),
        "{\"r\":{\"n\":1,\"m\":{\"$cm\":[\"map\",[[\"k\",{\"n\":2}]]]},\"l\":[1]},\"step\":{\"n\":3}}"
    );
}
