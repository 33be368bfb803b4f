//! Search and describe for a host: the same answers that code gets, without running any (SEARCH-03, DESCRIBE-11).

use super::Runtime;
use crate::connector::Method;
use crate::discovery::{Docs, Found, Offer, Target, describe, resolve, search, sizes};
use crate::error::Error;

impl Runtime {
    /// Methods and snippets that fit a query, the best first. Connectors are asked for their descriptions once, snippets
    /// are read each time. Of the query, 4,096 UTF-16 code units and 64 different words count.
    ///
    /// # Errors
    /// A connector that cannot be described, or a store that fails.
    pub async fn search(&self, query: &str) -> Result<Found, Error> {
        let catalogue = self.catalogue().await?;
        let labels = self.0.store.snippet_labels()?;
        Ok(search(&Offer::new(&catalogue.descriptions(), catalogue.index(), |_| true, &labels), query))
    }

    /// The docs of a connector, a method or a snippet. What is not there is said in them.
    ///
    /// # Errors
    /// A connector that cannot be described, or a store that fails.
    pub async fn describe(&self, target: &str) -> Result<Docs, Error> {
        let catalogue = self.catalogue().await?;
        let labels = self.0.store.snippet_labels()?;
        let offer = Offer::new(&catalogue.descriptions(), catalogue.index(), |_| true, &labels);
        let means = resolve(&offer, target);
        let snippet = match means {
            Target::Snippet(name) => self.0.store.snippet(name)?,
            _ => None,
        };
        Ok(describe(&offer, target, means, snippet.as_ref(), sizes(&self.0.limits)))
    }

    /// A method as its connector declares it now: for people who are asked about a call of it. `None`: there is none.
    ///
    /// # Errors
    /// A connector that cannot be described.
    pub async fn method(&self, connector: &str, method: &str) -> Result<Option<Method>, Error> {
        let catalogue = self.catalogue().await?;
        let configured = catalogue.get(connector);
        Ok(configured.and_then(|c| c.description.methods.iter().find(|m| m.name == method)).cloned())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::connector::BoxFuture;
    use crate::connector::Method;
    use crate::connector::native::Native;
    use crate::executor::{Dispatch, Executor, Ran, Request};
    use crate::store::memory::MemoryStore;

    /// Runs nothing.
    struct Idle;

    impl Executor for Idle {
        fn digest(&self) -> &str {
            "idle"
        }

        fn runtime(&self) -> tokio::runtime::Handle {
            tokio::runtime::Handle::current()
        }

        fn run(&self, _: Request, dispatch: Box<dyn Dispatch>) -> BoxFuture<'_, (Ran, Box<dyn Dispatch>)> {
            Box::pin(async move { (Ran::Returned(None), dispatch) })
        }
    }

    /// Covers BUG-MCP-14.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_index_is_made_once_for_all_searches_and_passes() {
        let native = Native::new("t").method(Method::read("get"), |args, _| async { Ok(args) });
        let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(Arc::new(Idle));
        let runtime = builder.connector("t", Arc::new(native)).build().unwrap();
        assert_eq!(runtime.search("get").await.unwrap().total, 1);
        let first = runtime.catalogue().await.unwrap();
        runtime.execute("async () => 1").await.unwrap();
        assert!(runtime.describe("t.get").await.unwrap().types.starts_with("type GetInput"));
        let later = runtime.catalogue().await.unwrap();
        assert!(Arc::ptr_eq(&first, &later) && std::ptr::eq(first.index(), later.index()));
    }
}
