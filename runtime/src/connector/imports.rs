//! What the host serves to a connector beside WASI: its state and its configuration.

use std::sync::Arc;

use crate::bindings::connector::codemode::component::{config, state, types};
use crate::connector::{StateFault, StateSession};
use crate::durable::write::Scope;
use crate::host::HostState;

impl types::Host for HostState {}

impl config::Host for HostState {
    async fn get(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        Ok(self.config.get(&key).cloned())
    }
}

impl state::Host for HostState {
    async fn get(
        &mut self,
        scope: state::Scope,
        key: String,
    ) -> wasmtime::Result<Result<Option<Vec<u8>>, state::StateError>> {
        Ok(self.session().and_then(|s| s.get(of(scope), &key).map_err(error)))
    }

    async fn set(
        &mut self,
        scope: state::Scope,
        key: String,
        value: Vec<u8>,
    ) -> wasmtime::Result<Result<(), state::StateError>> {
        let session = match writing(self.session.clone()).await {
            Ok(session) => session,
            Err(error) => return Ok(Err(error)),
        };
        Ok(session.set(of(scope), &key, value).map_err(error))
    }

    async fn delete(&mut self, scope: state::Scope, key: String) -> wasmtime::Result<Result<bool, state::StateError>> {
        let session = match writing(self.session.clone()).await {
            Ok(session) => session,
            Err(error) => return Ok(Err(error)),
        };
        Ok(session.delete(of(scope), &key).map_err(error))
    }

    async fn list_keys(
        &mut self,
        scope: state::Scope,
        prefix: String,
        after: Option<String>,
        limit: u32,
    ) -> wasmtime::Result<Result<state::Page, state::StateError>> {
        let page = |s: &StateSession| s.list_keys(of(scope), &prefix, after.as_deref(), limit).map_err(error);
        Ok(self.session().and_then(page).map(|(keys, next)| state::Page { keys, next }))
    }
}

impl HostState {
    fn session(&self) -> Result<&StateSession, state::StateError> {
        self.session.as_deref().ok_or_else(denied)
    }
}

/// The session once it may write. Owned, because what else the host keeps cannot be shared between threads.
async fn writing(session: Option<Arc<StateSession>>) -> Result<Arc<StateSession>, state::StateError> {
    let session = session.ok_or_else(denied)?;
    session.take_turn().await.map_err(error)?;
    Ok(session)
}

fn denied() -> state::StateError {
    state::StateError::Denied("`describe` may not use state".to_owned())
}

fn of(scope: state::Scope) -> Scope {
    match scope {
        state::Scope::Connector => Scope::Connector,
        state::Scope::Execution => Scope::Execution,
    }
}

fn error(fault: StateFault) -> state::StateError {
    match fault {
        StateFault::Denied(reason) => state::StateError::Denied(reason),
        StateFault::Conflict => state::StateError::Conflict,
        StateFault::TooLarge(limit) => state::StateError::TooLarge(limit),
        StateFault::Unavailable(reason) => state::StateError::Unavailable(reason),
    }
}
