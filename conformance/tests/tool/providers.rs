//! Providers: connectors of the mode that keeps nothing, under a name or as members of `codemode`.

use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::tool::{CodeTool, CodeToolOptions, DEFAULT_NAMESPACE, Provider};
use serde_json::{Value, json};

use crate::kit::{called, code_tool, echoing, numbers};

/// The methods of a global that code can call; there may be others that are only declared.
async fn callable(tool: &CodeTool, namespace: &str, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        let given = called(tool, &format!("async () => {namespace}.{name}({{ a: 1, b: 2 }})")).await;
        if given.get("error").is_none() {
            found.push((*name).to_owned());
        }
    }
    found
}

fn plain(names: &[&str]) -> Native {
    names.iter().fold(Native::new("x"), |native, name| echoing(native, Method::read(*name)))
}

/// Covers RESOLVE-01, resolve#11, resolve#12, resolve#14, tanstack-ai#4, tanstack-ai#5, tanstack-ai#26.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_a_part_of_codemode_or_has_a_name_of_its_own() {
    assert_eq!(DEFAULT_NAMESPACE, "codemode");
    let options = CodeToolOptions::new()
        .provider(plain(&["getWeather"]))
        .provider(Provider::from(plain(&["listIssues"])).named("github"))
        .provider(Provider::from(plain(&["readFile"])).named("state"));
    let tool = code_tool(options).await;
    let all = "async () => [await codemode.getWeather(1), await github.listIssues(2), await state.readFile(3)]";
    assert_eq!(called(&tool, all).await["result"], json!([1, 2, 3]));
    for absent in ["codemode.listIssues", "github.getWeather", "state.listIssues"] {
        let given = called(&tool, &format!("async () => {absent}()")).await;
        assert!(given["error"].as_str().unwrap().contains("not found"), "{given}");
    }
}

/// Covers RESOLVE-02, resolve#1, resolve#2, resolve#4, resolve#5, resolve#6, resolve#13, tanstack-ai#3, tanstack-ai#28,
/// iframe-executor#30.
#[tokio::test(flavor = "multi_thread")]
async fn methods_that_need_approval_are_neither_declared_nor_called_and_others_are() {
    let mixed = echoing(plain(&["safe", "other"]), Method::write("dangerous").needs_approval());
    let tool = code_tool(CodeToolOptions::new().provider(mixed)).await;
    assert_eq!(callable(&tool, "codemode", &["safe", "dangerous", "other"]).await, ["safe", "other"]);
    for (name, is_declared) in [("safe", true), ("other", true), ("dangerous", false)] {
        assert_eq!(tool.description().contains(name), is_declared, "{name}");
    }
    let empty = code_tool(CodeToolOptions::new().provider(plain(&[]))).await;
    assert!(empty.description().contains("declare const codemode: {}"));
    assert_eq!(called(&empty, "async () => 1").await["result"], 1);
}

/// Covers RESOLVE-03, CODETOOL-10, tool#7, resolve#7, resolve#8, resolve#9, resolve#10, resolve#15, tanstack-ai#1,
/// tanstack-ai#2, tanstack-ai#7, tanstack-ai#8, tanstack-ai#27.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_defined_is_declared_and_cannot_be_called() {
    let provider = Provider::from(plain(&["a", "c", "d"])).definition(Method::read("onlyTyped"));
    let tool = code_tool(CodeToolOptions::new().provider(provider)).await;
    assert!(tool.description().contains("onlyTyped: (input: OnlyTypedInput)"), "{}", tool.description());
    assert_eq!(callable(&tool, "codemode", &["a", "onlyTyped", "c", "d"]).await, ["a", "c", "d"]);
    let same = json!({ "city": "Oslo", "days": [1, 2] });
    let given = called(&tool, &format!("async () => codemode.a({same})")).await;
    assert_eq!(given["result"], same, "the same argument arrives, and the result comes back");
    let asks = code_tool(
        CodeToolOptions::new().provider(Provider::from(plain(&[])).definition(Method::write("ask").needs_approval())),
    );
    assert!(!asks.await.description().contains("ask:"));
}

/// Covers RESOLVE-05, shared#3, shared#4, shared#5, tanstack-ai#9, tanstack-ai#23.
#[tokio::test(flavor = "multi_thread")]
async fn methods_alone_are_one_provider_without_a_name_and_none_is_allowed() {
    let alone = code_tool(CodeToolOptions::new().provider(numbers())).await;
    let sum = called(&alone, "async () => codemode.addNumbers({ a: 1, b: 2 })").await;
    assert_eq!(sum["result"]["sum"].as_i64(), Some(3));
    let none = code_tool(CodeToolOptions::new()).await;
    assert_eq!(called(&none, "async () => 42").await["result"], 42);
    assert!(!none.description().contains("declare const"));
}

/// Covers CODETOOL-10, CODETOOL-02, tanstack-ai#6, tanstack-ai#19, tanstack-ai#22, tanstack-ai#25.
#[tokio::test(flavor = "multi_thread")]
async fn declarations_are_made_from_schemas_or_given_and_stand_in_the_order_of_providers() {
    let own =
        Provider::from(plain(&["custom"])).named("own").types("declare const own: { custom(x: 1 | 2): Promise<1> }");
    let options = CodeToolOptions::new()
        .name("codemode_execute")
        .provider(Provider::from(plain(&["getWeather"])).named("weather"))
        .provider(Provider::from(numbers()).named("math"))
        .provider(own);
    let tool = code_tool(options).await;
    assert_eq!(tool.name(), "codemode_execute");
    let text = tool.description();
    for part in ["type GetWeatherInput = unknown", "type GetWeatherOutput = unknown", "type AddNumbersInput = {"] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let places: Vec<usize> = ["declare const weather", "declare const math", "declare const own: { custom(x: 1 | 2)"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}:\n{text}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(called(&tool, "async () => own.custom(2)").await["result"], Value::from(2));
}

/// The names in a list of a source text.
fn listed(source: &'static str, list: &str) -> Vec<&'static str> {
    let rest = source.split_once(&format!("const {list}: ")).expect("the list is there").1;
    let body = rest.split_once("= [").and_then(|(_, rest)| rest.split_once(']')).expect("an array").0;
    body.split('"').skip(1).step_by(2).collect()
}

/// The host refuses a member of `codemode` that code could not call there: what it refuses and what the sandbox guards are
/// two lists in two programs, and one thing.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_host_refuses_on_codemode_is_what_the_sandbox_takes_for_no_method() {
    let habits = listed(include_str!("../../../sandbox-guest/src/namespace.rs"), "HABITS");
    let mut built_in = listed(include_str!("../../../runtime/src/runtime/tool.rs"), "BUILT_IN");
    let uncallable = listed(include_str!("../../../runtime/src/durable/id.rs"), "UNCALLABLE_METHODS");
    let own = ["search", "describe", "step", "run", "toString"];
    let mut guarded: Vec<&str> = habits.iter().chain(&own).copied().filter(|name| !uncallable.contains(name)).collect();
    guarded.sort_unstable();
    built_in.sort_unstable();
    assert_eq!(guarded, built_in);

    // And the running sandbox says the same of each.
    let tool = code_tool(CodeToolOptions::new()).await;
    for name in habits {
        let kind = called(&tool, &format!("async () => typeof codemode['{name}']")).await;
        assert_eq!(kind["result"], "undefined", "{name}");
    }
    for name in own.into_iter().chain(["anythingElse"]) {
        let kind = called(&tool, &format!("async () => typeof codemode['{name}']")).await;
        assert_eq!(kind["result"], "function", "{name}");
    }
}
