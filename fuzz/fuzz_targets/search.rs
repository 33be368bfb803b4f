//! Any catalogue, query and target gives an ordered answer of bounded size.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codemode_runtime::fuzz::fuzz_search(data));
