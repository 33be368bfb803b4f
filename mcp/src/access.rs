//! Who is let in over HTTP: whoever has the token, from pages that are named. A token never shows in a debug text.

use std::fmt;
use std::hint::black_box;

use crate::error::Error;

/// A secret that every request over HTTP carries: 16 to 512 visible ASCII characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The shortest that is taken.
    pub const MIN: usize = 16;
    /// The longest that is taken.
    pub const MAX: usize = 512;

    /// This secret. White space around it is not part of it.
    ///
    /// # Errors
    /// [`Error::Token`]: too short to protect anything, or nothing that a header can carry.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if !(Self::MIN..=Self::MAX).contains(&text.len()) {
            return Err(Error::Token(format!(
                "it has {} characters; {} to {} are taken",
                text.len(),
                Self::MIN,
                Self::MAX
            )));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Token("it has characters that are no visible ASCII".to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// A new one that nobody can guess: 256 bits from the system, as hexadecimal digits.
    ///
    /// # Errors
    /// [`Error::Token`] when the system gives no randomness.
    pub fn generate() -> Result<Self, Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| Error::Token(format!("the system gave no randomness: {error}")))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The secret itself, to be told to whoever configures a client.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Whether it is the same, in a time that does not depend on where they differ.
    pub(crate) fn is(&self, other: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let mut differs = u8::from(own.len() != other.len());
        for (at, byte) in own.iter().enumerate() {
            differs |= black_box(byte ^ other.get(at).copied().unwrap_or(!byte));
        }
        black_box(differs) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Who is let in over HTTP.
#[derive(Clone, Debug)]
pub struct Access {
    pub(crate) token: Token,
    pub(crate) origins: Vec<String>,
}

impl Access {
    /// Whoever carries this token. Of web pages, only those of this machine.
    #[must_use]
    pub fn new(token: Token) -> Self {
        Self { token, origins: Vec::new() }
    }

    /// Pages of this origin as well, such as `https://app.example.com`, written exactly as browsers send it.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_its_bounds() {
        for (length, taken) in [(15, false), (16, true), (512, true), (513, false)] {
            assert_eq!(Token::new(&"t".repeat(length)).is_ok(), taken, "{length}");
        }
        assert!(Token::new("sixteen letters and spaces").is_err());
        assert!(Token::new("sechzehn-zeichen-ä").is_err());
        assert_eq!(Token::new(" 0123456789abcdef\n").expect("taken").secret(), "0123456789abcdef");
    }

    #[test]
    fn only_the_same_is_the_same() {
        let token = Token::new("0123456789abcdef").expect("taken");
        assert!(token.is(b"0123456789abcdef"));
        for other in ["0123456789abcdeF", "0123456789abcde", "0123456789abcdef0", "", "1123456789abcdef"] {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_token_is_not_in_a_debug_text_and_no_two_are_alike() {
        let (a, b) = (Token::generate().expect("random"), Token::generate().expect("random"));
        assert_ne!(a, b);
        assert_eq!(a.secret().len(), 64);
        assert!(!format!("{:?}", Access::new(a.clone())).contains(a.secret()));
    }
}
