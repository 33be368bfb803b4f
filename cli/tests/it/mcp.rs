//! `codemode mcp` as clients start it: a process that speaks the protocol on stdout and nothing else, and ends when it should.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::kit::{Kit, ended};

const CREATE: &str = "async () => (await notes.createNote({ text: 'buy milk' })).text";

/// A server, and the client that started it.
struct Served {
    child: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
}

impl Served {
    fn start(kit: &Kit, words: &[&str]) -> Self {
        let mut command = kit.command(&[&["mcp"], words].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let write = child.stdin.take();
        let read = BufReader::new(child.stdout.take().expect("stdout"));
        Self { child, write, read }
    }

    fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.write.as_mut().expect("stdin"), "{request}").expect("it reads");
        let answer = self.line();
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn begin(kit: &Kit, words: &[&str]) -> Self {
        let mut served = Self::start(kit, words);
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        assert_eq!(served.ask(0, "initialize", params)["result"]["serverInfo"]["name"], "codemode");
        served
    }

    fn run(&mut self, id: u32, code: &str) -> Value {
        self.ask(id, "tools/call", json!({ "name": "codemode", "arguments": { "code": code } }))["result"].take()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.read.read_line(&mut line).expect("it writes");
        line
    }

    /// Its exit code, what else it wrote to stdout, and stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.write.take());
        let (mut out, mut err) = (String::new(), String::new());
        self.read.read_to_string(&mut out).expect("stdout is text");
        self.child.stderr.take().expect("stderr").read_to_string(&mut err).expect("stderr is text");
        (self.child.wait().expect("it ends").code(), out, err)
    }
}

fn terminate(child: &Child) {
    let status = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(status.expect("kill can be started").success());
}

#[test]
fn a_client_runs_code_and_another_process_approves() {
    let kit = Kit::new();
    let mut served = Served::begin(&kit, &[]);
    let paused = served.run(1, CREATE);
    assert_eq!(paused["structuredContent"]["status"], "paused");
    let text = paused["content"][0]["text"].as_str().expect("a text");
    let line = text.lines().find(|line| line.contains(" approve ")).expect("a command").trim();
    // As typed in another terminal, in another folder.
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{line} --yes"))
        .current_dir("/")
        .env("USER", "ada")
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let approved = ended(shell);
    assert_eq!(approved.code, 0, "{approved:?}");
    let id = &paused["structuredContent"]["executionId"];
    let seen = served.ask(2, "tools/call", json!({ "name": "describe", "arguments": { "target": id } }));
    assert_eq!(seen["result"]["structuredContent"]["outcome"]["result"], "buy milk");
    let (code, out, err) = served.end();
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    assert!(err.contains("using the bundled connectors"), "{err}");
}

#[test]
fn the_hints_of_the_manifest_are_what_a_model_is_told() {
    let kit = Kit::new();
    kit.write("notes.wasm", include_bytes!(env!("CODEMODE_NOTES_WASM_PATH")));
    let table = "[connectors.jotter]\ncomponent = \"notes.wasm\"\nhint = \"short texts\\nwith a title\"\n";
    kit.write("codemode.toml", table);
    let mut served = Served::begin(&kit, &[]);
    let tools = served.ask(1, "tools/list", json!({}))["result"]["tools"].take();
    let codemode = tools.as_array().expect("a list").iter().find(|tool| tool["name"] == "codemode").expect("the tool");
    let text = codemode["description"].as_str().expect("a text");
    assert!(text.contains("\n- `jotter` - short texts with a title\n"), "{text}");
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn it_ends_with_its_client_and_with_a_signal() {
    let kit = Kit::new();
    for _ in 0..2 {
        let (code, out, err) = Served::start(&kit, &[]).end();
        assert_eq!((code, &*out), (Some(0), ""), "{err}");
    }
    let mut served = Served::begin(&kit, &[]);
    served.run(1, "async () => 1");
    terminate(&served.child);
    assert_eq!(served.line(), "", "stdin need not end");
    let (code, _, err) = served.end();
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("stopping"), "{err}");
}

#[test]
fn over_http_the_url_is_on_stdout_and_the_token_only_on_stderr() {
    let kit = Kit::new();
    let mut served = Served::start(&kit, &["--http", "127.0.0.1:0"]);
    let url = served.line();
    let address = url.trim().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).expect("a URL");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    assert!(reply.starts_with("HTTP/1.1 401 "), "{reply}");
    terminate(&served.child);
    let (code, out, err) = served.end();
    assert_eq!((code, &*out), (Some(0), ""), "{err}");
    let start = err.find("Bearer ").expect("a configuration") + 7;
    let token = &err[start..start + 64];
    assert!(token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{err}");
    assert!(err.contains("\"mcpServers\"") && err.contains(url.trim()), "{err}");
}

#[test]
fn a_token_of_ones_own_is_taken_and_never_shown() {
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let kit = Kit::new();
    kit.write("token", format!("{TOKEN}\n"));
    let mut served = Served::start(&kit, &["--http", "127.0.0.1:0", "--token-file", "token", "--output", "json"]);
    let url: Value = serde_json::from_str(&served.line()).expect("JSON");
    let address =
        url["url"].as_str().and_then(|url| url.strip_prefix("http://")).and_then(|url| url.strip_suffix("/mcp"));
    let address = address.expect("a URL");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head =
        format!("GET /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    assert!(reply.starts_with("HTTP/1.1 406 "), "let in, and told what is missing: {reply}");
    terminate(&served.child);
    let (_, _, err) = served.end();
    assert!(!err.contains(TOKEN), "{err}");
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let kit = Kit::new();
    kit.write("short", "secret");
    kit.run(&["mcp", "--http", "0.0.0.0:0"]).failed(2, "not_loopback");
    kit.run(&["mcp", "--http", "192.0.2.1:80"]).failed(2, "not_loopback");
    kit.run(&["mcp", "--http", "127.0.0.1:0", "--token-file", "short"]).failed(2, "token");
    kit.run(&["mcp", "--http", "127.0.0.1:0", "--token-file", "none"]).failed(2, "no_file");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    kit.run(&["mcp", "--http", &address]).failed(2, "address");
    assert_eq!(kit.run(&["mcp", "--token-file", "short"]).code, 2, "without --http there is no token");
    assert_eq!(kit.run(&["mcp", "--http", "localhost"]).code, 2);
    assert_eq!(kit.run(&["mcp", "--http", "127.0.0.1:0", "--token", "x"]).code, 2, "a token is no argument");
    let mut command = kit.command(&["mcp", "--http", "127.0.0.1:0"]);
    command.env("CODEMODE_MCP_TOKEN", "short");
    ended(command).failed(2, "token");
}

#[test]
fn help_says_what_a_person_needs() {
    let kit = Kit::new();
    let help = kit.run(&["mcp", "--help"]);
    assert_eq!(help.code, 0);
    for word in ["--http", "--token-file", "--allow-origin", "CODEMODE_MCP_TOKEN", "codemode approve ID", "docs/mcp.md"]
    {
        assert!(help.out.contains(word), "{word}: {}", help.out);
    }
}
