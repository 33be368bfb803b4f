//! A quick look at a schema: most refer to nothing outside, which can be seen without keeping anything of them. A catalogue
//! of thousands of schemas is checked by this; whatever it is not sure of is left to the thorough check.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Whether a text is certainly a schema without remote references.
pub(super) fn is_plain(text: &str) -> bool {
    // Halves of surrogate pairs need a closer look.
    if text.contains("\\u") || !text.trim_ascii_start().starts_with(['{', 't', 'f']) {
        return false;
    }
    let mut json = serde_json::Deserializer::from_str(text);
    Part::Schema.deserialize(&mut json).and_then(|()| json.end()).is_ok()
}

/// What a value in a schema is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A schema, or a keyword's value with schemas in it.
    Schema,
    /// Where a reference leads.
    Reference,
    /// Data, which refers to nothing.
    Data,
}

impl<'de> DeserializeSeed<'de> for Part {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let leaves = self == Self::Reference && !text.starts_with('#');
        if leaves { Err(E::custom("not certain")) } else { Ok(()) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = self.inside();
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(part) = members.next_key_seed(Key(self.inside()))? {
            members.next_value_seed(part)?;
        }
        Ok(())
    }
}

impl Part {
    /// What lies inside of a reference that is no text is a schema.
    fn inside(self) -> Self {
        if self == Self::Data { Self::Data } else { Self::Schema }
    }
}

/// A key in such a part; it says what its value is.
struct Key(Part);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Part;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Part, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Part, E> {
        Ok(match (self.0, key) {
            (Part::Data, _) | (_, "const" | "enum" | "default" | "examples" | "example") => Part::Data,
            (_, "$ref" | "$dynamicRef" | "$recursiveRef") => Part::Reference,
            _ => Part::Schema,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check_schema, check_schema_text};
    use super::*;

    /// Schemas, with what a quick look tells, and what the thorough check says.
    const SCHEMAS: [(&str, Looks, Is); 16] = [
        (" {} ", Looks::Plain, Is::Good),
        ("true", Looks::Plain, Is::Good),
        (r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":["string",null,1,2.5,-3]}}}"##, Looks::Plain, Is::Good),
        (r#"{"const":{"$ref":"http://x/y"},"default":[{"$ref":"z"}]}"#, Looks::Plain, Is::Good),
        (r##"{"properties":{"$ref":{"$ref":"#a"}}}"##, Looks::Plain, Is::Good),
        (r#"{"properties":{"$ref":{"items":{"$ref":"http://x/y"}}}}"#, Looks::Uncertain, Is::Bad),
        (r#"{"$ref":"http://x/y"}"#, Looks::Uncertain, Is::Bad),
        (r#"{"$id":"http://x/y","items":{"$ref":"y"}}"#, Looks::Uncertain, Is::Good),
        (r#"{"pattern":"\ud800"}"#, Looks::Uncertain, Is::Good),
        (r#"{"maximum":1e400}"#, Looks::Uncertain, Is::Good),
        ("{}{}", Looks::Uncertain, Is::Bad),
        ("{", Looks::Uncertain, Is::Bad),
        ("[]", Looks::Uncertain, Is::Bad),
        ("\"x\"", Looks::Uncertain, Is::Bad),
        ("null", Looks::Uncertain, Is::Bad),
        ("", Looks::Uncertain, Is::Bad),
    ];

    #[derive(Debug, PartialEq, Eq)]
    enum Looks {
        Plain,
        Uncertain,
    }

    #[derive(Debug, PartialEq, Eq)]
    enum Is {
        Good,
        Bad,
    }

    #[test]
    fn what_looks_plain_is_good_and_what_does_not_is_looked_at_again() {
        for (text, looks, is) in &SCHEMAS {
            let quick = if is_plain(text) { Looks::Plain } else { Looks::Uncertain };
            assert_eq!(quick, *looks, "{text}");
            let thorough = if check_schema_text(text).is_ok() { Is::Good } else { Is::Bad };
            assert_eq!(thorough, *is, "{text}");
            assert_eq!(check_schema(text).is_ok(), *is == Is::Good, "{text}");
        }
    }

    #[test]
    fn a_schema_too_deep_for_the_one_is_too_deep_for_the_other() {
        for levels in [20, 126, 127, 128, 129, 100_000] {
            for (open, close) in [(r#"{"a":"#, "}"), (r#"{"enum":["#, "]}")] {
                let text = format!("{}1{}", open.repeat(levels), close.repeat(levels));
                assert!(!is_plain(&text) || check_schema_text(&text).is_ok(), "{levels}");
            }
        }
        let deepest = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        assert!(is_plain(&deepest));
    }
}
