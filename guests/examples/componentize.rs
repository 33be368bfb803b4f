//! Makes a component of a core module that carries its component type, as `wit-bindgen` leaves it there:
//! `cargo run --example componentize -- MODULE COMPONENT`. Executors need it: what is built for `wasm32-wasip2` is a
//! component already, and imports WASI, which an executor may not.

use std::error::Error;

use wit_component::ComponentEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(module), Some(component), None) = (args.next(), args.next(), args.next()) else {
        return Err("two arguments are needed: the module to read, and the component to write".into());
    };
    let module = std::fs::read(&module).map_err(|error| format!("{} cannot be read: {error}", module.display()))?;
    let made = ComponentEncoder::default().validate(true).module(&module).and_then(|encoder| encoder.encode());
    let made = made.map_err(|error| format!("no component can be made of it: {error:#}"))?;
    Ok(std::fs::write(component, made)?)
}
