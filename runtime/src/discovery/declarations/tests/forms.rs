//! The form of each kind of type, as the catalogue has it.

use super::*;

/// Covers SCHEMA-01, SCHEMA-25, json-schema-types#1, schema-conversion#1, schema-conversion#9.
#[test]
fn required_members_are_plain_and_others_have_a_question_mark() {
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"number"}},
        "required":["name","zz",1]}"#;
    assert_eq!(declared(schema), "type UserInput = {\n    name: string;\n    age?: number;\n}");
}

/// Covers SCHEMA-02, SCHEMA-18, json-schema-types#5, json-schema-types#6, schema-conversion#40, schema-conversion#56.
#[test]
fn plain_types_are_words() {
    for (schema, word) in [
        (r#"{"type":"string"}"#, "string"),
        (r#"{"type":"number"}"#, "number"),
        (r#"{"type":"integer"}"#, "number"),
        (r#"{"type":"boolean"}"#, "boolean"),
        (r#"{"type":"null"}"#, "null"),
        (r#"{"type":"object"}"#, "Record<string, unknown>"),
        (r#"{"type":"object","properties":{}}"#, "Record<string, unknown>"),
        ("{}", "unknown"),
        (r#"{"type":"file"}"#, "unknown"),
        (r#"{"type":7}"#, "unknown"),
    ] {
        assert_eq!(of(schema), word, "{schema}");
    }
}

/// Covers SCHEMA-03, SCHEMA-22, schema-conversion#38.
#[test]
fn boolean_schemas_allow_anything_or_nothing() {
    assert_eq!((of("true"), of("false")), ("unknown".to_owned(), "never".to_owned()));
    let members = of(r#"{"properties":{"anything":true,"nothing":false}}"#);
    assert_eq!(members, "{\n    anything?: unknown;\n    nothing?: never;\n}");
    assert_eq!(member(r##"{"$ref":"#/$defs/F"}},"$defs":{"F":false,"T":true"##), "never");
    assert_eq!(member(r##"{"$ref":"#/$defs/T"}},"$defs":{"F":false,"T":true"##), "unknown");
}

/// Covers SCHEMA-04, SCHEMA-16, json-schema-types#3, schema-conversion#3.
#[test]
fn nested_objects_are_indented() {
    let schema = r#"{"type":"object","properties":{"address":{"properties":{"street":{"type":"string"},
        "zip":{"type":"string"}},"required":["street"]}}}"#;
    let printed = "{\n    address?: {\n        street: string;\n        zip?: string;\n    };\n}";
    assert_eq!(of(schema), printed);
}

/// Covers SCHEMA-05, SCHEMA-06, WEAK-21, json-schema-types#4, schema-conversion#5, schema-conversion#41.
#[test]
fn arrays_have_brackets_and_unions_in_them_parentheses() {
    for (schema, printed) in [
        (r#"{"type":"array","items":{"type":"string"}}"#, "string[]"),
        (r#"{"type":"array","items":{"type":"array","items":{"type":"number"}}}"#, "number[][]"),
        (r#"{"type":"array"}"#, "unknown[]"),
        (r#"{"type":"array","items":true}"#, "unknown[]"),
        (r#"{"type":"array","items":false}"#, "unknown[]"),
        (r#"{"items":{"type":"string"}}"#, "string[]"),
        (r#"{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}"#, "(string | number)[]"),
        (r#"{"type":"array","items":{"enum":["x","y"]}}"#, "(\"x\" | \"y\")[]"),
        (r#"{"type":"array","items":{"enum":["x"]}}"#, "\"x\"[]"),
        (
            r#"{"type":"array","items":{"allOf":[{"properties":{"a":true}},{"items":{}}]}}"#,
            "({\n    a?: unknown;\n} & unknown[])[]",
        ),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
    let objects = member(r#"{"type":"array","items":{"properties":{"a":{"type":"string"}}}}"#);
    assert_eq!(objects, "{\n        a?: string;\n    }[]");
}

/// Covers SCHEMA-07, schema-conversion#57, schema-conversion#58.
#[test]
fn tuples_come_from_either_keyword() {
    for (schema, printed) in [
        (r#"{"type":"array","items":[{"type":"string"},{"type":"number"}]}"#, "[string, number]"),
        (r#"{"type":"array","prefixItems":[{"type":"string"},true]}"#, "[string, unknown]"),
        (r#"{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#, "[string, ...null[]]"),
        (r#"{"type":"array","prefixItems":[{"type":"string"}],"items":false}"#, "[string]"),
        (r#"{"type":"array","prefixItems":[{"type":"string"}],"items":true}"#, "[string, ...unknown[]]"),
        (r#"{"type":"array","items":[]}"#, "[]"),
        (r#"{"type":"array","prefixItems":[]}"#, "[]"),
        (r#"{"type":"array","prefixItems":[],"items":{"type":"string"}}"#, "string[]"),
        (r#"{"prefixItems":[{"enum":[1,2]},{"type":"null"}],"minItems":0}"#, "[(1 | 2)?, null?]"),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
}

/// Covers SCHEMA-08, SCHEMA-09, SCHEMA-13, json-schema-types#2, schema-conversion#7, schema-conversion#42, schema-conversion#48,
/// schema-conversion#50, schema-conversion#51, schema-conversion#52.
#[test]
fn values_are_literals() {
    for (schema, printed) in [
        (r#"{"enum":["a",null,1,true,{"k":"v"},[1,2]]}"#, r#""a" | null | 1 | true | {"k":"v"} | [1,2]"#),
        (r#"{"type":"string","enum":["a","b"]}"#, r#""a" | "b""#),
        (r#"{"enum":[]}"#, "never"),
        (r#"{"enum":["a","a"]}"#, r#""a""#),
        (r#"{"const":null}"#, "null"),
        (r#"{"const":0}"#, "0"),
        (r#"{"const":false}"#, "false"),
        (r#"{"const":""}"#, r#""""#),
        (r#"{"const":{"a":[]}}"#, r#"{"a":[]}"#),
        (r#"{"enum":["a"],"const":"b"}"#, r#""a""#),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
}

/// Covers SCHEMA-11, SCHEMA-12, schema-conversion#21, schema-conversion#23, schema-conversion#25, schema-conversion#26.
#[test]
fn choices_are_unions_and_demands_intersections() {
    let (string, number, null) = (r#"{"type":"string"}"#, r#"{"type":"number"}"#, r#"{"type":"null"}"#);
    for (schema, printed) in [
        (format!(r#"{{"anyOf":[{string},{number}]}}"#), "string | number"),
        (format!(r#"{{"anyOf":[{string},{null}]}}"#), "string | null"),
        (format!(r#"{{"oneOf":[{string},{number},{{"type":"boolean"}}]}}"#), "string | number | boolean"),
        (format!(r#"{{"allOf":[{{"anyOf":[{string},{number}]}},{null}]}}"#), "(string | number) & null"),
        (format!(r#"{{"anyOf":[{{"oneOf":[{string},{null}]}},{null}]}}"#), "string | null"),
        (r#"{"anyOf":[]}"#.to_owned(), "never"),
        (r#"{"allOf":[]}"#.to_owned(), "unknown"),
        (format!(r#"{{"anyOf":[{string}],"oneOf":[{number}],"allOf":[{null}]}}"#), "string"),
        (format!(r#"{{"oneOf":[{number}],"enum":["x"]}}"#), "number"),
    ] {
        assert_eq!(of(&schema), printed, "{schema}");
    }
    let both = of(r#"{"allOf":[{"properties":{"a":true}},{"properties":{"b":true}}]}"#);
    assert_eq!(both, "{\n    a?: unknown;\n} & {\n    b?: unknown;\n}");
}

#[test]
fn a_choice_takes_no_properties_away() {
    let object = r#""properties":{"a":{"type":"string"},"b":{"type":"string"}}"#;
    let required = format!(r#"{{"type":"object",{object},"anyOf":[{{"required":["a"]}},{{"required":["b"]}}]}}"#);
    assert_eq!(of(&required), "{\n    a?: string;\n    b?: string;\n}");
    let more = format!(r#"{{{object},"oneOf":[{{"properties":{{"c":true}}}},{{"properties":{{"d":true}}}}]}}"#);
    let printed = "({\n    c?: unknown;\n} | {\n    d?: unknown;\n}) & {\n    a?: string;\n    b?: string;\n}";
    assert_eq!(of(&more), printed);
    assert_eq!(of(r#"{"type":"string","anyOf":[{"minLength":1},{"pattern":"x"}]}"#), "string");
    let beside = r##"{"$ref":"#/$defs/A","properties":{"b":true},"$defs":{"A":{"properties":{"a":true}}}}"##;
    assert_eq!(of(beside), "{\n    a?: unknown;\n} & {\n    b?: unknown;\n}");
}

/// Covers SCHEMA-14, schema-conversion#43.
#[test]
fn nullable_adds_null_to_what_is_something() {
    for (schema, printed) in [
        (r#"{"type":"string","nullable":true}"#, "string | null"),
        (r#"{"type":"null","nullable":true}"#, "null"),
        (r#"{"enum":["a",null],"nullable":true}"#, "\"a\" | null"),
        (r#"{"nullable":true}"#, "unknown"),
        (r#"{"enum":[],"nullable":true}"#, "never"),
        (r#"{"type":"array","items":{"type":"integer","nullable":true},"nullable":true}"#, "(number | null)[] | null"),
        (r#"{"type":"object","nullable":true}"#, "Record<string, unknown> | null"),
        (r#"{"allOf":[{"const":1},{"const":2}],"nullable":true}"#, "1 & 2 | null"),
        (r##"{"$ref":"#/$defs/A","nullable":true,"$defs":{"A":{"type":"string"}}}"##, "string | null"),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
}

/// Covers SCHEMA-15, BUG-SCH-13, schema-conversion#39.
#[test]
fn each_type_of_a_list_keeps_what_belongs_to_it() {
    for (schema, printed) in [
        (r#"{"type":["string","null"]}"#, "string | null"),
        (r#"{"type":["object","array","x"]}"#, "Record<string, unknown> | unknown[] | unknown"),
        (
            r#"{"type":["object","null"],"properties":{"id":{"type":"string"}},"required":["id"]}"#,
            "{\n    id: string;\n} | null",
        ),
        (r#"{"type":["array","null"],"items":{"type":"integer"}}"#, "number[] | null"),
        (r#"{"type":["string","array"],"items":{"type":"string"}}"#, "string | string[]"),
        (r#"{"type":["null"]}"#, "null"),
        (r#"{"type":[]}"#, "unknown"),
        (r#"{"type":["string",1]}"#, "string"),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
}

/// Covers SCHEMA-17, schema-conversion#53, schema-conversion#54, schema-conversion#55.
#[test]
fn other_members_are_an_index() {
    for (schema, printed) in [
        (r#"{"type":"object","additionalProperties":{"type":"string"}}"#, "{\n    [key: string]: string;\n}"),
        (r#"{"type":"object","additionalProperties":true}"#, "{\n    [key: string]: unknown;\n}"),
        (r#"{"type":"object","additionalProperties":{}}"#, "{\n    [key: string]: unknown;\n}"),
        (r#"{"type":"object","additionalProperties":false}"#, "{}"),
        (r#"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#, "{\n    a?: string;\n}"),
        (
            r#"{"properties":{"a":{"type":"string"}},"additionalProperties":true}"#,
            "{\n    a?: string;\n    [key: string]: unknown;\n}",
        ),
        (
            r#"{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"number"}}"#,
            "{\n    a?: string;\n} & {\n    [key: string]: number;\n}",
        ),
        (
            r#"{"patternProperties":{"^x-":{"type":"string"},"*/":{"type":"null"}},"additionalProperties":false}"#,
            "{\n    /** names match /^x-/ or /*\\// */\n    [key: string]: string | null;\n}",
        ),
        (
            r#"{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":{"type":"number"}}"#,
            "{\n    [key: string]: number | string;\n}",
        ),
    ] {
        assert_eq!(of(schema), printed, "{schema}");
    }
}

/// Covers SCHEMA-20, schema-conversion#15, schema-conversion#17, schema-conversion#19, schema-conversion#20.
#[test]
fn members_have_their_docs() {
    let schema = r#"{"properties":{
        "a":{"type":"string","description":" one\r\ntwo */ three "},
        "b":{"type":"string","format":"uuid"},
        "c":{"type":"string","description":"An id","format":"uuid"},
        "d":{"type":"string","description":"","deprecated":true},
        "e":{"default":{"x":"*/"},"description":7},
        "f":true}}"#;
    let printed = "{\n    /** one two *\\/ three */\n    a?: string;\n    /** @format uuid */\n    b?: string;\n    \
                   /**\n     * An id\n     * @format uuid\n     */\n    c?: string;\n    /** @deprecated */\n    \
                   d?: string;\n    /** @default {\"x\":\"*\\/\"} */\n    e?: unknown;\n    f?: unknown;\n}";
    assert_eq!(of(schema), printed);
}
