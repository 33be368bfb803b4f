//! Paths into JSON text, so that a message can name the value it is about.

use serde_json::Value;

use super::rewrite::{compare_keys, string_end};

/// Builds a path such as `.user["first name"][3]`, bounded in length.
#[derive(Default)]
pub(super) struct Path {
    text: String,
    full: bool,
}

/// Longer paths end in an ellipsis.
const MAX_LENGTH: usize = 300;
/// Longer keys are cut.
const MAX_KEY: usize = 60;

impl Path {
    pub(super) fn index(&mut self, index: usize) {
        self.push(&format!("[{index}]"));
    }

    /// Adds a key in normal form, without its quotes.
    pub(super) fn key(&mut self, key: &str) {
        let simple = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        if key.len() <= MAX_KEY && key.bytes().all(simple) && key.starts_with(|c: char| !c.is_ascii_digit()) {
            self.push(&format!(".{key}"));
        } else if key.len() <= MAX_KEY {
            self.push(&format!("[\"{key}\"]"));
        } else {
            let end = (0..=MAX_KEY).rev().find(|&at| key.is_char_boundary(at)).unwrap_or(0);
            self.push(&format!("[\"{}…\"]", &key[..end]));
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn push(&mut self, segment: &str) {
        if self.full {
        } else if self.text.len() + segment.len() > MAX_LENGTH {
            self.full = true;
            self.text.push('…');
        } else {
            self.text.push_str(segment);
        }
    }
}

/// Where a JSON Pointer leads in a value, as a path.
pub(crate) fn path_of_pointer(value: &Value, pointer: &str) -> String {
    let mut path = Path::default();
    let mut at = Some(value);
    for token in pointer.split('/').skip(1) {
        let key = token.replace("~1", "/").replace("~0", "~");
        match (at, key.parse::<usize>()) {
            (Some(Value::Array(items)), Ok(index)) => {
                path.index(index);
                at = items.get(index);
            }
            (value, _) => {
                // Only the quotes around it go: a key may begin or end with one of its own.
                let quoted = Value::from(&*key).to_string();
                path.key(quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or(&quoted));
                at = value.and_then(|v| v.get(&*key));
            }
        }
    }
    path.finish()
}

/// The path of the value that holds or precedes the byte at `offset` of a text in normal form.
///
/// Tags count as one value: the path never leads into one.
pub(crate) fn path_at(text: &str, offset: usize) -> String {
    Trail::to(text, offset).path(Current::Counted)
}

/// Where two texts in canonical form first differ, as a path; `None` if they are the same.
///
/// The root is the empty path. A member or element that only one of them has is named itself. Texts in another form
/// give the path of the first difference in the text.
pub fn first_difference(a: &str, b: &str) -> Option<String> {
    if a == b {
        return None;
    }
    let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let trail = Trail::to(a, at);
    let (here, there) = (a.as_bytes().get(at), b.as_bytes().get(at));
    let ends = |byte: Option<&u8>| matches!(byte, Some(b']' | b'}'));
    let goes_on = |byte: Option<&u8>| byte == Some(&b',');
    let path = match trail.inside {
        // Both have a key here: the smaller one is missing on the other side.
        Some(Inside::Key(from)) => trail.path(Current::Key(smaller_key(a, b, from))),
        _ if ends(here) && goes_on(there) => trail.path(next_after(b, at)),
        _ if ends(there) && goes_on(here) => trail.path(next_after(a, at)),
        // Where one of two objects is empty, what is missing is the first member of the other.
        None => trail.path(first_in(b, at)),
        _ => trail.path(Current::Counted),
    };
    Some(path)
}

fn first_in(text: &str, at: usize) -> Current<'_> {
    match key_at(text, at) {
        Some(key) => Current::Key(key),
        None => Current::Counted,
    }
}

fn next_after(text: &str, comma: usize) -> Current<'_> {
    match key_at(text, comma + 1) {
        Some(key) => Current::Key(key),
        None => Current::Next,
    }
}

/// The key whose opening quote is at `at`, without quotes, if there is one.
fn key_at(text: &str, at: usize) -> Option<&str> {
    if text.as_bytes().get(at) != Some(&b'"') {
        return None;
    }
    let end = string_end(text, at);
    (text.as_bytes().get(end) == Some(&b':')).then(|| text.get(at + 1..end - 1)).flatten()
}

fn smaller_key<'a>(a: &'a str, b: &'a str, from: usize) -> &'a str {
    match (key_at(a, from), key_at(b, from)) {
        (Some(a), Some(b)) if compare_keys(a, b).is_lt() => a,
        (_, Some(b)) => b,
        (Some(a), None) => a,
        (None, None) => "",
    }
}

/// The open containers on the way to an offset.
struct Trail<'a> {
    levels: Vec<Level<'a>>,
    inside: Option<Inside>,
}

#[derive(Clone, Copy)]
enum Level<'a> {
    Array(usize),
    /// The latest key, if one was read.
    Object(Option<&'a str>),
}

/// A string that starts before the offset and ends behind it.
enum Inside {
    Key(usize),
    Value,
}

/// What stands for the innermost level of the path.
#[derive(Clone, Copy)]
enum Current<'a> {
    /// Whatever was read last.
    Counted,
    /// The element behind the one read last.
    Next,
    /// The member of this key.
    Key(&'a str),
}

impl<'a> Trail<'a> {
    fn to(text: &'a str, offset: usize) -> Self {
        let mut trail = Self { levels: Vec::new(), inside: None };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at).filter(|_| at < offset) {
            match byte {
                b'[' => trail.levels.push(Level::Array(0)),
                b'{' => trail.levels.push(Level::Object(None)),
                b']' | b'}' => drop(trail.levels.pop()),
                b',' => {
                    if let Some(Level::Array(count)) = trail.levels.last_mut() {
                        *count += 1
                    }
                }
                b'"' => {
                    let end = string_end(text, at);
                    let key = bytes.get(end) == Some(&b':');
                    if end > offset {
                        trail.inside = Some(if key { Inside::Key(at) } else { Inside::Value });
                        return trail;
                    }
                    if let (true, Some(Level::Object(latest))) = (key, trail.levels.last_mut()) {
                        *latest = text.get(at + 1..end - 1);
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        // The offset may be the start of a key that differs from its first character on.
        if key_at(text, offset).is_some() {
            trail.inside = Some(Inside::Key(offset));
        }
        trail
    }

    fn path(&self, current: Current<'_>) -> String {
        let mut path = Path::default();
        let innermost = self.levels.len().wrapping_sub(1);
        for (at, level) in self.levels.iter().enumerate() {
            match (*level, current) {
                (Level::Object(_), Current::Key(key)) if at == innermost => path.key(unescaped(key)),
                (Level::Object(Some("$cm")), _) => break,
                (Level::Array(count), Current::Next) if at == innermost => path.index(count + 1),
                (Level::Array(count), _) => path.index(count),
                (Level::Object(Some(key)), _) => path.key(unescaped(key)),
                (Level::Object(None), _) => {}
            }
        }
        path.finish()
    }
}

/// The code's own name for a key of the tagged form.
fn unescaped(key: &str) -> &str {
    match key.strip_prefix('$') {
        Some(rest) if rest.starts_with('$') && rest.trim_start_matches('$') == "cm" => rest,
        _ => key,
    }
}
