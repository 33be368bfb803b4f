//! The folders of `conformance/scenarios/`: code, what people and time do to it, and the story that comes of it, the same
//! over every store. A new scenario is a folder; `INSTA_UPDATE=always` writes its story, which is read before it is kept.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codemode_conformance::fixtures::{Event, EventKind};
use codemode_conformance::harness::{Host, anna, json};
use codemode_conformance::redact::{journal, redacted, without_ids};
use codemode_runtime::durable::snippet::Snippet;
use codemode_runtime::{
    Code, Determinism, ExecutionId, Failure, Outcome, Pick, Picks, Query, Recovered, Resolved, Runtime, Seq, Word,
};
use serde::Deserialize;

use crate::dial::{Dial, dialled};
use crate::homes::{Home, homes, lines};
use crate::kit::soon;
use crate::mortal::{LastWrite, Mortal};

/// `scenario.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    /// What the scenario shows, in a sentence.
    shows: String,
    /// The argument of the code.
    input: Option<String>,
    /// The process dies at this write of the first pass, from 0; whether that write is kept.
    dies_at: Option<(i64, bool)>,
    /// Time and randomness of the moment, in place of recorded ones.
    #[serde(default)]
    live: bool,
    /// At most so many calls and steps.
    calls: Option<u32>,
    /// Saved code, by its name.
    #[serde(default)]
    snippets: std::collections::BTreeMap<String, String>,
    /// What happens after the first pass, in order; each is told below in `step`.
    #[serde(default)]
    then: Vec<String>,
}

const GONE: &str = "(the process is gone)";

/// An execution and what is told of it.
struct Stage {
    host: Host,
    dial: Arc<Dial>,
    runtime: Runtime,
    id: ExecutionId,
    told: String,
    /// How much of the world was told.
    events: usize,
}

impl Stage {
    async fn of(home: &Home, script: &Script, code: &str) -> Self {
        let (host, dial) = dialled(home.host());
        let mut host = host.limits(|l| l.calls = script.calls.unwrap_or(l.calls));
        host.determinism = if script.live { Determinism::Live } else { Determinism::Recorded };
        for (name, code) in &script.snippets {
            save(&host, name, code);
        }
        let code = Code::new(code);
        let code = script.input.as_ref().map_or_else(|| code.clone(), |input| code.clone().with_input(json(input)));
        let mut first = host.clone();
        if let Some((at, kept)) = script.dies_at {
            first.store = Mortal::at(&home.store, at, if kept { LastWrite::Kept } else { LastWrite::Lost });
        }
        let outcome = soon(first.runtime().execute(code)).await;
        let id = host.runtime().executions(&Query::default()).unwrap()[0].id.clone();
        let runtime = host.runtime();
        let mut stage = Self { host, dial, runtime, id, told: String::new(), events: 0 };
        match outcome {
            Ok(outcome) if script.dies_at.is_none() => stage.tell("run", &answer(&outcome)),
            _ => stage.tell("run", GONE),
        }
        stage
    }

    /// Adds what came of a step: what was answered, what the world saw meanwhile, and the journal as it is now.
    fn tell(&mut self, step: &str, answer: &str) {
        let _ = writeln!(self.told, "== {step}\n{}", without_ids(answer));
        let events = self.host.ledger.events();
        // What a process would have told after it was gone was never told.
        let told = |e: &&Event| answer != GONE || e.kind == EventKind::Performed;
        for event in events[self.events..].iter().filter(told) {
            let _ = writeln!(self.told, "world: {}", in_words(event));
        }
        self.events = events.len();
        let Some(record) = self.host.store.load(&self.id).unwrap() else {
            let _ = writeln!(self.told, "(no record)\n");
            return;
        };
        let _ = writeln!(self.told, "status: {}\n{}\n", record.execution.status, journal(&record));
    }

