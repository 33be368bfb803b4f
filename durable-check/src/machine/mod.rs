//! The replay machine with code, world, store and people that are nothing but data: thousands of lives in a second.

mod guest;
mod kept;
mod laws;
mod life;
mod program;
mod run;
