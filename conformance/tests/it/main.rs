//! What the whole runtime does, over real parts.

#[path = "../properties/mod.rs"]
mod cases;
mod coverage;
mod endings;
mod hostile;
mod killed;
mod laws;
mod properties;
mod replay;
mod snapshots;
