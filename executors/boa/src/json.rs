//! Reads JSON into values of the engine. The engine's own `JSON.parse` compiles the text as a script, whose parser runs
//! out of stack long before 512 levels. The text comes from the host, which wrote it: what is no JSON is our error.

use boa_engine::object::JsObject;
use boa_engine::object::builtins::JsArray;
use boa_engine::property::PropertyKey;
use boa_engine::{Context, JsNativeError, JsResult, JsString, JsValue};

pub(crate) fn parse(text: &str, context: &mut Context) -> JsResult<JsValue> {
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
    let value = reader.value(context)?;
    reader.blank();
    if reader.at < text.len() { Err(malformed()) } else { Ok(value) }
}

fn malformed() -> boa_engine::JsError {
    JsNativeError::typ().with_message("a value from the journal is malformed").into()
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.blank();
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, expected: u8) -> bool {
        let there = self.peek() == Some(expected);
        self.at += usize::from(there);
        there
    }

    fn word(&mut self, word: &str, value: JsValue) -> JsResult<JsValue> {
        if !self.text[self.at..].starts_with(word) {
            return Err(malformed());
        }
        self.at += word.len();
        Ok(value)
    }

    fn value(&mut self, context: &mut Context) -> JsResult<JsValue> {
        match self.peek() {
            Some(b'{') => self.object(context),
            Some(b'[') => self.array(context),
            Some(b'"') => Ok(self.string()?.into()),
            Some(b't') => self.word("true", true.into()),
            Some(b'f') => self.word("false", false.into()),
            Some(b'n') => self.word("null", JsValue::null()),
            _ => self.number(),
        }
    }

    fn object(&mut self, context: &mut Context) -> JsResult<JsValue> {
        let object = JsObject::with_object_proto(context.intrinsics());
        self.at += 1;
        if self.take(b'}') {
            return Ok(object.into());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(malformed());
            }
            let key = PropertyKey::from(self.string()?);
            if !self.take(b':') {
                return Err(malformed());
            }
            let value = self.value(context)?;
            object.create_data_property_or_throw(key, value, context)?;
            if self.take(b'}') {
                return Ok(object.into());
            }
            if !self.take(b',') {
                return Err(malformed());
            }
        }
    }

    fn array(&mut self, context: &mut Context) -> JsResult<JsValue> {
        let mut items = Vec::new();
        self.at += 1;
        if !self.take(b']') {
            loop {
                items.push(self.value(context)?);
                if self.take(b']') {
                    break;
                }
                if !self.take(b',') {
                    return Err(malformed());
                }
            }
        }
        Ok(JsArray::from_iter(items, context).into())
    }

    fn number(&mut self) -> JsResult<JsValue> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let number: f64 = self.text[start..self.at].parse().map_err(|_| malformed())?;
        Ok(JsValue::new(number))
    }

    fn string(&mut self) -> JsResult<JsString> {
        self.at += 1;
        let start = self.at;
        let rest = &self.bytes[start..];
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).ok_or_else(malformed)?;
        self.at += end;
        if rest[end] == b'"' {
            self.at += 1;
            return Ok(JsString::from(&self.text[start..start + end]));
        }
        let mut units: Vec<u16> = self.text[start..self.at].encode_utf16().collect();
        loop {
            let next = self.text[self.at..].chars().next().ok_or_else(malformed)?;
            self.at += next.len_utf8();
            match next {
                '"' => return Ok(JsString::from(&units[..])),
                '\\' => units.push(self.escape()?),
                plain => units.extend_from_slice(plain.encode_utf16(&mut [0; 2])),
            }
        }
    }

    fn escape(&mut self) -> JsResult<u16> {
        let letter = *self.bytes.get(self.at).ok_or_else(malformed)?;
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => letter.into(),
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4).ok_or_else(malformed)?;
                self.at += 4;
                u16::from_str_radix(digits, 16).map_err(|_| malformed())?
            }
            _ => return Err(malformed()),
        })
    }
}
