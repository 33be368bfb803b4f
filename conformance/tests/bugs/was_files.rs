//! Files that are no components, and compiled code that cannot be trusted.

use std::path::{Path, PathBuf};

use codemode_conformance::harness::{Host, result_of};
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::host::{Engine, EngineOptions};

use crate::kit::{Process, TESTKIT, given_folder, role, rounds, testkit};

fn cached(folder: &Path) -> Engine {
    let mut options = EngineOptions::default();
    (options.cache_dir, options.max_guests) = (Some(folder.to_owned()), 4);
    Engine::new(options).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

/// Uses the testkit of this cache in an execution.
async fn works(cache: &Path) {
    let host = Host::new().with("c", testkit(&cached(cache), "c"));
    let outcome = host.runtime().execute("async () => (await c.ok()).v").await.unwrap();
    assert_eq!(result_of(&outcome), "1");
}

/// Covers BUG-WAS-05.
#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_that_this_host_did_not_write_is_compiled_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&cache).await;
    let [file] = &files(&cache)[..] else { panic!("one file") };
    let good = std::fs::read(file).unwrap();
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    // Of another version, or for another machine: whatever the header says, it is not this host's.
    let mut foreign = good.clone();
    foreign[..16].copy_from_slice(b"codemode-cwasm-0");
    let bad: Vec<(&str, Vec<u8>)> = vec![
        ("another version", foreign),
        ("another key", flipped(20)),
        ("another digest", flipped(60)),
        ("a flipped byte in the middle", flipped(good.len() / 2)),
        ("a flipped byte at the end", flipped(good.len() - 1)),
        ("truncated", good[..good.len() / 2].to_vec()),
        ("truncated by one byte", good[..good.len() - 1].to_vec()),
        ("longer", [&good[..], b"x"].concat()),
        ("empty", Vec::new()),
        ("the component itself", std::fs::read(TESTKIT).unwrap()),
        ("text", b"#!/bin/sh\n".to_vec()),
    ];
    for (what, bytes) in bad {
        std::fs::write(file, bytes).unwrap();
        works(&cache).await;
        assert!(std::fs::read(file).unwrap() == good, "{what}: it was not mended");
    }
    // The right bytes in a file that anybody may change.
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666)).unwrap();
    works(&cache).await;
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o022, 0, "it was written anew, for its owner only");
    // A link to somewhere else, and a folder in its place.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(file, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file).unwrap();
    works(&cache).await;
    assert!(std::fs::read(&elsewhere).unwrap() == good, "what the link points to was not touched");
    std::fs::remove_file(file).unwrap();
    std::fs::create_dir(file).unwrap();
    works(&cache).await;
}

/// Covers BUG-WAS-09.
#[test]
fn processes_that_start_at_once_share_an_empty_cache() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let child = Process::playing("was_files::as_a_child_that_loads", "loads");
        child.with("CODEMODE_FOLDER", folder.path()).start()
    };
    let (all, doomed) = (rounds(20, 6), rounds(5, 2));
    let mut children: Vec<_> = (0..all).map(|_| start()).collect();
    for child in &mut children[..doomed] {
        // At some moment while they start; which one does not matter.
        std::thread::sleep(std::time::Duration::from_millis(40));
        child.kill().unwrap();
    }
    let ended: Vec<_> = children.iter_mut().map(|c| c.wait().unwrap()).collect();
    assert!(ended[doomed..].iter().all(std::process::ExitStatus::success), "{ended:?}");
    let cache = folder.path().join("cache");
    let complete: Vec<_> = files(&cache).into_iter().filter(|f| f.extension().is_some_and(|e| e == "cwasm")).collect();
    assert_eq!(complete.len(), 1, "{complete:?}");
    let before = std::fs::metadata(&complete[0]).unwrap().modified().unwrap();
    assert!(start().wait().unwrap().success());
    assert_eq!(std::fs::metadata(&complete[0]).unwrap().modified().unwrap(), before, "the next start uses it");
}

#[tokio::test(flavor = "multi_thread")]
async fn as_a_child_that_loads() {
    if role().is_some() {
        works(&given_folder().join("cache")).await;
    }
}

/// Covers BUG-WAS-11.
#[test]
fn files_that_are_no_components_are_refused_by_name_and_kind() {
    let engine = codemode_conformance::harness::engine();
    let good = std::fs::read(TESTKIT).unwrap();
    // A core module with an import and an export, as a preview 1 command has them.
    let command = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x22\x01\x16wasi_snapshot_preview1\x07fd_seek\0\0\x03\x02\x01\0\x07\x0a\x01\x06_start\0\x01\x0a\x04\x01\x02\0\x0b";
    let cases: [(&str, Vec<u8>, &[&str]); 12] = [
        ("core.wasm", b"\0asm\x01\0\0\0".to_vec(), &["core WebAssembly module"]),
        ("command.wasm", command.to_vec(), &["WASI preview 1 command", "core module"]),
        ("text.wat", b"(component)".to_vec(), &["WebAssembly text"]),
        ("text2.wat", b"\n  (module (func))".to_vec(), &["WebAssembly text"]),
        ("future.wasm", b"\0asm\x63\0\x01\0".to_vec(), &["binary version 99"]),
        ("empty.wasm", Vec::new(), &["0 bytes"]),
        ("huge.wasm", vec![0; 300 << 20], &["300 MiB"]),
        ("code.js", b"export const describe = () => 1;".to_vec(), &["source text"]),
        ("half.wasm", good[..good.len() / 2].to_vec(), &["not a valid component"]),
        ("elf.wasm", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(), &["not a component"]),
        ("zip.wasm", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec(), &["not a component"]),
        ("three.wasm", b"\0as".to_vec(), &["not a component"]),
    ];
    for (label, bytes, words) in cases {
        let refused = ComponentConnector::load(engine, &bytes, ComponentOptions::new(label)).unwrap_err().to_string();
        assert!(refused.starts_with(label), "{refused}");
        assert!(words.iter().all(|w| refused.contains(w)), "{label}: {refused}");
    }
    // Every single bit of the head, flipped, and every cut: a refusal or a component, never a panic.
    for at in 0..512 {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        let _ = engine.inspect(&bytes[..bytes.len().min(4_096)], "flipped");
        let _ = engine.inspect(&good[..at], "cut");
    }
}
