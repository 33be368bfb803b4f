//! The independent model: what a program comes to when nothing is ever interrupted and nobody keeps a journal. It knows
//! nothing of passes, and shares no code with the runtime.

use std::collections::BTreeMap;

use crate::program::{Node, is_cancelled_in_step};

/// What a program must have come to in the end, however often it was interrupted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The result's JSON text.
    pub result: String,
    /// How often each method was really performed, by `method id`.
    pub performed: BTreeMap<String, u32>,
    /// Calls and steps in the journal.
    pub entries: u32,
    /// Calls that a person approves.
    pub approvals: u32,
}

/// Walks the program once.
#[must_use]
pub fn expected(program: &Node) -> Expected {
    let mut expected = Expected::default();
    expected.result = walk(program, &mut expected);
    expected
}

fn walk(node: &Node, expected: &mut Expected) -> String {
    let mut call = |method: &str, id: &u32| {
        *expected.performed.entry(format!("{method} {id}")).or_default() += 1;
        expected.entries += 1;
        id.to_string()
    };
    match node {
        Node::Read(id) | Node::Chance(id) => call("echo", id),
        Node::Slow(id, _) => call("slow", id),
        Node::Effect(id) => call("add", id),
        Node::Gate(id) => {
            let value = call("gate", id);
            expected.approvals += 1;
            value
        }
        Node::Failure(id) => {
            call("fail", id);
            "\"caught\"".to_owned()
        }
        Node::Missing(_) => {
            expected.entries += 1;
            "\"caught\"".to_owned()
        }
        Node::Step(id) => {
            expected.entries += 1;
            id.to_string()
        }
        Node::AskingStep(_, inner) => {
            expected.entries += 1;
            walk(inner, expected)
        }
        Node::Timer(id, _) | Node::Interval(id) => id.to_string(),
        // How often it is performed depends on the number of passes.
        Node::Live(id) => {
            expected.entries += 1;
            id.to_string()
        }
        Node::Cancelled(id, inner) => {
            expected.entries += u32::from(is_cancelled_in_step(*id));
            walk(inner, expected)
        }
        // It takes no number: what it asks for does.
        Node::Snippet(_, inner) => walk(inner, expected),
        Node::Throwing(inner) => {
            walk(inner, expected);
            "\"caught\"".to_owned()
        }
        Node::FailingStep(_, inner) => {
            expected.entries += 1;
            walk(inner, expected);
            "\"caught\"".to_owned()
        }
        Node::Sequence(nodes) | Node::Parallel(nodes) => {
            let values: Vec<String> = nodes.iter().map(|n| walk(n, expected)).collect();
            format!("[{}]", values.join(","))
        }
        // All of them run to their end, whoever wins.
        Node::Race(nodes) => {
            nodes.iter().for_each(|n| drop(walk(n, expected)));
            "\"race\"".to_owned()
        }
        Node::Floating(inner) => {
            walk(inner, expected);
            "\"floating\"".to_owned()
        }
    }
}
