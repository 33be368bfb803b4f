//! The text that the encoder writes, with its length in UTF-16 units, so that the limit is noticed at once.

use boa_engine::JsString;

/// The limit is passed.
pub(crate) struct Full;

pub(crate) struct Text {
    text: String,
    units: usize,
    limit: usize,
    /// Written before the next piece: a key that waits for its value.
    ahead: Option<String>,
}

/// A place in the text to go back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark(usize, usize);

impl Text {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), units: 0, limit, ahead: None }
    }

    /// The text, or none where nothing was written.
    pub(crate) fn finish(self) -> Option<String> {
        if self.units == 0 { None } else { Some(self.text) }
    }

    pub(crate) fn units(&self) -> usize {
        self.units
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(self.text.len(), self.units)
    }

    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.text.truncate(mark.0);
        self.units = mark.1;
    }

    fn reserve(&self, units: usize) -> Result<(), Full> {
        if self.units.saturating_add(units) > self.limit { Err(Full) } else { Ok(()) }
    }

    pub(crate) fn put(&mut self, text: &str) -> Result<(), Full> {
        if let Some(ahead) = self.ahead.take() {
            self.add(&ahead)?;
        }
        self.add(text)
    }

    fn add(&mut self, text: &str) -> Result<(), Full> {
        let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        self.reserve(units)?;
        self.units += units;
        self.text.push_str(text);
        Ok(())
    }

    /// A key, escaped where it looks like a tag, to be written before the next piece.
    pub(crate) fn announce(&mut self, before: &str, key: &JsString) -> Result<(), Full> {
        self.reserve(key.len())?;
        let mut ahead = before.to_owned();
        ahead.push('"');
        if looks_like_tag(key) {
            ahead.push('$');
        }
        escape(key, &mut ahead);
        ahead.push_str("\":");
        self.ahead = Some(ahead);
        Ok(())
    }

    /// Whether what was announced is written; if not, it is dropped.
    pub(crate) fn announced(&mut self) -> bool {
        self.ahead.take().is_none()
    }

    /// A JSON string.
    pub(crate) fn quoted(&mut self, text: &JsString) -> Result<(), Full> {
        // A text that cannot fit is not even copied.
        self.reserve(text.len().saturating_add(2))?;
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push('"');
        escape(text, &mut quoted);
        quoted.push('"');
        self.put(&quoted)
    }
}

/// As `JSON.stringify` does; lone surrogates are escaped.
fn escape(text: &JsString, into: &mut String) {
    let units = text.iter();
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok('"') => into.push_str("\\\""),
            Ok('\\') => into.push_str("\\\\"),
            Ok('\u{8}') => into.push_str("\\b"),
            Ok('\u{c}') => into.push_str("\\f"),
            Ok('\n') => into.push_str("\\n"),
            Ok('\r') => into.push_str("\\r"),
            Ok('\t') => into.push_str("\\t"),
            Ok(control) if control < ' ' => into.push_str(&format!("\\u{:04x}", u32::from(control))),
            Ok(plain) => into.push(plain),
            Err(lone) => into.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
}

/// One or more `$`, then `cm`.
fn looks_like_tag(key: &JsString) -> bool {
    let Some(dollars) = key.len().checked_sub(2).filter(|dollars| *dollars > 0) else { return false };
    let is = |at: usize, letter: u8| key.code_unit_at(at) == Some(letter.into());
    is(dollars, b'c') && is(dollars + 1, b'm') && (0..dollars).all(|at| is(at, b'$'))
}
