//! The checks, checked: what keeps every rule passes, and what breaks one is told by exactly that one.

mod command;
mod connector;
mod docs;
