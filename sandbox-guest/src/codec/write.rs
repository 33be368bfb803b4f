//! The text that the encoder writes, with its length in UTF-16 units, so that the limit is noticed at once.

use super::Refusal;
use crate::js;

pub struct Text {
    bytes: String,
    units: usize,
    limit: usize,
}

/// A place in the text to go back to.
#[derive(Clone, Copy)]
pub struct Mark(usize, usize);

impl Text {
    pub fn new(limit: usize) -> Self {
        Self { bytes: String::new(), units: 0, limit }
    }

    pub fn finish(self) -> String {
        self.bytes
    }

    pub fn mark(&self) -> Mark {
        Mark(self.bytes.len(), self.units)
    }

    pub fn back_to(&mut self, mark: Mark) {
        self.bytes.truncate(mark.0);
        self.units = mark.1;
    }

    /// Fails when so many more units would not fit.
    pub fn reserve(&self, units: usize) -> Result<(), Refusal> {
        if self.units.saturating_add(units) > self.limit { Err(Refusal::TooLarge) } else { Ok(()) }
    }

    /// Text that needs no escapes.
    pub fn plain(&mut self, text: &str) -> Result<(), Refusal> {
        let units = if text.is_ascii() { text.len() } else { js::units(text) };
        self.reserve(units)?;
        self.units += units;
        self.bytes.push_str(text);
        Ok(())
    }

    /// A JSON string of UTF-8 in which lone surrogates are three bytes, as the engine has it.
    pub fn quoted(&mut self, text: &[u8]) -> Result<(), Refusal> {
        self.plain("\"")?;
        let mut start = 0;
        let mut at = 0;
        while at < text.len() {
            let byte = text[at];
            let surrogate = byte == 0xED && text.get(at + 1).is_some_and(|next| *next >= 0xA0);
            let width = if surrogate { 3 } else { 1 };
            if surrogate || byte < 0x20 || byte == b'"' || byte == b'\\' {
                self.run(&text[start..at])?;
                if surrogate {
                    let low =
                        u32::from(text[at + 1] & 0x3F) << 6 | u32::from(text.get(at + 2).copied().unwrap_or(0) & 0x3F);
                    self.plain(&format!("\\u{:04x}", 0xD000 | low))?;
                } else {
                    self.escape(byte)?;
                }
                start = at + width;
            }
            at += width;
        }
        self.run(&text[start.min(text.len())..])?;
        self.plain("\"")
    }

    fn run(&mut self, text: &[u8]) -> Result<(), Refusal> {
        // Everything that is no valid UTF-8 was escaped before.
        match std::str::from_utf8(text) {
            Ok(text) => self.plain(text),
            Err(_) => self.plain(&js::lossy(text)),
        }
    }

    fn escape(&mut self, byte: u8) -> Result<(), Refusal> {
        match byte {
            b'"' => self.plain("\\\""),
            b'\\' => self.plain("\\\\"),
            0x08 => self.plain("\\b"),
            0x0C => self.plain("\\f"),
            b'\n' => self.plain("\\n"),
            b'\r' => self.plain("\\r"),
            b'\t' => self.plain("\\t"),
            _ => self.plain(&format!("\\u{byte:04x}")),
        }
    }

    /// A JSON string of padded base64.
    pub fn base64(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let len = bytes.len().div_ceil(3) * 4 + 2;
        self.reserve(len)?;
        self.bytes.reserve(len);
        self.bytes.push('"');
        for chunk in bytes.chunks(3) {
            let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            for place in 0..4 {
                let digit = DIGITS[(group >> (18 - 6 * place)) as usize & 63];
                self.bytes.push(if place > chunk.len() { '=' } else { char::from(digit) });
            }
        }
        self.bytes.push('"');
        self.units += len;
        Ok(())
    }
}

impl Mark {
    pub fn is(self, other: Self) -> bool {
        self.0 == other.0
    }
}
