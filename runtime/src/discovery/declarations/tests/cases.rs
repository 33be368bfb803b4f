//! References, and schemas that broke other printers.

use super::*;

/// A schema whose members refer to its definitions.
fn referring(reference: &str, definitions: &str) -> String {
    of(&format!(r##"{{"properties":{{"m":{{"$ref":"{reference}"}}}},"$defs":{definitions}}}"##))
}

/// Covers SCHEMA-21, SCHEMA-23, schema-conversion#31, schema-conversion#32, schema-conversion#33, schema-conversion#34,
/// schema-conversion#35.
#[test]
fn pointers_are_followed_and_what_is_not_here_is_unknown_and_says_why() {
    assert_eq!(referring("#/$defs/A", r#"{"A":{"type":"string"}}"#), "{\n    m?: string;\n}");
    let old = of(r##"{"properties":{"m":{"$ref":"#/definitions/A"}},"definitions":{"A":{"type":"number"}}}"##);
    assert_eq!(old, "{\n    m?: number;\n}");
    let chain = r##"{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/C"},"C":{"properties":{"x":{"type":"number"}}}}"##;
    assert_eq!(referring("#/$defs/A", chain), "{\n    m?: {\n        x?: number;\n    };\n}");
    assert_eq!(referring("#/$defs/A", "{}"), "{\n    /** not found: #/$defs/A */\n    m?: unknown;\n}");
    let far = referring("https://other.test/*/t.json", "{}");
    assert_eq!(far, "{\n    /** not in this schema: https://other.test/*\\/t.json */\n    m?: unknown;\n}");
    assert_eq!(declared(r##"{"$ref":"#/nope"}"##), "/** not found: #/nope */\ntype UserInput = unknown");
}

/// Covers SCHEMA-23, schema-conversion#36.
#[test]
fn what_contains_itself_ends_at_the_repeat_and_says_what_it_is() {
    let own = of(r##"{"properties":{"child":{"$ref":"#"}}}"##);
    assert_eq!(own, "{\n    /** recursive: UserInput again */\n    child?: unknown;\n}");
    let mutual = referring(
        "#/$defs/A",
        r##"{"A":{"properties":{"b":{"type":"array","items":{"$ref":"#/$defs/B"}}}},"B":{"properties":{"a":{"$ref":"#/$defs/A"}}}}"##,
    );
    assert!(mutual.contains("/** recursive: UserInput[\"m\"] again */\n            a?: unknown;"), "{mutual}");
    for circle in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}"##,
        r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"nullable":true}"##,
    ] {
        assert!(declared(circle).ends_with("type UserInput = unknown"), "{}", declared(circle));
    }
}

/// Covers BUG-SCH-09.
#[test]
fn a_definition_that_is_used_twice_is_shown_twice() {
    let schema = r##"{"$defs":{"Addr":{"type":"object","properties":{"zip":{"type":"string"}},"required":["zip"]}},
        "type":"object","properties":{"from":{"$ref":"#/$defs/Addr"},"to":{"$ref":"#/$defs/Addr"},
        "more":{"type":"array","items":{"$ref":"#/$defs/Addr"}}},"required":["from","to"]}"##;
    assert_eq!(of(schema).matches("zip: string;").count(), 3);
}

/// Covers BUG-SCH-11.
#[test]
fn pointers_may_be_percent_encoded_and_have_escaped_slashes() {
    let schema = r##"{"$defs":{"CDS Service":{"type":"string"},"a/b~c":{"type":"number"},"p%q":{"type":"boolean"},
        "\u00e9":{"type":"null"},"x%20y":{"const":1}},"type":"object","properties":{"w":{"$ref":"#/$defs/CDS%20Service"},
        "x":{"$ref":"#/$defs/CDS Service"},"y":{"$ref":"#/$defs/a~1b~0c"},"z":{"$ref":"#/$defs/p%25q"},
        "u":{"$ref":"#/$defs/%C3%A9"},"v":{"$ref":"#/$defs/x%20y"},"bad":{"$ref":"#/$defs/%zz"}}}"##;
    let printed = of(schema);
    for member in ["w?: string;", "x?: string;", "y?: number;", "z?: boolean;", "u?: null;", "v?: 1;", "bad?: unknown;"]
    {
        assert!(printed.contains(member), "{member} in {printed}");
    }
}

/// Covers BUG-SCH-16.
#[test]
fn a_parameter_by_reference_shows_its_members_and_defaults() {
    let schema = r##"{"type":"object","properties":{"request":{"$ref":"#/$defs/Q"},
        "mode":{"$ref":"#/properties/request/x-missing"}},"required":["request"],
        "$defs":{"Q":{"type":"object","properties":{"sql":{"type":"string"},"limit":{"type":"integer","default":100},
        "fmt":{"enum":["json","csv"],"default":"json"}},"required":["sql"]}}}"##;
    let printed = "{\n    request: {\n        sql: string;\n        /** @default 100 */\n        limit?: number;\n        \
                   /** @default \"json\" */\n        fmt?: \"json\" | \"csv\";\n    };\n    \
                   /** not found: #/properties/request/x-missing */\n    mode?: unknown;\n}";
    assert_eq!(of(schema), printed);
}

