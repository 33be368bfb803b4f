//! What a schema says together with others: demands of `allOf`, docs behind references, values that JSON text has and a
//! double has not.

use super::super::grow::MAX_CHAIN;
use super::*;

#[test]
fn what_any_part_requires_is_required() {
    let parts = r#""properties":{"a":{"type":"string"},"b":{"type":"number"}}"#;
    for (schema, printed) in [
        (
            format!(r#"{{{parts},"allOf":[{{"required":["a"]}},{{"required":["b","zz"]}}]}}"#),
            "a: string;\n    b: number;",
        ),
        (format!(r#"{{"allOf":[{{{parts}}},{{"required":["b"]}}]}}"#), "a?: string;\n    b: number;"),
        (format!(r#"{{"required":["a"],"allOf":[{{{parts}}}]}}"#), "a: string;\n    b?: number;"),
        (format!(r#"{{"required":["a"],"oneOf":[{{{parts}}}]}}"#), "a: string;\n    b?: number;"),
        (
            format!(r##"{{"$ref":"#/$defs/P","required":["b"],"$defs":{{"P":{{{parts}}}}}}}"##),
            "a?: string;\n    b: number;",
        ),
        (
            format!(r##"{{"allOf":[{{"$ref":"#/$defs/P"}},{{"required":["b"]}}],"$defs":{{"P":{{{parts}}}}}}}"##),
            "a?: string;\n    b: number;",
        ),
        (
            format!(
                r#"{{{parts},"oneOf":[{{"type":"object","required":["a"]}},{{"type":"object","required":["b"]}},true]}}"#
            ),
            "a?: string;\n    b?: number;",
        ),
        // One of them is required; which one, no member can say.
        (format!(r#"{{{parts},"anyOf":[{{"required":["a"]}},{{"required":["b"]}}]}}"#), "a?: string;\n    b?: number;"),
        (
            format!(r#"{{{parts},"not":{{"required":["a"]}},"then":{{"required":["b"]}}}}"#),
            "a?: string;\n    b?: number;",
        ),
    ] {
        assert_eq!(of(&schema), format!("{{\n    {printed}\n}}"), "{schema}");
    }
}

#[test]
fn what_a_value_requires_is_no_demand_on_what_is_inside_of_it() {
    let inner = r#"{"properties":{"a":{"type":"string"}}}"#;
    let printed = of(&format!(r#"{{"required":["a","m"],"properties":{{"m":{inner},"l":{{"items":{inner}}}}}}}"#));
    assert_eq!(printed, "{\n    m: {\n        a?: string;\n    };\n    l?: {\n        a?: string;\n    }[];\n}");
    let other = of(&format!(r#"{{"required":["a"],"additionalProperties":{inner}}}"#));
    assert!(other.contains("a?: string;"), "{other}");
}

#[test]
fn many_demands_on_many_parts_cost_little() {
    let names: Vec<String> = (0..20_000).map(|n| format!("\"n{n}\"")).collect();
    let demands = vec![r#"{"required":["x"]}"#; 20_000].join(",");
    let parts = vec![r#"{"properties":{"n1":true,"x":true,"y":true}}"#; 20_000].join(",");
    let schema = format!(r#"{{"required":[{}],"allOf":[{parts},{demands}]}}"#, names.join(","));
    let printed = declared(&schema);
    assert!(printed.contains("    n1: unknown;\n    x: unknown;\n    y?: unknown;"), "{}", &printed[..300]);
}

#[test]
fn a_member_without_docs_has_those_of_its_definition() {
    let schema = r##"{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A","description":"Mine","default":"z"},
        "c":{"$ref":"#/$defs/C"},"d":{"$ref":"#/$defs/loop"}},"$defs":{"A":{"type":"string","description":"An A",
        "format":"date","default":"x","deprecated":true},"C":{"$ref":"#/$defs/A","description":" "},
        "loop":{"$ref":"#/$defs/loop"}}}"##;
    let block = |text: &str, default: &str| {
        format!("    /**\n     * {text}\n     * @format date\n     * @default {default}\n     * @deprecated\n     */\n")
    };
    let (own, mine) = (block("An A", "\"x\""), block("Mine", "\"z\""));
    let printed = format!(
        "{{\n{own}    a?: string;\n{mine}    b?: string;\n{own}    c?: string;\n    \
         /** refers to itself only: #/$defs/loop */\n    d?: unknown;\n}}"
    );
    assert_eq!(of(schema), printed);
}

#[test]
fn one_number_out_of_range_costs_no_other_type() {
    let printed = of(r#"{"properties":{"a":{"type":"number","maximum":1e400},"b":{"const":-1e400}}}"#);
    assert_eq!(printed, "{\n    a?: number;\n    b?: -1.7976931348623157e+308;\n}");
}

#[test]
fn half_a_pair_in_a_comment_is_a_replacement_character() {
    let printed = of(r#"{"properties":{"a":{"description":"x\ud800y","$ref":"\udfff"}}}"#);
    assert_eq!(
        printed,
        "{\n    /**\n     * x\u{fffd}y\n     * not in this schema: \u{fffd}\n     */\n    a?: unknown;\n}"
    );
}

#[test]
fn names_of_the_language_and_numbers_are_members_like_others() {
    let names = ["toString", "valueOf", "hasOwnProperty", "prototype", "get", "set", "new", "readonly", "is"];
    let members: Vec<String> = names.iter().map(|name| format!(r#""{name}":{{"type":"string"}}"#)).collect();
    let schema = format!(r#"{{"properties":{{{},"0":true,"-1":true,"1e3":true,"NaN":true}}}}"#, members.join(","));
    let printed = declared(&schema);
    assert_eq!(parsed(&printed), ["UserInput"]);
    for name in names {
        assert!(printed.contains(&format!("\n    {name}?: string;")), "{name}");
    }
    assert!(printed.contains("\"0\"?: unknown;\n    \"-1\"?: unknown;\n    \"1e3\"?: unknown;\n    NaN?: unknown;"));
}

#[test]
fn a_union_of_thousands_is_one_union() {
    let constants: Vec<String> = (0..5_000).map(|n| format!(r#"{{"const":"v{n}"}}"#)).collect();
    let printed = declared(&format!(r#"{{"oneOf":[{}]}}"#, constants.join(",")));
    assert!(printed.contains("\"v0\" | \"v1\" | ") && units(&printed) <= LIMIT, "{}", units(&printed));
    assert_eq!(parsed(&printed), ["UserInput"]);
}

#[test]
fn relative_addresses_lead_to_resources_inside() {
    let printed = of(r##"{"$id":"https://x.test/schemas/order","properties":{"a":{"$ref":"/schemas/address"},
        "b":{"$ref":"address"},"c":{"$ref":"../schemas/address#/properties/zip"},"d":{"$ref":"dress"},
        "e":{"$ref":"https://y.test/schemas/address"}},
        "$defs":{"a":{"$id":"https://x.test/schemas/address","properties":{"zip":{"type":"string"}}}}}"##);
    assert_eq!(printed.matches("zip?: string;").count(), 2, "{printed}");
    assert!(printed.contains("\n    c?: string;"), "{printed}");
    assert_eq!(printed.matches("/** not in this schema: ").count(), 2, "{printed}");
}

#[test]
fn a_chain_of_references_is_followed_to_its_limit() {
    let chain = |links: usize, members: usize| {
        let link = |n: usize| format!(r##""r{n}":{{"$ref":"#/$defs/r{}"}}"##, n + 1);
        let links: Vec<String> = (1..links).map(link).chain([format!(r#""r{links}":{{"type":"string"}}"#)]).collect();
        let members: Vec<String> = (0..members).map(|n| format!(r##""m{n}":{{"$ref":"#/$defs/r1"}}"##)).collect();
        of(&format!(r#"{{"properties":{{{}}},"$defs":{{{}}}}}"#, members.join(","), links.join(",")))
    };
    assert_eq!(chain(MAX_CHAIN, 1), "{\n    m0?: string;\n}");
    let over = chain(MAX_CHAIN + 1, 1);
    assert_eq!(over, "{\n    /** behind too many references: #/$defs/r101 */\n    m0?: unknown;\n}");
    // What it takes does not grow with the square of what there is.
    assert!(chain(20_000, 100).matches("behind too many references").count() == 100);
}
