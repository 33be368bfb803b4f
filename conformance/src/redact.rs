//! Makes a snapshot the same in each run: ids, digests and times become words. The only place that does so.

use codemode_runtime::Entry;
use codemode_runtime::store::Record;
use serde_json::Value;

/// Pretty JSON with what differs from run to run taken out: the value of a member is judged by the member's name, ids
/// inside texts by their form.
///
/// # Panics
/// When the text is no JSON.
#[must_use]
pub fn redacted(json: &str) -> String {
    let mut value: Value = serde_json::from_str(json).expect("JSON");
    redact(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// The journal of a record, a line for each entry, without what differs from run to run.
#[must_use]
pub fn journal(record: &Record) -> String {
    let lines: Vec<String> = record.entries.iter().map(line).collect();
    without_ids(&lines.join("\n"))
}

fn line(entry: &Entry) -> String {
    let seq = entry.seq.map_or("-".to_owned(), |s| s.to_string());
    let place = entry.delivery.map_or("-".to_owned(), |d| d.place.to_string());
    let args = entry.request.args().map_or("none", |a| a.as_str());
    let answer = match &entry.answer {
        None => "none".to_owned(),
        Some(Ok(None)) => "no value".to_owned(),
        Some(Ok(Some(value))) => value.as_str().to_owned(),
        Some(Err(failure)) => format!("failed {}: {}", failure.code, failure.message),
    };
    format!(
        "op {} seq {seq} {} args {args} | {} place {place} attempt {} pass {} rerun {:?} | {answer}",
        entry.op,
        entry.request.title(),
        entry.state.as_str(),
        entry.attempt,
        entry.pass,
        entry.rerun,
    )
}

fn redact(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                match key.as_str() {
                    "digest" | "contract" => *member = Value::String(format!("[{key}]")),
                    "createdAt" | "updatedAt" | "endedAt" | "at" => *member = Value::String("[time]".to_owned()),
                    _ => redact(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::String(text) => *text = without_ids(text),
        _ => {}
    }
}

/// Each `exec_<16 digits>_<uuid>` becomes `[id]`.
#[must_use]
pub fn without_ids(text: &str) -> String {
    const LENGTH: usize = "exec_0000000000000000_00000000-0000-4000-8000-000000000000".len();
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = rest.find("exec_") {
        let candidate = rest.get(at..at + LENGTH);
        let is_id = candidate.is_some_and(|c| c[5..].chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '_' | '-')));
        let end = if is_id { at + LENGTH } else { at + "exec_".len() };
        out.push_str(&rest[..at]);
        out.push_str(if is_id { "[id]" } else { "exec_" });
        rest = &rest[end..];
    }
    out + rest
}

/// What a command shows to people, without ids, times and the numbers of processes.
#[must_use]
pub fn shown(text: &str) -> String {
    const TIME: &str = "0000-00-00 00:00:00Z";
    let text = without_ids(text);
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(first) = rest.chars().next() {
        let begins = is_time(rest, TIME);
        let length = if begins { TIME.len() } else { first.len_utf8() };
        out.push_str(if begins { "[time]" } else { &rest[..length] });
        rest = &rest[length..];
    }
    let mut words: Vec<&str> = out.split(' ').collect();
    for at in 1..words.len() {
        let digits = words[at].trim_end_matches([':', '\n']);
        if words[at - 1] == "process" && digits.bytes().all(|b| b.is_ascii_digit()) {
            words[at] = "[pid]";
        }
    }
    words.join(" ")
}

/// Whether a text begins with a time of that form: 0 is a digit, everything else itself.
fn is_time(text: &str, form: &str) -> bool {
    let fits = |(found, wanted): (char, char)| if wanted == '0' { found.is_ascii_digit() } else { found == wanted };
    text.len() >= form.len() && text.chars().zip(form.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_digests_and_times_become_words() {
        let id = "exec_0001795978791141_c7a84293-aacc-4c73-ab3c-12da104f8308";
        let json = format!(r#"{{"executionId":"{id}","digest":"ab","at":5,"text":"{id}:1 exec_x"}}"#);
        let expected = r#"{"executionId":"[id]","digest":"[digest]","at":"[time]","text":"[id]:1 exec_x"}"#;
        assert_eq!(redacted(&json), redacted(expected));
        assert!(redacted(&json).contains(r#""executionId": "[id]""#));
    }
}
