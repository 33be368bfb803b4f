//! Arguments made from a JSON Schema: what fits it, and what nearly does. Strategies of proptest, so that a case that breaks
//! a rule shrinks to the smallest one that does.

mod keywords;

use std::sync::Arc;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A schema that values are made of.
#[derive(Clone)]
pub struct Shape {
    schema: Arc<Value>,
    validator: Arc<Validator>,
}

impl Shape {
    /// Reads the text of a schema; without one, anything fits.
    ///
    /// # Errors
    /// Why it is no schema.
    pub fn read(text: Option<&str>) -> Result<Self, String> {
        let schema: Value =
            serde_json::from_str(text.unwrap_or("true")).map_err(|error| format!("is no JSON: {error}"))?;
        let validator = jsonschema::options().offline().build(&schema).map_err(|error| error.to_string())?;
        Ok(Self { schema: Arc::new(schema), validator: Arc::new(validator) })
    }

    /// Whether a value fits.
    #[must_use]
    pub fn fits(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// The first places where a value does not fit, as one text.
    #[must_use]
    pub fn misfits(&self, value: &Value) -> String {
        let place = |error: jsonschema::ValidationError<'_>| match error.instance_path().as_str() {
            "" => error.masked().to_string(),
            path => format!("{path}: {}", error.masked()),
        };
        self.validator.iter_errors(value).take(3).map(place).collect::<Vec<_>>().join("; ")
    }

    /// Values that fit.
    pub fn fitting(&self) -> BoxedStrategy<Value> {
        let checked = self.clone();
        keywords::values(&self.schema)
            .prop_filter("the value fits the schema", move |value| checked.fits(value))
            .boxed()
    }

    /// Values that do not fit: of another type, or with one member left out, changed or added. `None`: everything fits.
    #[must_use]
    pub fn unfitting(&self) -> Option<BoxedStrategy<Value>> {
        let others = [Value::Null, json!(true), json!(-1.5), json!("text"), json!([]), json!({})];
        let plain: Vec<Value> = others.into_iter().filter(|value| !self.fits(value)).collect();
        if plain.is_empty() {
            return None;
        }
        let checked = self.clone();
        let changed = (keywords::values(&self.schema), any::<prop::sample::Index>(), 0..3_u8)
            .prop_map(|(value, at, how)| changed(value, at, how))
            .prop_filter("the value does not fit", move |value| !checked.fits(value));
        let plain = prop::sample::select(plain);
        Some(prop_oneof![2 => plain, 1 => changed].boxed())
    }
}

/// A value with one member left out, of another type, or added.
fn changed(value: Value, at: prop::sample::Index, how: u8) -> Value {
    let Value::Object(mut members) = value else { return json!({ "unknown": value }) };
    let keys: Vec<String> = members.keys().cloned().collect();
    match (how, keys.is_empty()) {
        (0, false) => drop(members.shift_remove(at.get(&keys))),
        (1, false) => {
            let key = at.get(&keys).clone();
            let other = if members.get(&key).is_some_and(Value::is_string) { json!(7) } else { json!("text") };
            members.insert(key, other);
        }
        _ => drop(members.insert("surplus_member".to_owned(), json!(1))),
    }
    Value::Object(members)
}

/// Any small JSON value.
fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_i64..1_000).prop_map(Value::from),
        "[a-zA-Z0-9 é🙂]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
    .boxed()
}
