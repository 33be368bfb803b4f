//! Snippets, discovery in the journal, and transforms, over real parts and both stores.

mod discovery;
mod kit;
mod replay;
mod running;
mod saving;
mod transform;
