//! What a snippet is given: whatever it was sent as, its function gets the input (WEAK-20).

use codemode_conformance::harness::{Host, id_of, result_of};
use codemode_runtime::SaveSnippet;
use serde_json::{Value, json};

/// Saves a text as snippet and runs it with an input.
async fn with_input(text: &str) -> Value {
    let runtime = Host::new().runtime();
    let tried = runtime.execute(text).await.unwrap();
    runtime.save_snippet("s", SaveSnippet::from(id_of(&tried))).unwrap();
    let outcome = runtime.execute("return codemode.run('s', { a: 41 })").await.unwrap();
    serde_json::from_str(&result_of(&outcome)).unwrap()
}

/// Covers NORMALIZE-06, NORMALIZE-07, NORMALIZE-08, WEAK-20, normalize#30, normalize#32, normalize#33.
#[tokio::test(flavor = "multi_thread")]
async fn functions_of_all_kinds_get_the_input() {
    for text in [
        "async (input) => (input?.a ?? 0) + 1",
        "async (input) => (input?.a ?? 0) + 1;",
        "async (input) => (input?.a ?? 0) + 1 // one more",
        "({ a = 0 } = {}) => a + 1",
        "function more(input) { return (input?.a ?? 0) + 1 }",
        "async function more(input) { return (input?.a ?? 0) + 1 };",
        "function (input) { return (input?.a ?? 0) + 1 }",
        "export default (function (input) { return (input?.a ?? 0) + 1 })",
        "export default function (input) { return (input?.a ?? 0) + 1 }",
        "export default async (input?: { a?: number }): Promise<number> => (input?.a ?? 0) + 1",
        "const one = 1;\nexport default (input) => (input?.a ?? 0) + one;",
        "const one = 1;\nmodule.exports = async (input) => (input?.a ?? 0) + one;",
        "const one = 1;\nconst f = (input) => (input?.a ?? 0) + one;\nf",
        "const more = async (input) => (input?.a ?? 0) + 1;",
        "return (input?.a ?? 0) + 1",
        "const a = input?.a ?? 0;\na + 1",
        "Code:\nasync (input) => (input?.a ?? 0) + 1",
        "Text\n```ts\nasync function more(input?: { a: number }) { return (input?.a ?? 0) + 1 }\n```\n",
    ] {
        assert_eq!(with_input(text).await, json!(42), "{text}");
    }
}
