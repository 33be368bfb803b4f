//! Timers, clock and randomness: the same in every pass.

use crate::host::{Ask, Clock, Level, START, code, result};

#[test]
fn timers_fire_in_the_order_of_their_time() {
    let text = "async () => {
        const seen = [];
        await new Promise((done) => {
            setTimeout((...args) => { seen.push(args); done(); }, 30, 'c', 3);
            setTimeout(() => seen.push('a'), 10);
            setTimeout(() => seen.push('b'), 20);
            queueMicrotask(() => seen.push('micro'));
        });
        return seen;
    }";
    assert_eq!(result(text), "[\"micro\",\"a\",\"b\",[\"c\",3]]");
}

#[test]
fn delays_are_whole_and_in_range() {
    let ran =
        code("async () => { for (const ms of [-5, NaN, 1.9, Infinity, '7', undefined]) setTimeout(() => {}, ms); }")
            .run();
    let sleeps: Vec<_> =
        ran.host.asks.iter().filter_map(|ask| if let Ask::Sleep(ms) = ask { Some(*ms) } else { None }).collect();
    assert_eq!(sleeps, [0, 0, 1, 9_007_199_254_740_991, 7, 0]);
}

#[test]
fn a_cleared_timer_does_not_fire() {
    let ran = code(
        "async () => { const id = setTimeout(() => console.log('no'), 5); clearTimeout(id); clearTimeout(id);
        clearTimeout(undefined); clearTimeout('x'); clearTimeout(99); return typeof id; }",
    )
    .run();
    assert_eq!(ran.host.asks, [Ask::Sleep(5), Ask::Cancel(0)]);
    assert!(ran.host.logs.is_empty());
    assert_eq!(ran.result(), "\"number\"");
}

#[test]
fn an_interval_repeats_until_it_is_cleared() {
    let text = "async () => { let n = 0; await new Promise((done) => {
        const id = setInterval(() => { n += 1; if (n === 3) { clearInterval(id); done(); } }, 10); }); return n; }";
    let ran = code(text).run();
    assert_eq!(ran.host.asks.len(), 3);
    assert_eq!(ran.result(), "3");
}

#[test]
fn a_callback_that_throws_is_one_line_and_the_run_goes_on() {
    let text = "async () => { setTimeout(() => { throw new TypeError('t'); }, 1); queueMicrotask(() => { throw 'm'; });
        await new Promise((done) => setTimeout(done, 5)); return 1; }";
    let ran = code(text).run();
    assert_eq!(
        ran.host.logs,
        [(Level::Error, "Uncaught m".to_owned()), (Level::Error, "Uncaught TypeError: t".to_owned())]
    );
    assert_eq!(ran.result(), "1");
}

#[test]
fn a_timer_needs_a_function() {
    let error = code("async () => { setTimeout('code', 1); }").run().error();
    assert_eq!(error.name, "TypeError");
}

#[test]
fn the_recorded_clock_moves_only_with_completions() {
    let text = "async () => {
        const a = [Date.now(), new Date().getTime(), performance.now(), performance.timeOrigin];
        for (let i = 0; i < 1e5; i++);
        const b = Date.now();
        await t.echo({});
        return [...a, b, Date.now(), performance.now()];
    }";
    assert_eq!(result(text), format!("[{START},{START},0,{START},{START},{},1]", START + 1));
}

#[test]
fn the_live_clock_asks_each_time() {
    let run = code("async () => { const a = Date.now(); return Date.now() - a; }")
        .with(|request| request.clock = Clock::Live);
    assert_eq!(run.run().result(), "5");
}

#[test]
fn the_time_zone_is_utc() {
    assert_eq!(
        result("async () => [new Date().getTimezoneOffset(), new Date(2024, 0, 1).toISOString(), String(new Date(0))]"),
        "[0,\"2024-01-01T00:00:00.000Z\",\"Thu Jan 01 1970 00:00:00 GMT+0000\"]"
    );
}

#[test]
fn draws_depend_on_the_seed_alone() {
    let text = "async () => [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(5))], Math.random() < 1]";
    let first = result(text);
    assert_eq!(first, result(text));
    let other = code(text).with(|request| request.seed = vec![8; 32]).run().result();
    assert_ne!(first, other);
    let uuid = result(
        "async () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
    );
    assert_eq!(uuid, "true");
}
