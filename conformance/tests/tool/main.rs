//! The tool that a model is given, over real parts: what it says of itself, what it takes and gives, the mode that keeps
//! nothing, and the whole handle that a host has.

mod code_tool;
mod code_tool_failures;
mod description;
mod host_api;
mod kit;
mod outcomes;
mod providers;
