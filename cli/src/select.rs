//! Which execution is meant: by its id, by a unique beginning of it, or by `last`.

use codemode_runtime::store::Summary;
use codemode_runtime::{ExecutionId, Query, Store};

use crate::fault::Fault;
use crate::output::time::utc;

/// How many candidates are listed.
const SHOWN: usize = 8;

/// Finds the execution.
pub(crate) fn find(store: &dyn Store, text: &str) -> Result<ExecutionId, Fault> {
    if text == "last" {
        let newest = store.list(&Query { limit: Some(1), ..Query::default() })?;
        return newest.into_iter().next().map(|s| s.id).ok_or_else(|| {
            Fault::conflict("not_found", "there is no execution yet").with_hint("`codemode run` starts one")
        });
    }
    if text.is_empty() {
        return Err(
            Fault::usage("ambiguous_id", "the id is empty").with_hint("give an id, a beginning of one, or `last`")
        );
    }
    let limit = u32::try_from(SHOWN + 1).ok();
    let query = Query { id_prefix: Some(text.to_owned()), limit, ..Query::default() };
    let found = store.list(&query)?;
    match &found[..] {
        [] => Err(Fault::conflict("not_found", format!("there is no execution `{text}`"))
            .with_hint("`codemode executions` lists them; a wrong store is another reason, see --store")),
        [one] => Ok(one.id.clone()),
        // An id that is the beginning of another is still an id.
        several => match several.iter().find(|s| s.id.as_str() == text) {
            Some(exact) => Ok(exact.id.clone()),
            None => Err(Fault::usage("ambiguous_id", format!("`{text}` begins the id of several executions"))
                .with_hint(candidates(several))),
        },
    }
}

fn candidates(found: &[Summary]) -> String {
    let line = |s: &Summary| format!("{}  {}  {}", s.id, s.status, utc(s.created_at));
    let mut lines: Vec<String> = found.iter().take(SHOWN).map(line).collect();
    if found.len() > SHOWN {
        lines.push("…".to_owned());
    }
    format!("one of\n{}", lines.join("\n"))
}
