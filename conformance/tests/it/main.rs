//! What the whole runtime does, over real parts.

mod coverage;

mod properties;
mod replay;
mod snapshots;
