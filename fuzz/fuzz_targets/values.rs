//! Any text as a value is refused, or is in normal form and survives every round trip.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codemode_runtime::fuzz::fuzz_values(data));
