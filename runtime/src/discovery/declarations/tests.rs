//! Declarations by example and at random.

mod block;
mod cases;
mod composed;
mod forms;
mod limits;
mod random;

use std::collections::BTreeSet;

use super::fuzz::declarations as parsed;
use super::*;

/// The default limit of one type.
const LIMIT: usize = 20_000;

/// The declaration of a schema under the name `UserInput`.
fn declared(schema: &str) -> String {
    sized(schema, LIMIT)
}

fn sized(schema: &str, limit: usize) -> String {
    let schema = parse_schema(schema).unwrap();
    let mut taken = BTreeSet::from(["UserInput".to_owned()]);
    declare_type("UserInput", Some(&schema), limit, &mut taken)
}

/// The type alone.
fn of(schema: &str) -> String {
    declared(schema).strip_prefix("type UserInput = ").unwrap().to_owned()
}

/// The type of the member `m`.
fn member(schema: &str) -> String {
    let all = of(&format!(r#"{{"properties":{{"m":{schema}}}}}"#));
    all.strip_prefix("{\n    m?: ").unwrap().strip_suffix(";\n}").unwrap().to_owned()
}
