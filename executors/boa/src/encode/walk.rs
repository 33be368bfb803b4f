//! The walk over a value: one frame for each level that is open in the text.

use boa_engine::builtins::proxy::Proxy;
use boa_engine::object::JsObject;
use boa_engine::{Context, JsBigInt, JsResult, JsValue, JsVariant, js_string};

use super::{Done, Failure, Help, is_namespace, unsupported};
use crate::native;
use crate::text::Text;

/// What stands inside of a frame.
pub(super) enum Content {
    Array(JsObject, u64),
    Values(Vec<JsValue>),
    Pairs(Vec<(JsValue, JsValue)>),
    Members(JsObject, Vec<JsValue>),
    /// As `Members`, of an error, whose first members are written already.
    Error(JsObject, Vec<JsValue>),
}

/// Levels that are open in the text.
pub(super) struct Frame {
    /// What it stands for; meeting it again inside is a cycle. A pair of a map is no object.
    pub(super) value: Option<JsObject>,
    /// The object whose `toJSON` gave `value`.
    pub(super) origin: Option<JsObject>,
    pub(super) content: Content,
    pub(super) index: usize,
    /// Whether no member stands in it yet.
    pub(super) first: bool,
    pub(super) end: &'static str,
    pub(super) levels: usize,
}

pub(super) struct Encoder {
    pub(super) help: Help,
    pub(super) root: String,
    pub(super) text: Text,
    pub(super) frames: Vec<Frame>,
    pub(super) levels: usize,
    pub(super) most: usize,
}

impl Encoder {
    pub(super) fn whole(&mut self, value: &JsValue, context: &mut Context) -> Done {
        self.write(value, context)?;
        self.down_to(0, context)
    }

    /// Goes on until no more than so many frames are open.
    pub(super) fn down_to(&mut self, frames: usize, context: &mut Context) -> Done {
        while self.frames.len() > frames {
            self.advance(context)?;
        }
        Ok(())
    }

    fn advance(&mut self, context: &mut Context) -> Done {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let index = frame.index;
        frame.index += 1;
        match &frame.content {
            Content::Array(array, length) if (index as u64) < *length => {
                let value = array.clone().get(index as u64, context)?;
                self.item(index, &value, context)
            }
            Content::Values(values) if index < values.len() => {
                let value = values[index].clone();
                self.item(index, &value, context)
            }
            Content::Pairs(pairs) if index < pairs.len() => {
                let pair = vec![pairs[index].0.clone(), pairs[index].1.clone()];
                if index > 0 {
                    self.text.put(",")?;
                }
                self.open("[", "]", 1, None, Content::Values(pair))
            }
            Content::Members(object, keys) if index < keys.len() => {
                let (object, key) = (object.clone(), keys[index].clone());
                self.member(&object, &key, context)
            }
            Content::Error(object, keys) if index < keys.len() => {
                let (object, key) = (object.clone(), keys[index].clone());
                let written = key.as_string().is_some_and(|key| {
                    ["name", "message", "stack", "cause", "errors"].iter().any(|known| key == *known)
                });
                if written { Ok(()) } else { self.member(&object, &key, context) }
            }
            _ => {
                let (end, levels) = (frame.end, frame.levels);
                self.levels -= levels;
                self.frames.pop();
                Ok(self.text.put(end)?)
            }
        }
    }

    /// A place where `undefined` has to be said.
    fn item(&mut self, index: usize, value: &JsValue, context: &mut Context) -> Done {
        if index > 0 {
            self.text.put(",")?;
        }
        let before = self.text.units();
        self.write(value, context)?;
        if self.text.units() == before {
            self.text.put("{\"$cm\":[\"undefined\"]}")?;
        }
        Ok(())
    }

    fn member(&mut self, object: &JsObject, key: &JsValue, context: &mut Context) -> Done {
        let Some(name) = key.as_string() else { return Ok(()) };
        let value = object.get(name.clone(), context)?;
        if value.is_undefined() {
            return Ok(());
        }
        let at = self.frames.len() - 1;
        // A `toJSON` may leave nothing to write, so the key waits for the value's first piece.
        self.text.announce(if self.frames[at].first { "" } else { "," }, &name)?;
        self.write(&value, context)?;
        if self.text.announced() {
            self.frames[at].first = false;
        }
        Ok(())
    }

    pub(super) fn open(
        &mut self,
        begin: &str,
        end: &'static str,
        levels: usize,
        value: Option<JsObject>,
        content: Content,
    ) -> Done {
        self.deeper(levels)?;
        self.text.put(begin)?;
        self.levels += levels;
        self.frames.push(Frame { value, origin: None, content, index: 0, first: true, end, levels });
        Ok(())
    }

