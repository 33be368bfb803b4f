//! Sizes: what is whole, what is cut, and how.

use super::*;

/// Covers SCHEMA-24, schema-conversion#37.
#[test]
fn twenty_levels_are_shown() {
    let nested = |levels: usize| {
        let open = r#"{"type":"object","properties":{"m":"#.repeat(levels);
        format!("{open}{}{}", r#"{"type":"string"}"#, "}}".repeat(levels))
    };
    let all = of(&nested(19));
    assert!(all.matches("m?: ").count() == 19 && all.contains("m?: string;") && !all.contains("unknown"), "{all}");
    let cut = of(&nested(30));
    assert_eq!((cut.matches("m?: ").count(), cut.matches("m?: unknown;").count()), (20, 1), "{cut}");
    assert!(cut.contains("/** nested too deep to be shown */"), "{cut}");
    let at = of(&nested(20));
    assert!(
        at.matches("m?: ").count() == 20 && at.contains("m?: unknown;"),
        "the string is the 20th schema inwards: {at}"
    );
}

#[test]
fn a_type_of_the_limit_is_whole_and_one_character_more_is_cut() {
    let several = |n: usize| {
        format!(
            r#""first{n}":{{"type":"string","description":"The first one of them"}},
            "second{n}":{{"properties":{{"a":{{"type":"number"}},"b":{{"enum":["x","y","z"]}}}},"required":["a"]}},
            "third{n}":{{"type":"array","items":{{"anyOf":[{{"type":"string"}},{{"type":"null"}}]}}}}"#
        )
    };
    let schema = format!(r#"{{"properties":{{{}}}}}"#, (0..5).map(several).collect::<Vec<_>>().join(","));
    let schema = schema.as_str();
    let whole = declared(schema);
    let size = units(&whole);
    assert_eq!(sized(schema, size), whole);
    let cut = sized(schema, size - 1);
    assert!(cut.starts_with(&format!("// Cut to {} characters", size - 1)), "{cut}");
    assert!(units(&cut) < size && cut.contains("first0?: string;") && cut.contains("third4?: "), "{cut}");
    for limit in 0..size {
        let cut = sized(schema, limit);
        assert!(units(&cut) <= limit.max("type UserInput = unknown".len()), "{limit}: {cut}");
        assert_eq!(parsed(&cut), ["UserInput"], "{limit}");
    }
}

/// Covers BUG-SCH-10.
#[test]
fn a_schema_that_explodes_becomes_types_with_names() {
    let levels = 12;
    let properties =
        |to: usize| (0..6).map(|k| format!(r##""p{k}":{{"$ref":"#/$defs/N{to}"}}"##)).collect::<Vec<_>>().join(",");
    let mut definitions: Vec<String> =
        (0..levels).map(|i| format!(r#""N{i}":{{"type":"object","properties":{{{}}}}}"#, properties(i + 1))).collect();
    definitions.push(format!(r#""N{levels}":{{"type":"string"}}"#));
    let schema = format!(r##"{{"$defs":{{{}}},"$ref":"#/$defs/N0"}}"##, definitions.join(","));
    let printed = declared(&schema);
    assert!(units(&printed) < 5_000, "{}", printed.len());
    let names = parsed(&printed);
    assert_eq!(names.len(), levels + 1);
    assert!(
        printed.starts_with("type UserInput = UserInput_N0\ntype UserInput_N0 = {\n    p0?: UserInput_N1;"),
        "{printed}"
    );
    assert!(printed.ends_with("p5?: string;\n}"));
}

#[test]
fn recursion_in_a_large_schema_goes_by_name() {
    let filler: String = (0..400).map(|n| format!(r#""filler{n}":{{"type":"string"}},"#)).collect();
    let schema = format!(
        r##"{{"$ref":"#/$defs/N","$defs":{{"N":{{"type":"object","properties":{{{filler}"kids":{{"type":"array",
        "items":{{"$ref":"#/$defs/N"}}}},"up":{{"anyOf":[{{"$ref":"#/$defs/N"}},{{"type":"null"}}]}}}}}}}}}}"##
    );
    // Inlined it is as long; a name says more.
    let printed = declared(&schema);
    assert!(units(&printed) > LIMIT / 4);
    assert_eq!(parsed(&printed)[0], "UserInput");
}

#[test]
fn what_is_cut_leaves_the_names_of_the_first_level() {
    let inner: String =
        (0..40).map(|n| format!(r#","inner{n}":{{"type":"string","description":"{}"}}"#, "d".repeat(60))).collect();
    let outer: Vec<String> = (0..60).map(|n| format!(r#""outer{n}":{{"properties":{{"x":true{inner}}}}}"#)).collect();
    let printed = declared(&format!(r#"{{"properties":{{{}}}}}"#, outer.join(",")));
    assert!(units(&printed) <= LIMIT && units(&printed) > LIMIT / 2, "{}", units(&printed));
    for n in 0..60 {
        assert!(printed.contains(&format!("\n    outer{n}?: ")), "{n}");
    }
    assert!(printed.contains("more members are left out"), "{printed}");
    assert_eq!(parsed(&printed), ["UserInput"]);
}

#[test]
fn long_lists_of_values_leave_room_for_the_rest() {
    let values: Vec<String> = (0..10_000).map(|n| format!("\"value{n}\"")).collect();
    let list = values.join(",");
    let printed = declared(&format!(
        r#"{{"properties":{{"a":{{"enum":[{list}]}},"b":{{"anyOf":[{{"const":1}},{{"enum":[{list}]}}]}},"c":{{"type":"string"}}}}}}"#
    ));
    assert!(
        units(&printed) <= LIMIT && printed.contains("| \"value100\"") && printed.contains("| unknown;"),
        "{printed}"
    );
    assert!(printed.contains("\n    c?: string;"));
    assert_eq!(parsed(&printed), ["UserInput"]);
}

#[test]
fn wide_things_are_cut_in_the_middle_of_themselves() {
    let many = |item: &str| vec![item; 50_000].join(",");
    for schema in [
        format!(r#"{{"type":"array","prefixItems":[{}],"items":{{"type":"null"}}}}"#, many(r#"{"type":"string"}"#)),
        format!(r#"{{"allOf":[{}]}}"#, many(r#"{"properties":{"a":{"type":"string"}}}"#)),
        format!(r#"{{"oneOf":[{}]}}"#, many(r#"{"properties":{"a":{"type":"string"}}}"#)),
        format!(r#"{{"type":[{}]}}"#, many("\"string\"")),
        format!(r#"{{"const":"{}"}}"#, "x".repeat(50_000)),
        format!(r#"{{"properties":{{"{}":true}}}}"#, "x".repeat(50_000)),
        format!(r#"{{"patternProperties":{{"{}":true}}}}"#, "x".repeat(50_000)),
        format!(r#"{{"required":[{}],"properties":{{"a":true}}}}"#, many("\"a\"")),
    ] {
        let printed = declared(&schema);
        assert!(units(&printed) <= LIMIT, "{}", units(&printed));
        assert_eq!(parsed(&printed), ["UserInput"]);
    }
}
