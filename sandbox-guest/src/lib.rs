//! The JavaScript executor component: QuickJS behind the `executor` world.
//!
//! It exists so that model-written code runs where nothing can be reached but what the host hands in: the built
//! component imports `dispatch` and nothing else, has no clock and no randomness of its own, and is thrown away after
//! one run. Everything that talks to the host is a native function ([`namespace`], [`codemode`], [`timers`]); the
//! prelude in JavaScript holds pure helpers only.
//!
//! [`engine`] is initialised before the component is shipped and frozen into a snapshot, so a fresh instance starts
//! with the engine and the prelude already in memory. What must differ per run (clock, random stream, connectors) is
//! set at the start of [`run`].

mod asks;
mod builtins;
mod clock;
mod clone;
mod codec;
mod codemode;
mod console;
mod crypto;
mod engine;
mod errors;
mod intrinsics;
mod js;
mod memory;
mod namespace;
mod random;
mod rejections;
mod run;
mod snippets;
mod state;
mod steps;
mod text;
mod timers;
mod url;

/// The generated side of the contract; nothing else in this crate is generated.
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "executor" });
}

struct Sandbox;

impl bindings::exports::codemode::component::sandbox::Guest for Sandbox {
    fn run(
        request: bindings::exports::codemode::component::sandbox::Request,
    ) -> Result<Option<String>, bindings::exports::codemode::component::sandbox::CodeError> {
        run::run(request)
    }
}

bindings::export!(Sandbox with_types_in bindings);

/// Run once when the component is built: everything that this leaves in memory becomes part of the snapshot.
#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    engine::with(|_| ());
}
