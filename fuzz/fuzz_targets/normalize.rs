//! Any text becomes a function that stays as it is, or is refused with a place in the text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codemode_runtime::fuzz::fuzz_normalize(data));
