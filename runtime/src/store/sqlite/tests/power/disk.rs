//! The disk of a machine whose power the tests cut. Files are kept in memory, with everything that happened to them in
//! order, so that [`super::image`] can say what is left of them after any instant. It fails when it is told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::locks::{Level, Locks, Shared};

/// What a disk writes as a whole, or not at all; in bytes.
pub(super) const SECTOR: usize = 512;

/// Files by name, as they lie on a disk.
pub(super) type Image = BTreeMap<Arc<str>, Vec<u8>>;

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Created,
    Written {
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        length: usize,
    },
    /// Everything before this is durable.
    Synced,
    /// Nothing that was not durable before this ever will be: a system that could not write it forgets it.
    SyncFailed,
    /// `Later`: the name may come back when the power goes.
    Deleted(Deletion),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deletion {
    Durable,
    Later,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) file: Arc<str>,
    pub(super) change: Change,
}

/// Operations that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Open,
    Read,
    Write,
    Sync,
    Cut,
    Size,
    Delete,
    Exists,
    Lock,
    Map,
}

impl Operation {
    pub(super) const ALL: [Self; 10] = [
        Self::Open,
        Self::Read,
        Self::Write,
        Self::Sync,
        Self::Cut,
        Self::Size,
        Self::Delete,
        Self::Exists,
        Self::Lock,
        Self::Map,
    ];
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Injury {
    /// An error of the device.
    Broken,
    /// No space: a write takes a part of its bytes.
    Full,
}

/// How long it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    Once,
    /// Until it is mended.
    On,
}

/// The next fault: the `nth` of these operations from now on, from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    pub(super) on: Operation,
    pub(super) nth: usize,
    pub(super) injury: Injury,
    pub(super) lasts: Lasts,
}

/// What the caller of an operation is told instead of success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Hurt(Injury),
    Missing,
    /// The file is shorter than what was to be read.
    Short,
}

/// The disk, with the locks of its files and the memory that connections share.
#[derive(Debug, Default)]
pub(super) struct Disk {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    files: Image,
    history: Vec<Event>,
    locks: BTreeMap<Arc<str>, Locks>,
    shared: BTreeMap<Arc<str>, Shared>,
    fault: Option<Fault>,
    struck: usize,
    opened: u64,
    open: usize,
    writable: Writable,
}

/// Whether files can be opened for writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Writable {
    #[default]
    Yes,
    No,
}

/// One opened file.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) name: Arc<str>,
    pub(super) number: u64,
}

/// Files without a name are nobody's business but their opener's: they are not part of the history and never fail.
const UNNAMED: &str = "unnamed:";

