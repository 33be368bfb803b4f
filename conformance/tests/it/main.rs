//! What the whole runtime does, over real parts.

mod coverage;
mod endings;
mod hostile;
mod killed;
mod properties;
mod replay;
mod snapshots;
