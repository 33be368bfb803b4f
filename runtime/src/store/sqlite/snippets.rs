//! Snippets in SQL. Names are compared byte by byte and never matched as patterns. A name with a NUL is bound and compared
//! whole; only SQLite's text functions would stop at it, and none is used.

use rusqlite::{Connection, Row, params};

use super::error::RowError;
use super::read::Readers;
use super::rows;
use super::writer::Trouble;
use crate::durable::snippet::{Snippet, SnippetLabel};
use crate::store::StoreError;

/// A change of what is saved.
#[derive(Debug)]
pub(super) enum Change {
    /// In place of whatever has that name.
    Save(Box<Snippet>),
    /// By its exact name.
    Delete(String),
}

/// Makes a change inside a transaction, and says whether there was a snippet of that name.
pub(super) fn change(connection: &Connection, change: &Change) -> Result<bool, Trouble> {
    let name = match change {
        Change::Save(snippet) => &snippet.name,
        Change::Delete(name) => name,
    };
    let existed = connection.prepare_cached("DELETE FROM snippets WHERE name = ?1")?.execute([name])? > 0;
    if let Change::Save(snippet) = change {
        let sql = "INSERT INTO snippets (name, description, input_schema, connectors, saved_at, code)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.prepare_cached(sql)?.execute(params![
            snippet.name,
            snippet.description,
            snippet.input_schema,
            rows::json(&snippet.connectors),
            snippet.saved_at.cast_signed(),
            snippet.code,
        ])?;
    }
    Ok(existed)
}

/// The columns that [`snippet`] reads, in order.
pub(super) const COLUMNS: &str = "name, description, input_schema, connectors, saved_at, code";

impl Readers {
    /// See [`crate::store::Store::snippet`].
    pub(super) fn snippet(&self, name: &str) -> Result<Option<Snippet>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM snippets WHERE name = ?1");
        Ok(self.snippet_rows(&sql, &[&name], snippet)?.into_iter().next())
    }

    /// See [`crate::store::Store::snippets`].
    pub(super) fn snippets(&self) -> Result<Vec<Snippet>, StoreError> {
        self.snippet_rows(&format!("SELECT {COLUMNS} FROM snippets ORDER BY name"), &[], snippet)
    }

    /// See [`crate::store::Store::snippet_labels`].
    pub(super) fn snippet_labels(&self) -> Result<Vec<SnippetLabel>, StoreError> {
        self.snippet_rows("SELECT name, description FROM snippets ORDER BY name", &[], |row| {
            Ok(SnippetLabel { name: name(row)?, description: description(row)? })
        })
    }

    fn snippet_rows<T>(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        read: impl Fn(&Row<'_>) -> Result<T, RowError>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = statement.query(values)?;
            let mut all = Vec::new();
            while let Some(row) = found.next()? {
                match read(row) {
                    Ok(one) => all.push(one),
                    Err(RowError::Medium(error)) => return Err(error),
                    Err(RowError::Unreadable(reason)) => {
                        let name = String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned();
                        let name: String = name.chars().take(200).collect();
                        return Ok(Err(StoreError::Corrupt(format!(
                            "the snippet {name:?} cannot be read back ({reason})"
                        ))));
                    }
                }
            }
            Ok(Ok(all))
        })?
    }
}

/// Reads one.
pub(super) fn snippet(row: &Row<'_>) -> Result<Snippet, RowError> {
    Ok(Snippet {
        name: name(row)?,
        description: description(row)?,
        input_schema: rows::text_or_null(row, 2, "input_schema")?.map(str::to_owned),
        connectors: rows::parsed(row, 3, "connectors")?,
        saved_at: rows::number(row, 4, "saved_at")?,
        code: rows::text(row, 5, "code")?.to_owned(),
    })
}

fn name(row: &Row<'_>) -> Result<String, RowError> {
    rows::text(row, 0, "name").map(str::to_owned)
}

fn description(row: &Row<'_>) -> Result<String, RowError> {
    Ok(rows::text_or_null(row, 1, "description")?.unwrap_or_default().to_owned())
}
