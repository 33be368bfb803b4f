//! What a component offers and asks for, read from its type alone. A component that asks for more than it was granted
//! is refused here, before any of its code runs, with everything that offends at once.

use std::fmt;

use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

use super::load::LoadError;

/// The package of the contract.
const CONTRACT: &str = "codemode:component";
/// Base packages that are linked for every connector, with nothing granted.
const BASE: [&str; 6] = ["wasi:cli", "wasi:io", "wasi:clocks", "wasi:random", "wasi:filesystem", "wasi:sockets"];
/// What requests over http go through.
const SENDER: (&str, &str) = ("wasi:http", "outgoing-handler");

/// Sizes of memories are counted in pages of so many bytes.
const PAGE: u64 = 64 << 10;

/// What a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// It exports `methods`.
    Connector,
    /// It exports `sandbox`.
    Executor,
    /// Neither.
    Other,
}

/// What a component may reach in the outside world, when the operator grants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// Requests to granted origins: `wasi:http/types` and `wasi:http/outgoing-handler`.
    Http,
}

/// An import that a connector without grants may not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offence {
    /// The import's full name.
    pub import: String,
    /// Which grant would allow it, or why none does.
    pub hint: String,
    /// What would have to be granted; `None`: no grant allows it.
    pub needs: Option<Capability>,
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.import, self.hint)
    }
}

/// What a component offers and asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What it is for.
    pub kind: Kind,
    /// Full names, in the component's order. Instances that only carry types are left out.
    pub exports: Vec<String>,
    /// Full names, in the component's order. Instances that only carry types are left out.
    pub imports: Vec<String>,
    /// Imports that a connector without grants may not have.
    pub offending: Vec<Offence>,
    /// Linear memories that an instance has; `None` where only running it would tell.
    pub memories: Option<u32>,
    /// Tables that an instance has; `None` where only running it would tell.
    pub tables: Option<u32>,
    /// The largest memory at the start, in bytes.
    pub initial_memory_bytes: u64,
    /// The largest table at the start, in elements.
    pub initial_table_elements: u64,
}

impl Inspection {
    /// Reads a component's type.
    pub(crate) fn of(component: &Component) -> Self {
        let engine = component.engine();
        let ty = component.component_type();
        let imports: Vec<(String, bool)> = ty
            .imports(engine)
            .filter_map(|(name, item)| shape(engine, &item.ty).map(|instance| (name.to_owned(), instance)))
            .collect();
        let exports: Vec<String> = ty
            .exports(engine)
            .filter(|(_, item)| shape(engine, &item.ty).is_some())
            .map(|(name, _)| name.to_owned())
            .collect();
        let needs = component.resources_required();
        Self {
            kind: kind(&exports),
            offending: imports.iter().filter_map(|(name, instance)| offence(name, *instance)).collect(),
            imports: imports.into_iter().map(|(name, _)| name).collect(),
            exports,
            memories: needs.as_ref().map(|n| n.num_memories),
            tables: needs.as_ref().map(|n| n.num_tables),
            initial_memory_bytes: needs
                .as_ref()
                .and_then(|n| n.max_initial_memory_size)
                .unwrap_or(0)
                .saturating_mul(PAGE),
            initial_table_elements: needs.as_ref().and_then(|n| n.max_initial_table_size).unwrap_or(0),
        }
    }

    /// Lets a connector with these grants pass.
    ///
    /// # Errors
    /// [`LoadError::WrongKind`] and [`LoadError::Imports`].
    pub fn admit_connector(&self, label: &str, granted: &[Capability]) -> Result<(), LoadError> {
        if self.kind != Kind::Connector {
            let reason = self.instead("methods");
            return Err(LoadError::WrongKind { label: label.to_owned(), wanted: "connector", reason });
        }
        let is_granted = |offence: &&Offence| offence.needs.is_some_and(|needs| granted.contains(&needs));
        let offences: Vec<_> = self.offending.iter().filter(|offence| !is_granted(offence)).cloned().collect();
        admitted(label, offences)
    }

    /// Whether it can ask for requests over http at all.
    #[must_use]
    pub fn sends_http(&self) -> bool {
        self.imports.iter().map(|import| Name::parse(import)).any(|n| (n.package, n.interface) == SENDER)
    }

    /// Lets an executor pass: it may import `dispatch` and nothing else.
    ///
    /// # Errors
    /// [`LoadError::WrongKind`] and [`LoadError::Imports`].
    pub fn admit_executor(&self, label: &str) -> Result<(), LoadError> {
        if self.kind != Kind::Executor {
            let reason = self.instead("sandbox");
            return Err(LoadError::WrongKind { label: label.to_owned(), wanted: "executor", reason });
        }
        self.imports_only(label, "an executor gets `dispatch` and nothing else", |name| {
            name.package == CONTRACT && matches!(name.interface, "dispatch" | "types") && contract_version(name.version)
        })
    }

