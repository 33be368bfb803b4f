//! What a model learns when its code fails in the mode that keeps nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::tool::{CodeOutcome, CodeToolOptions};
use serde_json::json;

use crate::kit::{add_method, called, code_tool, numbers};

/// Covers CODETOOL-06, tool#12, tool#13, tanstack-ai#16, tanstack-ai#17, iframe-executor#33.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_says_that_the_code_failed_why_and_what_it_had_said() {
    let tool = code_tool(CodeToolOptions::new()).await;
    let given = called(&tool, "async () => { throw new Error('boom') }").await;
    let text = given["error"].as_str().unwrap();
    assert!(text.starts_with("Code execution failed: boom") && !text.contains("Console"), "{text}");
    let code = "async () => { console.log('one'); console.warn('two'); throw new Error('boom') }";
    let given = called(&tool, code).await;
    let text = given["error"].as_str().unwrap();
    assert!(
        text.starts_with("Code execution failed: boom") && text.ends_with("\n\nConsole output:\none\n[warn] two"),
        "{text}"
    );
    assert_eq!(given.as_object().unwrap().len(), 1, "the lines are in the error: {given}");
    let outcome = tool.execute(code).await.unwrap();
    assert_eq!(outcome.failure().as_deref(), Some(text));
    assert!(matches!(&outcome, CodeOutcome::Failed { error, logs } if error.message == "boom" && logs.len() == 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_fail_is_a_text_that_says_why() {
    let failing = Native::new("f").method(Method::read("fails"), |_, _| async {
        Err::<(), _>(Failure::new(code::UNAVAILABLE, "the service is away"))
    });
    let tool = code_tool(CodeToolOptions::new().provider(failing)).await;
    for (code, why) in [
        ("async () => codemode.fails()", "the service is away"),
        ("async () => codemode.nope({})", "Tool \"nope\" not found on codemode"),
        ("async () => nowhere()", "nowhere is not defined"),
        ("const x = ;", "line 1"),
        ("async () => { throw '' }", ""),
        ("async () => new Promise(() => {})", "never settles"),
        ("async () => codemode.run('none')", ""),
    ] {
        let given = called(&tool, code).await;
        if let Some(text) = given["error"].as_str() {
            assert!(text.contains(why) && text.len() > "Code execution failed: ".len(), "{code}: {text}");
        } else {
            assert!(why.is_empty(), "{code}: {given}");
        }
    }
    let wrong = tool.call(&json!({ "code": 1 })).await.unwrap();
    assert!(wrong["error"].as_str().unwrap().contains("`code` is a number"), "{wrong}");
}

/// Covers CODETOOL-09, RESOLVE-04, e2e-executor#15, e2e-executor#16.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_do_not_fit_the_schema_never_reach_the_closure() {
    let calls = Arc::new(AtomicU32::new(0));
    let seen = calls.clone();
    let strict = Native::new("s").method_sync(add_method(), move |args, _| {
        seen.fetch_add(1, Ordering::SeqCst);
        let args = args.unwrap_or_default();
        Ok(json!(args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0)))
    });
    let tool = code_tool(CodeToolOptions::new().provider(strict)).await;
    assert_eq!(called(&tool, "async () => codemode.addNumbers({ a: 10, b: 20 })").await["result"], 30);
    for args in ["{ a: 'x', b: 1 }", "{ a: 1 }", "", "[1, 2]", "null"] {
        let given = called(&tool, &format!("async () => codemode.addNumbers({args})")).await;
        assert!(given["error"].as_str().unwrap().contains("codemode.addNumbers"), "{args}: {given}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_code_is_stopped_as_everywhere_and_the_next_code_runs() {
    let tool = code_tool(CodeToolOptions::new().provider(numbers())).await;
    let given = called(&tool, "async () => { const a = []; for (;;) a.push(new Array(100000).fill(1)) }").await;
    assert!(given["error"].as_str().unwrap().contains("memory"), "{given}");
    assert_eq!(called(&tool, "async () => 1").await["result"], 1);
}
