//! Another program on the same store: it has a connector that reaches outside, and is alive or killed as a test wants it.
//! It is this very file of tests, started once more.

use std::env;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use codemode_runtime::connector::Method;
use codemode_runtime::connector::component::{ComponentConnector, ComponentOptions};
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::EffectState;
use codemode_runtime::store::sqlite::{Options, SqliteStore};
use codemode_runtime::{ComponentExecutor, Engine, EngineOptions, Failure, Runtime};
use serde_json::json;

use crate::kit::Kit;

/// The connectors that the command carries.
const CARRIED: [(&str, &[u8]); 2] = [
    ("files", include_bytes!(env!("CODEMODE_FILES_WASM_PATH"))),
    ("notes", include_bytes!(env!("CODEMODE_NOTES_WASM_PATH"))),
];

const STORE: &str = "CODEMODE_TEST_HOST_STORE";
const CODE: &str = "CODEMODE_TEST_HOST_CODE";

/// What the program says when a call of `mail.createNote` is on its way, and when the execution is at rest.
const ON_ITS_WAY: &str = "a call is on its way";
const AT_REST: &str = "the execution is at rest";

/// A program that runs one execution.
pub(crate) struct Host {
    child: Child,
    /// Where nobody takes what it says, it fails.
    _said: Lines<BufReader<ChildStdout>>,
}

impl Kit {
    /// Runs code in another program, to the end of its pass.
    pub(crate) fn elsewhere(&self, code: &str) -> String {
        let mut host = self.start(code, AT_REST, 1);
        host.child.wait().expect("it ends");
        self.newest()
    }

    /// Runs code in another program until it waits for so many calls of `mail.createNote`, which never answers there.
    pub(crate) fn hanging(&self, code: &str, calls: usize) -> (Host, String) {
        let host = self.start(code, ON_ITS_WAY, calls);
        (host, self.newest())
    }

    /// The same, and then the program is killed.
    pub(crate) fn killed(&self, code: &str, calls: usize) -> String {
        let (host, id) = self.hanging(code, calls);
        host.kill();
        id
    }

    /// The command gets a connector `mail`, which has `createNote` and nothing else of the other program's.
    pub(crate) fn with_mail(&self) -> &Self {
        let mut manifest = "[connectors.mail]\ncomponent = \"notes.wasm\"\n".to_owned();
        for (name, wasm) in CARRIED {
            self.write(&format!("{name}.wasm"), wasm);
            manifest.push_str(&format!("[connectors.{name}]\ncomponent = \"{name}.wasm\"\n"));
        }
        self.write("codemode.toml", manifest)
    }

    fn start(&self, code: &str, until: &str, times: usize) -> Host {
        std::fs::create_dir_all(self.path("data/codemode")).expect("a folder");
        let mut child = Command::new(env::current_exe().expect("a program"))
            .args(["--exact", "host::as_another_program_run_code", "--nocapture", "--test-threads=1"])
            .env(STORE, self.path("data/codemode/default.db"))
            .env(CODE, code)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
        let heard = lines.by_ref().map_while(Result::ok).filter(|line| line.contains(until)).take(times).count();
        assert_eq!(heard, times, "how often it said: {until}");
        Host { child, _said: lines }
    }

    fn newest(&self) -> String {
        let (_, page) = self.json(&["executions", "--limit", "1"]);
        page["executions"][0]["executionId"].as_str().expect("an id").to_owned()
    }
}

impl Host {
    /// As by a crash.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// It lives, and does nothing any more.
    #[cfg(unix)]
    pub(crate) fn stall(&self) {
        let stopped = Command::new("kill").args(["-STOP", &self.child.id().to_string()]).status().expect("kill");
        assert!(stopped.success());
    }

    /// The number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind. One that ended is not killed twice.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: what the other program does.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the parent waits for the line")]
async fn as_another_program_run_code() {
    let (Some(store), Ok(code)) = (env::var_os(STORE), env::var(CODE)) else { return };
    let mut options = EngineOptions::default();
    options.cache_dir = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/codemode"));
    let engine = Engine::new(options).expect("an engine");
    let mail = Native::new("mail")
        .method(Method::write("send"), |args, _| async move { Ok(json!({ "sent": args })) })
        .method(Method::write("createNote"), |_, _| async {
            println!("\n{ON_ITS_WAY}");
            std::future::pending::<()>().await;
            Ok(json!(null))
        })
        .method(Method::write("lose"), |_, _| async {
            Err::<serde_json::Value, _>(
                Failure::new("unavailable", "the line broke").with_effect(EffectState::Possible),
            )
        });
    let mut builder = Runtime::builder()
        .store(Arc::new(SqliteStore::open(store, Options::default()).expect("a store")))
        .executor(Arc::new(ComponentExecutor::bundled(&engine).expect("an executor")))
        .connector("mail", Arc::new(mail));
    for (name, wasm) in CARRIED {
        let connector = ComponentConnector::load(&engine, wasm, ComponentOptions::new(name)).expect("a connector");
        builder = builder.connector(name, Arc::new(connector));
    }
    let runtime = builder.build().expect("a runtime");
    runtime.execute(code).await.expect("it runs");
    drop(runtime);
    println!("\n{AT_REST}");
}
