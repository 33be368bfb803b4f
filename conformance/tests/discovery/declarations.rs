//! The schemas of the public cases, from a connector through `codemode.describe` to the code.

use codemode_runtime::connector::Method;
use codemode_runtime::normalize::normalize;
use codemode_runtime::{Outcome, Runtime};
use serde_json::{Value, json};

use crate::kit::{echoing, result, taking, with};

/// What code sees of a method `t.m` that takes this schema.
async fn types(schema: &str) -> String {
    let runtime = with("t", echoing("t", [taking("m", schema)]));
    let types = result(&runtime, "async () => (await codemode.describe('t.m')).types").await;
    let types = types.as_str().unwrap().to_owned();
    is_typescript(&types);
    types
}

/// The normaliser takes it for types and leaves nothing of it; what is no TypeScript would be refused.
fn is_typescript(types: &str) {
    let normalized =
        normalize(&format!("async () => {{\n{types}\nreturn 1;\n}}")).unwrap_or_else(|e| panic!("{e:?}\n{types}"));
    let left = outside_comments(&normalized.function).replace(|c: char| c.is_whitespace() || c == ';', "");
    assert_eq!(left, "async()=>{return1}", "{types}");
}

fn outside_comments(text: &str) -> String {
    text.split("/**").map(|part| part.rsplit("*/").next().unwrap_or(part)).collect()
}

/// Covers SCHEMA-01, SCHEMA-04, SCHEMA-20, SCHEMA-26, SCHEMA-28, SCHEMA-30, tanstack-ai#6.
#[tokio::test(flavor = "multi_thread")]
async fn declarations_come_from_the_schemas_of_the_connector() {
    let input = r#"{"type":"object","properties":{"id":{"type":"string","description":"Which one"},
        "at":{"type":"object","properties":{"zip":{"type":"string","format":"zip"}}}},"required":["id"]}"#;
    let get_user = Method {
        description: Some("Get a user".to_owned()),
        output_schema: Some(r#"{"type":"object","properties":{"temperature":{"type":"number"}}}"#.to_owned()),
        ..taking("get_user", input)
    };
    let runtime = with("t", echoing("t", [get_user, Method::write("put").needs_approval()]));
    let printed = "type GetUserInput = {\n    /** Which one */\n    id: string;\n    at?: {\n        /** @format zip */\n        \
                   zip?: string;\n    };\n}\ntype GetUserOutput = {\n    temperature?: number;\n}\ntype PutInput = unknown\n\
                   type PutOutput = unknown\n\ndeclare const t: {\n\t/**\n\t * Get a user\n\t * @param input.id - Which one\n\t \
                   */\n\tget_user: (input: GetUserInput) => Promise<GetUserOutput>;\n\n\t/**\n\t * put\n\t * @requiresApproval\n\t \
                   */\n\tput: (input: PutInput) => Promise<PutOutput>;\n}";
    let types = result(&runtime, "async () => (await codemode.describe('t')).types").await;
    assert_eq!(types, printed);
    is_typescript(printed);
}

/// Covers BUG-SCH-01, BUG-SCH-13, BUG-SCH-18.
#[tokio::test(flavor = "multi_thread")]
async fn unions_lists_and_tuples_are_shown_as_they_are_meant() {
    let unions = types(
        r##"{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},
        "d":{"type":"array","items":{"$ref":"#/$defs/U"}}},"$defs":{"U":{"oneOf":[{"type":"boolean"},{"type":"null"}]}}}"##,
    );
    assert!(unions.await.contains("a?: (string | number)[];\n    d?: (boolean | null)[];"));
    let lists = types(
        r#"{"type":"object","properties":{"b":{"type":["array","null"],"items":{"type":"integer"}},"e":{"type":[]}}}"#,
    );
    assert!(lists.await.contains("b?: number[] | null;\n    e?: unknown;"));
    let tuple = types(
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":1,"items":{"type":"boolean"}}"#,
    );
    assert!(tuple.await.starts_with("type MInput = [string, number?, ...boolean[]]\n"));
}

