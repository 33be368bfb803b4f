//! Which execution is meant, and lists of them.

use crate::kit::Kit;

#[test]
fn an_execution_is_named_by_its_id_a_unique_beginning_or_last() {
    let kit = Kit::new();
    let first = kit.paused();
    let second = kit.paused();
    let (code, shown) = kit.json(&["show", "last"]);
    assert_eq!((code, shown["executionId"].as_str()), (0, Some(&*second)));
    let same = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
    let (_, shown) = kit.json(&["show", &first[..=same]]);
    assert_eq!(shown["executionId"].as_str(), Some(&*first));
    let ambiguous = kit.run(&["show", &first[..same]]);
    ambiguous.failed(2, "ambiguous_id");
    assert!(ambiguous.err.contains(&first) && ambiguous.err.contains(&second), "{ambiguous:?}");
    kit.run(&["show", "exec_x"]).failed(4, "not_found");
    kit.run(&["show", ""]).failed(2, "ambiguous_id");
}

#[test]
fn lists_are_newest_first_and_come_in_pages() {
    let kit = Kit::new();
    let ids: Vec<String> = (0..3).map(|_| kit.paused()).collect();
    let (_, page) = kit.json(&["executions", "--limit", "2"]);
    let listed = |page: &serde_json::Value| -> Vec<String> {
        let lines = page["executions"].as_array().expect("a list").iter();
        lines.map(|l| l["executionId"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(listed(&page), [ids[2].clone(), ids[1].clone()]);
    assert_eq!(page["next"].as_str(), Some(&*ids[1]));
    let (_, rest) = kit.json(&["executions", "--limit", "2", "--before", &ids[1]]);
    assert_eq!((listed(&rest), &rest["next"]), (vec![ids[0].clone()], &serde_json::Value::Null));
    kit.run(&["reject", &ids[0], "1"]);
    let (_, rejected) = kit.json(&["executions", "--status", "rejected"]);
    assert_eq!(listed(&rejected), [ids[0].clone()]);
    let human = kit.run(&["executions", "--limit", "1"]);
    assert!(human.out.contains(&ids[2]) && human.out.contains("2 (1 pending)"), "{human:?}");
    assert!(human.err.contains(&format!("executions --limit 1 --before {}", ids[2])), "{human:?}");
    // What the next page is to contain is in its command as well.
    let human = kit.run(&["executions", "--status", "paused", "--older-than", "0s", "--limit", "1"]);
    let next = format!("executions --status paused --older-than 0s --limit 1 --before {}", ids[2]);
    assert!(human.err.contains(&next), "{human:?}");
    assert_eq!(kit.json(&["executions", "--older-than", "1h"]).1["executions"], serde_json::json!([]));
}

#[test]
fn deleting_needs_a_yes_and_removes_the_journal() {
    let kit = Kit::new();
    let id = kit.paused();
    kit.run(&["delete", &id]).failed(2, "no_terminal");
    let (code, deleted) = kit.json(&["delete", &id, "--yes"]);
    assert_eq!((code, &deleted["deleted"]), (0, &true.into()), "{deleted}");
    kit.run(&["show", &id]).failed(4, "not_found");
    kit.run(&["show", "last"]).failed(4, "not_found");
}

#[test]
fn deleting_one_that_runs_elsewhere_stops_it_first_and_says_so() {
    let kit = Kit::new();
    let (host, id) = kit.with_mail().hanging("async () => await mail.createNote(1)", 1);
    let deleted = kit.run(&["delete", &id, "--yes"]);
    assert_eq!(deleted.code, 0, "{deleted:?}");
    let said = format!("{id} runs in process {}: asking it to stop", host.process());
    assert!(deleted.err.contains(&said), "{deleted:?}");
    kit.run(&["show", &id]).failed(4, "not_found");
}

#[test]
fn pending_lists_the_calls_of_all_executions_or_of_one() {
    let kit = Kit::new();
    let (first, second) = (kit.paused(), kit.paused());
    let (_, all) = kit.json(&["pending"]);
    let ids: Vec<_> =
        all.as_array().expect("a list").iter().map(|p| p["executionId"].as_str().expect("an id")).collect();
    assert_eq!(ids, [&*second, &*first]);
    let one = kit.run(&["pending", &first]);
    assert!(one.out.contains(&first) && !one.out.contains(&second), "{one:?}");
}
