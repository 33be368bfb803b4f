//! Where in a value the encoder is, for messages: `args.a[3].b`.

use std::fmt::Write;

use rquickjs::Value;

use crate::js;

/// A level of the value that is being encoded.
pub enum Step<'js> {
    Member(Value<'js>),
    Index(u32),
    /// A fixed member, such as an error's `cause`.
    Named(&'static str),
}

pub struct Path<'js> {
    root: String,
    steps: Vec<Step<'js>>,
}

impl<'js> Path<'js> {
    pub fn new(root: &str) -> Self {
        Self { root: root.to_owned(), steps: Vec::new() }
    }

    pub fn push(&mut self, step: Step<'js>) {
        self.steps.push(step);
    }

    pub fn pop(&mut self) {
        self.steps.pop();
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }

    /// The key under which the current value is found, as `toJSON` is told.
    pub fn key(&self) -> String {
        match self.steps.last() {
            None => String::new(),
            Some(Step::Member(key)) => js::text(key).unwrap_or_default(),
            Some(Step::Index(index)) => index.to_string(),
            Some(Step::Named(name)) => (*name).to_owned(),
        }
    }

    pub fn text(&self) -> String {
        let mut text = self.root.clone();
        // A path of hundreds of levels helps nobody.
        const SHOWN: usize = 20;
        for step in self.steps.iter().take(SHOWN) {
            let _ = match step {
                Step::Index(index) => write!(text, "[{index}]"),
                Step::Named(name) => write!(text, ".{name}"),
                Step::Member(key) => {
                    let key = js::text_within(key, 200).unwrap_or_default();
                    if is_identifier(&key) { write!(text, ".{key}") } else { write!(text, "[{key:?}]") }
                }
            };
        }
        if self.steps.len() > SHOWN {
            text.push('…');
        }
        text
    }
}

fn is_identifier(key: &str) -> bool {
    key.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}
