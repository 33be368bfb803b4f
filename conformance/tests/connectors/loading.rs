//! Which files are let in, and what the compile cache does with what it finds.

use std::path::Path;
use std::process::{Child, Command};

use codemode_runtime::connector::Flag;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::host::{Engine, EngineOptions, Kind, LoadError};

use crate::kit::{NOTES, TESTKIT, a_call, bytes, call, engine, options};
use codemode_runtime::connector::Connector;

fn refusal(bytes: &[u8], label: &str) -> LoadError {
    ComponentConnector::load(engine(), bytes, ComponentOptions::new(label)).unwrap_err()
}

#[test]
fn each_wrong_file_is_refused_by_name() {
    let good = bytes(NOTES);
    let cases: [(&str, &[u8], &str, &str); 8] = [
        ("core.wasm", b"\0asm\x01\0\0\0", "not_a_component", "core WebAssembly module"),
        ("text.wat", b"(component)", "not_a_component", "WebAssembly text"),
        ("future.wasm", b"\0asm\x63\0\x01\0", "not_a_component", "binary version 99"),
        ("empty.wasm", b"", "component_empty", "0 bytes"),
        ("notes.js", b"export const describe = 1;", "not_a_component", "source text"),
        ("nothing.wasm", b"\0asm\x0d\0\x01\0", "component_wrong_kind", "it exports nothing"),
        ("cut.wasm", &good[..good.len() / 2], "component_invalid", "not a valid component"),
        ("junk.wasm", &[b"\0asm\x0d\0\x01\0", &[0xff; 100][..]].concat(), "component_invalid", "not a valid component"),
    ];
    for (label, bytes, code, what) in cases {
        let refused = refusal(bytes, label);
        assert_eq!(refused.code(), code, "{refused}");
        assert!(refused.to_string().starts_with(label) && refused.to_string().contains(what), "{refused}");
    }
    let huge = refusal(&vec![0; 300 << 20], "huge.wasm");
    assert!(huge.to_string().contains("huge.wasm is 300 MiB"), "{huge}");
}

#[test]
fn an_inspection_lists_what_a_component_offers_and_asks_for() {
    let found = engine().inspect(&bytes(NOTES), "notes.wasm").unwrap();
    assert_eq!(found.kind, Kind::Connector);
    assert_eq!(found.exports, ["codemode:component/methods@0.1.0"]);
    assert!(found.imports.contains(&"codemode:component/state@0.1.0".to_owned()), "{found:?}");
    assert!(!found.imports.iter().any(|i| i.contains("types@0.1")), "only types: {found:?}");
    assert!(found.offending.is_empty(), "{found:?}");
}

#[test]
fn a_component_that_starts_over_the_memory_limit_names_the_setting() {
    let mut options = options("notes", &[]);
    options.limits.memory_bytes = 1 << 16;
    let refused = ComponentConnector::load(engine(), &bytes(NOTES), options).unwrap_err();
    assert_eq!(refused.code(), "component_too_demanding");
    assert!(refused.to_string().contains("raise `memory_bytes`"), "{refused}");
}

fn cached(folder: &Path) -> Engine {
    let mut options = EngineOptions::default();
    (options.cache_dir, options.max_guests) = (Some(folder.to_owned()), 4);
    Engine::new(options).unwrap()
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect()
}

#[tokio::test]
async fn damaged_cache_files_are_discarded_and_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let load =
        || ComponentConnector::load(&cached(&cache), &bytes(TESTKIT), options("kit", &[("fixture", "c")])).unwrap();
    assert_eq!(call(&load(), "ok", None).await.unwrap().as_deref(), Some(r#"{"v":1}"#));
    let [file] = &files(&cache)[..] else { panic!("one file") };
    let good = std::fs::read(file).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x10;
    for bad in [Vec::new(), flipped, good[..good.len() / 2].to_vec(), bytes(NOTES)] {
        std::fs::write(file, bad).unwrap();
        assert_eq!(call(&load(), "ok", None).await.unwrap().as_deref(), Some(r#"{"v":1}"#));
        assert_eq!(std::fs::read(file).unwrap().len(), good.len());
    }
}

/// Runs one of the two tests below in a process of its own; without it they do nothing.
fn child(test: &str, shell: &str, cache: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$0\" --exact --quiet loading::{test}")])
        .arg(program)
        .env("CODEMODE_CHILD_CACHE", cache)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn loads_through_the_cache() {
    let Some(cache) = std::env::var_os("CODEMODE_CHILD_CACHE") else { return };
    let kit =
        ComponentConnector::load(&cached(Path::new(&cache)), &bytes(TESTKIT), options("kit", &[("fixture", "c")]));
    assert_eq!(call(&kit.unwrap(), "ok", None).await.unwrap().as_deref(), Some(r#"{"v":1}"#));
}

#[tokio::test]
async fn runs_without_a_pool() {
    if std::env::var_os("CODEMODE_CHILD_CACHE").is_none() {
        return;
    }
    let mut options = EngineOptions::default();
    options.max_guests = 100_000;
    let engine = Engine::new(options).unwrap();
    assert_eq!(engine.effective().pooled, Flag::No);
    assert!(engine.effective().max_guests < 100);
    let kit = ComponentConnector::load(&engine, &bytes(TESTKIT), crate::kit::options("kit", &[])).unwrap();
    assert_eq!(call(&kit, "echo", Some("1")).await.unwrap().as_deref(), Some("1"));
    // Without a pool each growth moves the memory, at the low priority of guests: on a busy machine that takes long.
    let bomb = kit.call(a_call("bomb", None, 120_000)).await.unwrap_err();
    assert!(bomb.message.contains("connector memory"), "{}", bomb.message);
}

#[cfg(unix)]
#[test]
fn processes_that_start_at_once_share_a_cache_even_when_some_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let mut all: Vec<_> = (0..6).map(|_| child("loads_through_the_cache", "", &cache)).collect();
    for doomed in &mut all[..2] {
        std::thread::sleep(std::time::Duration::from_millis(60));
        doomed.kill().unwrap();
    }
    let ended: Vec<_> = all.iter_mut().map(|c| c.wait().unwrap()).collect();
    assert!(ended[2..].iter().all(|s| s.success()), "{ended:?}");
    let complete: Vec<_> = files(&cache).into_iter().filter(|f| f.extension().is_some_and(|e| e == "cwasm")).collect();
    assert_eq!(complete.len(), 1, "{complete:?}");
    let before = std::fs::metadata(&complete[0]).unwrap().modified().unwrap();
    assert!(child("loads_through_the_cache", "", &cache).wait().unwrap().success());
    assert_eq!(std::fs::metadata(&complete[0]).unwrap().modified().unwrap(), before, "the next start uses it");
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_address_space_gives_an_engine_without_a_pool() {
    let folder = tempfile::tempdir().unwrap();
    let ended = child("runs_without_a_pool", "ulimit -v 4194304;", folder.path()).wait().unwrap();
    assert!(ended.success(), "{ended:?}");
}

#[test]
fn absurd_numbers_of_guests_start_with_what_there_is() {
    let mut options = EngineOptions::default();
    (options.max_guests, options.guest_threads) = (100_000, 100_000);
    let effective = Engine::new(options).unwrap().effective();
    assert!(effective.max_guests <= 2_000 && effective.guest_threads <= 256, "{effective:?}");
}