    pub(super) fn deeper(&self, levels: usize) -> Done {
        if self.levels + levels > self.most { Err(Failure::Refused("too-deep", "")) } else { Ok(()) }
    }

    /// Writes nothing for `undefined`.
    pub(super) fn write(&mut self, value: &JsValue, context: &mut Context) -> Done {
        match value.variant() {
            JsVariant::Undefined => Ok(()),
            JsVariant::Null => Ok(self.text.put("null")?),
            JsVariant::Boolean(flag) => Ok(self.text.put(if flag { "true" } else { "false" })?),
            JsVariant::Integer32(number) => Ok(self.text.put(&number.to_string())?),
            JsVariant::Float64(number) => self.number(number, context),
            JsVariant::String(text) => Ok(self.text.quoted(&text)?),
            JsVariant::BigInt(number) => self.bigint(&number),
            JsVariant::Symbol(_) => Err(unsupported("a symbol")),
            JsVariant::Object(object) => self.object(&object, None, context),
        }
    }

    pub(super) fn number(&mut self, number: f64, context: &mut Context) -> Done {
        if number == 0.0 && number.is_sign_negative() {
            return Ok(self.text.put("{\"$cm\":[\"number\",\"-0\"]}")?);
        }
        let text = native::string(&JsValue::new(number), context)?;
        let tagged = format!("{{\"$cm\":[\"number\",\"{text}\"]}}");
        Ok(self.text.put(if number.is_finite() { &text } else { &tagged })?)
    }

    pub(super) fn bigint(&mut self, number: &JsBigInt) -> Done {
        Ok(self.text.put(&format!("{{\"$cm\":[\"bigint\",\"{}\"]}}", number.to_string_radix(10)))?)
    }

    fn is_open(&self, object: &JsObject) -> bool {
        let is = |known: &Option<JsObject>| known.as_ref().is_some_and(|known| JsObject::equals(known, object));
        self.frames.iter().any(|frame| is(&frame.value) || is(&frame.origin))
    }

    /// `origin` is the object whose `toJSON` gave this one: it is asked once.
    fn object(&mut self, object: &JsObject, origin: Option<&JsObject>, context: &mut Context) -> Done {
        if object.is_callable() {
            return Err(unsupported("a function"));
        }
        if self.is_open(object) {
            return Err(Failure::Refused("cyclic", ""));
        }
        if is_namespace(object) {
            return Err(unsupported("a connector namespace"));
        }
        let array = object.is_array()
            || (object.is::<Proxy>() && self.asks(&self.help.is_array, object, context)?.to_boolean());
        let kind = if array { "object" } else { native::kind_of(object) };
        if kind != "object" {
            return self.kind(kind, object, context);
        }
        if origin.is_none() {
            let method = object.get(js_string!("toJSON"), context)?;
            if let Some(method) = method.as_callable() {
                let key = JsValue::from(self.key());
                let stand_in = method.call(&object.clone().into(), &[key], context)?;
                match stand_in.as_object() {
                    Some(same) if JsObject::equals(&same, object) => {}
                    Some(other) => return self.object(&other, Some(object), context),
                    None => return self.write(&stand_in, context),
                }
            }
        }
        if array {
            let length = object.get(js_string!("length"), context)?.to_length(context)?;
            self.open("[", "]", 1, Some(object.clone()), Content::Array(object.clone(), length))?;
        } else {
            let is_iterator = |known: &JsObject| object.prototype().is_some_and(|p| JsObject::equals(&p, known));
            if self.help.iterators.iter().any(is_iterator) {
                return Err(unsupported("an iterator"));
            }
            let keys = self.keys(object, context)?;
            self.open("{", "}", 1, Some(object.clone()), Content::Members(object.clone(), keys))?;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.origin = origin.cloned();
        }
        Ok(())
    }

    pub(super) fn asks(&self, helper: &JsObject, object: &JsObject, context: &mut Context) -> JsResult<JsValue> {
        helper.call(&JsValue::undefined(), &[object.clone().into()], context)
    }

    /// The own enumerable string keys.
    pub(super) fn keys(&self, object: &JsObject, context: &mut Context) -> JsResult<Vec<JsValue>> {
        let keys = self.asks(&self.help.keys, object, context)?.to_object(context)?;
        let length = keys.get(js_string!("length"), context)?.to_length(context)?;
        (0..length).map(|at| keys.get(at, context)).collect()
    }
}
