//! What is configured right now: the connectors in their order, with what they said of themselves. Looked at only for
//! fresh asks; the journal comes first.

use std::collections::HashMap;
use std::sync::Arc;

use crate::connector::{Connector, Description, Flag, Values};
use crate::durable::execution::Namespace;
use crate::durable::failure::{Failure, code};
use crate::durable::finish::HookWish;
use crate::durable::journal::{Request, Terms};
use crate::durable::json::cut;
use crate::durable::value::Json;
use crate::durable::write::HookKind;

/// A connector with its description.
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) description: Description,
    methods: HashMap<String, Terms>,
}

/// All of them, in configured order.
pub(crate) struct Catalogue {
    connectors: Vec<Configured>,
}

impl Configured {
    pub(crate) fn new(name: String, connector: Arc<dyn Connector>, description: Description) -> Self {
        let reach = connector.reach();
        let methods = description.methods.iter().map(|m| (m.name.clone(), m.terms(&name, reach))).collect();
        Self { name, connector, description, methods }
    }

    /// The arguments in the form that the connector speaks, or why it cannot take them.
    pub(crate) fn arguments(&self, method: &str, args: Option<&Json>) -> Result<Option<String>, Failure> {
        let Some(args) = args else { return Ok(None) };
        match self.description.values {
            Values::Tagged => Ok(Some(args.as_str().to_owned())),
            Values::Plain => args.to_plain().map(Some).map_err(|error| {
                let message = format!("arguments to {}.{method}: {}", self.name, error.about("args"));
                Failure::new(code::INVALID_ARGUMENTS, message)
            }),
        }
    }
}

impl Catalogue {
    pub(crate) fn new(connectors: Vec<Configured>) -> Self {
        Self { connectors }
    }

    /// In configured order.
    pub(crate) fn configured(&self) -> &[Configured] {
        &self.connectors
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Configured> {
        self.connectors.iter().find(|c| c.name == name)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.connectors.iter().map(|c| c.name.as_str()).collect()
    }

    pub(crate) fn namespaces(&self) -> Vec<Namespace> {
        let methods = |c: &Configured| c.description.methods.iter().map(|m| m.name.clone()).collect();
        self.connectors.iter().map(|c| Namespace { name: c.name.clone(), methods: methods(c) }).collect()
    }

    /// The digest of a method's contract as it is now.
    pub(crate) fn contract(&self, connector: &str, method: &str) -> Option<String> {
        Some(self.get(connector)?.methods.get(method)?.contract.clone())
    }

    /// The hooks that connectors want.
    pub(crate) fn wishes(&self) -> Vec<HookWish> {
        let wish = |c: &Configured| {
            let hooks = c.description.hooks;
            let kinds = [(hooks.pass_ended, HookKind::PassEnded), (hooks.execution_ended, HookKind::ExecutionEnded)];
            let kinds: Vec<HookKind> = kinds.into_iter().filter(|(f, _)| *f == Flag::Yes).map(|(_, k)| k).collect();
            (!kinds.is_empty()).then(|| HookWish { connector: c.name.clone(), kinds })
        };
        self.connectors.iter().filter_map(wish).collect()
    }

    /// What a fresh call is held to, or the failure that answers it before anything is performed.
    pub(crate) fn terms(&self, request: &Request) -> Result<Terms, Failure> {
        let Request::Call { connector, method, args } = request else { return Ok(Terms::default()) };
        let Some(configured) = self.get(connector) else {
            let message =
                format!("there is no connector `{}`{}", cut(connector, 200), suggestion(connector, self.names()));
            return Err(Failure::new(code::UNKNOWN_METHOD, message));
        };
        let Some(terms) = configured.methods.get(method) else {
            let names = configured.description.methods.iter().map(|m| m.name.as_str()).collect();
            let message =
                format!("Tool \"{}\" not found on {connector}{}", cut(method, 200), suggestion(method, names));
            return Err(Failure::new(code::UNKNOWN_METHOD, message));
        };
        configured.arguments(method, args.as_ref())?;
        Ok(terms.clone())
    }
}

/// The closest names, for a message.
pub(crate) fn suggestion(wanted: &str, names: Vec<&str>) -> String {
    let mut close: Vec<(usize, &str)> = names.into_iter().map(|n| (distance(wanted, n), n)).collect();
    close.retain(|(d, n)| *d <= 1 + n.len().max(wanted.len()).min(COMPARED) / 3);
    close.sort();
    close.truncate(3);
    match close.len() {
        0 => String::new(),
        _ => {
            format!(
                "; did you mean {}?",
                close.iter().map(|(_, n)| format!("`{}`", cut(n, 200))).collect::<Vec<_>>().join(" or ")
            )
        }
    }
}

/// So many characters of two names are compared.
const COMPARED: usize = 64;

/// Edit distance, without regard to case, over the start of each.
fn distance(a: &str, b: &str) -> usize {
    let chars = |s: &str| s.chars().take(COMPARED).flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (chars(a), chars(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(suggestion("listNote", vec!["listNotes", "createNote"]), "; did you mean `listNotes`?");
        assert_eq!(suggestion("zzz", vec!["listNotes", "createNote"]), "");
        assert_eq!(suggestion("LISTNOTES", vec!["listNotes"]), "; did you mean `listNotes`?");
        let long = "n".repeat(3_000);
        assert_eq!(suggestion(&long, vec!["listNotes"]), "", "length alone makes no name close");
        assert!(suggestion(&format!("{long}x"), vec![&long]).len() < 300);
    }
}
