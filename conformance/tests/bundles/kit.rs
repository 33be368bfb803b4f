//! Short words for exporting and replaying.

use std::time::Duration;

use codemode_conformance::harness::{Host, executor};
use codemode_runtime::bundle::{self, Bundle, Difference, Place, ReadLimits, Report, Verdict};
use codemode_runtime::durable::digest;
use codemode_runtime::{ExecutionId, Limits};

/// The bundle of an execution, after it went through its text.
pub(crate) async fn exported(host: &Host, id: &ExecutionId) -> Bundle {
    let bundle = host.runtime().export(id).await.unwrap().expect("the execution is there");
    let text = bundle::write(&bundle);
    let read = bundle::read(text.as_bytes(), &ReadLimits::default()).unwrap();
    assert_eq!(read, bundle);
    assert_eq!(bundle::write(&read), text);
    bundle
}

pub(crate) async fn replayed(bundle: &Bundle) -> Report {
    bundle::replay(executor(), bundle, &Limits::default()).await.unwrap()
}

/// Where and why the replay of a bundle differs.
pub(crate) async fn difference(bundle: &Bundle) -> Difference {
    match replayed(bundle).await.verdict {
        Verdict::Diverged(difference) => *difference,
        other => panic!("it did not diverge: {other:?}"),
    }
}

/// Where and why the record of a bundle ends early.
pub(crate) async fn early_end(bundle: &Bundle) -> Place {
    match replayed(bundle).await.verdict {
        Verdict::EndsEarly(place) => place,
        other => panic!("it does not end early: {other:?}"),
    }
}

/// The same bundle with other code.
pub(crate) fn with_code(bundle: &Bundle, from: &str, to: &str) -> Bundle {
    assert!(bundle.start.code.contains(from), "{from} is not in {}", bundle.start.code);
    let mut bundle = bundle.clone();
    bundle.start.code = bundle.start.code.replacen(from, to, 1);
    bundle
}

/// The lines with a digest that fits them, in place of the last line.
pub(crate) fn resealed(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop();
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (count, sha256) = (lines.len(), digest::of_bytes(body.as_bytes()));
    format!("{body}{{\"kind\":\"digest\",\"lines\":{count},\"sha256\":\"{sha256}\"}}\n")
}

/// Looks again and again, until there is something to see.
pub(crate) async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(seen) = look() {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), looking).await.expect("it is seen in time")
}
