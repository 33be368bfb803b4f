//! What finding out costs: ten thousand methods, loaded, searched and described by a host; two megabytes of schemas of
//! one large API, declared.

use std::sync::Arc;

use codemode_conformance::catalogues::{Tool, names, openapi};
use codemode_conformance::harness::Host;
use codemode_runtime::Runtime;
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::discovery::declarations::{Declared, Sizes, declare};
use codemode_runtime::store::memory::MemoryStore;
use divan::Bencher;
use serde_json::json;

fn main() {
    divan::main();
}

/// One of twenty connectors with five hundred methods each.
fn service(number: usize) -> Native {
    names(number).fold(Native::new("service"), |native, (name, text)| {
        let schema =
            format!(r#"{{"type":"object","properties":{{"{name}":{{"type":"string","description":"Which"}}}}}}"#);
        let method = Method { description: Some(text), input_schema: Some(schema), ..Method::read(name) };
        native.method(method, |_, _| async { Ok(json!(1)) })
    })
}

fn services() -> Runtime {
    let host = (0..20).fold(Host::bare(Arc::new(MemoryStore::new())), |host, number| {
        host.with(&format!("service{number}"), Arc::new(service(number)))
    });
    host.runtime()
}

/// The same with services that were searched once.
fn ready() -> (tokio::runtime::Runtime, Runtime) {
    let (tokio, runtime) = (tokio(), services());
    tokio.block_on(runtime.search("issue")).expect("the host works");
    (tokio, runtime)
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a thread")
}

/// Connectors are asked and checked.
#[divan::bench]
fn load(bencher: Bencher<'_, '_>) {
    let tokio = tokio();
    let described = |runtime: Runtime| tokio.block_on(runtime.describe("service3.nothing")).expect("the host works");
    bencher.with_inputs(services).bench_local_values(described);
}

/// The same, and the index is made.
#[divan::bench]
fn first_search(bencher: Bencher<'_, '_>) {
    let tokio = tokio();
    let found = |runtime: Runtime| tokio.block_on(runtime.search("create issue")).expect("the host works").total;
    bencher.with_inputs(services).bench_local_values(found);
}

#[divan::bench(args = ["create issue", "service3.get_branch_3", "the account details of one user", "e", "zzz", "🚀"])]
fn search(bencher: Bencher<'_, '_>, query: &str) {
    let (tokio, runtime) = ready();
    bencher.bench_local(|| tokio.block_on(runtime.search(query)).expect("the host works").total);
}

#[divan::bench(args = ["service3.get_branch_3", "get_branch_3", "service3", "service3.get_brnch_3"])]
fn describe(bencher: Bencher<'_, '_>, target: &str) {
    let (tokio, runtime) = ready();
    bencher.bench_local(|| tokio.block_on(runtime.describe(target)).expect("the host works").types.len());
}

fn declared(tool: &Tool) -> Declared<'_> {
    let Tool { name, description, input, output } = tool;
    Declared {
        name,
        title: name,
        description: Some(description),
        input: Some(input),
        output: Some(output),
        remarks: &[],
    }
}

/// All declarations of the large API, then as many as a description may have.
#[divan::bench(args = [10_000_000, 100_000])]
fn declarations(bencher: Bencher<'_, '_>, block: usize) {
    let tools = openapi();
    let tools: Vec<Declared<'_>> = tools.iter().map(declared).collect();
    bencher.bench_local(|| declare("api", &tools, Sizes { declaration: 20_000, block }).len());
}