/// Covers BUG-SCH-04, BUG-SCH-05.
#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_a_schema_becomes_code() {
    let schema = r#"{"title":"*/ t","description":"glob **/*.ts or */x */ export const evil = 1; /*","type":"object",
        "properties":{"p":{"type":"string","description":"see */ } declare const y: 1; /*","format":"a*/b"},
        "a":{"description":"one\ntwo\r\nthree\rfour\u2028five\u2029six\u0000seven\u0085eight"},"b":{"type":"number"}}}"#;
    let evil = Method { description: Some("*/ declare const y: 1; /*".to_owned()), ..taking("m", schema) };
    let runtime = with("t", echoing("t", [evil]));
    for target in ["t.m", "t"] {
        let types = result(&runtime, &format!("async () => (await codemode.describe('{target}')).types")).await;
        let types = types.as_str().unwrap();
        is_typescript(types);
        let outside = outside_comments(types);
        assert!(!outside.contains("evil") && !outside.contains("const y"), "{types}");
        assert!(types.contains("six") && types.contains("b?: number;"), "{types}");
    }
}

/// Covers BUG-SCH-07.
#[tokio::test(flavor = "multi_thread")]
async fn every_literal_and_every_name_is_shown() {
    let schema = r#"{"type":"object","properties":{
        "q":{"enum":["a\"b","c\\","d\ne","f\u2028g","h\tz","","${x}","`","\ud800","\u0000",null,1,true,{"k":[1]},["x",2]]},
        "with-dash":{"type":"string"},"1st":{"type":"string"},"\u65e5\u672c":{"type":"string"},
        "a\"b\\c":{"const":"it's"},"":{"type":"string"},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}"#;
    let types = types(schema).await;
    let literals = types.lines().find_map(|line| line.trim().strip_prefix("q?: ")).unwrap().trim_end_matches(';');
    let back: Vec<Value> =
        literals.split(" | ").map(|text| serde_json::from_str(text).unwrap_or(Value::from(text))).collect();
    let values = json!(["a\"b", "c\\", "d\ne", "f\u{2028}g", "h\tz", "", "${x}", "`", r#""\ud800""#, "\0", null, 1, true,
        { "k": [1] }, ["x", 2]]);
    assert_eq!(json!(back), values, "read back, the half of a pair as it is written");
    for name in ["\"with-dash\"", "\"1st\"", "\"日本\"", r#""a\"b\\c""#, "\"\"", "__proto__", "constructor"] {
        assert!(types.contains(&format!("\n    {name}?: ")), "{name} in {types}");
    }
}

/// Covers BUG-SCH-08.
#[tokio::test(flavor = "multi_thread")]
async fn a_recursive_schema_costs_nobody_anything() {
    let tree = r##"{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"v":{"type":"string"},
        "kids":{"type":"array","items":{"$ref":"#/$defs/N"}},"up":{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}},
        "required":["v"]}}}"##;
    let looping = r##"{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}"##;
    let tree = Method { output_schema: Some(r##"{"$ref":"#"}"##.to_owned()), ..taking("tree", tree) };
    let plain = taking("plain", r#"{"type":"object","properties":{"x":{"type":"number"}}}"#);
    let runtime = with("t", echoing("t", [tree, taking("loop", looping), plain]));
    let all = result(&runtime, "async () => (await codemode.describe('t')).types").await;
    let all = all.as_str().unwrap();
    is_typescript(all);
    assert!(all.len() < 20_000 && all.contains("x?: number;") && all.contains("type LoopInput = unknown\n"), "{all}");
    assert!(all.contains("    v: string;\n    /** recursive: TreeInput again */\n    kids?: unknown[];"), "{all}");
    let called =
        result(&runtime, "async () => [await t.tree({ v: 'a' }), await t.loop(1), await t.plain({ x: 1 })]").await;
    assert_eq!(called, json!([{ "v": "a" }, 1, { "x": 1 }]));
}

/// Covers BUG-SCH-09, BUG-SCH-11, BUG-SCH-16.
#[tokio::test(flavor = "multi_thread")]
async fn references_are_followed_wherever_they_lead() {
    let schema = r##"{"$defs":{"Addr":{"type":"object","properties":{"zip":{"type":"string","default":"-"}},"required":["zip"]},
        "CDS Service":{"type":"string"},"a/b~c":{"type":"number"},"\u00e9":{"type":"null"}},
        "type":"object","properties":{"from":{"$ref":"#/$defs/Addr"},"to":{"$ref":"#/$defs/Addr"},
        "w":{"$ref":"#/$defs/CDS%20Service"},"y":{"$ref":"#/$defs/a~1b~0c"},"u":{"$ref":"#/$defs/%C3%A9"},
        "mode":{"$ref":"#/properties/from/x-missing"}},"required":["from","to"]}"##;
    let types = types(schema).await;
    assert_eq!(types.matches("/** @default \"-\" */\n        zip: string;").count(), 2, "{types}");
    for member in [
        "w?: string;",
        "y?: number;",
        "u?: null;",
        "/** not found: #/properties/from/x-missing */\n    mode?: unknown;",
    ] {
        assert!(types.contains(member), "{member} in {types}");
    }
}

