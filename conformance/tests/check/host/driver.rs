//! Components that drive a runtime: which are let in, what bounds them, what they print and how they end.

use std::sync::Arc;

use codemode_conformance::check::host::{LEDGER, component, ledger};
use codemode_conformance::harness::{engine, executor};
use codemode_runtime::Runtime;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::control::{ComponentDriver, DriveOptions, Driven, End, MAX_ARGUMENT_BYTES};
use codemode_runtime::host::LoadError;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Engine, EngineOptions};

/// A runtime with the ledger.
pub(super) fn runtime(engine: &Engine) -> Runtime {
    let connector = ComponentConnector::load(engine, ledger(), ComponentOptions::new(LEDGER)).unwrap();
    let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor());
    builder.connector(LEDGER, Arc::new(connector)).build().unwrap()
}

/// Runs the checks as a component, for one rule.
fn driven(change: impl FnOnce(&mut DriveOptions)) -> Driven {
    let driver = ComponentDriver::load(engine(), component(), "host-check").unwrap();
    let mut options = DriveOptions::default();
    options.arguments = ["--rule", "HOST-RUN-01"].map(str::to_owned).into();
    change(&mut options);
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    threads.block_on(driver.drive(&runtime(engine()), options))
}

#[track_caller]
fn stopped(driven: &Driven) -> &str {
    match &driven.end {
        End::Stopped(reason) => reason,
        other => panic!("it was not stopped: {other:?}"),
    }
}

#[test]
fn it_prints_what_it_found_and_says_whether_all_is_well() {
    let well = driven(|_| {});
    assert_eq!((&well.end, well.stderr.text.as_str()), (&End::Success, ""));
    assert_eq!(well.stdout.text, "{\"rule\":\"HOST-RUN-01\",\"verdict\":\"pass\",\"cases\":1}\n");
    let wrong = driven(|options| options.arguments = vec!["--what".to_owned(), "1".to_owned()]);
    assert_eq!((&wrong.end, wrong.stdout.text.as_str()), (&End::Failure, ""));
    assert!(wrong.stderr.text.contains("there is no option --what"), "{wrong:?}");
}

#[test]
fn output_is_kept_up_to_its_limit_and_counted_beyond() {
    let all = driven(|_| {}).stdout.text;
    let fits = driven(|options| options.output_bytes = all.len()).stdout;
    assert_eq!((fits.text.as_str(), fits.dropped_bytes), (all.as_str(), 0));
    let cut = driven(|options| options.output_bytes = all.len() - 1);
    assert_eq!((cut.stdout.text.as_str(), cut.stdout.dropped_bytes), (&all[..all.len() - 1], 1));
    assert_eq!(cut.end, End::Success, "a driver does not fail because it talks too much");
}

#[test]
fn arguments_time_computing_and_memory_are_bounded_by_name() {
    let padded = |bytes: usize| {
        let driven = driven(|options| options.arguments = vec!["-".repeat(bytes)]);
        (driven.end, driven.stderr.text.len())
    };
    assert_eq!(padded(MAX_ARGUMENT_BYTES).0, End::Failure, "it was run, and does not know such an option");
    let over = padded(MAX_ARGUMENT_BYTES + 1);
    assert!(matches!(&over.0, End::Stopped(reason) if reason.contains("limit `driver arguments` of 65536 bytes")));
    // All rules: more than a millisecond's work.
    let late = driven(|options| (options.arguments, options.time_ms) = (Vec::new(), 1));
    assert!(stopped(&late).contains("limit `driver time` of 1 ms"), "{late:?}");
    let busy = driven(|options| (options.arguments, options.cpu_ms) = (Vec::new(), 1));
    assert!(stopped(&busy).contains("limit `driver cpu` of 1 ms"), "{busy:?}");
    let large = driven(|options| options.memory_bytes = 64 << 10);
    assert!(stopped(&large).contains("limit `driver memory` of 65536 bytes"), "{large:?}");
}

#[test]
fn what_is_no_driver_or_wants_more_is_refused_before_it_runs() {
    let refused = ComponentDriver::load(engine(), ledger(), "ledger.wasm").unwrap_err();
    assert_eq!(refused.code(), "component_wrong_kind");
    assert!(refused.to_string().contains("ledger.wasm is no driver"), "{refused}");
    for (import, hint) in [("x:y/z", "and nothing else"), ("codemode:component/state@0.1.0", "and nothing else")] {
        let LoadError::Imports { offences, .. } =
            ComponentDriver::load(engine(), &command(import), "greedy.wasm").unwrap_err()
        else {
            panic!("{import} was let in")
        };
        assert_eq!(offences.len(), 1, "{offences:?}");
        assert!(offences[0].import.starts_with(import) && offences[0].hint.contains(hint), "{offences:?}");
    }
    assert!(ComponentDriver::load(engine(), &command("codemode:component/control@0.1.0"), "good.wasm").is_ok());
}

#[test]
fn a_driver_takes_no_seat_of_what_it_waits_for() {
    let mut options = EngineOptions::default();
    (options.cache_dir, options.max_guests) = (super::options().cache_dir, 1);
    let engine = Engine::new(options).unwrap();
    let driver = ComponentDriver::load(&engine, component(), "host-check").unwrap();
    let mut options = DriveOptions::default();
    options.arguments = ["--rule", "HOST-RUN-02"].map(str::to_owned).into();
    let executor = Arc::new(codemode_runtime::ComponentExecutor::bundled(&engine).unwrap());
    let connector = ComponentConnector::load(&engine, ledger(), ComponentOptions::new(LEDGER)).unwrap();
    let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor);
    let runtime = builder.connector(LEDGER, Arc::new(connector)).build().unwrap();
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let both = threads.block_on(async {
        tokio::join!(driver.drive(&runtime, options.clone()), driver.drive(&runtime, options.clone()))
    });
    assert_eq!((both.0.end, both.1.end), (End::Success, End::Success));
}

/// A command that imports an interface.
fn command(import: &str) -> Vec<u8> {
    use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
    use wit_parser::{ManglingAndAbi, Resolve};
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit")).unwrap();
    resolve.push_str("run.wit", "package wasi:cli@0.2.0; interface run { run: func() -> result; }").unwrap();
    let text = format!(
        "package x:y; interface z {{ f: func(); }}
         world command {{ import {}; export wasi:cli/run@0.2.0; }}",
        import.strip_prefix("x:y/").unwrap_or(import)
    );
    let package = resolve.push_str("command.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("command")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}
