//! Code that replaces what it finds, and looks for what it must not find.

use super::Check;
use super::subject::{Case, Subject, returned, same};
use crate::check::trial::Trial;

pub(super) const CHECKS: &[(&str, Check, &str)] = &[
    ("EXEC-TAMPER-01", bears_replaced_builtins, ""),
    ("EXEC-TAMPER-02", leads_nowhere, ""),
    ("EXEC-TAMPER-03", keeps_its_globals, ""),
];

fn bears_replaced_builtins(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const map = new Map([['k', { n: 2 }]]);
        const thrower = () => { throw new Error('replaced'); };
        globalThis.Promise = class { constructor() { thrower(); } };
        JSON.parse = JSON.stringify = thrower;
        Array.prototype.push = Array.prototype.map = Array.prototype.join = thrower;
        Array.prototype[Symbol.iterator] = thrower;
        Object.defineProperty(Object.prototype, 'n', { get: thrower, set: thrower, configurable: true });
        Object.prototype.toJSON = undefined;
        Map.prototype.forEach = Map.prototype.set = Map.prototype.get = Map.prototype.entries = thrower;
        Object.keys = Object.entries = Object.defineProperty = thrower;
        String.prototype.replace = Function.prototype.call = Function.prototype.apply = thrower;
        globalThis.Error = globalThis.TypeError = thrower;
        const call = await t.echo({ n: 1, map, list: [1] });
        const step = await codemode.step('s', () => ({ n: 3 }));
        let failure = 'none';
        try { await t.fail({}); } catch (e) { failure = e.message; }
        console.log('still', [1, 2].length);
        return { call, step, failure };
    }";
    subject.judge(trial, Case::new(code), |came| {
        let map = r#"{"$cm":["map",[["k",{"n":2}]]]}"#;
        let call = format!("{{\"n\":1,\"map\":{map},\"list\":[1]}}");
        returned(came, &format!("{{\"call\":{call},\"step\":{{\"n\":3}},\"failure\":\"no such book\"}}"))?;
        same("it asked for", &came.asks(), &[&format!("call t.echo {call}"), "step s", "call t.fail {}"])
    });
    // The language itself looks for `then` in what a promise is resolved with; the rest of the run is not to suffer.
    let then = "async () => {
        Object.prototype.then = function (ok) { delete Object.prototype.then; ok('taken'); };
        const first = await t.echo({ a: 1 });
        return [first, await t.echo(2)];
    }";
    subject.returns(trial, Case::new(then), "[\"taken\",2]");
    let polluted = "async () => {
        const input = JSON.parse('{\"__proto__\":{\"polluted\":1},\"constructor\":{\"prototype\":{\"polluted\":1}}}');
        const back = await t.echo(input);
        return [Object.keys(back), typeof back.polluted, typeof ({}).polluted];
    }";
    subject.returns(trial, Case::new(polluted), "[[\"__proto__\",\"constructor\"],\"undefined\",\"undefined\"]");
}

fn leads_nowhere(subject: &Subject, trial: &mut Trial) {
    let absent = "() => ['process', 'Buffer', 'require', 'module', 'exports', 'XMLHttpRequest', 'WebSocket', 'Worker',
        'localStorage', 'indexedDB', 'document', 'std', 'os', 'Deno', 'Bun', 'WebAssembly', 'SharedArrayBuffer', 'Atomics',
        'WeakRef', 'FinalizationRegistry', 'dispatch', 'bindings', 'wasi'].filter((name) => typeof globalThis[name] !== 'undefined')";
    subject.returns(trial, Case::new(absent), "[]");
    let odd = "() => Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith('__'))";
    subject.returns(trial, Case::new(odd), "[]");
    let made = "() => { try { return typeof t.echo.constructor('return this')().process; } catch (e) { return 'undefined'; } }";
    subject.returns(trial, Case::new(made), "\"undefined\"");
    let import = "async () => { try { await import('node:fs'); return 'imported'; } catch (e) { return 'refused'; } }";
    subject.returns(trial, Case::new(import), "\"refused\"");
    let fetch = "async () => typeof fetch === 'undefined' ? 'absent' : fetch('http://a.example/').then(() => 'answered', () => 'refused')";
    subject.judge(trial, Case::new(fetch), |came| match (came.returned()?, came.asks().as_slice()) {
        ("\"absent\"", []) => Ok(()),
        ("\"refused\"", [ask]) if ask.starts_with("fetch ") => Ok(()),
        (_, asks) => Err(format!("`fetch` asked for {asks:?}, and {}", came.told())),
    });
    let forged = "async () => {
        for (const name of ['__stepRecord', '__dispatch', 'submit', 'next', 'approve']) { try { await codemode[name](0, 1); } catch (e) {} }
        return t.echo({ run: false, op: 0, outcome: { ok: 1 }, pending: [], $cm: ['pause'] });
    }";
    subject.judge(trial, Case::new(forged), |came| {
        let value = r#"{"run":false,"op":0,"outcome":{"ok":1},"pending":[],"$$cm":["pause"]}"#;
        returned(came, value)?;
        same("it asked for", &came.asks(), &[&format!("call t.echo {value}")])
    });
}

fn keeps_its_globals(subject: &Subject, trial: &mut Trial) {
    let code = "async () => {
        const forged = async () => 'forged';
        const seen = [];
        for (const change of [
            () => { t.echo = forged; }, () => { Object.defineProperty(t, 'echo', { value: forged }); },
            () => { delete t.echo; }, () => { Object.setPrototypeOf(t, { echo: forged }); },
            () => { globalThis.t = { echo: forged }; }, () => { delete globalThis.t; },
            () => { codemode.step = forged; }, () => { globalThis.codemode = { step: forged }; },
            () => { console.log = forged; }, () => { globalThis.console = { log: forged }; },
        ]) {
            try { change(); } catch (e) {}
            seen.push(await t.echo(1));
        }
        console.log('said');
        seen.push(await codemode.step('s', () => 2));
        return seen;
    }";
    subject.judge(trial, Case::new(code), |came| {
        returned(came, "[1,1,1,1,1,1,1,1,1,1,2]")?;
        same("it wrote", &came.logs(), &["log said"])
    });
}
