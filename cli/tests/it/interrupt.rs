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
