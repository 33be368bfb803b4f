// Drives the built `codemode mcp` with the official TypeScript SDK, over stdio and over HTTP, as an agent would: find a
// method, run code that pauses, have a second process approve it, see the result. Fails with the first thing that is not so.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const codemode = join(process.env.CODEMODE_BIN ?? "../../../target/debug", "codemode");
const folder = mkdtempSync(join(tmpdir(), "codemode-mcp-js-"));
const env = { ...process.env, XDG_DATA_HOME: folder, USER: "ada", CODEMODE_MCP_TOKEN: "" };
delete env.CODEMODE_STORE;

const CREATE = "async () => (await notes.createNote({ text: 'buy milk' })).text";

/** A command in a process of its own. */
function command(line) {
  const done = spawnSync(line, { shell: true, env, cwd: folder, encoding: "utf8" });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

function client(answers) {
  const asked = [];
  const capabilities = answers ? { elicitation: {} } : {};
  const made = new Client({ name: "js-sdk", version: "1" }, { capabilities });
  if (answers) {
    made.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request.params);
      return answers.shift() ?? { action: "cancel" };
    });
  }
  return { client: made, asked };
}

const run = (client, code, options) =>
  client.callTool({ name: "codemode", arguments: { code } }, undefined, options);

const text = (result) => result.content.map((part) => part.text).join("\n");

async function until(what, look) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const executions = () => JSON.parse(command(`'${codemode}' executions --output json`).out).executions;

/** What every client goes through, on a fresh connection for each part. */
async function story(connect) {
  {
    const { client: agent } = client();
    await agent.connect(connect());
    const tools = (await agent.listTools()).tools;
    assert.deepEqual(tools.map((tool) => tool.name), ["codemode", "search", "describe"]);
    assert.equal(tools[1].annotations.readOnlyHint, true);

    const found = await agent.callTool({ name: "search", arguments: { query: "create a note" } });
    const path = found.structuredContent.results[0].path;
    assert.equal(path, "notes.createNote");
    const docs = await agent.callTool({ name: "describe", arguments: { target: path } });
    assert.match(text(docs), /notes\.createNote/);

    const reads = await run(agent, "async () => ({ notes: (await notes.listNotes()).length >= 0 })");
    assert.deepEqual(reads.structuredContent.result, { notes: true });
    assert.equal(text(reads), '{\n  "notes": true\n}');

    const failed = await run(agent, "async () => {\n  throw new TypeError('no such thing');\n}");
    assert.equal(failed.isError, true);
    assert.equal(failed.structuredContent.errorInfo.line, 2);

    const paused = await run(agent, CREATE);
    const id = paused.structuredContent.executionId;
    assert.equal(paused.structuredContent.status, "paused");
    const line = text(paused).split("\n").find((line) => line.includes(" approve ")).trim();
    assert.ok(line.includes(id) && line.includes("--store"), line);
    const approved = command(`${line} --yes`);
    assert.equal(approved.code, 0, approved.err);
    const after = await agent.callTool({ name: "describe", arguments: { target: id } });
    assert.equal(after.structuredContent.outcome.result, "buy milk");

    const told = [];
    // This SDK drops progress that arrives in one piece with the answer.
    const steps = "await notes.listNotes(); await codemode.step('think', async () => 1);";
    await run(agent, `async () => { ${steps} await new Promise((resolve) => setTimeout(resolve, 500)); }`, {
      onprogress: (progress) => told.push([progress.progress, progress.message]),
    });
    assert.deepEqual(told, [[1, "notes.listNotes"], [2, "step think"]]);

    await assert.rejects(agent.callTool({ name: "approve", arguments: { id } }), /unknown tool/);

    const stop = new AbortController();
    const spinning = run(agent, "async () => { await notes.listNotes(); for (;;); }", { signal: stop.signal });
    await until("it runs", () => executions().some((one) => one.status === "running"));
    stop.abort("enough");
    await assert.rejects(spinning);
    await until("it is cancelled", () => executions()[0].status === "error");
    await agent.close();
  }
  {
    const { client: agent, asked } = client([{ action: "accept", content: { decision: "approve" } }]);
    await agent.connect(connect());
    const done = await run(agent, CREATE);
    assert.equal(text(done), "buy milk");
    assert.match(asked[0].message, /notes\.createNote/);
    assert.match(asked[0].message, /buy milk/);
    await agent.close();
  }
  for (const answer of [{ action: "decline" }, { action: "accept", content: { decision: "reject", reason: "no" } }]) {
    const { client: agent } = client([answer]);
    await agent.connect(connect());
    const ended = await run(agent, CREATE);
    assert.equal(ended.structuredContent.errorInfo.kind, "rejected");
    await agent.close();
  }
  {
    const { client: agent } = client([{ action: "cancel" }]);
    await agent.connect(connect());
    assert.equal((await run(agent, CREATE)).structuredContent.status, "paused");
    await agent.close();
  }
}

async function overHttp() {
  const server = spawn(codemode, ["mcp", "--http", "127.0.0.1:0", "--output", "json"], {
    env, cwd: folder, stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    let said = "";
    server.stderr.on("data", (part) => { said += part; });
    const lines = createInterface({ input: server.stdout });
    const first = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      server.once("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
    const url = new URL(JSON.parse(first).url);
    const token = await until("the token", () => /Bearer ([0-9a-f]{64})/.exec(said)?.[1]);
    const connect = (headers = { Authorization: `Bearer ${token}` }) =>
      new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    await assert.rejects(client().client.connect(connect({})), /401|Unauthorized|token/i);
    const page = await fetch(url, { method: "POST", headers: { Authorization: `Bearer ${token}`, Origin: "https://evil.example" } });
    assert.equal(page.status, 403);
    await story(connect);
    server.kill("SIGTERM");
    const code = await new Promise((resolve) => server.once("exit", resolve));
    assert.equal(code, 0, said);
  } finally {
    server.kill("SIGKILL");
  }
}

try {
  await story(() => new StdioClientTransport({ command: codemode, args: ["mcp"], env, cwd: folder, stderr: "ignore" }));
  console.log("js: stdio is as it should be");
  await overHttp();
  console.log("js: HTTP is as it should be");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
