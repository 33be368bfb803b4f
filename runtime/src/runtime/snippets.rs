//! Snippets: the application promotes the code of an execution to saved code with a name. The model runs it with
//! `codemode.run(name, input)`; it never saves.

use super::Runtime;
use crate::durable::id::ExecutionId;
use crate::durable::json::{cut, utf16_len};
use crate::durable::snippet::{Snippet, check_snippet_name};
use crate::error::Error;
use crate::schema::Schema;

/// What becomes a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveSnippet {
    execution: ExecutionId,
    description: String,
    input_schema: Option<String>,
}

impl SaveSnippet {
    /// The code of this execution, in whatever status it is; whoever wants only completed ones looks first (SNIPPET-02).
    #[must_use]
    pub fn from(execution: ExecutionId) -> Self {
        Self { execution, description: String::new(), input_schema: None }
    }

    /// What it does, for search and describe; at most `value size` UTF-16 code units.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        Self { description: text.into(), ..self }
    }

    /// A JSON Schema (2020-12 unless it says otherwise) that the input of each run must fit; at most `value size` UTF-16
    /// code units of text. Without an input, `null` is checked.
    #[must_use]
    pub fn input_schema(self, text: impl Into<String>) -> Self {
        Self { input_schema: Some(text.into()), ..self }
    }
}

impl Runtime {
    /// Saves the source of an execution under a name, in place of whatever had that name, description and schema included
    /// (SNIPPET-05). Durable when it returns.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown execution; [`Error::Snippet`] for a name, text or schema that is refused; any of
    /// the store.
    pub fn save_snippet(&self, name: &str, save: SaveSnippet) -> Result<Snippet, Error> {
        let SaveSnippet { execution, description, input_schema } = save;
        let refused = |what: &str, reason: String| {
            Err(Error::Snippet { name: cut(name, 200).into_owned(), reason: format!("{what} {reason}") })
        };
        if let Err(reason) = check_snippet_name(name) {
            return refused("the name", reason);
        }
        let limits = &self.0.limits;
        let (value, of_code) = ((limits.value_units, "value size"), (limits.code_units, "code size"));
        if let Err(reason) = check_size(&description, value) {
            return refused("the description", reason);
        }
        if let Some(text) = &input_schema
            && let Err(reason) = check_size(text, value).and_then(|()| Schema::parse(text).map(drop))
        {
            return refused("the input schema", reason);
        }
        let Some(record) = self.0.store.load(&execution)? else { return Err(Error::NotFound(execution)) };
        let start = record.execution.start;
        if let Err(reason) = check_size(&start.code, of_code) {
            return refused("the code", reason);
        }
        let snippet = Snippet {
            name: name.to_owned(),
            description,
            code: start.code,
            saved_at: self.0.clock.epoch_ms(),
            input_schema,
            connectors: start.namespaces.into_iter().map(|n| n.name).collect(),
        };
        self.0.store.save_snippet(&snippet)?;
        Ok(snippet)
    }

    /// All snippets, in byte order of their names (SNIPPET-12).
    ///
    /// # Errors
    /// When the store fails.
    pub fn snippets(&self) -> Result<Vec<Snippet>, Error> {
        Ok(self.0.store.snippets()?)
    }

    /// One snippet, by its exact name.
    ///
    /// # Errors
    /// When the store fails.
    pub fn snippet(&self, name: &str) -> Result<Option<Snippet>, Error> {
        Ok(self.0.store.snippet(name)?)
    }

    /// Removes a snippet and says whether it existed. Executions that have used it replay all the same.
    ///
    /// # Errors
    /// When the store fails.
    pub fn delete_snippet(&self, name: &str) -> Result<bool, Error> {
        Ok(self.0.store.delete_snippet(name)?)
    }
}

fn check_size(text: &str, (limit, name): (u32, &str)) -> Result<(), String> {
    let units = utf16_len(text);
    if units > u64::from(limit) {
        return Err(format!("is too large: {units} characters, the limit is {limit} (limit `{name}`)"));
    }
    Ok(())
}
