//! Compiled code on disk, so that a component is compiled once and loads in a fraction of a millisecond afterwards.
//!
//! Compiled code is native code: whoever can write it runs in this process. So a file is only used when it lies in a
//! folder and belongs to a user that this process may trust, and when its content is what this host wrote for exactly
//! this component, engine version and configuration. Anything else is discarded with one line in the log, and compiled
//! again. Files are complete or absent: they are written beside and renamed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Begins each file; counts the layout.
const MAGIC: &[u8; 16] = b"codemode-cwasm-1";
/// Magic, key, digest of what follows.
const HEADER: usize = 16 + 32 + 32;
/// The largest file that is read back, in bytes: compiled code is some three times as large as the component.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// After that time a file that a killed process left half written is removed.
const STALE: Duration = Duration::from_secs(600);

/// A folder of compiled components.
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens a folder, and makes it if need be.
    ///
    /// # Errors
    /// It cannot be made, or others could put files into it. The caller goes on without a cache.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        make_private_folder(folder)?;
        let meta = fs::metadata(folder)?;
        if !meta.is_dir() {
            return Err(io::Error::other("it is not a folder"));
        }
        trusted(&meta).map_err(io::Error::other)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The compiled component, from the folder or from the compiler.
    ///
    /// # Errors
    /// Those of the compiler.
    pub(crate) fn load(&self, engine: &Engine, wasm: &[u8], label: &str) -> wasmtime::Result<Component> {
        let key = key(engine, wasm);
        let path = self.folder.join(format!("{}.cwasm", hex(&key)));
        match read(&path, &key).and_then(|code| revive(engine, &code)) {
            Ok(component) => return Ok(component),
            Err(Unusable::Absent) => {}
            Err(Unusable::Discarded(reason)) => {
                tracing::warn!(label, path = %path.display(), reason, "a compiled component is discarded and compiled again");
            }
        }
        let component = Component::from_binary(engine, wasm)?;
        let kept = component.serialize().map_err(io::Error::other).and_then(|code| self.keep(&path, &key, &code));
        if let Err(error) = kept {
            tracing::warn!(label, path = %path.display(), %error, "a compiled component cannot be kept");
        }
        Ok(component)
    }

    fn keep(&self, path: &Path, key: &[u8; 32], code: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!("{}.{}.{count}.tmp", hex(&key[..8]), std::process::id()));
        let written = write_all(&temporary, key, code);
        let renamed = written.and_then(|meta| {
            self.sweep(&meta);
            fs::rename(&temporary, path)
        });
        if renamed.is_err() {
            // It may not exist; the first error is the one that counts.
            let _ = fs::remove_file(&temporary);
        }
        renamed
    }

    /// Removes what killed processes left half written. Best effort: another process may be first.
    fn sweep(&self, newest: &Metadata) {
        let (Ok(now), Ok(entries)) = (newest.modified(), fs::read_dir(&self.folder)) else { return };
        for entry in entries.flatten() {
            let old = || entry.metadata().and_then(|m| m.modified()).is_ok_and(|at| at + STALE < now);
            if entry.path().extension().is_some_and(|e| e == "tmp") && old() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Why a file is not used.
enum Unusable {
    Absent,
    Discarded(String),
}

impl From<io::Error> for Unusable {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Absent } else { Self::Discarded(error.to_string()) }
    }
}

/// Reads a file and checks that this host wrote it for that key. What comes back is the checked bytes themselves, so
/// that nobody can change them in between.
fn read(path: &Path, key: &[u8; 32]) -> Result<Vec<u8>, Unusable> {
    let discard = |reason: &str| Err(Unusable::Discarded(reason.to_owned()));
    let mut file = open_no_follow(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return discard("it is no regular file");
    }
    if let Err(reason) = trusted(&meta) {
        return discard(reason);
    }
    if meta.len() > MAX_FILE_BYTES {
        return discard("it is too large");
    }
    let mut header = [0; HEADER];
    let mut code = Vec::new();
    if file.read_exact(&mut header).is_err() {
        return discard("it is cut off");
    }
    file.take(MAX_FILE_BYTES).read_to_end(&mut code)?;
    let (magic, rest) = header.split_at(MAGIC.len());
    let (for_key, digest) = rest.split_at(32);
    if magic != MAGIC {
        return discard("it was not written by this host");
    }
    if for_key != key {
        return discard("it belongs to another component or engine");
    }
    if digest != content_digest(key, &code) {
        return discard("its content was changed or cut off");
    }
    Ok(code)
}

