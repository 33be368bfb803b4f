//! Our own runtime as a host that is checked: real component connectors, the bundled executor, a store in memory or in a
//! file. It is also the pattern for whoever checks a host of their own.

use std::path::PathBuf;
use std::sync::Arc;

use codemode_runtime::connector::Connector;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::control::ControlError as Refusal;
use codemode_runtime::control::{ComponentDriver, Control, DriveOptions, Driven, End};
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::store::sqlite::{Options as SqliteOptions, SqliteStore};
use codemode_runtime::{By, ComponentExecutor, Engine, Pick, Runtime, RuntimeBuilder, Seq, Store};
use tokio::runtime::Runtime as Threads;

use super::{Approval, ControlError, Decision, Host, LEDGER, Unsupported, component, ledger};
use crate::check::trial::Options;

/// Where executions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// In memory, for as long as the host lives.
    Memory,
    /// In a SQLite file, which is made where there is none.
    File(PathBuf),
}

/// Our runtime over real parts.
pub struct Ours {
    engine: Engine,
    threads: Threads,
    executor: Arc<ComponentExecutor>,
    connector: Arc<dyn Connector>,
    keep: Keep,
    adjust: fn(RuntimeBuilder) -> RuntimeBuilder,
    store: Arc<dyn Store>,
    /// `None` only while it is made anew.
    runtime: Option<Runtime>,
}

impl Ours {
    /// A host with the ledger.
    ///
    /// # Errors
    /// What this machine cannot do: run components, or keep the file.
    pub fn new(keep: Keep, options: &Options) -> Result<Self, String> {
        let engine = options.engine()?;
        let connector = ComponentConnector::load(&engine, ledger(), ComponentOptions::new(LEDGER));
        let connector = Arc::new(connector.map_err(|error| error.to_string())?);
        Self::with(engine, keep, connector, |builder| builder)
    }

    /// A host that has another connector in the ledger's place, or is built in another way: for doubles.
    ///
    /// # Errors
    /// As [`Ours::new`].
    pub fn with(
        engine: Engine,
        keep: Keep,
        connector: Arc<dyn Connector>,
        adjust: fn(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Result<Self, String> {
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let threads = threads.map_err(|error| error.to_string())?;
        let executor = Arc::new(ComponentExecutor::bundled(&engine).map_err(|error| error.to_string())?);
        let store = open(&keep)?;
        let mut ours = Self { engine, threads, executor, connector, keep, adjust, store, runtime: None };
        ours.runtime = Some(ours.build()?);
        Ok(ours)
    }

    /// Runs the checks as a component over this host; gives what it printed, for [`super::read_lines`].
    ///
    /// # Errors
    /// Why the component could not be run to its end.
    pub fn drive(&self, arguments: Vec<String>) -> Result<String, String> {
        let driver = ComponentDriver::load(&self.engine, component(), "host-check");
        let driver = driver.map_err(|error| error.to_string())?;
        let Some(runtime) = &self.runtime else { return Err("the host is not there".to_owned()) };
        let mut options = DriveOptions::default();
        options.arguments = arguments;
        let Driven { end, stdout, stderr } = self.threads.block_on(driver.drive(runtime, options));
        match end {
            End::Success | End::Failure if stdout.dropped_bytes == 0 && !stdout.text.is_empty() => Ok(stdout.text),
            End::Success | End::Failure => {
                Err(format!("the component printed too little or too much: {}", stderr.text))
            }
            End::Stopped(reason) => Err(format!("the component was stopped: {reason}: {}", stderr.text)),
        }
    }

    fn build(&self) -> Result<Runtime, String> {
        let builder = Runtime::builder()
            .store(self.store.clone())
            .executor(self.executor.clone())
            .connector(LEDGER, self.connector.clone());
        (self.adjust)(builder).build().map_err(|error| error.to_string())
    }

    fn control(&self) -> Result<Control, ControlError> {
        let runtime = self.runtime.clone();
        runtime.map(Control::new).ok_or_else(|| ControlError::Unavailable("the host did not come back".to_owned()))
    }
}

fn open(keep: &Keep) -> Result<Arc<dyn Store>, String> {
    match keep {
        Keep::Memory => Ok(Arc::new(MemoryStore::new())),
        Keep::File(path) => {
            Ok(Arc::new(SqliteStore::open(path, SqliteOptions::default()).map_err(|error| error.to_string())?))
        }
    }
}

impl Host for Ours {
    fn execute(&mut self, code: &str, input: Option<&str>) -> Result<String, ControlError> {
        self.threads.block_on(self.control()?.execute(code, input)).map_err(refusal)
    }

    fn approve(&mut self, execution: &str, calls: &[Approval], by: &Decision) -> Result<String, ControlError> {
        let picks = calls.iter().map(|call| Pick { seq: Seq(call.seq), digest: call.digest.clone() }).collect();
        self.threads.block_on(self.control()?.approve(execution, picks, said_by(by))).map_err(refusal)
    }

    fn reject(&mut self, execution: &str, seq: u32, by: &Decision) -> Result<bool, ControlError> {
        self.threads.block_on(self.control()?.reject(execution, seq, said_by(by))).map_err(refusal)
    }

    fn pending(&mut self, execution: Option<&str>) -> Result<String, ControlError> {
        self.control()?.pending(execution).map_err(refusal)
    }

    fn rollback(&mut self, execution: &str) -> Result<String, ControlError> {
        self.threads.block_on(self.control()?.rollback(execution)).map_err(refusal)
    }

    fn restart(&mut self) -> Result<(), Unsupported> {
        self.runtime = None;
        // A store in memory is all that outlives the runtime; one in a file is opened again.
        if self.keep != Keep::Memory {
            self.store = open(&self.keep).map_err(Unsupported)?;
        }
        self.runtime = Some(self.build().map_err(Unsupported)?);
        Ok(())
    }
}

fn said_by(by: &Decision) -> By {
    By { actor: by.actor.clone(), channel: by.channel.clone(), reason: by.reason.clone() }
}

fn refusal(error: Refusal) -> ControlError {
    match error {
        Refusal::NotFound(said) => ControlError::NotFound(said),
        Refusal::Conflict(said) => ControlError::Conflict(said),
        Refusal::Invalid(said) => ControlError::Invalid(said),
        Refusal::Unavailable(said) => ControlError::Unavailable(said),
    }
}
