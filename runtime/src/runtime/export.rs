//! Takes one execution out of its store, as a bundle that stands for itself.

use super::Runtime;
use crate::bundle::{Bundle, Offered};
use crate::connector::check_description;
use crate::durable::execution::Namespace;
use crate::durable::id::ExecutionId;
use crate::error::Error;

impl Runtime {
    /// One execution as a bundle; `None`: there is no such execution. Its connectors are described as they are configured
    /// now; one that is not, or does not say what it is, is left out. An execution that runs is written as far as it came.
    ///
    /// # Errors
    /// When the store fails, or this one cannot be read back.
    pub async fn export(&self, id: &ExecutionId) -> Result<Option<Bundle>, Error> {
        let Some(record) = self.record(id)? else { return Ok(None) };
        let offered = self.offered(&record.execution.start.namespaces).await;
        Ok(Some(Bundle::of(record, offered)))
    }

    async fn offered(&self, namespaces: &[Namespace]) -> Vec<Offered> {
        let mut offered = Vec::new();
        for (name, connector) in self.0.connectors.iter().filter(|(name, _)| namespaces.iter().any(|n| n.name == *name))
        {
            let described = connector.describe().await;
            match described.and_then(|d| check_description(name, &d).map(|()| d)) {
                Ok(description) => offered.push(Offered::of(name, &description)),
                Err(failure) => {
                    let error = failure.message;
                    tracing::warn!(connector = name, %error, "a connector is left out of a bundle");
                }
            }
        }
        offered
    }
}