    async fn step(&mut self, step: &str) {
        let words: Vec<&str> = step.splitn(4, ' ').collect();
        let answer = match words[..] {
            ["approve", "all"] => self.approve(Picks::AllPending).await,
            ["approve", ref seqs @ ..] => {
                let pending = self.runtime.pending(Some(&self.id)).unwrap();
                let pick = |seq: &&str| {
                    let seq = Seq(seq.parse().expect("a seq"));
                    let digest = pending.iter().find(|p| p.seq == seq).map(|p| p.digest.clone()).unwrap_or_default();
                    Pick { seq, digest }
                };
                self.approve(Picks::These(seqs.iter().map(pick).collect())).await
            }
            ["reject", seq] => {
                let seq = Seq(seq.parse().expect("a seq"));
                soon(self.runtime.reject(&self.id, seq, anna())).await.unwrap().to_string()
            }
            // The same store and the same world, and nothing else is left.
            ["restart"] => {
                self.runtime = self.host.runtime();
                "(another process)".to_owned()
            }
            ["wait", hours] => {
                self.dial.pass(hours.parse::<u64>().expect("hours") * 3_600_000);
                format!("({hours} h later)")
            }
            ["expire", hours] => {
                let age = hours.parse::<u64>().expect("hours") * 3_600_000;
                format!("{:?}", soon(self.runtime.expire_paused(age)).await.unwrap())
            }
            ["rollback"] => {
                let report = soon(self.runtime.rollback(&self.id)).await.unwrap();
                [lines(&report), report.error().into_iter().collect()].concat().join("\n")
            }
            ["recover"] => {
                let recovered = soon(self.runtime.recover()).await.unwrap();
                recovered.iter().map(|(_, how)| recovered_in_words(how)).collect::<Vec<_>>().join("\n")
            }
            ["resolve", seq, "retry"] => self.resolve(seq, Word::Retry).await,
            ["resolve", seq, "applied", value] => self.resolve(seq, Word::Applied(Some(json(value)))).await,
            ["resolve", seq, "failed", why] => self.resolve(seq, Word::Failed(Failure::new("refused", why))).await,
            ["save", name, ..] => {
                save(&self.host, name, step.splitn(3, ' ').nth(2).expect("code"));
                "(saved)".to_owned()
            }
            _ => panic!("no such step: {step}"),
        };
        self.tell(step, &answer);
    }

    async fn approve(&self, picks: Picks) -> String {
        answer(&soon(self.runtime.approve(&self.id, picks, anna())).await.unwrap())
    }

    async fn resolve(&self, seq: &str, word: Word) -> String {
        let seq = Seq(seq.parse().expect("a seq"));
        match soon(self.runtime.resolve(&self.id, seq, word, anna())).await.unwrap() {
            Resolved::Resumed(outcome) => answer(&outcome),
            Resolved::Recorded => "(recorded)".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

fn save(host: &Host, name: &str, code: &str) {
    let snippet = Snippet {
        name: name.to_owned(),
        description: String::new(),
        code: code.to_owned(),
        saved_at: 1,
        input_schema: None,
        connectors: vec!["t".to_owned()],
    };
    host.store.save_snippet(&snippet).unwrap();
}

/// What the caller gets. The calls are in the journal.
fn answer(outcome: &Outcome) -> String {
    let mut wire: serde_json::Value = serde_json::from_str(&outcome.to_wire()).unwrap();
    wire.as_object_mut().unwrap().remove("calls");
    redacted(&wire.to_string())
}

fn recovered_in_words(how: &Recovered) -> String {
    match how {
        Recovered::Resumed(outcome) => answer(outcome),
        other => format!("{other:?}"),
    }
}

fn in_words(event: &Event) -> String {
    let number = event.key.rsplit_once(':').map_or("", |(_, seq)| seq);
    match event.kind {
        EventKind::Performed => {
            let args = event.args.as_deref().unwrap_or("");
            format!("{}.{}({args}) happened, seq {number}", event.fixture, event.method)
        }
        EventKind::Reverted => format!("{}.{} was undone, seq {number}", event.fixture, event.method),
        EventKind::RevertFailed => format!("{}.{} could not be undone, seq {number}", event.fixture, event.method),
        EventKind::PassEnded => format!("{} was told: pass {} ended as {}", event.fixture, event.key, event.method),
        EventKind::ExecutionEnded => format!("{} was told: it ended as {}", event.fixture, event.method),
    }
}

async fn told(home: &Home, folder: &Path) -> String {
    let script: Script = toml::from_str(&std::fs::read_to_string(folder.join("scenario.toml")).unwrap()).unwrap();
    let code = std::fs::read_to_string(folder.join("code.js")).unwrap();
    let mut stage = Stage::of(home, &script, &code).await;
    for step in &script.then {
        stage.step(step).await;
    }
    format!("{}\n\n{}", script.shows, stage.told.trim_end())
}

fn scenarios() -> Vec<PathBuf> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    let folders = std::fs::read_dir(root).unwrap().flatten().map(|e| e.path()).filter(|path| path.is_dir());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    folders
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_comes_to_its_story_over_both_stores() {
    let folders = scenarios();
    assert!(folders.len() >= 12, "{folders:?}");
    for folder in folders {
        let mut stories = Vec::new();
        for home in homes() {
            stories.push(told(&home, &folder).await);
        }
        assert_eq!(stories[0], stories[1], "{}", folder.display());
        insta::with_settings!({
            snapshot_path => folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!("story", stories[0]);
        });
    }
}

#[test]
fn a_scenario_has_code_a_script_and_a_story_and_nothing_else() {
    for folder in scenarios() {
        let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|e| e.file_name()).collect();
        names.sort();
        assert_eq!(names, ["code.js", "scenario.toml", "story.snap"], "{}", folder.display());
    }
}
