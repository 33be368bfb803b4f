//! The engine's allocator. It is the C library's `malloc` with one addition: it remembers that memory ran out, because
//! the engine then often throws `null` instead of an error, and `throw null` is something the code can write too.

use std::cell::Cell;
use std::ffi::c_void;

use rquickjs::allocator::Allocator;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(ptr: *mut c_void, size: usize) -> *mut c_void;
    fn free(ptr: *mut c_void);
    fn malloc_usable_size(ptr: *mut c_void) -> usize;
}

thread_local! {
    static RAN_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Whether an allocation failed since the last time this was asked.
pub fn take_ran_out() -> bool {
    RAN_OUT.take()
}

pub struct Malloc;

fn checked(ptr: *mut c_void, size: usize) -> *mut u8 {
    if ptr.is_null() && size != 0 {
        RAN_OUT.set(true);
    }
    ptr.cast()
}

// SAFETY: each function hands on to the C allocator, which fulfils the contract.
unsafe impl Allocator for Malloc {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        checked(unsafe { malloc(size) }, size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        checked(unsafe { calloc(count, size) }, count.saturating_mul(size))
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        unsafe { free(ptr.cast()) }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, size: usize) -> *mut u8 {
        checked(unsafe { realloc(ptr.cast(), size) }, size)
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        unsafe { malloc_usable_size(ptr.cast()) }
    }
}
