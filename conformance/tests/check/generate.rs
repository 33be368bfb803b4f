//! Arguments can be made for the schemas that people write, however they say it.

use codemode_conformance::check::Shape;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Values of a schema; fewer than asked for where too few of those that were made fit.
fn made(schema: &str, count: usize) -> Vec<serde_json::Value> {
    let shape = Shape::read(Some(schema)).unwrap_or_else(|reason| panic!("{schema} {reason}"));
    let config = Config { rng_seed: RngSeed::Fixed(1), max_local_rejects: 512, ..Config::default() };
    let (mut runner, values) = (TestRunner::new(config), shape.fitting());
    let made: Vec<_> = (0..count).filter_map(|_| Some(values.new_tree(&mut runner).ok()?.current())).collect();
    assert!(made.iter().all(|value| shape.fits(value)));
    made
}

/// How many different values are made at least, out of 64.
#[test]
fn each_way_to_say_it_gives_many_values() {
    let cases = [
        (r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#, 30),
        (r#"{"type":"object","minProperties":3}"#, 30),
        (r#"{"type":"object","properties":{"a":true,"b":true,"c":true},"minProperties":2,"maxProperties":2}"#, 10),
        (r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, 30),
        (
            r#"{"type":"object","patternProperties":{"^x-[a-z]+$":{"type":"integer"}},"additionalProperties":false,"minProperties":1}"#,
            30,
        ),
        (r#"{"type":"object","propertyNames":{"pattern":"^[A-Z]{3}$"},"minProperties":2}"#, 30),
        (
            r#"{"type":"object","properties":{"card":{"type":"string"},"address":{"type":"string"}},"dependentRequired":{"card":["address"]}}"#,
            20,
        ),
        (
            r#"{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["x"],"properties":{"x":{"type":"integer"}}},"else":{"required":["y"]}}"#,
            20,
        ),
        (r#"{"type":"array","items":{"type":"integer"},"minItems":2,"uniqueItems":true}"#, 30),
        (r#"{"type":"array","contains":{"const":7},"items":{"type":"integer"}}"#, 20),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"integer"},{"type":"string"}],"additionalItems":false,"minItems":2}"#,
            30,
        ),
        (r#"{"type":"array","prefixItems":[{"type":"integer"}],"items":false,"minItems":1}"#, 30),
        (r##"{"$defs":{"id":{"$anchor":"id","type":"string","pattern":"^\\d{3}-\\w+$"}},"$ref":"#id"}"##, 30),
        (r##"{"$defs":{"a/b":{"type":"integer","minimum":3}},"$ref":"#/$defs/a~1b"}"##, 30),
        (r##"{"$defs":{"a%b":{"type":"boolean"}},"$ref":"#/$defs/a%25b"}"##, 2),
        (
            r##"{"$defs":{"n":{"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#/$defs/n"}},"required":["value"]}},"$ref":"#/$defs/n"}"##,
            30,
        ),
        (
            r##"{"$defs":{"t":{"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#/$defs/t"}}]}},"$ref":"#/$defs/t"}"##,
            30,
        ),
        (
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":5}},"required":["a"]},{"properties":{"a":{"maximum":9}},"required":["b"]}]}"#,
            30,
        ),
        (r#"{"oneOf":[{"type":"integer","multipleOf":3},{"type":"integer","multipleOf":5}]}"#, 20),
        (r#"{"type":"integer","minimum":9007199254740000,"maximum":9007199254740991}"#, 30),
        (r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#, 3),
        (r#"{"type":"number","multipleOf":0.01,"minimum":0}"#, 30),
        (r#"{"type":"string","minLength":40,"maxLength":40}"#, 60),
        (r#"{"type":"string","minLength":100000}"#, 30),
        (r#"{"type":"string","maxLength":2}"#, 20),
        (r#"{"type":"array","items":{"type":"integer"},"minItems":1000}"#, 60),
        (r#"{"type":"object","minProperties":300,"additionalProperties":{"type":"boolean"}}"#, 60),
        (r#"{"type":"string","pattern":"[[&]\\$$"}"#, 2),
        (r#"{"type":"string","pattern":"(?=never)","examples":["never more"]}"#, 1),
        (r#"{"type":["string","null"]}"#, 20),
        (r#"{"not":{"type":"string"}}"#, 20),
        ("true", 20),
    ];
    for (schema, least) in cases {
        let mut different = made(schema, 64).iter().map(ToString::to_string).collect::<Vec<_>>();
        different.sort();
        different.dedup();
        assert!(different.len() >= least, "{schema}: {} different values: {different:?}", different.len());
    }
}

/// An endless schema is cut, and neither its strategy nor a value of it grows beyond what a call can carry.
#[test]
fn a_schema_that_refers_to_itself_in_many_places_takes_no_time() {
    let members = (0..40).map(|at| format!(r##""m{at}":{{"$ref":"#/$defs/n"}}"##)).collect::<Vec<_>>().join(",");
    let wide = format!(r##"{{"$defs":{{"n":{{"type":"object","properties":{{{members}}}}}}},"$ref":"#/$defs/n"}}"##);
    let longest = made(&wide, 16).iter().map(|value| value.to_string().len()).max();
    assert!(longest.is_some_and(|longest| longest < 100_000), "{longest:?}");
    for nothing in [
        r##"{"$ref":"#"}"##,
        r##"{"type":"object","anyOf":[{"$ref":"#"}]}"##,
        r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
    ] {
        made(nothing, 1);
    }
}

/// Where no value can be made, none is: it is for the report to say so.
#[test]
fn what_nothing_fits_gives_nothing() {
    for nothing in [
        "false",
        r#"{"type":"string","pattern":"(?=never)"}"#,
        r#"{"type":"integer","minimum":2,"maximum":1}"#,
        r#"{"type":"string","minLength":4000000000}"#,
        r#"{"type":"array","minItems":100000000}"#,
        r#"{"type":"object","minProperties":100000000}"#,
    ] {
        assert_eq!(made(nothing, 2).len(), 0, "{nothing}");
    }
}
