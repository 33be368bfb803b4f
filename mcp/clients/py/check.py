"""Drives the built `codemode mcp` with the official Python SDK, over stdio and over HTTP, as an agent would: find a method,
run code that pauses, have a second process approve it, see the result. Fails with the first thing that is not so."""

import asyncio
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

CODEMODE = str(pathlib.Path(os.environ.get("CODEMODE_BIN", "../../../target/debug")) / "codemode")
CREATE = "async () => (await notes.createNote({ text: 'buy milk' })).text"


class Place:
    """A folder with a store, and the command in it."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "XDG_DATA_HOME": folder, "USER": "ada", "CODEMODE_MCP_TOKEN": ""}
        self.env.pop("CODEMODE_STORE", None)

    def command(self, line):
        return subprocess.run(line, shell=True, env=self.env, cwd=self.folder, capture_output=True, text=True)

    def executions(self):
        return json.loads(self.command(f"'{CODEMODE}' executions --output json").stdout)["executions"]


def text(result):
    return "\n".join(part.text for part in result.content)


async def run(client, code, **options):
    return await client.call_tool("codemode", {"code": code}, **options)


async def until(what, look):
    end = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < end, f"never: {what}"
        await asyncio.sleep(0.05)
    return found


def person(*answers):
    """Somebody who does this with the forms they see."""
    left, asked = list(answers), []

    async def answer(_context, params):
        asked.append(params.message)
        return types.ElicitResult(**left.pop(0))

    return answer, asked


async def story(place, connect):
    async with connect() as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["codemode", "search", "describe"], tools
        found = await client.call_tool("search", {"query": "create a note"})
        path = found.structured_content["results"][0]["path"]
        assert path == "notes.createNote", path
        assert path in text(await client.call_tool("describe", {"target": path}))

        reads = await run(client, "async () => ({ notes: (await notes.listNotes()).length >= 0 })")
        assert reads.structured_content["result"] == {"notes": True}
        assert text(reads) == '{\n  "notes": true\n}'
        failed = await run(client, "async () => {\n  throw new TypeError('no such thing');\n}")
        assert failed.is_error and failed.structured_content["errorInfo"]["line"] == 2, failed

        paused = await run(client, CREATE)
        assert paused.structured_content["status"] == "paused"
        execution = paused.structured_content["executionId"]
        line = next(line.strip() for line in text(paused).splitlines() if " approve " in line)
        assert execution in line and "--store" in line, line
        approved = place.command(f"{line} --yes")
        assert approved.returncode == 0, approved
        after = await client.call_tool("describe", {"target": execution})
        assert after.structured_content["outcome"]["result"] == "buy milk", after

        told = []

        async def progress(number, _total, message):
            told.append((number, message))

        steps = "async () => { await notes.listNotes(); await codemode.step('think', async () => 1); }"
        await run(client, steps, progress_callback=progress)
        assert told == [(1, "notes.listNotes"), (2, "step think")], told

        try:
            await client.call_tool("approve", {"execution": execution})
            raise AssertionError("a tool that approves")
        except MCPError as error:
            assert "unknown tool" in str(error), error

        spinning = asyncio.create_task(run(client, "async () => { await notes.listNotes(); for (;;); }"))
        await until("it runs", lambda: any(one["status"] == "running" for one in place.executions()))
        spinning.cancel()
        await until("it is cancelled", lambda: place.executions()[0]["status"] == "error")

    answer, asked = person({"action": "accept", "content": {"decision": "approve"}})
    async with connect(answer) as client:
        assert text(await run(client, CREATE)) == "buy milk"
        assert "notes.createNote" in asked[0] and "buy milk" in asked[0], asked
    for said in ({"action": "decline"}, {"action": "accept", "content": {"decision": "reject"}}):
        async with connect(person(said)[0]) as client:
            ended = await run(client, CREATE)
            assert ended.structured_content["errorInfo"]["kind"] == "rejected", ended
    async with connect(person({"action": "cancel"})[0]) as client:
        assert (await run(client, CREATE)).structured_content["status"] == "paused"


async def over_stdio(place):
    for mode in ("auto", "legacy"):
        server = StdioServerParameters(command=CODEMODE, args=["mcp"], env=place.env, cwd=place.folder)
        await story(place, lambda answer=None: Client(server, elicitation_callback=answer, mode=mode))


async def over_http(place):
    server = subprocess.Popen(
        [CODEMODE, "mcp", "--http", "127.0.0.1:0", "--output", "json"],
        env=place.env,
        cwd=place.folder,
        stdout=subprocess.PIPE,
        stderr=open(pathlib.Path(place.folder) / "stderr", "w"),
        text=True,
    )
    try:
        url = json.loads(server.stdout.readline())["url"]
        said = pathlib.Path(place.folder) / "stderr"
        token = (await until("the token", lambda: re.search("Bearer ([0-9a-f]{64})", said.read_text())))[1]
        auth = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient() as anybody:
            refused = await anybody.post(url)
            assert refused.status_code == 401 and "Bearer" in refused.headers["www-authenticate"], refused
            page = await anybody.post(url, headers={**auth, "Origin": "https://evil.example"})
            assert page.status_code == 403, page

        def connect(answer=None, headers=auth):
            transport = streamable_http_client(url, http_client=create_mcp_http_client(headers=headers))
            return Client(transport, elicitation_callback=answer)

        try:
            async with connect(headers={"Authorization": "Bearer wrong"}):
                raise AssertionError("a wrong token was let in")
        except (MCPError, BaseExceptionGroup, httpx2.HTTPError):
            pass
        await story(place, connect)
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    finally:
        server.kill()


with tempfile.TemporaryDirectory(prefix="codemode-mcp-py-") as folder:
    asyncio.run(over_stdio(Place(folder)))
    print("py: stdio is as it should be")
with tempfile.TemporaryDirectory(prefix="codemode-mcp-py-") as folder:
    asyncio.run(over_http(Place(folder)))
    print("py: HTTP is as it should be")
