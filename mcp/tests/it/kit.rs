//! A server over real parts, a client with a person behind it, and a raw client that sends what it likes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codemode_conformance::harness::Host;
use codemode_mcp::{Limits, Options, Server};
use codemode_runtime::connector::Method;
use codemode_runtime::connector::native::Native;
use codemode_runtime::durable::failure::{Failure, code};
use codemode_runtime::{Query, Runtime, Status};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The fixtures, and a connector that says what it does.
pub(crate) fn host() -> Host {
    let send = Method { description: Some("Sends a letter.\nIt can be undone.".to_owned()), ..Method::write("send") };
    let read = Method { description: Some("Reads all letters.".to_owned()), ..Method::read("read") };
    let mail = Native::new("mail")
        .method(send.needs_approval(), |args, _| async move { Ok(json!({ "sent": args })) })
        .method(read, |_, _| async move { Ok(json!(["a letter"])) });
    let calc = Native::new("calc")
        .method_sync(Method::read("add"), |args, _| Ok(json!(number(args.as_ref(), "a") + number(args.as_ref(), "b"))))
        .method_sync(Method::read("greet"), |args, _| Ok(json!(format!("hello {}", args.unwrap_or_default()["name"]))))
        .method_sync(Method::read("broken"), |_, _| {
            Err::<Value, _>(Failure::new(code::INTERNAL, "something went wrong"))
        });
    Host::new().with("mail", Arc::new(mail)).with("calc", Arc::new(calc))
}

fn number(args: Option<&Value>, name: &str) -> i64 {
    args.and_then(|args| args[name].as_i64()).unwrap_or_default()
}

/// A server over the fixtures.
pub(crate) fn server() -> (Server, Runtime) {
    server_with(|_| {})
}

/// The same with other bounds.
pub(crate) fn server_with(change: impl FnOnce(&mut Limits)) -> (Server, Runtime) {
    let runtime = host().runtime();
    let mut limits = Limits::default();
    change(&mut limits);
    let command = |words: &[&str]| format!("codemode {} --store '/my store.db'", words.join(" "));
    (Server::new(runtime.clone(), Options::default().limits(limits).command(command)), runtime)
}

/// The person behind a client, and what they saw.
#[derive(Clone, Default)]
pub(crate) struct Person {
    /// Whether their client can show forms.
    pub(crate) forms: Forms,
    /// What they do with the next forms; with none left they never answer.
    pub(crate) answers: Arc<Mutex<VecDeque<ElicitResult>>>,
    /// The forms they saw: text and schema.
    pub(crate) asked: Arc<Mutex<Vec<(String, Value)>>>,
    /// The progress they saw.
    pub(crate) progress: Arc<Mutex<Vec<(f64, String)>>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Forms {
    #[default]
    None,
    Shown,
}

impl Person {
    /// One whose client shows forms, and who does this with them.
    pub(crate) fn who(answers: impl IntoIterator<Item = ElicitResult>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Self { forms: Forms::Shown, answers, ..Self::default() }
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").iter().map(|(text, _)| text.clone()).collect()
    }

    pub(crate) fn told(&self) -> Vec<(f64, String)> {
        self.progress.lock().expect("no panic").clone()
    }
}

/// An accepted form with that in it.
pub(crate) fn accept(content: Value) -> ElicitResult {
    ElicitResult::new(ElicitationAction::Accept).with_content(content)
}

pub(crate) fn approve() -> ElicitResult {
    accept(json!({ "decision": "approve" }))
}

pub(crate) fn reject() -> ElicitResult {
    accept(json!({ "decision": "reject", "reason": "too dear" }))
}

impl ClientHandler for Person {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return Err(ErrorData::invalid_params("only forms", None));
        };
        let schema = serde_json::to_value(requested_schema).expect("a schema is JSON");
        self.asked.lock().expect("no panic").push((message, schema));
        let answer = self.answers.lock().expect("no panic").pop_front();
        match answer {
            Some(answer) => Ok(answer),
            None => std::future::pending().await,
        }
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let message = params.message.unwrap_or_default();
        self.progress.lock().expect("no panic").push((params.progress, message));
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.forms {
            Forms::None => ClientCapabilities::default(),
            Forms::Shown => ClientCapabilities::builder().enable_elicitation().build(),
        };
        ClientConfig::new(capabilities, Implementation::new("test client", "1"))
    }
}

