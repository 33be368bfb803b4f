//! The checks, checked: what keeps every rule passes, and what breaks one is told by exactly that one.

mod cases;
mod command;
mod connector;
mod docs;
mod executor;
mod generate;
mod host;
mod rogues;
mod web;
