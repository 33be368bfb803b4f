//! Random programs of calls, groups, races, steps, timers and failures, against answers in random order: the same order
//! has to give the same run, and each program the value that the language gives it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Check;
use super::script::{Order, Reply, usual};
use super::story::{Ask, Came, Event};
use super::subject::{self, Case, Subject, returned};
use crate::check::trial::Trial;
use crate::model::expected;
use crate::program::{numbered, programs};

pub(super) const CHECKS: &[(&str, Check, &str)] = &[("EXEC-ORDER-01", does_the_same_again, "")];

/// A program, a number for the order of its answers, and what it comes to.
fn cases() -> impl Strategy<Value = Value> {
    (programs(), any::<u32>()).prop_map(|(program, order)| {
        let program = numbered(program);
        let snippets: Map<String, Value> =
            program.snippets().into_iter().map(|(name, code)| (name, json!({ "code": calm(&code) }))).collect();
        json!({ "order": order, "gives": expected(&program).result, "code": calm(&program.to_code()), "snippets": snippets })
    })
}

/// What is drawn has rules of its own.
fn calm(code: &str) -> String {
    code.replace("Math.random()", "1")
}

/// Everything but the console, whose lines are not part of what is replayed.
fn story(came: &Came) -> Vec<String> {
    came.lines(|event| !matches!(event, Event::Said(..)))
}

fn does_the_same_again(subject: &Subject, trial: &mut Trial) {
    trial.values("a program", cases(), |case| {
        let (code, gives) = (case["code"].as_str().unwrap_or_default(), case["gives"].as_str().unwrap_or_default());
        let run = || {
            let order = case["order"].as_u64().unwrap_or_default();
            let snippets = case["snippets"].clone();
            let answers = move |ask: &Ask| match ask {
                Ask::Snippet(name, _) => Reply::Now(Ok(subject::json(&snippets[name].to_string()))),
                other => usual(other),
            };
            subject.run(Case::new(code).answering(answers).order(Order::Drawn(order)))
        };
        let (first, second) = (run(), run());
        returned(&first, gives)?;
        let (a, b) = (story(&first), story(&second));
        match a.iter().zip(&b).find(|(a, b)| a != b) {
            Some((a, b)) => Err(format!("with the answers in the same order it did `{a}` once and `{b}` then")),
            None if a.len() == b.len() && first.ran == second.ran => Ok(()),
            None => {
                Err(format!("with the answers in the same order it did {} things once and {} then", a.len(), b.len()))
            }
        }
    });
}