    /// Lets a driver pass: a command that imports `control` and WASI base interfaces.
    ///
    /// # Errors
    /// [`LoadError::WrongKind`] and [`LoadError::Imports`].
    pub fn admit_driver(&self, label: &str) -> Result<(), LoadError> {
        let is_run = |export: &String| {
            let name = Name::parse(export);
            (name.package, name.interface) == ("wasi:cli", "run") && base_version(name.version)
        };
        if !self.exports.iter().any(is_run) {
            let reason = "needed is an export of `wasi:cli/run@0.2`: build a command".to_owned();
            return Err(LoadError::WrongKind { label: label.to_owned(), wanted: "driver", reason });
        }
        self.imports_only(label, "a driver gets `control` and WASI base interfaces, and nothing else", |name| {
            let base = BASE.contains(&name.package) && base_version(name.version);
            let contract = name.package == CONTRACT && matches!(name.interface, "control" | "types");
            base || contract && contract_version(name.version)
        })
    }

    /// Lets nothing be imported but what is granted; the hint says what that is.
    fn imports_only(&self, label: &str, hint: &str, is_granted: impl Fn(&Name<'_>) -> bool) -> Result<(), LoadError> {
        let others = self.imports.iter().filter(|import| !is_granted(&Name::parse(import)));
        let offence = |import: &String| Offence { import: import.clone(), hint: hint.to_owned(), needs: None };
        admitted(label, others.map(offence).collect())
    }

    fn instead(&self, wanted: &str) -> String {
        let other =
            self.exports.iter().map(|e| Name::parse(e)).find(|n| n.package == CONTRACT && n.interface == wanted);
        if let Some(Name { version, .. }) = other {
            return format!(
                "it exports version {version} of `{wanted}`, this host speaks 0.1: use the tools that go with it"
            );
        }
        let what = match self.kind {
            Kind::Connector => "it is a connector (it exports `methods`)".to_owned(),
            Kind::Executor => "it is an executor (it exports `sandbox`)".to_owned(),
            Kind::Other if self.exports.iter().any(|e| e.starts_with("wasi:cli/run@")) => {
                "it is a command (it exports `wasi:cli/run`); build a library".to_owned()
            }
            Kind::Other if self.exports.is_empty() => "it exports nothing".to_owned(),
            Kind::Other => format!("it exports {}", list(&self.exports)),
        };
        format!("{what}; needed is an export of `{CONTRACT}/{wanted}@0.1.0`")
    }
}

/// The first few of many names: a hostile component may export thousands.
fn list(names: &[String]) -> String {
    let more = if names.len() > 5 { ", …" } else { "" };
    format!("{}{more}", names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// `None` for what needs no linking: types, and instances of types only. Else whether it is an instance.
fn shape(engine: &wasmtime::Engine, item: &ComponentItem) -> Option<bool> {
    match item {
        ComponentItem::Type(_) => None,
        ComponentItem::ComponentInstance(instance) => (!only_types(engine, instance)).then_some(true),
        _ => Some(false),
    }
}

fn only_types(engine: &wasmtime::Engine, instance: &ComponentInstance) -> bool {
    instance.exports(engine).all(|(_, item)| match &item.ty {
        ComponentItem::Type(_) => true,
        ComponentItem::ComponentInstance(inner) => only_types(engine, inner),
        _ => false,
    })
}

/// A name such as `wasi:io/streams@0.2.6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name<'a> {
    package: &'a str,
    interface: &'a str,
    version: &'a str,
}

impl<'a> Name<'a> {
    fn parse(name: &'a str) -> Self {
        let (path, version) = name.split_once('@').unwrap_or((name, ""));
        let (package, interface) = path.split_once('/').unwrap_or(("", path));
        Self { package, interface, version }
    }
}

fn kind(exports: &[String]) -> Kind {
    let has = |wanted: &str| {
        exports
            .iter()
            .map(|e| Name::parse(e))
            .any(|n| n.package == CONTRACT && n.interface == wanted && contract_version(n.version))
    };
    if has("methods") {
        Kind::Connector
    } else if has("sandbox") {
        Kind::Executor
    } else {
        Kind::Other
    }
}

/// 0.1.x, as semantic versions go: a release, not a pre-release of it.
fn contract_version(version: &str) -> bool {
    version.strip_prefix("0.1.").is_some_and(is_number)
}

/// Lets a component pass that has none.
fn admitted(label: &str, offences: Vec<Offence>) -> Result<(), LoadError> {
    if offences.is_empty() { Ok(()) } else { Err(LoadError::Imports { label: label.to_owned(), offences }) }
}

/// 0.2.x, as semantic versions go.
fn base_version(version: &str) -> bool {
    version.strip_prefix("0.2.").is_some_and(is_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn offence(import: &str, is_instance: bool) -> Option<Offence> {
    let name = Name::parse(import);
    let base = BASE.contains(&name.package);
    let version_fits = base_version(name.version);
    let mut needs = None;
    let hint = match (name.package, name.interface) {
        _ if !is_instance => "no grant allows it: only interfaces can be imported".to_owned(),
        ("wasi:cli", "run") => "no grant allows it: a connector is no command".to_owned(),
        _ if base && version_fits => return None,
        ("wasi:http", "types" | "outgoing-handler") if version_fits => {
            needs = Some(Capability::Http);
            "needs a grant of http origins; without network use, disable http in the language's build tool".to_owned()
        }
        ("wasi:http", "types" | "outgoing-handler") => old_or_new(name.package),
        ("wasi:http", _) => "no grant allows it: a connector sends requests and gets none".to_owned(),
        _ if base => old_or_new(name.package),
        (CONTRACT, "state" | "config" | "types") if contract_version(name.version) => return None,
        (CONTRACT, "dispatch") => "no grant allows it: only an executor asks for it".to_owned(),
        (CONTRACT, "state" | "config") => format!("this host speaks 0.1 of {CONTRACT}: build it for that version"),
        ("wasi:keyvalue", _) => format!("no grant allows it: keep state in `{CONTRACT}/state`"),
        ("wasi:config", _) => format!("no grant allows it: read settings from `{CONTRACT}/config`"),
        _ => "no grant allows it".to_owned(),
    };
    Some(Offence { import: import.to_owned(), hint, needs })
}

fn old_or_new(package: &str) -> String {
    format!("this host links 0.2.x of {package}: build it for that version")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(import: &str) -> Option<String> {
        offence(import, true).map(|o| o.hint)
    }

    #[test]
    fn base_interfaces_of_0_2_pass_in_every_patch_version() {
        for good in [
            "wasi:cli/stdin@0.2.0",
            "wasi:sockets/tcp@0.2.12",
            "codemode:component/state@0.1.0",
            "codemode:component/config@0.1.7",
        ] {
            assert_eq!(hint(good), None, "{good}");
        }
        for bad in ["wasi:cli/stdin@0.2.0-rc-1", "wasi:cli/stdin@0.3.0", "wasi:cli/stdin", "wasi:io/streams@0.2."] {
            assert!(hint(bad).unwrap().contains("0.2.x"), "{bad}");
        }
    }

    #[test]
    fn what_offends_comes_with_the_grant_that_would_allow_it() {
        assert!(hint("wasi:http/outgoing-handler@0.3.0").unwrap().contains("0.2.x"));
        assert!(hint("wasi:http/incoming-handler@0.2.3").unwrap().contains("gets none"));
        assert!(hint("wasi:keyvalue/store@0.2.0-draft").unwrap().contains("codemode:component/state"));
        assert!(hint("codemode:component/dispatch@0.1.0").unwrap().contains("executor"));
        assert!(hint("codemode:component/state@0.2.0").unwrap().contains("0.1"));
        assert!(hint("acme:db/sql").unwrap().contains("no grant"));
        assert!(offence("run", false).unwrap().hint.contains("only interfaces"));
    }

    #[test]
    fn what_a_grant_would_allow_says_which() {
        for http in ["wasi:http/types@0.2.0", "wasi:http/outgoing-handler@0.2.12"] {
            let found = offence(http, true).unwrap();
            assert_eq!(found.needs, Some(Capability::Http), "{http}");
            assert!(found.hint.contains("http origins"), "{http}");
        }
        for never in ["wasi:http/incoming-handler@0.2.3", "wasi:http/types@0.3.0", "wasi:keyvalue/store@0.2.0-draft"] {
            assert_eq!(offence(never, true).unwrap().needs, None, "{never}");
        }
        assert_eq!(offence("wasi:http/outgoing-handler@0.2.0", false).unwrap().needs, None);
    }

    #[test]
    fn the_kind_follows_from_the_exports_and_their_version() {
        let of = |name: &str| kind(&[name.to_owned()]);
        assert_eq!(of("codemode:component/methods@0.1.3"), Kind::Connector);
        assert_eq!(of("codemode:component/sandbox@0.1.0"), Kind::Executor);
        assert_eq!(of("codemode:component/methods@0.2.0"), Kind::Other);
        assert_eq!(of("wasi:cli/run@0.2.0"), Kind::Other);
    }
}
