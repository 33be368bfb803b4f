//! Ctrl-C while a pass runs.

use std::process::{Command, Stdio};

use crate::kit::Kit;

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_execution_running_and_says_which() {
    let kit = Kit::new();
    kit.write(
        "wait.js",
        "async () => { await notes.listNotes(); await new Promise(done => setTimeout(done, 50_000)) }",
    );
    let child =
        kit.command(&["run", "wait.js"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // Once it is in the store, Ctrl-C is caught.
    let id = loop {
        let running = kit.run(&["executions", "--status", "running", "--output", "json"]);
        let list: serde_json::Value = serde_json::from_str(&running.out).unwrap_or_default();
        if let Some(id) = list["executions"][0]["executionId"].as_str() {
            break id.to_owned();
        }
    };
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let ended = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    assert!(err.contains(&format!("execution {id} stays `running`")), "{err}");
    let (_, shown) = kit.json(&["show", &id]);
    assert_eq!(shown["status"], "running");
    assert!(err.contains(&format!("codemode recover {id}")), "{err}");
    let refused = kit.run(&["approve", &id, "--yes"]);
    refused.failed(4, "not_resumable");
    assert!(refused.err.contains(&format!("codemode recover {id}")), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_rollback_that_is_recovered() {
    let kit = Kit::new();
    let code = "async () => { for (let i = 0; i < 300; i++) await files.write({ path: `f${i}`, text: 'x' }) }";
    kit.write("many.js", code);
    assert_eq!(kit.run(&["run", "many.js"]).code, 0);
    let child = kit
        .command(&["rollback", "last", "--yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let id = loop {
        let (_, shown) = kit.json(&["show", "last"]);
        assert_ne!(shown["rollback"]["left"], 0, "it was faster than we could look");
        if shown["rollback"]["reverted"].as_u64() > Some(0) {
            break shown["executionId"].as_str().expect("an id").to_owned();
        }
    };
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success());
    let ended = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{err}");
    assert!(err.contains(&format!("the rollback of {id} is not finished")), "{err}");
    assert!(err.contains(&format!("recover {id}")), "{err}");

    let shown = kit.run(&["show", &id]);
    assert!(shown.out.contains("its process is gone in the middle of a rollback"), "{shown:?}");
    assert!(shown.out.contains("rolled back only in part"), "{shown:?}");
    let recovered = kit.run(&["recover"]);
    assert_eq!(recovered.code, 0, "{recovered:?}");
    assert_eq!(recovered.out, format!("{id} rolled_back  its rollback is finished: 300 calls undone\n"));
    assert_eq!(kit.json(&["show", &id]).1["rollback"]["left"], 0);
}
