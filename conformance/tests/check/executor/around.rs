//! What a faulty engine would do inside, done by JavaScript around the code: something before it, or another value under one
//! of the names that it finds.

/// The code with what breaks the rule around it; `None` where that is done elsewhere. `run` counts the runs.
pub(super) fn code(bug: &str, code: &str, run: u32) -> Option<String> {
    if let Some(before) = before(bug, run) {
        return Some(format!("async (input) => {{ {before} return await ({code}\n)(input); }}"));
    }
    let (name, value) = instead(bug)?;
    let before = format!("const real = {name}; const apply = Reflect.apply; const fake = {value};");
    // The code finds this value where it says the name.
    Some(format!("async (input) => {{ {before} return await (({name}) => ({code}\n))(fake)(input); }}"))
}

/// Statements before the code.
fn before(bug: &str, run: u32) -> Option<String> {
    Some(match bug {
        "hangs" => "for (;;);".to_owned(),
        "left by the run before" => "globalThis.left = 1;".to_owned(),
        "EXEC-NEXT-03" => "globalThis.queueMicrotask = (f) => { setTimeout(f, 0); };".to_owned(),
        "EXEC-LANG-01" => {
            "Promise.prototype.finally = function (f) { return this.then(() => f(), () => f()); };".to_owned()
        }
        "EXEC-LANG-02" => "Reflect.ownKeys = Object.keys;".to_owned(),
        "EXEC-LANG-03" => "const sort = Array.prototype.sort;
            Array.prototype.sort = function (f) { return f === undefined ? sort.call(this) : sort.call(this.reverse(), f); };"
            .replace('\n', " "),
        "EXEC-LANG-04" => "Number.prototype.toPrecision = function () { return String(this); };".to_owned(),
        "EXEC-LANG-05" => "String.prototype.replaceAll = String.prototype.replace;".to_owned(),
        "EXEC-LANG-06" => "const read = DataView.prototype.getInt16;
            DataView.prototype.getInt16 = function (at, little) { return read.call(this, at, !little); };"
            .replace('\n', " "),
        "EXEC-LANG-07" => {
            "const set = Date.prototype.setUTCMonth; Date.prototype.setUTCMonth = function (m) { return set.call(this, m % 12); };"
                .to_owned()
        }
        "EXEC-LANG-08" => "const write = JSON.stringify; JSON.stringify = (v, f) => write(v, f);".to_owned(),
        "EXEC-LANG-09" => "globalThis.structuredClone = (v) => v;".to_owned(),
        "EXEC-LANG-10" => "Number.prototype.toLocaleString = function () { return String(this); };".to_owned(),
        "EXEC-ASK-08" => "Promise.race = (all) => Promise.all(all).then((values) => values[0]);".to_owned(),
        "EXEC-STEP-06" => "const draw = Math.random; const drawn = Array.from({ length: 64 }, () => draw()); let n = 0;
            Math.random = () => drawn[n++ % 64];"
            .replace('\n', " "),
        "EXEC-TIMER-03" => "globalThis.setInterval = (f, ms, ...a) => { let n = 0;
            const go = () => { n += 1; if (n < 3) setTimeout(go, ms); f(...a); }; return setTimeout(go, ms); };"
            .replace('\n', " "),
        "EXEC-TIMER-04" => "const set = globalThis.setTimeout;
            globalThis.setTimeout = (f, ms, ...a) => set((...b) => { try { f(...b); } catch {} }, ms, ...a);"
            .replace('\n', " "),
        "EXEC-STOP-03" => "const read = JSON.parse;
            JSON.parse = (text, f) => { if (text.length > 50000) throw 'too deep'; return read(text, f); };"
            .replace('\n', " "),
        "EXEC-CLOCK-01" => "const now = Date.now; let n = 0; Date.now = () => now() + (n++ < 2 ? 0 : 1);".to_owned(),
        "EXEC-CLOCK-03" => "Date.prototype.getTimezoneOffset = () => -60;".to_owned(),
        // Only late draws differ from run to run.
        "EXEC-SEED-01" => format!(
            "const draw = Math.random; let n = 0; Math.random = () => (n++ < 8 ? draw() : (draw() + {}) % 1);",
            f64::from(run % 97) / 97.0
        ),
        "EXEC-TAMPER-02" => "globalThis.process = { env: {} };".to_owned(),
        _ => return None,
    })
}

/// A name, and what stands for it.
fn instead(bug: &str) -> Option<(&'static str, &'static str)> {
    // Each method of `t`, called in another way. Nothing in it can be replaced by the code.
    macro_rules! each_method {
        ($call:literal) => {
            each_method!(
                $call,
                "set: () => false, defineProperty: () => false, deleteProperty: () => false, setPrototypeOf: () => false, "
            )
        };
        ($call:literal, $traps:literal) => {
            concat!(
                "new Proxy(Object.setPrototypeOf(Object.fromEntries(Object.keys(real).map((k) => [k, ",
                $call,
                "])), null), { ",
                $traps,
                "get: (own, k) => k in own ? own[k] : real[k] })"
            )
        };
    }
    Some(match bug {
        "EXEC-ASK-01" => (
            "codemode",
            "new Proxy({}, { get: (_, k) => k === 'describe' ? async (v) => { await null; return real.describe(v); } : real[k] })",
        ),
        "EXEC-VALUE-05" => (
            "t",
            each_method!(
                "(...a) => { try { let n = 0; if (typeof a[0] === 'object') for (const m in a[0]) if (++n > 1) a[0][m]; } catch {} return apply(real[k], real, a); }"
            ),
        ),
        "EXEC-TAMPER-01" => (
            "t",
            each_method!(
                "(...a) => { const p = apply(real[k], real, a); return new globalThis.Promise((ok, no) => { p.then(ok, no); }); }"
            ),
        ),
        "EXEC-TAMPER-03" => ("t", each_method!("real[k]", "")),
        "EXEC-LOG-03" => (
            "console",
            "new Proxy({}, { get: (_, k) => k === 'log' ? (...a) => { for (let i = 0; i < a.length; i++) if (typeof a[i] !== 'symbol') `${a[i]}`; apply(real.log, real, a); } : real[k] })",
        ),
        "EXEC-SEED-03" => (
            "crypto",
            "({ getRandomValues: (a) => a.fill(4), randomUUID: () => '36b8f84d-df4e-4d49-b662-bcde71a8764f' })",
        ),
        _ => return None,
    })
}
