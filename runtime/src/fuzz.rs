//! What must hold of every input, for the fuzzers in `fuzz/`. Each function takes any bytes and panics when it does not
//! hold; tests run it over the committed corpus.

pub use crate::discovery::declarations::fuzz::fuzz_schema;
pub use crate::discovery::fuzz::fuzz_search;
pub use crate::durable::value::fuzz::fuzz_values;
pub use crate::normalize::fuzz::fuzz_normalize;

#[cfg(test)]
mod corpus;
