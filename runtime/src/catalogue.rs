//! What is configured right now: the connectors in their order, with what they said of themselves. Looked at only for
//! fresh asks; the journal comes first.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::connector::{Connector, Description, Flag, Method, Values};
use crate::discovery::{self, Index};
use crate::durable::execution::Namespace;
use crate::durable::failure::{Failure, code};
use crate::durable::finish::HookWish;
use crate::durable::journal::{Request, Terms};
use crate::durable::json::cut;
use crate::durable::value::Json;
use crate::durable::write::HookKind;
use crate::schema::{Missing, Schema, Validate};

/// A connector with its description.
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) description: Description,
    methods: HashMap<String, Offered>,
}

/// A method as it is looked up.
struct Offered {
    terms: Terms,
    /// Its place in the description.
    place: usize,
    // Compiled when it is first called; `None`: it cannot be checked against.
    schema: OnceLock<Option<Schema>>,
}

/// All of them, in configured order.
pub(crate) struct Catalogue {
    connectors: Vec<Configured>,
    validate: Validate,
    // Made by whoever searches first.
    index: OnceLock<Index>,
}

impl Configured {
    pub(crate) fn new(name: String, connector: Arc<dyn Connector>, description: Description) -> Self {
        let reach = connector.reach();
        let offered = |(place, m): (usize, &Method)| {
            (m.name.clone(), Offered { terms: m.terms(&name, reach), place, schema: OnceLock::new() })
        };
        let methods = description.methods.iter().enumerate().map(offered).collect();
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

    /// Whether the arguments fit the method's input schema; `given` are they as [`Configured::arguments`] made them. What
    /// JSON cannot say is the connector's to check.
    fn fits(&self, offered: &Offered, args: Option<&Json>, given: Option<String>) -> Result<(), Failure> {
        let Some(method) = self.description.methods.get(offered.place) else { return Ok(()) };
        let title = || format!("arguments to {}.{}", self.name, method.name);
        let compiled = offered.schema.get_or_init(|| {
            let compiled = Schema::parse(method.input_schema.as_deref()?);
            compiled.inspect_err(|reason| tracing::warn!("{} are not checked: its schema {reason}", title())).ok()
        });
        let Some(schema) = compiled else { return Ok(()) };
        let plain = match (self.description.values, args) {
            (Values::Tagged, Some(args)) => match args.to_plain() {
                Ok(plain) => Some(plain),
                Err(_) => return Ok(()),
            },
            _ => given,
        };
        schema.check_plain(plain.as_deref(), Missing::Empty, "args", &title())
    }
}

impl Catalogue {
    pub(crate) fn new(connectors: Vec<Configured>, validate: Validate) -> Self {
        Self { connectors, validate, index: OnceLock::new() }
    }

    /// What each said of itself, in configured order.
    pub(crate) fn descriptions(&self) -> Vec<(&str, &Description)> {
        self.connectors.iter().map(|c| (c.name.as_str(), &c.description)).collect()
    }

    /// The index over all of their methods.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| discovery::index(&self.descriptions()))
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
        Some(self.get(connector)?.methods.get(method)?.terms.contract.clone())
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
        let Some(offered) = configured.methods.get(method) else {
            let names = configured.description.methods.iter().map(|m| m.name.as_str()).collect();
            let close = match suggestion(method, names) {
                none if none.is_empty() => format!("; `codemode.describe(\"{connector}\")` lists its methods"),
                close => close,
            };
            let message = format!("Tool \"{}\" not found on {connector}{close}", cut(method, 200));
            return Err(Failure::new(code::UNKNOWN_METHOD, message));
        };
        let given = configured.arguments(method, args.as_ref())?;
        if self.validate == Validate::Arguments {
            configured.fits(offered, args.as_ref(), given)?;
        }
        Ok(offered.terms.clone())
    }
}

/// The closest names, for the end of a message.
pub(crate) fn suggestion(wanted: &str, names: Vec<&str>) -> String {
    match close_names(wanted, names) {
        none if none.is_empty() => String::new(),
        close => format!("; did you mean {}?", close.join(" or ")),
    }
}

/// At most three names that may have been meant, the closest first, each in quotes and cut where it is long.
pub(crate) fn close_names(wanted: &str, names: Vec<&str>) -> Vec<String> {
    let mut close: Vec<(usize, &str)> = names.into_iter().map(|n| (distance(wanted, n), n)).collect();
    // Something of it must be the same: every one-letter name is one letter away from every other.
    close.retain(|(d, n)| {
        let longest = n.len().max(wanted.len()).min(COMPARED);
        *d < longest && *d <= 1 + longest / 3
    });
    close.sort();
    close.truncate(3);
    close.into_iter().map(|(_, name)| format!("`{}`", cut(name, 200))).collect()
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
        assert_eq!(suggestion("x", vec!["t"]), "");
        assert_eq!(suggestion("", vec!["t"]), "");
        assert_eq!(suggestion("tt", vec!["t"]), "; did you mean `t`?");
        assert_eq!(suggestion("LISTNOTES", vec!["listNotes"]), "; did you mean `listNotes`?");
        let long = "n".repeat(3_000);
        assert_eq!(suggestion(&long, vec!["listNotes"]), "", "length alone makes no name close");
        assert!(suggestion(&format!("{long}x"), vec![&long]).len() < 300);
    }
}
