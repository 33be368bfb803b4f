//! Copies of a store, and looking for damage.

use crate::kit::Kit;

#[test]
fn a_backup_is_a_store_of_its_own() {
    let kit = Kit::new();
    let id = kit.paused();
    let (code, made) = kit.json(&["backup", "copy.db"]);
    assert_eq!(code, 0, "{made}");
    let copy = kit.path("copy.db");
    assert_eq!(made["path"].as_str().map(std::path::Path::new), Some(&*copy));
    assert_eq!(made["bytes"].as_u64(), Some(std::fs::metadata(&copy).expect("it is there").len()));
    let counts = ["executions", "running", "paused"].map(|key| made[key].as_u64());
    assert_eq!(counts, [Some(1), Some(0), Some(1)]);
    // The original goes on; the copy is as it was.
    assert_eq!(kit.run(&["approve", &id, "--yes"]).code, 0);
    let (_, shown) = kit.json(&["show", &id, "--store", "copy.db"]);
    assert_eq!(shown["status"], "paused");
    let (_, shown) = kit.json(&["show", &id]);
    assert_eq!(shown["status"], "completed");
}

#[test]
fn a_backup_replaces_nothing_and_makes_no_store() {
    let kit = Kit::new();
    kit.run(&["backup", "copy.db"]).failed(2, "no_store");
    kit.paused();
    kit.write("copy.db", "mine");
    kit.run(&["backup", "copy.db"]).failed(2, "backup_exists");
    assert_eq!(std::fs::read(kit.path("copy.db")).expect("reads"), b"mine");
    kit.run(&["backup", "no/such/copy.db"]).failed(70, "store_read_only");
    kit.write("text.db", "some text that is no store, and long enough to be looked at as a file of a database, or so");
    kit.run(&["backup", "other.db", "--store", "text.db"]).failed(70, "not_a_store");
    assert!(!kit.path("other.db").exists());
    let human = kit.run(&["backup", "good.db"]);
    assert_eq!((human.code, &*human.out), (0, ""), "{human:?}");
    assert!(human.err.contains("copied 1 execution") && human.err.contains("1 paused"), "{human:?}");
}

#[test]
fn a_sound_store_is_said_so_and_a_damaged_one_by_its_exit_code() {
    let kit = Kit::new();
    kit.run(&["integrity-check"]).failed(2, "no_store");
    kit.write("a.js", "async () => 1");
    assert_eq!(kit.run(&["run", "a.js", "--store", "s.db"]).code, 0);
    let (code, sound) = kit.json(&["integrity-check", "--store", "s.db"]);
    assert_eq!((code, &sound["sound"]), (0, &serde_json::json!(true)), "{sound}");
    let human = kit.run(&["integrity_check", "--store", "s.db"]);
    assert_eq!((human.code, &*human.out), (0, ""), "{human:?}");
    assert!(human.err.starts_with("sound "), "{human:?}");
    let mut bytes = std::fs::read(kit.path("s.db")).expect("a store");
    // Not the first pages, which say what tables there are: then there is only one thing to say.
    let from = bytes.len() - 2 * 4096;
    bytes[from..].fill(0xab);
    kit.write("s.db", &bytes);
    let human = kit.run(&["integrity-check", "--store", "s.db"]);
    assert_eq!(human.code, 1, "{human:?}");
    assert!(human.out.lines().count() >= 2 && human.out.starts_with("file: "), "{human:?}");
    let (code, damaged) = kit.json(&["integrity-check", "--store", "s.db"]);
    assert_eq!((code, &damaged["sound"]), (1, &serde_json::json!(false)), "{damaged}");
    assert_eq!(damaged["findings"].as_array().map(Vec::len), Some(human.out.lines().count()));
    assert_eq!(std::fs::read(kit.path("s.db")).expect("a store"), bytes, "nothing was repaired");
    kit.run(&["backup", "copy.db", "--store", "s.db"]).failed(70, "store_corrupt");
    assert!(!kit.path("copy.db").exists());
}