/// Covers BUG-SCH-17.
#[test]
fn references_lead_to_siblings_anchors_and_ids() {
    let schema = r##"{"$id":"https://x.test/s.json","type":"object","properties":{"status":{"enum":["open","closed"]},
        "filter":{"type":"array","items":{"$ref":"#/properties/status"}},"anch":{"$ref":"#st"},
        "byid":{"$ref":"https://x.test/s.json#/properties/status"},"ext":{"$ref":"https://other.test/t.json"},
        "dyn":{"$dynamicRef":"#st"},"part":{"$ref":"part.json"},"inner":{"$ref":"part.json#/$defs/x"}},
        "$defs":{"S":{"$anchor":"st","type":"boolean"},
            "P":{"$id":"part.json","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"const":"inner"}}},
            "x":{"const":"outer"}}}"##;
    let printed = of(schema);
    for member in [
        "filter?: (\"open\" | \"closed\")[];",
        "anch?: boolean;",
        "byid?: \"open\" | \"closed\";",
        "ext?: unknown;",
        "dyn?: boolean;",
        "x?: \"inner\";",
        "inner?: \"inner\";",
    ] {
        assert!(printed.contains(member), "{member} in {printed}");
    }
}

/// Covers BUG-SCH-18.
#[test]
fn tuples_have_their_rest_and_their_optional_items() {
    let schema = r#"{"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],
        "minItems":1,"items":{"type":"boolean"}},"u":{"type":"array","items":[{"type":"string"}],"additionalItems":false},
        "any":true,"never":false,"m":{"type":"object","patternProperties":{"^x-":{"type":"string"}},
        "additionalProperties":false},"n":{"type":"array","items":true}}}"#;
    let printed = of(schema);
    for member in [
        "t?: [string, number?, ...boolean[]];",
        "u?: [string];",
        "any?: unknown;",
        "never?: never;",
        "[key: string]: string;",
        "n?: unknown[];",
    ] {
        assert!(printed.contains(member), "{member} in {printed}");
    }
}

/// Covers BUG-SCH-01.
#[test]
fn unions_in_arrays_have_parentheses() {
    let schema = r##"{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},
        "b":{"type":"array","items":{"enum":["x","y"]}},"c":{"type":"array","items":{"type":["string","null"]}},
        "d":{"type":"array","items":{"$ref":"#/$defs/U"}},
        "e":{"type":"array","items":{"type":"array","items":{"type":"integer","nullable":true}}}},
        "$defs":{"U":{"oneOf":[{"type":"boolean"},{"type":"null"}]}}}"##;
    let printed = "{\n    a?: (string | number)[];\n    b?: (\"x\" | \"y\")[];\n    c?: (string | null)[];\n    \
                   d?: (boolean | null)[];\n    e?: (number | null)[][];\n}";
    assert_eq!(of(schema), printed);
}

/// Covers BUG-SCH-04, BUG-SCH-05.
#[test]
fn no_text_leaves_its_comment() {
    let schema = r#"{"title":"*/ t","description":"glob **/*.ts or */x */ export const evil = 1; /*","type":"object",
        "properties":{"p":{"type":"string","description":"see */ } declare const y: 1; /*","format":"a*/b"},
        "a":{"description":"one\ntwo\r\nthree\rfour\u2028five\u2029six\u0000seven\u0085eight"},"b":{"type":"number"}}}"#;
    let printed = declared(schema);
    assert_eq!(parsed(&printed), ["UserInput"]);
    assert!(
        printed.contains("/** one two three four five sixseven eight */\n    a?: unknown;\n    b?: number;"),
        "{printed}"
    );
}

/// Covers BUG-SCH-07.
#[test]
fn every_literal_and_every_name_is_there_and_reads_back() {
    let schema = r#"{"type":"object","properties":{
        "q":{"enum":["a\"b","c\\","d\ne","f\u2028g","h\tz","","${x}","`","\ud800","\u0000",null,1,true,{"k":[1]},["x",2]]},
        "with-dash":{"type":"string"},"with space":{"type":"string"},"1st":{"type":"string"},"\u65e5\u672c":{"type":"string"},
        "a\"b\\c":{"const":"it's"},"":{"type":"string"},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}"#;
    let printed = declared(schema);
    assert_eq!(parsed(&printed), ["UserInput"]);
    let literals = r#"q?: "a\"b" | "c\\" | "d\ne" | "f\u2028g" | "h\tz" | "" | "${x}" | "`" | "\ud800" | "\u0000" | null | 1 | true | {"k":[1]} | ["x",2];"#;
    assert!(printed.contains(literals), "{printed}");
    for name in
        ["\"with-dash\"", "\"with space\"", "\"1st\"", "\"日本\"", r#""a\"b\\c""#, "\"\"", "__proto__", "constructor"]
    {
        assert!(printed.contains(&format!("\n    {name}?: ")), "{name} in {printed}");
    }
}

/// Covers SCHEMA-29.
#[test]
fn what_is_no_schema_is_unknown() {
    for text in ["null", "\"text\"", "7", "[]", "[{\"type\":\"string\"}]"] {
        assert_eq!(of(text), "unknown", "{text}");
    }
    let odd = r#"{"properties":{"a":null,"b":"x","c":[],"d":{"properties":[]},"e":{"enum":{}},"f":{"anyOf":{}},
        "g":{"type":"object","required":"x","properties":{"h":3}},"i":{"$ref":7},"j":{"items":7},"k":{"prefixItems":{}}}}"#;
    assert_eq!(parsed(&declared(odd)), ["UserInput"]);
}
