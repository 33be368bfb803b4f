//! `codemode.toml` in the hands of the command.

use crate::kit::Kit;

/// The connector that the command carries, as a file.
const NOTES: &[u8] = include_bytes!(env!("CODEMODE_NOTES_WASM_PATH"));

#[test]
fn the_manifest_of_the_folder_names_the_connectors() {
    let kit = Kit::new();
    std::fs::create_dir(kit.path("parts")).expect("a folder");
    kit.write("parts/notes.wasm", NOTES);
    kit.write("codemode.toml", "[runtime]\nname = \"home\"\n[connectors.jotter]\ncomponent = \"parts/notes.wasm\"\n");
    kit.write("a.js", "async () => await jotter.listNotes()");
    let ended = kit.run(&["run", "a.js"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "[]\n"), "{ended:?}");
    assert!(!ended.err.contains("bundled"), "{ended:?}");
    assert!(kit.path("data/codemode/home.db").exists(), "each runtime has a store of its name");
}

#[test]
fn an_execution_is_not_resumed_without_its_connectors() {
    let kit = Kit::new();
    kit.write("notes.wasm", NOTES).write("other.toml", "[connectors.jotter]\ncomponent = \"notes.wasm\"\n");
    kit.write("a.js", "async () => await jotter.createNote({ text: 'x' })");
    assert_eq!(kit.run(&["run", "a.js", "--manifest", "other.toml"]).code, 3);
    kit.run(&["approve", "last", "--yes"]).failed(4, "missing_connector");
    assert_eq!(kit.run(&["approve", "last", "--yes", "--manifest", "other.toml"]).code, 0);
}

#[test]
fn limits_of_the_manifest_hold() {
    let kit = Kit::new();
    kit.write("notes.wasm", NOTES);
    kit.write("codemode.toml", "[connectors.notes]\ncomponent = \"notes.wasm\"\n[limits]\ncalls = 2\n");
    kit.write("a.js", "async () => { for (let i = 0; i < 3; i++) await notes.listNotes() }");
    let failed = kit.run(&["run", "a.js"]);
    failed.failed(1, "limit");
    assert!(failed.err.contains("2 calls"), "{failed:?}");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let kit = Kit::new();
    kit.write("a.js", "async () => 1").write("codemode.toml", "[limits]\ncals = 2\n");
    let refused = kit.run(&["run", "a.js"]);
    refused.failed(2, "manifest");
    assert!(
        refused.err.contains("codemode.toml:2:1: unknown key `cals`") && refused.err.contains("did you mean `calls`?"),
        "{refused:?}"
    );
    kit.run(&["run", "a.js", "--manifest", "missing.toml"]).failed(2, "no_file");
    kit.write("codemode.toml", "[connectors.notes]\ncomponent = \"missing.wasm\"\n");
    kit.run(&["run", "a.js"]).failed(2, "no_file");
    kit.write("junk.wasm", "hello").write("codemode.toml", "[connectors.notes]\ncomponent = \"junk.wasm\"\n");
    kit.run(&["run", "a.js"]).failed(2, "not_a_component");
    kit.write("notes.wasm", NOTES).write("codemode.toml", "[connectors.my-notes]\ncomponent = \"notes.wasm\"\n");
    kit.run(&["run", "a.js"]).failed(2, "name");
}

#[test]
fn the_bundled_connector_passes_its_inspection() {
    let kit = Kit::new();
    kit.write("notes.wasm", NOTES);
    let inspected = kit.run(&["connector", "inspect", "notes.wasm"]);
    assert_eq!(inspected.code, 0, "{inspected:?}");
    for part in ["connector · would be let in", "codemode:component/methods@0.1.0", "createNote", "asks a person"] {
        assert!(inspected.out.contains(part), "{part} is missing in\n{}", inspected.out);
    }
    let (code, wire) = kit.json(&["connector", "inspect", "notes.wasm"]);
    assert_eq!(
        (code, &wire["admitted"], wire["methods"].as_array().map(Vec::len)),
        (0, &true.into(), Some(2)),
        "{wire}"
    );
}
