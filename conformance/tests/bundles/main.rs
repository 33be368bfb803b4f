//! The portable record: what is exported replays offline, what was written by released versions still does, and what is
//! not as it was written is refused.

#[path = "../properties/mod.rs"]
mod cases;
mod edited;
mod kit;
mod random;
mod stored;
mod stories;
