//! Names of namespaces are checked when the runtime is built, and nothing in the sandbox can take the place of what is
//! there.

use std::sync::Arc;

use codemode_conformance::harness::{Host, executor, result_of};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::store::memory::MemoryStore;
use codemode_runtime::{Error, Runtime};

use crate::kit::shared;

fn named(names: &[&str]) -> Result<Runtime, Error> {
    let mut builder = Runtime::builder().store(Arc::new(MemoryStore::new())).executor(executor());
    for name in names {
        let k = Native::new("k").method(Method::read("a"), |_, _| async { Ok(()) });
        builder = builder.connector(*name, shared(k));
    }
    builder.build()
}

/// Covers EXECUTOR-11, executor#13, executor#14, executor#35, executor#36, iframe-executor#26, WEAK-29.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_mean_something_in_the_sandbox_are_reserved() {
    for name in [
        "Promise",
        "setTimeout",
        "Error",
        "console",
        "codemode",
        "globalThis",
        "JSON",
        "__dispatchers",
        "__connectors",
        "__encode",
        "class",
        "await",
        "undefined",
        "eval",
    ] {
        let error = named(&[name]).unwrap_err();
        assert_eq!(error.code(), "name");
        assert_eq!(error.to_string(), format!("the connector name `{name}` is reserved: choose another namespace"));
    }
}

/// Covers EXECUTOR-11, executor#33, iframe-executor#25.
#[tokio::test(flavor = "multi_thread")]
async fn two_connectors_of_one_name_are_refused() {
    let error = named(&["a", "b", "a"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Duplicate connector name `a` (the connectors number 1 and 3): each connector needs a namespace of its own"
    );
    assert!(named(&["a", "b"]).is_ok());
}

/// Covers EXECUTOR-11.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_an_ascii_identifier() {
    for name in ["my-box", "", "1a", "a b", "ü", "a.b", "k\0"] {
        let error = named(&[name]).unwrap_err().to_string();
        assert!(error.contains("is not a valid identifier"), "{name}: {error}");
    }
    for name in ["k", "_k", "$k", "k1", "myBox", "name", "process"] {
        assert!(named(&[name]).is_ok(), "{name}");
    }
}

/// Covers SANDBOX-05.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_replaces_what_it_finds_breaks_nothing_but_itself() {
    let code = "async () => {
        for (const name of ['codemode', 'console', 'shelf']) { try { globalThis[name] = {}; } catch (e) {} try { delete globalThis[name]; } catch (e) {} }
        try { shelf.list = () => 'mine'; } catch (e) {}
        const P = Promise; globalThis.Promise = function () { throw new Error('mine'); };
        P.prototype.then = new Proxy(P.prototype.then, {});
        JSON.stringify = () => '\"mine\"'; JSON.parse = () => 'mine'; Map.prototype.forEach = () => { throw 1; };
        Object.prototype.toJSON = undefined; Array.prototype[Symbol.iterator] = null;
        const rows = await shelf.list();
        const seen = await codemode.step('s', () => { const m = new Map(); m.set(1, 2); return m; });
        return { rows, seen, sum: 1 + 1 };
    }";
    let outcome = Host::new().runtime().execute(code).await.unwrap();
    assert_eq!(result_of(&outcome), r#"{"rows":[],"seen":{"$cm":["map",[[1,2]]]},"sum":2}"#);
}
