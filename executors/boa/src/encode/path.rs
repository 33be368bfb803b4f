//! Where in a value the encoder is, for messages: `args.a[3].b`.

use boa_engine::{JsString, JsValue, js_string};

use super::walk::{Content, Encoder};

impl Encoder {
    /// The key under which the current value is found, as `toJSON` is told.
    pub(super) fn key(&self) -> JsString {
        match self.frames.last() {
            None => js_string!(),
            Some(frame) => match (&frame.content, frame.index.saturating_sub(1)) {
                (Content::Members(_, keys) | Content::Error(_, keys), at) => {
                    keys.get(at).and_then(JsValue::as_string).unwrap_or_default()
                }
                (_, at) => js_string!(at.to_string()),
            },
        }
    }

    /// Where the encoder is, at most 20 levels of it: a path of hundreds helps nobody.
    pub(super) fn path(&self) -> String {
        const SHOWN: usize = 20;
        let mut path = self.root.clone();
        for frame in self.frames.iter().take(SHOWN) {
            let at = frame.index.saturating_sub(1);
            match &frame.content {
                Content::Members(_, keys) | Content::Error(_, keys) => {
                    let key = keys.get(at).and_then(JsValue::as_string).unwrap_or_default().to_std_string_lossy();
                    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                    if key.chars().all(plain) && key.chars().next().is_some_and(|c| !c.is_numeric()) {
                        path.push('.');
                        path.push_str(&key);
                    } else {
                        path.push_str(&format!("[{:?}]", key.chars().take(200).collect::<String>()));
                    }
                }
                _ => path.push_str(&format!("[{at}]")),
            }
        }
        if self.frames.len() > SHOWN {
            path.push('…');
        }
        path
    }
}
