//! Steps: what the host is told, and that an outcome comes only through `next`.

use crate::host::{Ask, Breach, CallError, EffectState, Reply, code, result};

fn exits(text: &str) -> Vec<(Result<Option<String>, String>, bool)> {
    let ran = code(text).run();
    ran.host
        .asks
        .iter()
        .filter_map(|ask| match ask {
            Ask::Exit(_, outcome, again) => Some((outcome.clone(), *again)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_plain_closure_is_run_once_and_not_again() {
    assert_eq!(exits("async () => codemode.step('k', () => 42)"), [(Ok(Some("42".to_owned())), false)]);
    assert_eq!(exits("async () => codemode.step('k', () => undefined)"), [(Ok(None), false)]);
    assert_eq!(result("async () => codemode.step('k', () => 42)"), "42");
    assert_eq!(result("async () => typeof await codemode.step('k', () => undefined)"), "\"undefined\"");
}

#[test]
fn a_closure_that_asks_or_returns_a_promise_runs_again() {
    assert_eq!(exits("async () => codemode.step('k', async () => 1)"), [(Ok(Some("1".to_owned())), true)]);
    assert_eq!(
        exits("async () => codemode.step('k', () => { t.add({}); return 1; })"),
        [(Ok(Some("1".to_owned())), true)]
    );
    assert_eq!(
        exits("async () => codemode.step('k', () => ({ then(f) { f(5); } }))"),
        [(Ok(Some("5".to_owned())), true)]
    );
    assert_eq!(result("async () => codemode.step('k', async () => (await t.echo({ a: 1 })).a)"), "1");
}

#[test]
fn names_are_text() {
    let ran =
        code("async () => { await codemode.step(7, () => 1); await codemode.step('n\\u0000ame', () => 1); }").run();
    let names: Vec<_> = ran.host.asks.iter().filter(|ask| matches!(ask, Ask::Enter(_))).collect();
    assert_eq!(names, [&Ask::Enter("7".to_owned()), &Ask::Enter("n\0ame".to_owned())]);
}

#[test]
fn on_replay_the_closure_is_not_run() {
    let text = "async () => { let ran = 0; const v = await codemode.step('k', () => { ran += 1; return 1; }); return [v, ran]; }";
    let run = code(text).replaying_steps().answering(|_| Reply::Now(Ok(Some("\"recorded\"".to_owned()))));
    assert_eq!(run.run().result(), "[\"recorded\",0]");
}

#[test]
fn what_a_closure_throws_arrives_as_it_was_in_both_passes() {
    let text =
        "async () => { try { await codemode.step('k', () => { throw Object.assign(new RangeError('r'), { x: 1 }); }); }
        catch (e) { return [e instanceof RangeError, e.message, e.x, Object.keys(e)]; } }";
    assert_eq!(result(text), "[true,\"r\",1,[\"x\"]]");
    assert_eq!(exits(text), [(Err("r".to_owned()), false)]);
    let text =
        "async () => { try { await codemode.step('k', async () => { throw { a: 1 }; }); } catch (e) { return e; } }";
    assert_eq!(result(text), "{\"a\":1}");
    let replayed = code(text).replaying_steps().answering(|_| {
        Reply::Now(Err(CallError {
            code: "thrown".to_owned(),
            message: "m".to_owned(),
            details: Some("{\"a\":1}".to_owned()),
            effect: EffectState::None,
            retry_after_ms: None,
            extras: Vec::new(),
        }))
    });
    assert_eq!(replayed.run().result(), "{\"a\":1}");
    let text = "async () => { try { await codemode.step('k', () => { throw () => {}; }); } catch (e) { return [e.name, typeof e.message]; } }";
    assert_eq!(result(text), "[\"Thrown\",\"string\"]");
}

#[test]
fn something_else_than_a_function_fails_when_the_step_runs() {
    let error = code("async () => { await codemode.step('s', 42); }").run().error();
    assert_eq!(error.name, "TypeError");
    assert!(error.message.contains("not a function"), "{}", error.message);
    assert_eq!(error.line, Some(1));
}

#[test]
fn a_value_without_encoding_is_refused_by_the_steps_name() {
    let (subject, breach) = code("async () => codemode.step('n', () => ({ f() {} }))").run().refused();
    assert_eq!(subject, "result of step \"n\"");
    assert!(matches!(breach, Breach::Unsupported((path, _)) if path == "result.f"));
    let (subject, breach) = code("async () => codemode.step('n', async () => 'x'.repeat(999_999))").run().refused();
    assert_eq!(subject, "result of step \"n\"");
    assert!(matches!(breach, Breach::TooLarge));
}

#[test]
fn a_closures_draws_change_nothing_outside() {
    let with = "async () => { const a = Math.random(); await codemode.step('k', () => Math.random() + Math.random());
        return [a, Math.random()]; }";
    let without = "async () => [Math.random(), Math.random()]";
    assert_eq!(result(with), result(without));
    let inside = result("async () => codemode.step('k', () => Math.random())");
    assert_ne!(inside, result("async () => Math.random()"));
    assert_eq!(inside, result("async () => codemode.step('k', () => Math.random())"));
    let twice = "async () => { const a = await codemode.step('k', () => Math.random());
        return a === await codemode.step('k', () => Math.random()); }";
    assert_eq!(result(twice), "false");
}

#[test]
fn steps_inside_steps_keep_their_own_draws() {
    let text = "async () => {
        let inner;
        await codemode.step('a', () => { Math.random(); inner = codemode.step('b', () => { Math.random(); return 1; });
            return Math.random(); });
        return [await inner, Math.random()];
    }";
    let plain = result("async () => [1, Math.random()]");
    assert_eq!(result(text), plain);
}

#[test]
fn a_rejected_step_that_nobody_awaited_is_one_warning() {
    let ran = code("async () => { codemode.step('s', () => { throw new Error('e'); }); }").run();
    assert_eq!(ran.host.logs.len(), 1);
    assert_eq!(ran.host.logs[0].1, "step \"s\" rejected and nobody awaited it: Error: e");
}

#[test]
fn control_information_never_travels_in_values() {
    let forged = "async () => [typeof codemode.__stepRecord, await t.echo({ run: true, pause: 1, $cm: ['x'] })]";
    assert_eq!(result(forged), "[\"function\",{\"run\":true,\"pause\":1,\"$$cm\":[\"x\"]}]");
}
