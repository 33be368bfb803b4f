//! Cases of the user's own, in a file beside the connector.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use codemode_conformance::check::connector::cases::{CasesFile, Snapshots};
use codemode_conformance::check::connector::{Component, check_connector};
use codemode_conformance::check::report::{Judgement, Report, Style, Verdict, human, json, junit};
use codemode_conformance::check::{Expected, Options};

use crate::connector::{options, told};

const NOTES: &str = env!("CODEMODE_NOTES_WASM");
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/conformance/notes.toml");

fn read(text: &str) -> Result<CasesFile, String> {
    CasesFile::read(Path::new("my.toml"), text)
}

/// Plays a file's cases with the notes connector, and no rules.
fn played(file: CasesFile, only: &str) -> Report {
    let bytes = fs::read(NOTES).unwrap();
    let component = Component { cases: file.cases, config: file.config, ..Component::new("notes.wasm", &bytes) };
    let options = Options { only: vec![only.to_owned()], ..options() };
    check_connector(&component, &Expected::default(), &options, &mut ()).unwrap()
}

/// What is said of the only case, which fails.
fn failure(case: &str) -> String {
    let report = played(read(&format!("[[case]]\nname = \"it\"\n{case}")).unwrap(), "CASE-");
    let [case] = &report.cases[..] else { panic!("one case") };
    let Verdict::Fail(findings) = &case.verdict else { panic!("{}", human(&report, Style::Plain)) };
    assert_eq!(report.judgement(), Judgement::Broken);
    findings[0].what.clone()
}

fn conformance(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_codemode-conformance")).args(args).output().unwrap()
}