/// Makes a component of checked code.
fn revive(engine: &Engine, code: &[u8]) -> Result<Component, Unusable> {
    #[expect(
        unsafe_code,
        reason = "loading compiled code is what a compile cache is for; `read` let only bytes pass whose digest this \
                  host wrote, in a file and folder that nobody else may write"
    )]
    // SAFETY: these bytes came out of `Component::serialize` of this engine version and configuration (they are part of
    // the key, and the key is part of the digest), and they cannot change any more: they are in our memory.
    let component = unsafe { Component::deserialize(engine, code) };
    component.map_err(|error| Unusable::Discarded(error.to_string()))
}

fn write_all(path: &Path, key: &[u8; 32], code: &[u8]) -> io::Result<Metadata> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(MAGIC)?;
    file.write_all(key)?;
    file.write_all(&content_digest(key, code))?;
    file.write_all(code)?;
    file.metadata()
}

fn content_digest(key: &[u8; 32], code: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key).chain_update(code).finalize().into()
}

/// The component's bytes, and what wasmtime says decides over its code: its own full version, the machine, the
/// configuration.
fn key(engine: &Engine, wasm: &[u8]) -> [u8; 32] {
    let mut stable = StableHasher(Sha256::new());
    stable.0.update(MAGIC);
    engine.precompile_compatibility_hash().hash(&mut stable);
    stable.0.chain_update(Sha256::digest(wasm)).finalize().into()
}

/// Hashes the same in every process, unlike the hashers of the standard library.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Only the full digest is used.
        0
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(unix)]
fn open_no_follow(path: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    let flags = i32::try_from(no_follow.bits()).map_err(io::Error::other)?;
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    options.read(true).open(path)
}

#[cfg(not(unix))]
fn open_no_follow(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn trusted(meta: &Metadata) -> Result<(), &'static str> {
    use std::os::unix::fs::MetadataExt;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user");
    }
    if meta.mode() & 0o022 != 0 {
        return Err("others may write it");
    }
    Ok(())
}

#[cfg(not(unix))]
fn trusted(_meta: &Metadata) -> Result<(), &'static str> {
    Ok(())
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn one_file(folder: &Path) -> PathBuf {
        let files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    #[test]
    fn a_component_is_compiled_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("a/b")).unwrap();
        let engine = Engine::default();
        cache.load(&engine, EMPTY, "k").unwrap();
        let path = one_file(&cache.folder);
        assert!(read(&path, &key(&engine, EMPTY)).and_then(|code| revive(&engine, &code)).is_ok());
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        cache.load(&engine, EMPTY, "k").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before, "it was written again");
    }

    #[test]
    fn each_damage_is_found_before_the_code_is_used_and_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let engine = Engine::default();
        cache.load(&engine, EMPTY, "k").unwrap();
        let path = one_file(&cache.folder);
        let good = fs::read(&path).unwrap();
        let flipped = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        };
        let bad = [
            Vec::new(),
            EMPTY.to_vec(),
            good[..good.len() - 1].to_vec(),
            good[..40].to_vec(),
            good[HEADER..].to_vec(),
            flipped(0),
            flipped(20),
            flipped(50),
            flipped(HEADER + 100),
            [&good[..], b"more"].concat(),
        ];
        for bytes in bad {
            fs::write(&path, bytes).unwrap();
            assert!(matches!(read(&path, &key(&engine, EMPTY)), Err(Unusable::Discarded(_))));
            cache.load(&engine, EMPTY, "k").unwrap();
            assert_eq!(fs::read(&path).unwrap(), good);
        }
    }

    #[test]
    fn another_configuration_has_another_key() {
        let mut config = wasmtime::Config::new();
        config.epoch_interruption(true);
        let other = Engine::new(&config).unwrap();
        assert_ne!(key(&Engine::default(), EMPTY), key(&other, EMPTY));
        assert_eq!(key(&Engine::default(), EMPTY), key(&Engine::default(), EMPTY));
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_is_not_trusted() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let engine = Engine::default();
        cache.load(&engine, EMPTY, "k").unwrap();
        let path = one_file(&cache.folder);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let Err(Unusable::Discarded(reason)) = read(&path, &key(&engine, EMPTY)) else { panic!() };
        assert_eq!(reason, "others may write it");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(matches!(read(&path, &key(&engine, EMPTY)), Err(Unusable::Discarded(_))));
        fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Cache::open(&cache.folder).is_err());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_later() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let engine = Engine::default();
        let left = cache.folder.join("dead.1.0.tmp");
        let fresh = cache.folder.join("alive.2.0.tmp");
        fs::write(&left, b"half").unwrap();
        fs::write(&fresh, b"half").unwrap();
        let file = File::options().write(true).open(&left).unwrap();
        file.set_modified(file.metadata().unwrap().modified().unwrap() - 2 * STALE).unwrap();
        cache.load(&engine, EMPTY, "k").unwrap();
        assert!(!left.exists() && fresh.exists());
    }
}
