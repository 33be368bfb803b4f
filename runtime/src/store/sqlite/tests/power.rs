//! A store on a machine whose power goes, whose processes die, and whose disk fails: what was acknowledged is there
//! afterwards, and nothing is there by half.
//!
//! A script is run once. Its disk remembers everything that happened, so that the machine can be started again from
//! each instant of it, in each way in which a disk may have kept what was not durable yet.

mod disk;
mod faults;
mod formats;
mod image;
mod locks;
mod loss;
mod reading;
mod script;
mod vfs;

use std::sync::Arc;

use super::*;
use disk::{Disk, Image};
use image::{Files, Loss};
use vfs::Mounted;

/// The name of the store's file on every disk.
const FILE: &str = "store.db";

/// A machine with a disk. The folder is a real one, for the lock files of owners.
struct Machine {
    mounted: Mounted,
    folder: Arc<tempfile::TempDir>,
    start: Image,
}

impl Machine {
    /// With an empty disk.
    fn new() -> Self {
        Self::started(Arc::new(tempfile::tempdir().expect("a folder")), Image::new())
    }

    /// With that content in the store's file.
    fn holding(store: Vec<u8>) -> Self {
        Self::started(Arc::new(tempfile::tempdir().expect("a folder")), Image::from([(FILE.into(), store)]))
    }

    fn started(folder: Arc<tempfile::TempDir>, start: Image) -> Self {
        Self { mounted: Mounted::new(Disk::with(start.clone())), folder, start }
    }

    /// Another machine with what is left of this one's disk.
    fn again(&self, left: Image) -> Self {
        Self::started(Arc::clone(&self.folder), left)
    }

    fn disk(&self) -> &Disk {
        self.mounted.disk()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    fn options(&self, durability: Durability) -> Options {
        Options { durability, busy_timeout_ms: 50, max_pages: None, vfs: Some(self.mounted.name()) }
    }

    fn open(&self, durability: Durability) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(self.path(), self.options(durability))
    }

    /// A connection past the store, as another process would have it.
    fn raw(&self) -> rusqlite::Result<rusqlite::Connection> {
        let name = self.mounted.name();
        rusqlite::Connection::open_with_flags_and_vfs(self.path(), rusqlite::OpenFlags::default(), name.as_str())
    }
}

/// Everything that somebody can see of a store.
#[derive(Clone, Debug, PartialEq)]
struct Contents {
    records: Vec<Option<Record>>,
    state: Vec<Option<Vec<u8>>>,
}

fn contents(store: &dyn Store) -> Result<Contents, StoreError> {
    let ids = (1..=script::EXECUTIONS).map(id);
    let records = ids.map(|id| store.load(&id)).collect::<Result<_, _>>()?;
    let keys = script::KEYS.map(|key| store.state("shelf", None, key).map(|v| v.map(|v| v.value)));
    Ok(Contents { records, state: keys.into_iter().collect::<Result<_, _>>()? })
}
