//! Letting go of what is old: `expire` ends what nobody decided, `prune` removes what has ended.

use serde_json::json;

use crate::kit::{Kit, redacted};

#[test]
fn paused_ones_are_ended_by_their_age_and_listed() {
    let kit = Kit::new();
    kit.run(&["expire", "--yes"]).failed(2, "no_store");
    let (first, second) = (kit.paused(), kit.paused());
    let young = kit.run(&["expire"]);
    assert_eq!((young.code, young.out.as_str(), young.err.as_str()), (0, "", "nothing to expire\n"), "{young:?}");
    let asked = kit.run(&["expire", "--older-than", "0s"]);
    asked.failed(2, "no_terminal");
    assert!(asked.err.contains(&first) && asked.err.contains(&second), "{asked:?}");

    let (code, ended) = kit.json(&["expire", "--older-than", "0s", "--yes"]);
    let line = |id: &str| json!({ "executionId": id, "status": "rejected" });
    assert_eq!((code, ended), (0, json!([line(&second), line(&first)])));
    assert_eq!(kit.json(&["expire", "--older-than", "0s", "--yes"]), (0, json!([])));
    kit.run(&["approve", &first, "--yes"]).failed(4, "not_resumable");
    let shown = kit.run(&["show", &first]);
    assert!(shown.out.contains("error[expired]"), "{shown:?}");
}

#[test]
fn of_those_that_run_only_abandoned_ones_are_ended() {
    let kit = Kit::new();
    let code = "async () => await mail.createNote(1)";
    let (_host, alive) = kit.with_mail().hanging(code, 1);
    let gone = kit.killed(code, 1);
    let ended = kit.run(&["expire", "--older-than", "0s", "--yes"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!((redacted(&ended.out).as_str(), ended.err.as_str()), ("[id]  error\n", "ended 1 execution\n"));
    assert!(ended.out.contains(&gone), "{ended:?}");
    assert_eq!(kit.json(&["show", &alive]).1["status"], "running");
    // What was in flight may have happened, whatever became of the rest.
    assert_eq!(kit.json(&["unresolved", &gone]).1.as_array().map(Vec::len), Some(1));
}

#[test]
fn ages_have_a_unit() {
    let kit = Kit::new();
    kit.paused();
    for age in ["", "5", "5x", "1.5h"] {
        let refused = kit.run(&["expire", "--older-than", age, "--yes"]);
        assert_eq!(refused.code, 2, "{age:?}: {refused:?}");
        assert!(refused.err.contains("s, m, h or d"), "{refused:?}");
    }
    for age in ["90m", "24h", "7d"] {
        assert_eq!(kit.run(&["expire", "--older-than", age, "--yes"]).code, 0, "{age}");
    }
}

#[test]
fn pruning_keeps_those_that_ended_last_and_says_how_many_go() {
    let kit = Kit::new();
    kit.run(&["prune", "--yes"]).failed(2, "no_store");
    kit.write("a.js", "async () => 1");
    let waiting = kit.paused();
    for _ in 0..4 {
        assert_eq!(kit.run(&["run", "a.js"]).code, 0);
    }
    let asked = kit.run(&["prune", "--keep", "1"]);
    asked.failed(2, "no_terminal");
    assert!(asked.err.starts_with("3 executions go with their journals; the 1 that ended last stays\n"), "{asked:?}");
    assert_eq!(kit.json(&["prune", "--keep", "1", "--yes"]), (0, json!({ "removed": 3, "keep": 1 })));
    let nothing = kit.run(&["prune", "--keep", "1"]);
    assert_eq!(
        (nothing.code, nothing.err.as_str()),
        (0, "nothing to prune: no more than 1 has ended\n"),
        "{nothing:?}"
    );
    let all = kit.run(&["prune", "--keep", "0", "--yes"]);
    assert_eq!(all.err, "removed 1 execution\n");
    let (_, page) = kit.json(&["executions"]);
    assert_eq!(page["executions"][0]["executionId"], json!(waiting), "what has not ended stays");
    assert_eq!(kit.json(&["prune", "--yes"]).1["keep"], 50);
    kit.with_mail().write("keep.toml", "[limits]\nexecutions = 7\n");
    assert_eq!(kit.json(&["prune", "--yes", "--manifest", "keep.toml"]).1["keep"], 7);
}