impl Disk {
    /// A disk with these files, all of them durable.
    pub(super) fn with(files: Image) -> Arc<Self> {
        Arc::new(Self { inner: Mutex::new(Inner { files, ..Inner::default() }) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breaks, from now on.
    pub(super) fn arm(&self, fault: Fault) {
        let mut inner = self.lock();
        inner.fault = Some(fault);
        inner.struck = 0;
    }

    /// Works again. How often something failed.
    pub(super) fn mend(&self) -> usize {
        let mut inner = self.lock();
        inner.fault = None;
        inner.struck
    }

    /// Whether files can be opened for writing from now on.
    pub(super) fn set_writable(&self, writable: Writable) {
        self.lock().writable = writable;
    }

    /// How many things happened.
    pub(super) fn instant(&self) -> usize {
        self.lock().history.len()
    }

    /// What happened so far.
    pub(super) fn history(&self) -> Vec<Event> {
        self.lock().history.clone()
    }

    /// What is in the files now.
    pub(super) fn files(&self) -> Image {
        self.lock().files.clone()
    }

    /// How many files are open.
    pub(super) fn open_files(&self) -> usize {
        self.lock().open
    }

    /// Opens a file, and makes it when it may and must. Says whether it can be written.
    pub(super) fn open(&self, name: Option<&str>, create: Writable) -> Result<(Handle, Writable), Refusal> {
        let mut inner = self.lock();
        inner.opened += 1;
        let number = inner.opened;
        let name: Arc<str> = name.map_or_else(|| format!("{UNNAMED}{number}").into(), Into::into);
        inner.strike(&name, Operation::Open)?;
        if !inner.files.contains_key(&name) {
            if create == Writable::No || inner.writable == Writable::No {
                return Err(Refusal::Missing);
            }
            inner.files.insert(Arc::clone(&name), Vec::new());
            inner.happened(&name, Change::Created);
        }
        inner.open += 1;
        Ok((Handle { name, number }, inner.writable))
    }

    /// Closes a file, and gives up what was locked.
    pub(super) fn close(&self, handle: &Handle) {
        let mut inner = self.lock();
        inner.open -= 1;
        if let Some(locks) = inner.locks.get_mut(&handle.name) {
            locks.set(handle.number, Level::None);
        }
        if handle.name.starts_with(UNNAMED) {
            inner.files.remove(&handle.name);
        }
    }

    /// Fills `to`; beyond the end with zeros, which is refused as a short read.
    pub(super) fn read(&self, handle: &Handle, to: &mut [u8], at: usize) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.strike(&handle.name, Operation::Read)?;
        let content = inner.files.get(&handle.name).ok_or(Refusal::Missing)?;
        let there = content.get(at..).unwrap_or_default();
        let taken = there.len().min(to.len());
        to[..taken].copy_from_slice(&there[..taken]);
        to[taken..].fill(0);
        if taken < to.len() { Err(Refusal::Short) } else { Ok(()) }
    }

    /// Writes. A failing write may have taken a part.
    pub(super) fn write(&self, handle: &Handle, bytes: &[u8], at: usize) -> Result<(), Refusal> {
        let mut inner = self.lock();
        let injured = inner.strike(&handle.name, Operation::Write);
        let bytes = if injured.is_err() { &bytes[..bytes.len() / 2] } else { bytes };
        let content = inner.files.get_mut(&handle.name).ok_or(Refusal::Missing)?;
        write_at(content, bytes, at);
        inner.happened(&handle.name, Change::Written { at, bytes: bytes.to_vec() });
        injured
    }

    /// Cuts or lengthens a file.
    pub(super) fn cut(&self, handle: &Handle, length: usize) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.strike(&handle.name, Operation::Cut)?;
        set_length(inner.files.get_mut(&handle.name).ok_or(Refusal::Missing)?, length, 0);
        inner.happened(&handle.name, Change::Cut { length });
        Ok(())
    }

    /// Makes a file durable.
    pub(super) fn sync(&self, handle: &Handle) -> Result<(), Refusal> {
        let mut inner = self.lock();
        let injured = inner.strike(&handle.name, Operation::Sync);
        inner.happened(&handle.name, if injured.is_ok() { Change::Synced } else { Change::SyncFailed });
        injured
    }

    /// Its length.
    pub(super) fn size(&self, handle: &Handle) -> Result<usize, Refusal> {
        let mut inner = self.lock();
        inner.strike(&handle.name, Operation::Size)?;
        inner.files.get(&handle.name).map(Vec::len).ok_or(Refusal::Missing)
    }

    /// Removes a file.
    pub(super) fn delete(&self, name: &str, deletion: Deletion) -> Result<(), Refusal> {
        let mut inner = self.lock();
        inner.strike(name, Operation::Delete)?;
        let (name, _) = inner.files.remove_entry(name).ok_or(Refusal::Missing)?;
        inner.happened(&name, Change::Deleted(deletion));
        Ok(())
    }

    /// Whether there is such a file.
    pub(super) fn exists(&self, name: &str) -> Result<bool, Refusal> {
        let mut inner = self.lock();
        inner.strike(name, Operation::Exists)?;
        Ok(inner.files.contains_key(name))
    }

    /// Looks at the locks of a file; locks that are only taken away never fail.
    pub(super) fn locks<T>(&self, handle: &Handle, work: impl FnOnce(&mut Locks) -> T) -> T {
        work(self.lock().locks.entry(Arc::clone(&handle.name)).or_default())
    }

    /// Looks at the memory that the connections to a file share.
    pub(super) fn shared<T>(&self, handle: &Handle, work: impl FnOnce(&mut Shared) -> T) -> T {
        work(self.lock().shared.entry(Arc::clone(&handle.name)).or_default())
    }

    /// Fails if it is time to.
    pub(super) fn strike(&self, handle: &Handle, operation: Operation) -> Result<(), Refusal> {
        self.lock().strike(&handle.name, operation)
    }
}

impl Inner {
    fn happened(&mut self, file: &Arc<str>, change: Change) {
        if !file.starts_with(UNNAMED) {
            self.history.push(Event { file: Arc::clone(file), change });
        }
    }

    fn strike(&mut self, name: &str, operation: Operation) -> Result<(), Refusal> {
        let Some(fault) = &mut self.fault else { return Ok(()) };
        if fault.on != operation || name.starts_with(UNNAMED) {
            return Ok(());
        }
        if fault.nth > 0 {
            fault.nth -= 1;
            return Ok(());
        }
        let injury = fault.injury;
        if fault.lasts == Lasts::Once {
            self.fault = None;
        }
        self.struck += 1;
        Err(Refusal::Hurt(injury))
    }
}

/// Writes into bytes, and lengthens them where needed.
pub(super) fn write_at(content: &mut Vec<u8>, bytes: &[u8], at: usize) {
    if content.len() < at {
        set_length(content, at, 0);
    }
    let over = (content.len() - at).min(bytes.len());
    content[at..at + over].copy_from_slice(&bytes[..over]);
    content.extend_from_slice(&bytes[over..]);
}

/// Cuts, or lengthens with that byte. (`resize` writes byte by byte where nothing is optimised.)
pub(super) fn set_length(content: &mut Vec<u8>, length: usize, with: u8) {
    content.truncate(length);
    let mut missing = vec![0; length - content.len()];
    missing.fill(with);
    content.append(&mut missing);
}
