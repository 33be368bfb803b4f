//! Any text as a schema gives TypeScript of bounded size.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codemode_runtime::fuzz::fuzz_schema(data));
