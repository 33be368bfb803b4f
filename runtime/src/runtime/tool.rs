//! Gives a model its tool: the durable one, or one that keeps nothing.

use std::sync::Arc;

use super::{Inner, Lives, Runtime};
use crate::clock::Ids;
use crate::connector::Connector;
use crate::discovery::sizes;
use crate::durable::id::{NameError, check_connector_names, check_tool_name};
use crate::durable::json::utf16_len;
use crate::durable::limits::Limits;
use crate::error::Error;
use crate::store::Store;
use crate::store::memory::MemoryStore;
use crate::tool::{CodeTool, CodeToolOptions, DEFAULT_NAMESPACE, Immediate, Provider, Tool, ToolOptions};

impl Runtime {
    /// The names of its connectors, in configured order: the globals that code has beside `codemode`.
    pub fn connectors(&self) -> impl Iterator<Item = &str> {
        self.0.connectors.iter().map(|(name, _)| name.as_str())
    }

    /// The tool that a model is given. Each call makes a new one (HOSTAPI-04).
    ///
    /// Asks the connectors what they are, so that one that cannot say so is found before a model writes code.
    ///
    /// # Errors
    /// [`Error::Name`] for the tool's name; a connector that cannot be described.
    pub async fn tool(&self, options: ToolOptions) -> Result<Tool, Error> {
        self.catalogue().await?;
        let connectors: Vec<&str> = self.connectors().collect();
        Tool::new(self.clone(), &connectors, options)
    }

    /// A tool for work that never waits and is not recorded: the connectors of this runtime and the providers of the
    /// options, without their methods that need approval, under the limits of this runtime. Each call makes a new one.
    /// What components keep in their own state is not shared with this runtime: it starts empty and goes with the tool.
    ///
    /// # Errors
    /// [`Error::Name`] for the name of the tool or of a provider, and for a method that would hide one of `codemode`; a
    /// connector that cannot be described.
    pub async fn code_tool(&self, options: CodeToolOptions) -> Result<CodeTool, Error> {
        let name = options.name.clone().unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned());
        check_tool_name(&name)?;
        let own = self.0.connectors.iter();
        let own = own.map(|(name, connector)| Provider::new(connector.clone()).named(name));
        let providers: Vec<Provider> = own.chain(options.providers.iter().cloned()).collect();
        check_namespaces(&providers)?;
        let runtime = self.keeping_nothing(&providers)?;
        let catalogue = runtime.catalogue().await?;
        let mut sizes = sizes(&self.0.limits);
        let mut types = Vec::with_capacity(providers.len());
        for (provider, (namespace, description)) in providers.iter().zip(catalogue.descriptions()) {
            let hides = description.methods.iter().find(|method| BUILT_IN.contains(&method.name.as_str()));
            if let (Some(method), DEFAULT_NAMESPACE) = (hides, namespace) {
                return Err(NameError::Reserved(format!("{namespace}.{}", method.name)).into());
            }
            let text = provider.declarations(description, sizes);
            // All of them share the room of one description.
            sizes.block = sizes.block.saturating_sub(usize::try_from(utf16_len(&text)).unwrap_or(usize::MAX));
            types.push(text);
        }
        Ok(CodeTool::new(runtime, name, &types, options))
    }

    /// A runtime like this one over other connectors, in which nothing waits and nothing is kept.
    fn keeping_nothing(&self, providers: &[Provider]) -> Result<Self, Error> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let owner = store.claim_owner()?;
        let immediate = |provider: &Provider| -> (String, Arc<dyn Connector>) {
            (provider.namespace.clone(), Arc::new(Immediate(provider.connector.clone())))
        };
        let this = &self.0;
        Ok(Self(Arc::new(Inner {
            name: this.name.clone(),
            store,
            executor: this.executor.clone(),
            connectors: providers.iter().map(immediate).collect(),
            limits: Limits { executions: 0, ..this.limits.clone() },
            determinism: this.determinism,
            validate: this.validate,
            clock: this.clock.clone(),
            ids: Ids::default(),
            owner,
            catalogue: tokio::sync::Mutex::new(None),
            lives: Lives::default(),
            late: Arc::default(),
            transform: this.transform.clone(),
        })))
    }
}

/// What `codemode` has of its own, and what JavaScript looks up on any object: the sandbox takes neither for a method
/// there.
const BUILT_IN: [&str; 18] = [
    "search",
    "describe",
    "step",
    "run",
    "catch",
    "finally",
    "toString",
    "valueOf",
    "toLocaleString",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "inspect",
    "length",
    "name",
    "nodeType",
    "asymmetricMatch",
    "$$typeof",
];

/// As for the connectors of a runtime, but one of them may be `codemode` itself.
fn check_namespaces(providers: &[Provider]) -> Result<(), NameError> {
    let names = providers.iter().map(|provider| provider.namespace.as_str());
    let repeated = match check_connector_names(names.clone().filter(|name| *name != DEFAULT_NAMESPACE)) {
        Ok(()) => DEFAULT_NAMESPACE.to_owned(),
        Err(NameError::Duplicate { name, .. }) => name,
        Err(error) => return Err(error),
    };
    // Counted among all of them.
    let mut places = names.enumerate().filter(|(_, name)| *name == repeated).map(|(at, _)| at + 1);
    match (places.next(), places.next()) {
        (Some(first), Some(second)) => Err(NameError::Duplicate { name: repeated.clone(), first, second }),
        _ => Ok(()),
    }
}
