//! What models send, run by the real sandbox: which text runs as which function, and which is refused with what advice.

mod answers;
mod kit;
mod languages;
mod positions;
mod public;
mod refused;
mod snippets;
mod values;