/// A client in the same process.
pub(crate) type Client = RunningService<RoleClient, Person>;

/// A client on streams in memory.
pub(crate) async fn connect(server: &Server, person: Person) -> Client {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = server.clone();
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(far);
        server.serve(read, write).await
    });
    person.serve(near).await.expect("the handshake works")
}

/// The parameters of a tool call.
pub(crate) fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let params = CallToolRequestParams::new(name);
    match arguments {
        Value::Object(arguments) => params.with_arguments(arguments),
        _ => params,
    }
}

/// Calls a tool.
pub(crate) async fn call(client: &Client, name: &'static str, arguments: Value) -> CallToolResult {
    client.call_tool(params(name, arguments)).await.expect("a result, not an error of the protocol")
}

/// Runs code.
pub(crate) async fn run(client: &Client, code: &str) -> CallToolResult {
    call(client, "codemode", json!({ "code": code })).await
}

/// The error of the protocol that a tool call ends with.
pub(crate) async fn refused(client: &Client, name: &'static str, arguments: Value) -> ErrorData {
    match client.call_tool(params(name, arguments)).await {
        Err(ServiceError::McpError(error)) => error,
        other => panic!("no error of the protocol: {other:?}"),
    }
}

/// The one text of a result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    let [content] = &result.content[..] else { panic!("one part: {result:?}") };
    &content.as_text().expect("a text").text
}

/// The structured form.
pub(crate) fn value(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().expect("structured content")
}

/// Waits until something is so.
pub(crate) async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let found = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("never: {what}"))
}

/// Waits for work that must end.
pub(crate) async fn ends<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(|_| panic!("never ends: {what}"))
}

/// Waits until the newest execution has a status.
pub(crate) async fn status_is(runtime: &Runtime, wanted: Status) {
    let status = || runtime.executions(&Query::default()).expect("the store answers").first().map(|s| s.status);
    until(wanted.as_str(), || (status() == Some(wanted)).then_some(())).await;
}

/// Somebody who writes and reads lines.
pub(crate) struct Raw {
    pub(crate) write: WriteHalf<DuplexStream>,
    pub(crate) read: BufReader<ReadHalf<DuplexStream>>,
    pub(crate) served: tokio::task::JoinHandle<Result<(), codemode_mcp::Error>>,
}

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Raw {
    /// A client that said nothing yet.
    pub(crate) fn new(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(1 << 12);
        let server = server.clone();
        let served = tokio::spawn(async move {
            let (read, write) = tokio::io::split(far);
            server.serve(read, write).await
        });
        let (read, write) = tokio::io::split(near);
        Self { write, read: BufReader::new(read), served }
    }

    /// A client after the handshake.
    pub(crate) async fn connected(server: &Server) -> Self {
        let mut raw = Self::new(server);
        raw.say(INITIALIZE).await;
        assert_eq!(raw.hear().await["id"], 0);
        raw.say(INITIALIZED).await;
        raw
    }

    pub(crate) async fn say(&mut self, line: &str) {
        self.write.write_all(format!("{line}\n").as_bytes()).await.expect("the server reads");
    }

    pub(crate) async fn ask(&mut self, id: u64, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&request.to_string()).await;
    }

    pub(crate) async fn run(&mut self, id: u64, code: &str) {
        self.ask(id, "tools/call", json!({ "name": "codemode", "arguments": { "code": code } })).await;
    }

    /// The next line.
    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        ends("a line", self.read.read_line(&mut line)).await.expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The answer to a request, whatever else comes before it.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends nothing more.
    pub(crate) async fn leave(&mut self) {
        self.write.shutdown().await.expect("the stream is there");
    }

    /// Whether nothing more is written.
    pub(crate) async fn is_over(&mut self) -> bool {
        let mut line = String::new();
        matches!(ends("the end", self.read.read_line(&mut line)).await, Ok(0))
    }
}
