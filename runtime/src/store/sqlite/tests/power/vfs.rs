//! Lets SQLite use a [`Disk`]: the functions that it calls, and their registration under a name.
#![expect(unsafe_code, reason = "SQLite calls its file systems through C functions and pointers; only tests do this")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use rusqlite::ffi;

use super::disk::{Deletion, Disk, Handle, Injury, Operation, Refusal, Writable};
use super::locks::{Granted, Hold, Level};

/// A disk under a name, for as long as this lives. Everything that was opened on it must be closed before.
#[derive(Debug)]
pub(super) struct Mounted {
    name: CString,
    disk: Arc<Disk>,
    /// From `Box::into_raw`, so that SQLite and this may both point at it.
    vfs: *mut ffi::sqlite3_vfs,
}

/// What SQLite keeps for each open file; it knows the size and the first field.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    open: *mut Open,
}

struct Open {
    disk: Arc<Disk>,
    handle: Handle,
}

impl Mounted {
    /// Registers the disk under a name of its own.
    pub(super) fn new(disk: Arc<Disk>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("codemode-test-disk-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let name = CString::new(name).expect("no NUL");
        let disk_at: *mut Arc<Disk> = Box::into_raw(Box::new(Arc::clone(&disk)));
        let vfs = Box::into_raw(Box::new(ffi::sqlite3_vfs {
            iVersion: 1,
            szOsFile: c_int::try_from(size_of::<File>()).expect("small"),
            mxPathname: 1_000,
            pNext: ptr::null_mut(),
            zName: name.as_ptr(),
            pAppData: disk_at.cast(),
            xOpen: Some(open),
            xDelete: Some(delete),
            xAccess: Some(access),
            xFullPathname: Some(full_path),
            xDlOpen: None,
            xDlError: None,
            xDlSym: None,
            xDlClose: None,
            xRandomness: Some(randomness),
            xSleep: Some(sleep),
            xCurrentTime: Some(current_time),
            xGetLastError: None,
            xCurrentTimeInt64: None,
            xSetSystemCall: None,
            xGetSystemCall: None,
            xNextSystemCall: None,
        }));
        // SAFETY: the structure and the name that it points at live until `drop`, which unregisters it first.
        let answer = unsafe { ffi::sqlite3_vfs_register(vfs, 0) };
        assert_eq!(answer, ffi::SQLITE_OK, "SQLite takes the file system");
        Self { name, disk, vfs }
    }

    /// The name that SQLite knows it by.
    pub(super) fn name(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }

    /// The disk behind it.
    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.disk.open_files() > 0 {
            // Somebody still points at it. A test that got here has failed or will now; the memory stays.
            assert!(std::thread::panicking(), "files are open on {:?}", self.name);
            return;
        }
        // SAFETY: both pointers came from `Box::into_raw` in `new`, and nothing is open that could use them.
        unsafe {
            ffi::sqlite3_vfs_unregister(self.vfs);
            let vfs = Box::from_raw(self.vfs);
            drop(Box::from_raw(vfs.pAppData.cast::<Arc<Disk>>()));
        }
    }
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The disk of a registration.
///
/// # Safety
/// `vfs` must be one that [`Mounted::new`] registered and that is not dropped yet.
unsafe fn disk<'a>(vfs: *mut ffi::sqlite3_vfs) -> &'a Arc<Disk> {
    // SAFETY: `new` put a pointer to an `Arc<Disk>` there.
    unsafe { &*(*vfs).pAppData.cast::<Arc<Disk>>() }
}

/// What [`open`] put into a file.
///
/// # Safety
/// `file` must have been opened by [`open`] and not been closed.
unsafe fn opened<'a>(file: *mut ffi::sqlite3_file) -> &'a Open {
    // SAFETY: `open` made it of this size and put a pointer from `Box::into_raw` there.
    unsafe { &*(*file.cast::<File>()).open }
}

/// The last part of a path: where a store lies does not matter to a disk.
///
/// # Safety
/// `name` must be a C string.
unsafe fn file_name<'a>(name: *const c_char) -> &'a str {
    // SAFETY: by contract.
    let path = unsafe { CStr::from_ptr(name) }.to_str().expect("paths of tests are text");
    path.rsplit('/').next().unwrap_or(path)
}

/// The code of an outcome; `error` is what an operation of that kind says when the device is broken.
fn code(outcome: Result<(), Refusal>, error: c_int) -> c_int {
    match outcome {
        Ok(()) => ffi::SQLITE_OK,
        Err(Refusal::Hurt(Injury::Broken)) => error,
        Err(Refusal::Hurt(Injury::Full)) => ffi::SQLITE_FULL,
        Err(Refusal::Short) => ffi::SQLITE_IOERR_SHORT_READ,
        Err(Refusal::Missing) => ffi::SQLITE_CANTOPEN,
    }
}

fn place(number: ffi::sqlite3_int64) -> usize {
    usize::try_from(number).expect("no place is negative")
}

fn length(number: c_int) -> usize {
    usize::try_from(number).expect("no length is negative")
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite hands memory of `szOsFile` bytes, a C string or nothing, and a place for flags or nothing.
    unsafe {
        (*file).pMethods = ptr::null();
        let disk = disk(vfs);
        let name = (!name.is_null()).then(|| file_name(name));
        let create = if flags & ffi::SQLITE_OPEN_CREATE == 0 { Writable::No } else { Writable::Yes };
        let (handle, writable) = match disk.open(name, create) {
            Ok(opened) => opened,
            Err(refusal) => return code(Err(refusal), ffi::SQLITE_CANTOPEN),
        };
        let opened = Box::new(Open { disk: Arc::clone(disk), handle });
        file.cast::<File>()
            .write(File { base: ffi::sqlite3_file { pMethods: &raw const METHODS }, open: Box::into_raw(opened) });
        if !out.is_null() {
            let read_only =
                (flags & !(ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE)) | ffi::SQLITE_OPEN_READONLY;
            *out = if writable == Writable::Yes { flags } else { read_only };
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: SQLite closes each file once; `open` made the pointer.
    let opened = unsafe { Box::from_raw((*file.cast::<File>()).open) };
    opened.disk.shared(&opened.handle, |shared| shared.leave(opened.handle.number));
    opened.disk.close(&opened.handle);
    ffi::SQLITE_OK
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, to: *mut c_void, count: c_int, at: i64) -> c_int {
    // SAFETY: SQLite hands an open file, and a buffer of that length that nobody else uses now.
    let (opened, to) = unsafe { (opened(file), slice::from_raw_parts_mut(to.cast::<u8>(), length(count))) };
    code(opened.disk.read(&opened.handle, to, place(at)), ffi::SQLITE_IOERR_READ)
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, bytes: *const c_void, count: c_int, at: i64) -> c_int {
    // SAFETY: SQLite hands an open file, and that many bytes.
    let (opened, bytes) = unsafe { (opened(file), slice::from_raw_parts(bytes.cast::<u8>(), length(count))) };
    code(opened.disk.write(&opened.handle, bytes, place(at)), ffi::SQLITE_IOERR_WRITE)
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, to: i64) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    code(opened.disk.cut(&opened.handle, place(to)), ffi::SQLITE_IOERR_TRUNCATE)
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _flags: c_int) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    code(opened.disk.sync(&opened.handle), ffi::SQLITE_IOERR_FSYNC)
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    // SAFETY: SQLite hands an open file and a place for the answer.
    unsafe {
        let opened = opened(file);
        let size = opened.disk.size(&opened.handle);
        size.map_or_else(
            |refusal| code(Err(refusal), ffi::SQLITE_IOERR_FSTAT),
            |size| {
                *out = i64::try_from(size).expect("small");
                ffi::SQLITE_OK
            },
        )
    }
}

fn level(number: c_int) -> Level {
    match number {
        ffi::SQLITE_LOCK_NONE => Level::None,
        ffi::SQLITE_LOCK_SHARED => Level::Shared,
        ffi::SQLITE_LOCK_RESERVED => Level::Reserved,
        ffi::SQLITE_LOCK_PENDING => Level::Pending,
        _ => Level::Exclusive,
    }
}

fn granted(granted: Granted) -> c_int {
    if granted == Granted::Yes { ffi::SQLITE_OK } else { ffi::SQLITE_BUSY }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, to: c_int) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    if let Err(refusal) = opened.disk.strike(&opened.handle, Operation::Lock) {
        return code(Err(refusal), ffi::SQLITE_IOERR_LOCK);
    }
    granted(opened.disk.locks(&opened.handle, |locks| locks.raise(opened.handle.number, level(to))))
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, to: c_int) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    opened.disk.locks(&opened.handle, |locks| locks.set(opened.handle.number, level(to)));
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_reserved(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: SQLite hands an open file and a place for the answer.
    unsafe {
        let opened = opened(file);
        *out = c_int::from(opened.disk.locks(&opened.handle, |locks| locks.is_reserved()));
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(_file: *mut ffi::sqlite3_file, _op: c_int, _arg: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_file: *mut ffi::sqlite3_file) -> c_int {
    // What SQLite takes for every file on the systems that it knows.
    4_096
}

unsafe extern "C" fn characteristics(_file: *mut ffi::sqlite3_file) -> c_int {
    // As on the systems that it knows: bytes beside those that are written are never lost.
    ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    number: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite hands an open file and a place for the answer. The memory lives until the last of those that asked
    // for it leaves, and is made of atomics, so that several may write to it.
    unsafe {
        *out = ptr::null_mut();
        let opened = opened(file);
        if let Err(refusal) = opened.disk.strike(&opened.handle, Operation::Map) {
            return code(Err(refusal), ffi::SQLITE_IOERR_SHMMAP);
        }
        let make = if extend == 0 { Granted::No } else { Granted::Yes };
        let region = opened.disk.shared(&opened.handle, |shared| {
            shared.region(opened.handle.number, length(number), length(size), make).map(<*const AtomicU64>::cast_mut)
        });
        *out = region.map_or(ptr::null_mut(), <*mut AtomicU64>::cast);
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn shm_lock(file: *mut ffi::sqlite3_file, from: c_int, count: c_int, flags: c_int) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    let hold = if flags & ffi::SQLITE_SHM_SHARED == 0 { Hold::Exclusive } else { Hold::Shared };
    let (who, from, count) = (opened.handle.number, length(from), length(count));
    if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
        opened.disk.shared(&opened.handle, |shared| shared.release(who, from, count, hold));
        return ffi::SQLITE_OK;
    }
    if let Err(refusal) = opened.disk.strike(&opened.handle, Operation::Lock) {
        return code(Err(refusal), ffi::SQLITE_IOERR_SHMLOCK);
    }
    granted(opened.disk.shared(&opened.handle, |shared| shared.hold(who, from, count, hold)))
}

unsafe extern "C" fn shm_barrier(_file: *mut ffi::sqlite3_file) {
    fence(Ordering::SeqCst);
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, _delete: c_int) -> c_int {
    // SAFETY: SQLite hands an open file.
    let opened = unsafe { opened(file) };
    opened.disk.shared(&opened.handle, |shared| shared.leave(opened.handle.number));
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    let deletion = if sync_folder == 0 { Deletion::Later } else { Deletion::Durable };
    // SAFETY: SQLite hands a registration of ours and a C string.
    let outcome = unsafe { disk(vfs).delete(file_name(name), deletion) };
    if outcome == Err(Refusal::Missing) {
        ffi::SQLITE_IOERR_DELETE_NOENT
    } else {
        code(outcome, ffi::SQLITE_IOERR_DELETE)
    }
}

unsafe extern "C" fn access(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, _flags: c_int, out: *mut c_int) -> c_int {
    // SAFETY: SQLite hands a registration of ours, a C string and a place for the answer.
    unsafe {
        let exists = disk(vfs).exists(file_name(name));
        *out = c_int::from(exists == Ok(true));
        code(exists.map(drop), ffi::SQLITE_IOERR_ACCESS)
    }
}

unsafe extern "C" fn full_path(
    _vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite hands a C string and so much room for another.
    unsafe {
        let name = CStr::from_ptr(name).to_bytes_with_nul();
        if name.len() > length(room) {
            return ffi::SQLITE_CANTOPEN;
        }
        ptr::copy_nonoverlapping(name.as_ptr().cast(), out, name.len());
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn randomness(_vfs: *mut ffi::sqlite3_vfs, count: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite hands so much room.
    unsafe { slice::from_raw_parts_mut(out.cast::<u8>(), length(count)) }.fill(7);
    count
}

unsafe extern "C" fn sleep(_vfs: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    std::thread::sleep(Duration::from_micros(u64::try_from(microseconds).unwrap_or_default()));
    microseconds
}

unsafe extern "C" fn current_time(_vfs: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: SQLite hands a place for the answer. It writes it nowhere: any day will do.
    unsafe { *out = 2_460_000.5 };
    ffi::SQLITE_OK
}
