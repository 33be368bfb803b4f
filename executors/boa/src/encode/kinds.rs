//! Kinds of objects that have a tag of their own.

use boa_engine::object::JsObject;
use boa_engine::object::builtins::{JsMap, JsSet};
use boa_engine::{Context, JsBigInt, JsString, JsValue, js_string};

use super::walk::{Content, Encoder};
use super::{Done, Failure, unsupported};
use crate::native;

impl Encoder {
    pub(super) fn kind(&mut self, kind: &'static str, object: &JsObject, context: &mut Context) -> Done {
        let own = Some(object.clone());
        if let Some(number) = object.downcast_ref::<f64>().map(|number| *number) {
            return self.number(number, context);
        }
        if let Some(text) = object.downcast_ref::<JsString>().map(|text| text.clone()) {
            return Ok(self.text.quoted(&text)?);
        }
        if let Some(flag) = object.downcast_ref::<bool>().map(|flag| *flag) {
            return Ok(self.text.put(if flag { "true" } else { "false" })?);
        }
        if let Some(number) = object.downcast_ref::<JsBigInt>().map(|number| number.clone()) {
            return self.bigint(&number);
        }
        match kind {
            "symbol" => Err(unsupported("a symbol")),
            "date" | "regexp" | "buffer" | "view" => {
                let args = [js_string!(kind).into(), object.clone().into()];
                let parts = native::string(&self.help.leaf.call(&JsValue::undefined(), &args, context)?, context)?;
                self.deeper(2)?;
                Ok(self.text.put(&format!("{{\"$cm\":[{parts}]}}"))?)
            }
            "map" => {
                let mut pairs = Vec::new();
                JsMap::from_object(object.clone())?.for_each_native(|key, value| {
                    pairs.push((key, value));
                    Ok(())
                })?;
                self.open("{\"$cm\":[\"map\",[", "]]}", 3, own, Content::Pairs(pairs))
            }
            "set" => {
                let mut values = Vec::new();
                if let Ok(set) = JsSet::from_object(object.clone()) {
                    set.for_each_native(|value| {
                        values.push(value);
                        Ok(())
                    })?;
                }
                self.open("{\"$cm\":[\"set\",[", "]]}", 3, own, Content::Values(values))
            }
            "error" => self.error(object, context),
            refused => Err(unsupported(refused)),
        }
    }

    fn error(&mut self, error: &JsObject, context: &mut Context) -> Done {
        let name = error.get(js_string!("name"), context)?;
        let message = error.get(js_string!("message"), context)?;
        let keys = self.keys(error, context)?;
        self.open("{\"$cm\":[\"error\",{", "}]}", 3, Some(error.clone()), Content::Error(error.clone(), keys))?;
        let mut said = |key: &str, value: &JsValue, otherwise: &str| -> Done {
            self.text.put(key)?;
            Ok(self.text.quoted(&value.as_string().unwrap_or_else(|| js_string!(otherwise)))?)
        };
        said("\"name\":", &name, "Error")?;
        said(",\"message\":", &message, "")?;
        if let Some(frame) = self.frames.last_mut() {
            frame.first = false;
        }
        self.optional(error, "cause", context)?;
        self.optional(error, "errors", context)
    }

    /// Left out where it has no encoding: an error must not be lost because of its cause.
    fn optional(&mut self, error: &JsObject, key: &'static str, context: &mut Context) -> Done {
        let args = [error.clone().into(), js_string!(key).into()];
        let value = self.help.own_data.clone().call(&JsValue::undefined(), &args, context)?;
        let (mark, frames, levels) = (self.text.mark(), self.frames.len(), self.levels);
        if value.is_undefined() {
            return Ok(());
        }
        self.text.announce(",", &js_string!(key))?;
        let done = self.write(&value, context).and_then(|()| self.down_to(frames, context));
        self.text.announced();
        match done {
            Err(Failure::Refused(kind, _)) if kind != "too-large" => {
                self.text.back_to(mark);
                self.frames.truncate(frames);
                self.levels = levels;
                Ok(())
            }
            done => done,
        }
    }
}
