//! Arguments are checked against the input schema before a connector hears of the call; and what goes wrong is said so that
//! whoever wrote the code can mend it without asking again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_conformance::harness::{error_of, executor, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{By, Entry, EntryState, Outcome, Picks, Runtime, Validate};
use serde_json::{Value, json};

const ISSUE: &str = r#"{"type":"object","required":["title"],"additionalProperties":false,
    "properties":{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}}}"#;

/// A runtime with a connector `t` that counts what reaches it.
struct Story {
    runtime: Runtime,
    reached: Arc<AtomicU32>,
}

impl Story {
    fn new(validate: Validate, method: Method) -> Self {
        let reached: Arc<AtomicU32> = Arc::default();
        let counter = reached.clone();
        let t = Native::new("t").method(method, move |args, _| {
            counter.fetch_add(1, Ordering::SeqCst);
            async move { Ok(args.unwrap_or(Value::Null)) }
        });
        let builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor());
        Self { runtime: builder.connector("t", Arc::new(t)).validate(validate).build().unwrap(), reached }
    }

    async fn run(&self, code: &str) -> Outcome {
        self.runtime.execute(code).await.unwrap()
    }

    async fn value(&self, code: &str) -> Value {
        serde_json::from_str(&result_of(&self.run(code).await)).unwrap()
    }

    fn reached(&self) -> u32 {
        self.reached.load(Ordering::SeqCst)
    }
}

fn create(schema: &str) -> Method {
    Method { input_schema: Some(schema.to_owned()), ..Method::write("create") }
}

fn calls(outcome: &Outcome) -> &[Entry] {
    match outcome {
        Outcome::Completed { calls, .. } | Outcome::Paused { calls, .. } => calls,
        Outcome::Failed { calls, .. } => calls.as_deref().unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// Covers TOOLSET-04, CODETOOL-09, RESOLVE-04.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_does_not_fit_is_refused_before_it_is_performed() {
    let story = Story::new(Validate::Arguments, create(ISSUE));
    let outcome = story.run("async () => {\n  const title = 5;\n  return t.create({ title });\n}").await;
    let error = error_of(&outcome);
    assert_eq!(
        error.message,
        "arguments to t.create: args.title: it is not of type \"string\"; it takes { title, labels? }"
    );
    assert_eq!((error.line, error.source_line.as_deref()), (Some(3), Some("  return t.create({ title });")));
    assert_eq!(story.reached(), 0);
    let [entry] = calls(&outcome) else { panic!("{outcome:?}") };
    assert_eq!(
        (entry.state, entry.terms.effect),
        (EntryState::Failed, codemode_runtime::durable::journal::Effect::default())
    );
    assert_eq!(
        story.value("() => t.create({ title: 'x', labels: ['a'] })").await,
        json!({ "title": "x", "labels": ["a"] })
    );
    assert_eq!(story.reached(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_code_can_catch_it_and_read_each_place() {
    let story = Story::new(Validate::Arguments, create(ISSUE));
    let code = "async () => { try { await t.create({ titel: 'x', labels: ['a', 1] }); } catch (e) {
        return [e.name, e.code, e.message, e.details]; } }";
    let [name, code, message, details] = story.value(code).await.as_array().unwrap().clone().try_into().unwrap();
    assert_eq!((name, code), (json!("TypeError"), json!("invalid-arguments")));
    let message = message.as_str().unwrap();
    assert!(message.contains("\"title\" is a required property (`titel` was given)"), "{message}");
    assert!(message.contains("there is no `titel`; did you mean `title`?"), "{message}");
    assert!(message.contains("args.labels[1]: it is not of type \"string\""), "{message}");
    assert_eq!(details.as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_to_approve_what_could_not_be_performed() {
    let story = Story::new(Validate::Arguments, create(ISSUE).needs_approval());
    let outcome = story.run("() => t.create({})").await;
    assert!(
        error_of(&outcome).message.starts_with("arguments to t.create: args: \"title\" is a required"),
        "{outcome:?}"
    );
    assert!(matches!(story.run("() => t.create({ title: 'x' })").await, Outcome::Paused { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_may_be_left_out_where_nothing_is_required() {
    let story = Story::new(Validate::Arguments, create(r#"{"type":"object","properties":{"limit":{}}}"#));
    assert_eq!(story.value("() => t.create()").await, Value::Null);
    let strict = Story::new(Validate::Arguments, create(ISSUE));
    assert!(
        error_of(&strict.run("() => t.create()").await)
            .message
            .ends_with("there is no args; it takes { title, labels? }")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_can_be_left_to_the_connector() {
    let story = Story::new(Validate::Nothing, create(ISSUE));
    assert_eq!(story.value("() => t.create({ title: 5 })").await, json!({ "title": 5 }));
    assert_eq!(story.reached(), 1);
}

/// Covers SCHEMA-29.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_cannot_be_compiled_checks_nothing_and_holds_nobody_up() {
    let story = Story::new(Validate::Arguments, create(r#"{"properties":{"a":{"pattern":"("}}}"#));
    assert_eq!(story.value("() => t.create({ a: 'x' })").await, json!({ "a": "x" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_refusal_replays_although_the_schema_has_changed() {
    let store = Arc::new(MemoryStore::new());
    let runtime = |schema: &str| {
        let t = Native::new("t")
            .method(create(schema), |args, _| async move { Ok(args.unwrap_or(Value::Null)) })
            .method(Method::write("put").needs_approval(), |_, _| async { Ok(json!("put")) });
        let builder = Runtime::builder().store(store.clone()).executor(executor());
        builder.connector("t", Arc::new(t)).build().unwrap()
    };
    let code = "async () => { let seen = 'none'; try { await t.create({ n: 1 }); } catch (e) { seen = e.code; }
        await t.put({}); return seen; }";
    let strict = r#"{"additionalProperties":false}"#;
    let paused = runtime(strict).execute(code).await.unwrap();
    let id = paused.execution().unwrap().clone();
    let done = runtime("{}").approve(&id, Picks::AllPending, By::library("ada")).await.unwrap();
    assert_eq!(result_of(&done), "\"invalid-arguments\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_shows_the_line_of_the_code_and_what_to_do() {
    let story = Story::new(Validate::Arguments, create(ISSUE));
    let text = |outcome: &Outcome| {
        let wire: Value = serde_json::from_str(&outcome.to_wire()).unwrap();
        wire["error"].as_str().unwrap().to_owned()
    };
    let global = story.run("async () => {\n\tconst x = 1;\n\treturn await tt.create({ x });\n}").await;
    assert_eq!(
        text(&global),
        "ReferenceError: tt is not defined (line 3, column 15)\n\treturn await tt.create({ x });\n\t             ^\n\
         the only globals besides standard JavaScript are: t, codemode; did you mean `t`?"
    );
    let promise =
        story.run("async () => {\n  const all = t.create({ title: 'x' });\n  return all.map((x) => x);\n}").await;
    assert!(
        text(&promise).contains("  return all.map((x) => x);\n") && text(&promise).contains("`await`"),
        "{}",
        text(&promise)
    );
    let method = story.run("() => t.make({})").await;
    assert!(
        text(&method).contains("Tool \"make\" not found on t; `codemode.describe(\"t\")` lists its methods"),
        "{}",
        text(&method)
    );
    let syntax = story.run("async () => {\n  return (;\n}").await;
    assert!(text(&syntax).contains("(line 2, column 11)\n  return (;\n          ^"), "{}", text(&syntax));
}
