//! An outcome on its way to a model: in its wire form, without the journal, cut to a budget. Nothing here reaches a record
//! or a replay.

use serde_json::{Value, json};

use crate::durable::json::{prefix, utf16_len};
use crate::durable::value::Json;
use crate::outcome::Outcome;
use crate::truncate::{Budget, truncated, truncated_text};

/// The outcome for a model.
pub(super) fn for_model(mut outcome: Outcome, budget: Option<Budget>) -> Value {
    match &mut outcome {
        Outcome::Completed { calls, .. } | Outcome::Paused { calls, .. } => calls.clear(),
        Outcome::Failed { calls, .. } => *calls = None,
        Outcome::Deferred { .. } => {}
    }
    if let Some(budget) = budget {
        outcome = cut(outcome, budget);
    }
    let mut wire = to_value(&outcome);
    if let Some(members) = wire.as_object_mut() {
        members.remove("calls");
    }
    wire
}

/// A Rust text holds no half of a surrogate pair, and `serde_json` no more than 128 levels: a value that has either is
/// given as its JSON text.
fn to_value(outcome: &Outcome) -> Value {
    let read = |outcome: &Outcome| serde_json::from_str(&outcome.to_wire());
    read(outcome).or_else(|_| read(&in_texts(outcome.clone()))).unwrap_or_else(|_| json!({}))
}

fn in_texts(outcome: Outcome) -> Outcome {
    // The wire form is some levels around the value.
    let is_readable = |value: &Json| serde_json::from_str::<Value>(&format!("[[[[{value}]]]]")).is_ok();
    each_value(outcome, |value| if is_readable(&value) { value } else { Json::string(value.as_str()) })
}

/// The outcome with other values in it.
fn each_value(mut outcome: Outcome, mut change: impl FnMut(Json) -> Json) -> Outcome {
    match &mut outcome {
        Outcome::Completed { result, .. } => *result = result.take().map(change),
        Outcome::Paused { pending, .. } => pending.iter_mut().for_each(|p| p.args = p.args.take().map(&mut change)),
        Outcome::Failed { error, .. } => error.value = error.value.take().map(change),
        Outcome::Deferred { .. } => {}
    }
    outcome
}

fn cut(outcome: Outcome, budget: Budget) -> Outcome {
    // What waits shares one budget, or many calls would be many times as much.
    let mut left = budget;
    let mut outcome = each_value(outcome, |value| {
        let units = usize::try_from(value.units()).unwrap_or(usize::MAX);
        let value = cut_value(value, left);
        left.chars = Some(left.units().saturating_sub(units));
        value
    });
    match &mut outcome {
        Outcome::Completed { logs, .. } => cut_lines(logs, budget),
        Outcome::Failed { error, logs, .. } => {
            error.message = truncated_text(&error.message, budget).into_owned();
            cut_lines(logs, budget);
        }
        Outcome::Paused { .. } | Outcome::Deferred { .. } => {}
    }
    outcome
}

/// Like [`truncated`], and what that cannot measure as JSON is measured in its tagged form: whatever a value is made of,
/// there is no way around the budget.
fn cut_value(value: Json, budget: Budget) -> Json {
    match truncated(Some(value.clone()), budget) {
        Some(same) if same == value && value.to_plain().is_err() => match truncated_text(value.as_str(), budget) {
            std::borrow::Cow::Borrowed(_) => same,
            std::borrow::Cow::Owned(cut) => Json::string(&cut),
        },
        Some(value) => value,
        None => value,
    }
}

