//! A second executor component: Boa, a JavaScript engine in Rust, behind the `executor` world.
//!
//! It exists so that the checks of executors are not fitted to the one that ships, and as an example for whoever brings
//! another engine. It is made differently on purpose: no snapshot, and what the code sees (values, namespaces, steps,
//! timers, console) is JavaScript over the few native functions of [`native`].

mod clock;
mod encode;
mod engine;
mod json;
mod native;
mod random;
mod run;
mod text;
mod web;

/// The generated side of the contract; nothing else in this crate is generated.
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "executor" });
}

use bindings::exports::codemode::component::sandbox::{CodeError, Guest, Request};

struct Sandbox;

impl Guest for Sandbox {
    fn run(request: Request) -> Result<Option<String>, CodeError> {
        run::run(&request)
    }
}

bindings::export!(Sandbox with_types_in bindings);