/// Covers BUG-SCH-17.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_elsewhere_is_refused_at_the_start_and_never_fetched() {
    let remote = taking("m", r#"{"properties":{"ext":{"$ref":"https://other.test/t.json"}}}"#);
    let refused = with("t", echoing("t", [remote])).execute("async () => 1").await.unwrap_err();
    assert!(refused.to_string().contains("remote `$ref` (https://other.test/t.json)"), "{refused}");
    let types = types(
        r##"{"$id":"https://x.test/s.json","properties":{"status":{"enum":["open","closed"]},
        "filter":{"type":"array","items":{"$ref":"#/properties/status"}},"anch":{"$ref":"#st"},
        "byid":{"$ref":"https://x.test/s.json#/properties/status"}},"$defs":{"S":{"$anchor":"st","type":"boolean"}}}"##,
    )
    .await;
    for member in ["filter?: (\"open\" | \"closed\")[];", "anch?: boolean;", "byid?: \"open\" | \"closed\";"] {
        assert!(types.contains(member), "{member} in {types}");
    }
}

/// Covers BUG-SCH-10.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_explodes_stays_small_and_alone() {
    let level = |n: usize| {
        let members: Vec<String> = (0..6).map(|k| format!(r##""p{k}":{{"$ref":"#/$defs/N{}"}}"##, n + 1)).collect();
        format!(r#""N{n}":{{"type":"object","properties":{{{}}}}}"#, members.join(","))
    };
    let levels: Vec<String> = (0..12).map(level).collect();
    let bomb = format!(r##"{{"$defs":{{{},"N12":{{"type":"string"}}}},"$ref":"#/$defs/N0"}}"##, levels.join(","));
    let other = taking("other", r#"{"type":"object","properties":{"x":{"type":"number"}}}"#);
    let runtime = with("t", echoing("t", [taking("bomb", &bomb), other]));
    let types = result(&runtime, "async () => (await codemode.describe('bomb')).types").await;
    let types = types.as_str().unwrap();
    is_typescript(types);
    assert!(types.len() < 10_000 && types.contains("\ntype BombInput_N11 = {\n    p0?: string;"), "{types}");
    let all = result(&runtime, "async () => (await codemode.describe('t')).types").await;
    assert!(all.as_str().unwrap().contains("type OtherInput = {\n    x?: number;\n}"));
}

/// Covers SCHEMA-29.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_schema_is_refused_with_its_method() {
    for bad in ["null", "\"text\"", "{"] {
        let refused = with("t", echoing("t", [taking("bad", bad)])).execute("async () => 1").await.unwrap_err();
        assert!(refused.to_string().contains("the input schema of `t.bad`"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_described_is_described_the_same_in_a_replay() {
    let code = "async () => { const d = await codemode.describe('t.m'); await t.gate(1); return d.types; }";
    let gate = Method::write("gate").needs_approval();
    let first = with("t", echoing("t", [taking("m", r#"{"type":"string"}"#), gate]));
    let paused = first.execute(code).await.unwrap();
    assert!(matches!(paused, Outcome::Paused { .. }));
    let done = codemode_conformance::harness::approve_all(&first as &Runtime, paused).await;
    assert_eq!(codemode_conformance::harness::result_of(&done), r#""type MInput = string\ntype MOutput = unknown""#);
}
