//! What no schema breaks: the text is TypeScript, no name is declared twice, and the size is bounded.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Keywords with the wrong kinds of values, right ones, and references to everything that may be there.
fn schema() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-c]",
        "\\PC{0,6}",
        Just("*/ */\n\u{2028}\u{10ffff}d800".to_owned()),
        Just("__proto__".to_owned())
    ];
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(null)),
        any::<f64>().prop_map(|x| json!(x)),
        any::<i64>().prop_map(|x| json!(x)),
        text.clone().prop_map(Value::from),
        prop::sample::select(vec!["string", "integer", "boolean", "null", "array", "object"])
            .prop_map(|t| json!({ "type": t })),
        prop::sample::select(vec![
            "#",
            "#/$defs/a",
            "#/$defs/b",
            "#/properties/a",
            "#/items",
            "#x",
            "y.json#/$defs/a",
            "#/$defs/*~1"
        ])
        .prop_map(|to| json!({ "$ref": to })),
        (text.clone(), text.clone())
            .prop_map(|(d, f)| json!({ "type": "string", "description": d, "format": f, "default": d })),
    ];
    let word = |words: &'static [&str]| prop::sample::select(words).prop_map(str::to_owned).boxed();
    let of_map = word(&["properties", "properties", "patternProperties", "$defs", "definitions"]);
    let of_list = word(&["anyOf", "oneOf", "allOf", "prefixItems", "items", "enum", "type", "required"]);
    let of_schema = word(&["items", "additionalProperties", "additionalItems", "const", "default", "nullable"]);
    let any =
        word(&["$ref", "$anchor", "$id", "minItems", "description", "deprecated", "enum", "anyOf", "properties", "a"]);
    let many = move |inner: BoxedStrategy<Value>| {
        let maps = prop::collection::vec((text.clone(), inner.clone()), 0..4)
            .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
            .boxed();
        let lists = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array).boxed();
        let pair = prop_oneof![
            4 => (of_map.clone(), maps.clone()),
            4 => (of_list.clone(), lists.clone()),
            3 => (of_schema.clone(), inner.clone()),
            1 => (any.clone(), prop_oneof![inner, maps.clone(), lists.clone()].boxed()),
        ];
        let schemas = prop::collection::vec(pair, 1..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect()));
        prop_oneof![6 => schemas, 1 => maps, 1 => lists].boxed()
    };
    leaf.prop_recursive(6, 120, 5, many)
}

proptest! {
    #[test]
    fn any_schema_gives_typescript_of_bounded_size(schema in schema(), limit in 0usize..3_000) {
        holds(&schema.to_string(), limit);
    }

    #[test]
    fn any_text_gives_typescript(text in "\\PC{0,40}|[{}\\[\\]\":,a$0-9\\\\u]{0,40}") {
        holds(&text, LIMIT);
    }

    #[test]
    fn any_connector_gives_one_declaration_for_each_name(
        tools in prop::collection::vec(("[a-cA-C_]{1,3}(_input)?", schema(), schema()), 0..5),
        block in prop_oneof![Just(100_000usize), 0usize..3_000],
    ) {
        let names: BTreeSet<&str> = tools.iter().map(|(name, ..)| name.as_str()).collect();
        let texts: Vec<[String; 2]> = tools.iter().map(|(_, a, b)| [a.to_string(), b.to_string()]).collect();
        let tools: Vec<Declared<'_>> = names.iter().zip(&texts).map(|(name, [input, output])| Declared {
            name, title: name, description: Some(input), input: Some(input), output: Some(output), remarks: &[],
        }).collect();
        let printed = declare("t", &tools, Sizes { declaration: 2_000, block });
        let declared = parsed(&printed);
        prop_assert_eq!(declared.last().map(String::as_str), Some("t"));
        prop_assert!(units(&printed) <= block.max("declare const t: {}".len()), "{}", printed);
    }
}

/// For any text: what is declared is TypeScript, no longer than the limit, and declares its name first.
fn holds(schema: &str, limit: usize) {
    let schema = parse_schema(schema).ok();
    let mut taken = BTreeSet::from(["UserInput".to_owned()]);
    let printed = declare_type("UserInput", schema.as_ref(), limit, &mut taken);
    assert_eq!(parsed(&printed)[0], "UserInput");
    assert!(units(&printed) <= limit.max("type UserInput = unknown".len()), "{limit}: {printed}");
}
