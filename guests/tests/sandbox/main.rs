//! The executor component as the host sees it: the real component under a scripted `dispatch`.

mod host;

mod calls;
mod codec;
mod console;
mod errors;
mod globals;
mod hostile;
mod loading;
mod snippets;
mod steps;
mod timers;