/// The first lines that fit; the line on the edge is cut, and what is left out is counted.
fn cut_lines(lines: &mut Vec<String>, budget: Budget) {
    let mut left = budget.units();
    for at in 0..lines.len() {
        let units = usize::try_from(utf16_len(&lines[at])).unwrap_or(usize::MAX).saturating_add(1);
        if units > left {
            let (start, more) = (prefix(&lines[at], left).to_owned(), lines.len() - at);
            lines.truncate(at);
            lines.extend((!start.is_empty()).then_some(start));
            let what = if more == 1 { "1 line is" } else { &format!("{more} lines are") };
            lines.push(format!("--- cut here: {what} left out or incomplete; log less ---"));
            return;
        }
        left -= units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::failure::{CodeError, ErrorKind};
    use crate::durable::id::{ExecutionId, Seq};
    use crate::durable::value::ValueLimits;
    use crate::outcome::PendingCall;

    fn chars(chars: usize) -> Option<Budget> {
        Some(Budget { chars: Some(chars), ..Budget::default() })
    }

    fn completed(result: Option<Json>, logs: &[&str]) -> Outcome {
        let logs = logs.iter().map(|line| (*line).to_owned()).collect();
        Outcome::Completed { execution: ExecutionId::from_text("exec_1"), result, logs, calls: Vec::new() }
    }

    fn tagged(text: &str) -> Json {
        Json::from_tagged(text, &ValueLimits::default()).unwrap()
    }

    #[test]
    fn the_wire_form_is_given_without_the_journal() {
        let whole = for_model(completed(Some(tagged("{\"a\":[1]}")), &["said"]), None);
        assert_eq!(
            whole,
            json!({ "status": "completed", "executionId": "exec_1", "result": { "a": [1] }, "logs": ["said"] })
        );
        assert_eq!(for_model(completed(None, &[]), None), json!({ "status": "completed", "executionId": "exec_1" }));
    }

    #[test]
    fn a_value_that_no_rust_value_holds_is_given_as_its_text() {
        let half = for_model(completed(Some(tagged(r#"{"a":"\ud800"}"#)), &[]), None);
        assert_eq!(half["result"], r#"{"a":"\ud800"}"#);
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(for_model(completed(Some(tagged(&deep)), &[]), None)["result"], deep);
        for levels in 100..140 {
            let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let result = for_model(completed(Some(tagged(&nested)), &[]), None)["result"].clone();
            assert!(result == nested || serde_json::to_string(&result).unwrap() == nested, "{levels}");
        }
    }

    #[test]
    fn every_part_is_cut_to_the_budget() {
        let long = "x".repeat(100);
        let result = for_model(completed(Some(Json::string(&long)), &[&long]), chars(10));
        assert!(result["result"].as_str().unwrap().starts_with("xxxxxxxxxx\n\n--- cut here"));
        assert_eq!(result["logs"][0], "xxxxxxxxxx");
        assert!(result["logs"][1].as_str().unwrap().contains("1 line is left out"));
        let error = CodeError { value: Some(Json::string(&long)), ..CodeError::new(ErrorKind::Thrown, &long) };
        let failed = Outcome::Failed { execution: None, error, logs: vec![long], calls: Some(Vec::new()) };
        let failed = for_model(failed, chars(10));
        assert!(failed["error"].as_str().unwrap().starts_with("xxxxxxxxxx\n\n---"));
        assert!(failed["errorInfo"]["value"].as_str().unwrap().starts_with("xxxxxxxxxx\n\n---"));
        assert_eq!((failed["logs"][0].as_str().unwrap().len(), failed.get("calls")), (10, None));
    }

    #[test]
    fn arguments_that_wait_share_one_budget() {
        let call = |seq| PendingCall {
            execution: ExecutionId::from_text("exec_1"),
            seq: Seq(seq),
            connector: "shelf".to_owned(),
            method: "put".to_owned(),
            args: Some(Json::string(&"y".repeat(18))),
            digest: "d".to_owned(),
        };
        let pending = (0..3).map(call).collect();
        let paused = Outcome::Paused { execution: ExecutionId::from_text("exec_1"), pending, calls: Vec::new() };
        let paused = for_model(paused, chars(30));
        assert_eq!(paused["pending"][0]["args"], "y".repeat(18));
        assert!(paused["pending"][1]["args"].as_str().unwrap().starts_with("yyyyyyyyyy\n\n---"));
        assert!(paused["pending"][2]["args"].as_str().unwrap().starts_with("\n\n---"));
    }

    #[test]
    fn a_big_integer_is_no_way_around_the_budget() {
        let big = tagged(&format!(r#"[{{"$cm":["bigint","12345678901234567890"]}},"{}"]"#, "z".repeat(50)));
        assert!(for_model(completed(Some(big.clone()), &[]), chars(20))["result"].is_string());
        assert!(for_model(completed(Some(big), &[]), chars(200))["result"].is_array());
    }

    #[test]
    fn lines_are_cut_at_the_edge_and_counted() {
        let cut = |room: usize| {
            let mut lines: Vec<String> = ["aa", "bb", "cc"].map(str::to_owned).to_vec();
            cut_lines(&mut lines, chars(room).unwrap());
            lines
        };
        assert_eq!(cut(9), ["aa", "bb", "cc"], "each takes its line feed as well");
        assert_eq!(cut(8)[..3], ["aa", "bb", "cc"]);
        assert!(cut(8)[3].contains("1 line is"));
        assert_eq!(cut(4)[..2], ["aa", "b"]);
        assert!(cut(4)[2].contains("2 lines are") && cut(0)[0].contains("3 lines are"));
    }
}
