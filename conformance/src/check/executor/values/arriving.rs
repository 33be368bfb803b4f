//! Values as the code finds them when they arrive, looked at from inside.

use crate::check::executor::script::Reply;
use crate::check::executor::subject::{Case, Subject, json, returned};
use crate::check::trial::Trial;

/// What the host answers, and what is true of it in the code.
const ARRIVING: [(&str, &str); 42] = [
    ("null", "v === null"),
    ("true", "v === true"),
    ("1.5", "v === 1.5"),
    ("1e21", "v === 1e21"),
    ("\"a\\u0000\\ud800é🙂\"", "v === 'a\\u0000\\ud800é🙂'"),
    ("[1,[]]", "Array.isArray(v) && v.length === 2 && Array.isArray(v[1])"),
    ("{\"b\":1,\"a\":2}", "Object.keys(v).join() === 'b,a' && Object.getPrototypeOf(v) === Object.prototype"),
    (r#"{"__proto__":{"x":1},"a":1}"#, "Object.keys(v).join() === '__proto__,a' && v.x === undefined"),
    (r#"{"$$cm":1,"$cmx":2}"#, "Object.keys(v).join() === '$cm,$cmx'"),
    (r#"{"$$$cm":["bigint","1"]}"#, "Object.keys(v).join() === '$$cm' && v.$$cm[0] === 'bigint'"),
    (r#"[{"$cm":["undefined"]}]"#, "v.length === 1 && v[0] === undefined && 0 in v"),
    (r#"{"$cm":["number","NaN"]}"#, "Number.isNaN(v)"),
    (r#"{"$cm":["number","Infinity"]}"#, "v === Infinity"),
    (r#"{"$cm":["number","-Infinity"]}"#, "v === -Infinity"),
    (r#"{"$cm":["number","-0"]}"#, "Object.is(v, -0)"),
    (r#"{"$cm":["bigint","-98765432109876543210"]}"#, "v === -98765432109876543210n"),
    (r#"{"$cm":["date",86400000]}"#, "v instanceof Date && v.getTime() === 86400000"),
    (r#"{"$cm":["date",null]}"#, "v instanceof Date && Number.isNaN(v.getTime())"),
    (
        r#"{"$cm":["map",[["b",1],["a",{"$cm":["set",[2]]}]]]}"#,
        "v instanceof Map && [...v.keys()].join() === 'b,a' && v.get('a').has(2)",
    ),
    (r#"{"$cm":["map",[[{"k":1},1]]]}"#, "v.size === 1 && [...v.keys()][0].k === 1"),
    (r#"{"$cm":["set",[1,"1"]]}"#, "v instanceof Set && v.size === 2 && v.has(1) && v.has('1')"),
    (
        r#"{"$cm":["regexp","a+","gi"]}"#,
        "v instanceof RegExp && v.source === 'a+' && v.flags === 'gi' && v.lastIndex === 0 && v.test('xAA')",
    ),
    (
        r#"{"$cm":["error",{"name":"RangeError","message":"m"}]}"#,
        "v instanceof RangeError && v.message === 'm' && v.name === 'RangeError'",
    ),
    (
        r#"{"$cm":["error",{"name":"Odd","message":"m","code":7}]}"#,
        "v instanceof Error && v.name === 'Odd' && v.code === 7 && String(v) === 'Odd: m'",
    ),
    (r#"{"$cm":["error",{"name":"Error","message":"m","cause":1}]}"#, "v.cause === 1"),
    (
        r#"{"$cm":["bytes","Uint8Array","AP8="]}"#,
        "v instanceof Uint8Array && v.join() === '0,255' && v.buffer.byteLength === 2",
    ),
    (r#"{"$cm":["bytes","Uint8Array",""]}"#, "v instanceof Uint8Array && v.length === 0"),
    (r#"{"$cm":["bytes","Uint8ClampedArray","Af8D"]}"#, "v instanceof Uint8ClampedArray && v.join() === '1,255,3'"),
    (r#"{"$cm":["bytes","Int8Array","/w=="]}"#, "v instanceof Int8Array && v[0] === -1"),
    (r#"{"$cm":["bytes","Int16Array","/v8CAQ=="]}"#, "v instanceof Int16Array && v.join() === '-2,258'"),
    (r#"{"$cm":["bytes","Uint16Array","AQA="]}"#, "v instanceof Uint16Array && v[0] === 1"),
    (r#"{"$cm":["bytes","Int32Array","/////w=="]}"#, "v instanceof Int32Array && v[0] === -1"),
    (r#"{"$cm":["bytes","Uint32Array","AQAAAA=="]}"#, "v instanceof Uint32Array && v[0] === 1"),
    (r#"{"$cm":["bytes","Float32Array","AADAPw=="]}"#, "v instanceof Float32Array && v[0] === 1.5"),
    (
        r#"{"$cm":["bytes","Float64Array","AAAAAAAA+D8="]}"#,
        "v instanceof Float64Array && v.length === 1 && v[0] === 1.5",
    ),
    (r#"{"$cm":["bytes","BigInt64Array","//////////8="]}"#, "v instanceof BigInt64Array && v[0] === -1n"),
    (r#"{"$cm":["bytes","BigUint64Array","AQAAAAAAAAA="]}"#, "v instanceof BigUint64Array && v[0] === 1n"),
    (r#"{"$cm":["bytes","DataView","AgM="]}"#, "v instanceof DataView && v.getUint8(1) === 3"),
    (r#"{"$cm":["bytes","ArrayBuffer","AAA="]}"#, "v instanceof ArrayBuffer && v.byteLength === 2"),
    (r#"{"a":{"$$cm":{"$cm":["bigint","10"]}}}"#, "v.a.$cm === 10n"),
    (r#"{"a":1}"#, "((v.b = 2), delete v.a, Object.keys(v).join() === 'b')"),
    (r#"[{"$cm":["date",0]},{"$cm":["date",0]}]"#, "v[0] !== v[1]"),
];

/// Answers `t.get(n)` with the value of that row.
fn answering(case: Case, rows: Vec<&'static str>) -> Case {
    let mut rows = rows.into_iter();
    case.answering(move |_| Reply::Now(Ok(rows.next().and_then(json))))
}

pub(super) fn decodes(subject: &Subject, trial: &mut Trial) {
    let nothing = "async () => { const v = await t.get(1); return [v === undefined, typeof v]; }";
    subject.returns(trial, Case::new(nothing).answering(|_| Reply::Now(Ok(None))), "[true,\"undefined\"]");
    // All of them in one run; only where that is not right, each in one of its own.
    let tests: String = ARRIVING.iter().map(|(_, test)| format!("(v) => {test},\n")).collect();
    let all = format!(
        "async () => {{ const odd = []; for (const test of [{tests}]) odd.push(test(await t.get(1))); return odd; }}"
    );
    let all = subject.run(answering(Case::new(all), ARRIVING.map(|(json, _)| json).to_vec()));
    if returned(&all, &format!("[{}]", ["true"; ARRIVING.len()].join(","))).is_ok() {
        ARRIVING.iter().for_each(|(_, test)| trial.case_of("", test, Ok(())));
        return;
    }
    for (json, test) in ARRIVING {
        let case =
            answering(Case::new(format!("async () => {{ const v = await t.get(1); return {test}; }}")), vec![json]);
        subject.judge(trial, case, |came| returned(came, "true").map_err(|why| format!("{json} arrived; {why}")));
    }
}
