//! Components of wrong and of unusual shape, written as text, on the real configuration.

use wasmtime::Store;
use wasmtime::component::{Component, Linker};

use super::inspect::{Capability, Inspection, Kind};
use super::limits::Meter;
use super::{Engine, EngineOptions, LoadError};
use crate::connector::Flag;

fn engine(max_guests: u32) -> Engine {
    Engine::new(EngineOptions { max_guests, ..EngineOptions::default() }).unwrap()
}

fn inspect(text: &str) -> Inspection {
    Inspection::of(&Component::new(engine(1).wasm(), text).unwrap())
}

const METHODS: &str = r#"
    (component $inner (type $t (func)) (core module $m (func (export "f"))) (core instance $i (instantiate $m))
        (func (export "describe") (canon lift (core func $i "f"))))
    (instance $methods (instantiate $inner))
    (export "codemode:component/methods@0.1.4" (instance $methods))"#;

#[test]
fn every_offending_import_is_listed_before_anything_runs() {
    let found = inspect(&format!(
        r#"(component
            (import "wasi:cli/environment@0.2.6" (instance (export "f" (func))))
            (import "wasi:http/outgoing-handler@0.2.3" (instance (export "f" (func))))
            (import "acme:db/sql" (instance (export "f" (func))))
            (type $u u32)
            (import "acme:types/t" (instance (export "x" (type (eq $u)))))
            (import "plain" (func))
            {METHODS})"#
    ));
    assert_eq!(found.kind, Kind::Connector);
    let Err(LoadError::Imports { offences, .. }) = found.admit_connector("k.wasm", &[]) else { panic!("admitted") };
    let names: Vec<_> = offences.iter().map(|o| o.import.as_str()).collect();
    assert_eq!(names, ["wasi:http/outgoing-handler@0.2.3", "acme:db/sql", "plain"]);
    assert!(!found.imports.iter().any(|i| i == "acme:types/t"), "only types: {:?}", found.imports);
    let text = found.admit_connector("k.wasm", &[]).unwrap_err().to_string();
    assert!(text.starts_with("k.wasm imports what it was not granted:\n  wasi:http"), "{text}");
}

#[test]
fn a_grant_of_http_lets_requests_out_and_nothing_else() {
    let with = |imports: &str| inspect(&format!("(component {imports} {METHODS})"));
    let import = |name: &str| format!(r#"(import "{name}" (instance (export "f" (func))))"#);
    let sends = with(&(import("wasi:http/types@0.2.0") + &import("wasi:http/outgoing-handler@0.2.3")));
    assert!(sends.sends_http() && sends.admit_connector("k", &[]).is_err());
    assert_eq!(sends.admit_connector("k", &[Capability::Http]), Ok(()));
    let types = with(&import("wasi:http/types@0.2.0"));
    assert!(!types.sends_http() && types.admit_connector("k", &[Capability::Http]).is_ok());
    let serves = with(&(import("wasi:http/types@0.2.0") + &import("wasi:http/incoming-handler@0.2.3")));
    let refused = serves.admit_connector("k", &[Capability::Http]).unwrap_err().to_string();
    assert!(refused.contains("incoming-handler") && !refused.contains("http/types"), "{refused}");
}

#[test]
fn components_of_another_kind_are_told_what_they_are() {
    let export = |name: &str| METHODS.replace("codemode:component/methods@0.1.4", name);
    let refuse =
        |body: &str| inspect(&format!("(component {body})")).admit_connector("k", &[]).unwrap_err().to_string();
    assert!(refuse("").contains("it exports nothing"));
    assert!(refuse(&export("wasi:cli/run@0.2.0")).contains("it is a command"));
    assert!(refuse(&export("codemode:component/sandbox@0.1.0")).contains("it is an executor"));
    assert!(refuse(&export("codemode:component/methods@0.2.0")).contains("version 0.2.0"));
    assert!(refuse(&export("acme:a/b")).contains("it exports acme:a/b"));
}

#[test]
fn an_executor_may_import_dispatch_and_nothing_else() {
    let sandbox = METHODS.replace("methods@0.1.4", "sandbox@0.1.0");
    let with = |imports: &str| inspect(&format!("(component {imports} {sandbox})")).admit_executor("js");
    assert_eq!(with(r#"(import "codemode:component/dispatch@0.1.0" (instance (export "next" (func))))"#), Ok(()));
    let clock = with(r#"(import "wasi:clocks/wall-clock@0.2.0" (instance (export "now" (func))))"#);
    assert!(clock.unwrap_err().to_string().contains("`dispatch` and nothing else"));
    assert!(inspect(&format!("(component {METHODS})")).admit_executor("js").is_err());
}

/// A component of `parts` nested ones, each with two core instances, a memory and three tables.
fn composed(parts: usize) -> String {
    let part = r#"
        (core module $libc (memory (export "m") 2) (table (export "t") 100 funcref))
        (core module $main (import "l" "m" (memory 1)) (table 2000 funcref) (table 20 funcref) (func (export "f")))
        (core instance $l (instantiate $libc))
        (core instance $m (instantiate $main (with "l" (instance $l))))
        (func (export "f") (canon lift (core func $m "f")))"#;
    let parts: String =
        (0..parts).map(|n| format!("(component $c{n} {part}) (instance $i{n} (instantiate $c{n}))")).collect();
    format!("(component {parts} (export \"f\" (func $i0 \"f\")))")
}

fn run(engine: &Engine, component: &Component) -> wasmtime::Result<()> {
    let linker: Linker<Meter> = Linker::new(engine.wasm());
    let mut store = Store::new(engine.wasm(), Meter::new("connector memory", 128 << 20));
    store.limiter(|meter| meter);
    let cpu = engine.cpu_meter("connector cpu", 1_000);
    cpu.watch(&mut store);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(cpu.run(async move {
        let instance = linker.instantiate_async(&mut store, component).await?;
        let f = instance.get_typed_func::<(), ()>(&mut store, "f")?;
        f.call_async(&mut store, ()).await
    }))
}

/// Covers BUG-WAS-07.
#[test]
fn composed_components_run_under_the_defaults() {
    let engine = engine(200);
    for parts in [3, 20] {
        let component = Component::new(engine.wasm(), composed(parts)).unwrap();
        let found = Inspection::of(&component);
        assert_eq!((found.memories, found.tables), (Some(parts as u32), Some(3 * parts as u32)));
        run(&engine, &component).unwrap();
    }
}

#[test]
fn a_component_with_more_parts_than_there_is_room_for_names_the_setting() {
    let small = engine(1);
    let component = Component::new(small.wasm(), composed(9)).unwrap();
    let refused = small.check_demand(&Inspection::of(&component), "big.wasm").unwrap_err();
    assert_eq!(refused.code(), "component_too_demanding");
    assert!(refused.to_string().contains("raise `max_guests`"), "{refused}");
}

#[test]
fn the_pool_gives_its_slots_back() {
    let engine = engine(1);
    assert_eq!(engine.effective().max_guests, 1);
    let component = Component::new(engine.wasm(), composed(1)).unwrap();
    for _ in 0..50 {
        run(&engine, &component).unwrap();
    }
    if engine.effective().pooled == Flag::Yes {
        assert!(engine.wasm().pooling_allocator_metrics().is_some_and(|m| m.component_instances() == 0));
    }
}
