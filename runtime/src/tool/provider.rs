//! What a code tool offers: the methods of a connector under a name, without those that need a person. A code tool cannot
//! wait, so what it cannot carry out it neither declares nor calls (RESOLVE-02).

use std::sync::Arc;

use crate::connector::native::Native;
use crate::connector::{BoxFuture, Call, CallOutput, Connector, Description, Method, Revert, Reverted, StateSession};
use crate::discovery::declarations::{Declared, Sizes, declare};
use crate::discovery::declared;
use crate::durable::execution::Status;
use crate::durable::failure::Failure;
use crate::durable::id::ExecutionId;
use crate::durable::journal::{Approval, Reach};

/// The name that a provider has where it is given none (RESOLVE-01): its methods are members of `codemode`.
pub const DEFAULT_NAMESPACE: &str = "codemode";

/// A connector that a code tool offers.
#[derive(Clone)]
pub struct Provider {
    pub(crate) namespace: String,
    pub(crate) connector: Arc<dyn Connector>,
    definitions: Vec<Method>,
    types: Option<String>,
}

impl Provider {
    /// The methods of a connector, as members of `codemode`.
    #[must_use]
    pub fn new(connector: Arc<dyn Connector>) -> Self {
        Self { namespace: DEFAULT_NAMESPACE.to_owned(), connector, definitions: Vec::new(), types: None }
    }

    /// The same under a global of its own.
    #[must_use]
    pub fn named(self, namespace: impl Into<String>) -> Self {
        Self { namespace: namespace.into(), ..self }
    }

    /// A method that is declared to the model and that code cannot call: something else carries it out.
    #[must_use]
    pub fn definition(mut self, method: Method) -> Self {
        self.definitions.push(method);
        self
    }

    /// Declarations in place of those that the schemas give.
    #[must_use]
    pub fn types(self, text: impl Into<String>) -> Self {
        Self { types: Some(text.into()), ..self }
    }

    /// The declarations of what can be called, and of what is only defined.
    pub(crate) fn declarations(&self, description: &Description, sizes: Sizes) -> String {
        if let Some(types) = &self.types {
            return types.clone();
        }
        let all = description.methods.iter().chain(&self.definitions).filter(|method| is_immediate(method));
        declare(&self.namespace, &all.map(declared).collect::<Vec<Declared<'_>>>(), sizes)
    }
}

impl From<Native> for Provider {
    fn from(native: Native) -> Self {
        Self::new(Arc::new(native))
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

fn is_immediate(method: &Method) -> bool {
    method.approval == Approval::NotNeeded
}

/// A connector without its methods that need approval: to the code they do not exist.
pub(crate) struct Immediate(pub(crate) Arc<dyn Connector>);

impl Connector for Immediate {
    fn describe(&self) -> BoxFuture<'_, Result<Description, Failure>> {
        Box::pin(async {
            let mut description = self.0.describe().await?;
            description.methods.retain(is_immediate);
            Ok(description)
        })
    }

    fn reach(&self) -> Reach {
        self.0.reach()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, CallOutput> {
        self.0.call(call)
    }

    fn revert(&self, revert: Revert) -> BoxFuture<'_, Result<Reverted, Failure>> {
        self.0.revert(revert)
    }

    fn pass_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        pass: u32,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        self.0.pass_ended(execution, pass, status, state)
    }

    fn execution_ended<'a>(
        &'a self,
        execution: &'a ExecutionId,
        status: Status,
        state: Arc<StateSession>,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        self.0.execution_ended(execution, status, state)
    }
}