#[test]
fn the_example_of_the_documentation_passes() {
    let done = conformance(&["connector", NOTES, "--cases-file", EXAMPLE, "--output", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{report:#}");
    let cases: Vec<&str> = report["cases"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
    let ids = ["a-new-note-is-listed", "a-note-without-a-text-is-refused", "what-is-undone-is-gone", "null-is-no-text"];
    assert_eq!(cases[..4], ids.map(|id| format!("CASE-{id}")));
    assert!(report["cases"].as_array().unwrap().iter().all(|case| case["verdict"] == "pass"));
}

#[test]
fn a_value_that_is_another_one_is_told_with_its_places_and_the_calls() {
    let what = failure(
        "setup = [{ method = \"createNote\", args = { text = \"a\" } }]\nmethod = \"listNotes\"\n\
         value = [{ id = \"exec_case:0\", text = \"b\", extra = 1 }]\n",
    );
    assert!(what.contains("/0/text: expected \"b\", given \"a\""), "{what}");
    assert!(what.contains("/0/extra: expected 1, it is not there"), "{what}");
    let report = played(read("[[case]]\nname = \"x\"\nmethod = \"listNotes\"\nvalue = 1\n").unwrap(), "CASE-");
    let text = human(&report, Style::Plain);
    assert!(text.contains("FAIL        x\n") && text.contains("CASE-x x\n"), "{text}");
    assert!(text.contains("calls 1. listNotes() with key exec_case:0, attempt 1: it gave []"), "{text}");
    assert!(text.contains("reproduce: codemode-conformance connector notes.wasm --rule CASE-x --seed 0"), "{text}");
    assert_eq!(json(&report)["cases"][0]["findings"][0]["calls"].as_array().unwrap().len(), 1);
    let xml = junit(&report).unwrap();
    assert!(
        xml.contains("name=\"x\" classname=\"codemode.connector.cases\"") && xml.contains("failures=\"1\""),
        "{xml}"
    );
}

#[test]
fn other_outcomes_than_the_expected_one_are_told() {
    for (case, what) in [
        ("method = \"listNotes\"\nno_value = true\n", "expected no value; it gave []"),
        ("method = \"listNotes\"\nerror = \"denied\"\n", "expected to fail with `denied`; it gave []"),
        ("method = \"createNote\"\nvalue = 1\n", "expected 1; it failed with `invalid-arguments`"),
        ("method = \"createNote\"\n", "expected a value; it failed with `invalid-arguments`"),
        (
            "method = \"createNote\"\nerror = \"invalid-arguments\"\nmessage = \"sorry\"\n",
            "the message of `invalid-arguments` should contain \"sorry\"; it failed",
        ),
        (
            "method = \"gone\"\nerror = \"not-found\"\n",
            "expected to fail with `not-found`; it failed with `unknown-method`",
        ),
        ("method = \"listNotes\"\nsetup = [{ method = \"createNote\" }]\n", "setup 1, createNote: it failed with"),
        (
            "method = \"listNotes\"\nafter = [{ method = \"listNotes\", value = 2 }]\n",
            "after 1, listNotes: the value is",
        ),
    ] {
        let told = failure(case);
        assert!(told.starts_with(what), "{case}{told}");
    }
}

#[test]
fn each_case_begins_with_nothing_and_they_come_in_their_order() {
    let file = "[[case]]\nname = \"second first\"\nmethod = \"createNote\"\nargs = { text = \"a\" }\n\
                [[case]]\nname = \"another\"\nmethod = \"listNotes\"\nvalue = []\n";
    let report = played(read(file).unwrap(), "CASE-");
    assert_eq!(report.judgement(), Judgement::Kept, "{}", human(&report, Style::Plain));
    assert_eq!(report.cases.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["second first", "another"]);
    assert_eq!(played(read(file).unwrap(), "CASE-another").cases.len(), 1);
    assert_eq!(played(read(file).unwrap(), "CONN-LOAD").cases.len(), 0);
}

#[test]
fn snapshots_are_written_when_that_is_asked_for_and_compared_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.toml");
    let text = |args: &str| {
        format!(
            "[[case]]\nname = \"s\"\nmethod = \"createNote\"\nargs = {{ {args} }}\nsnapshot = \"snapshots/s.json\"\n"
        )
    };
    let play = |args: &str, snapshots| {
        let file = CasesFile::read(&path, &text(args)).unwrap();
        let report = played(CasesFile { cases: file.cases.with_snapshots(snapshots), ..file }, "CASE-");
        match &report.cases[0].verdict {
            Verdict::Fail(findings) => findings[0].what.clone(),
            verdict => verdict.as_str().to_owned(),
        }
    };
    let missing = play("text = \"a\"", Snapshots::Compare);
    assert!(
        missing.contains("there is no snapshot") && missing.contains("--bless writes what came: it gave"),
        "{missing}"
    );
    assert_eq!(play("text = \"a\"", Snapshots::Write), "pass");
    assert_eq!(play("text = \"a\"", Snapshots::Compare), "pass");
    let other = play("text = \"b\"", Snapshots::Compare);
    assert!(other.contains("/value/text: expected \"a\", given \"b\""), "{other}");
    assert_eq!(play("", Snapshots::Write), "pass");
    let stored = fs::read_to_string(folder.path().join("snapshots/s.json")).unwrap();
    assert!(stored.contains("\"code\": \"invalid-arguments\"") && stored.ends_with("}\n"), "{stored}");
    fs::write(folder.path().join("snapshots/s.json"), "{").unwrap();
    assert!(play("", Snapshots::Compare).contains("is no JSON"));
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line_and_what_was_meant() {
    for (text, what) in [
        ("[[case]]\nname = \"a\"\nmetod = \"x\"\n", "my.toml:3: unknown key `metod`; did you mean `method`?"),
        ("[limits]\ntime = 1\n", "my.toml:2: unknown key `time`; known here: call_ms, memory_mib"),
        ("[[cases]]\n", "my.toml:1: unknown key `cases`; did you mean `case`?"),
        ("[[case]]\nname = 3\nmethod = \"x\"\n", "my.toml:2: `name`: invalid type: integer `3`, expected a string"),
        ("[limits]\ncall_ms = \"2\"\n", "my.toml:2: `call_ms`: invalid type: string \"2\""),
        ("[limits]\ncall_ms = 0\n", "my.toml:2: `call_ms`: invalid value: integer `0`"),
        (
            "[[case]]\nname = \"a\"\nmethod = \"x\"\nsetup = [{ method = \"y\", args = 1 }, { method = 2 }]\n",
            "my.toml:4: `method`: invalid type: integer `2`",
        ),
        ("[[case]]\nname = \"a\"\n", "my.toml:1: missing field `method`"),
        ("[[case]]\nname = \"a\"\nmethod = \"x\"\nvalue = 1\nerror = \"e\"\n", "case \"a\": give one of `value`"),
        (
            "[[case]]\nname = \"a\"\nmethod = \"x\"\nmessage = \"e\"\n",
            "my.toml:2: case \"a\": `message` goes with `error`",
        ),
        ("[[case]]\nname = \"--\"\nmethod = \"x\"\n", "my.toml:2: case \"--\": the name needs a letter"),
        (
            "[[case]]\nname = \"a b\"\nmethod = \"x\"\n[[case]]\nname = \"A-B\"\nmethod = \"x\"\n",
            "my.toml:5: case \"A-B\": \"a b\" has the same id, CASE-a-b",
        ),
        ("[[case]]\nname = \"a\"\nmethod = \"x\"\nargs_json = \"{\"\n", "my.toml:4: `args_json` is no JSON"),
        (
            "[[case]]\nname = \"a\"\nmethod = \"x\"\nargs = 1\nargs_json = \"1\"\n",
            "give `args` or `args_json`, not both",
        ),
        ("[[case]]\nname = \"a\"\nmethod = \"x\"\nargs = nan\n", "`args`: NaN is no JSON number"),
        ("[[case]]\nname = \"a\"\nmethod = \"x\"\nsnapshot = \"../x\"\n", "`snapshot` is a path below the folder"),
        (
            "[[case]]\nname = \"a\"\nmethod = \"x\"\nerror = \"e\"\nrevert = true\n",
            "a call that fails cannot be reverted",
        ),
        ("[grants]\nhttp = [\"https://a.com\"]\n", "my.toml:2: no [[http]] answers for \"https://a.com\""),
        (
            "[grants]\nhttp = []\n[[http]]\nurl = \"https://a.com/x\"\n",
            "my.toml:3: [grants] http does not list \"https://a.com\"",
        ),
        ("[[http]]\nurl = \"https://a.com/x\"\nbdy = \"\"\n", "my.toml:3: unknown key `bdy`; did you mean `body`?"),
        ("name = \n", "my.toml:1: "),
    ] {
        let told = read(text).unwrap_err();
        assert!(told.contains(what) && told.starts_with("my.toml") && !told.contains('\n'), "{text}{told}");
    }
    assert!(read("").unwrap().config.is_empty());
}

#[test]
fn the_command_takes_what_the_file_says_unless_its_own_words_say_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.toml");
    fs::write(&file, "[config]\nbug = \"CONN-CALL-02\"\n[limits]\nmemory_mib = 32\n[clock]\nepoch_ms = 5\n").unwrap();
    let doubles = env!("CODEMODE_DOUBLES_WASM");
    let base = ["connector", doubles, "--rule", "CONN-CALL-02", "--cases-file", file.to_str().unwrap()];
    assert_eq!(conformance(&base).status.code(), Some(1));
    assert_eq!(conformance(&[&base[..], &["--config", "bug=none"]].concat()).status.code(), Some(0));
    let refused = conformance(&["connector", doubles, "--cases-file", "no-such.toml"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    let unknown = conformance(&[&base[..], &["--rule", "CASE-x"]].concat());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no case starts with CASE-x"));
    assert_eq!(conformance(&["connector", doubles, "--bless"]).status.code(), Some(2));
}

/// Covers BUG-CNF-03.
#[test]
fn a_probe_shows_effects_that_reverts_and_repeats_are_judged_by() {
    let bytes = fs::read(env!("CODEMODE_DOUBLES_WASM")).unwrap();
    let check = |bug: &str, probe: &str| {
        let file = read(probe).unwrap();
        let config = [("bug".to_owned(), bug.to_owned())].into();
        let component = Component { config, cases: file.cases, ..Component::new("it.wasm", &bytes) };
        let only = ["CONN-KEY-01", "CONN-REVERT"].map(str::to_owned).to_vec();
        check_connector(&component, &Expected::default(), &Options { only, ..options() }, &mut ()).unwrap()
    };
    let probe = "[[probe]]\nmethod = \"get\"\nof = [\"put\"]\n";
    assert_eq!(told(&check("none", probe)), [""; 0]);
    let empty = check("CONN-REVERT-01", probe);
    let text = human(&empty, Style::Plain);
    assert_eq!(told(&empty), ["CONN-REVERT-01"], "{text}");
    assert!(text.contains("step 2, revert: it left other than before the call: what `get` gives: before"), "{text}");
    let twice = check("CONN-KEY-01", probe);
    let text = human(&twice, Style::Plain);
    assert!(text.contains("two effects for one key") && text.contains("what `get` gives: before"), "{text}");
    assert!(text.contains("2. put(") && text.contains("attempt 2: it gave"), "{text}");
    // What a probe does not see is not judged by it: a note of the revert itself, for one.
    assert_eq!(told(&check("a note of each revert", "")), ["CONN-REVERT-05"]);
    assert_eq!(told(&check("a note of each revert", probe)), [""; 0]);
}

#[test]
fn arguments_of_cases_lead_the_rules_where_generated_ones_do_not() {
    let bytes = fs::read(env!("CODEMODE_DOUBLES_WASM")).unwrap();
    let check = |text: &str| {
        let config = [("bug".to_owned(), "nothing, and takes few texts".to_owned())].into();
        let component = Component { config, cases: read(text).unwrap().cases, ..Component::new("it.wasm", &bytes) };
        let only = ["CONN-KEY", "CONN-REVERT-01"].map(str::to_owned).to_vec();
        let report =
            check_connector(&component, &Expected::default(), &Options { only, ..options() }, &mut ()).unwrap();
        (human(&report, Style::Plain), report.count("pass"), report.count("not-covered"))
    };
    let (text, _, untried) = check("");
    assert_eq!(untried, 3, "{text}");
    assert!(text.contains("(no generated argument led where it can be tried; cases of your own"), "{text}");
    let case = |count: u32| {
        format!(
            "[[case]]\nname = \"{count}\"\nmethod = \"put\"\nargs = {{ text = \"a text that it takes\", count = {count} }}\n"
        )
    };
    let (text, kept, _) = check(&format!("{}{}", case(1), case(2)));
    assert_eq!(kept, 4, "{text}");
}

#[test]
fn known_failures_of_cases_are_expected_by_their_ids() {
    let bytes = fs::read(NOTES).unwrap();
    let check = |id: &str, only: &[&str]| {
        let file = read("[[case]]\nname = \"It fails\"\nmethod = \"listNotes\"\nvalue = 1\n").unwrap();
        let component = Component { cases: file.cases, ..Component::new("notes.wasm", &bytes) };
        let list = format!("[[expected]]\nrule = \"{id}\"\nreason = \"in March\"\n");
        let only = only.iter().map(|start| (*start).to_owned()).collect();
        let expected = Expected::read(&list).unwrap();
        check_connector(&component, &expected, &Options { only, ..options() }, &mut ()).unwrap()
    };
    assert_eq!(check("CASE-it-fails", &["CASE-", "CONN-LOAD"]).judgement(), Judgement::Kept);
    assert_eq!(check("CASE-it-fails", &["CONN-LOAD"]).judgement(), Judgement::Kept);
    assert!(check("CASE-other", &["CONN-LOAD"]).stale[0].contains("there is no case CASE-other"));
}
