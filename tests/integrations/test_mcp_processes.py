"""`homie serve mcp` as a process, with the real client: stdio and HTTP, and what happens when one of both is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets.sync.client
from waiting import until

import homie
from homie.cli.main import main
from tests import other_packages

MCP = ("mcp", "mcp>=2.3,<3")
other_packages.use(*MCP)
import mcp_types as types  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples/mcp"
PROJECT = EXAMPLES.parents[1] / "pyproject.toml"
TINY = ["--robot", "tiny", "--skills", "tiny", "--targets", "tiny"]
STEPS = (
    ("go_to", {"target": "tomato soup can"}),
    ("pick", {"target": "tomato soup can"}),
    ("go_to", {"target": "fridge"}),
)
"""Where the fridge is open."""
CLIENT = """
import asyncio, os, sys
from mcp import Client, StdioServerParameters

async def main():
    server = StdioServerParameters(command=sys.executable, args=sys.argv[1:], env=dict(os.environ))
    async with Client(server) as client:
        print((await client.call_tool("status")).structured_content["task"], flush=True)
        await client.call_tool("go_to", {"target": "box"})

asyncio.run(main())
"""


def command(*arguments: str) -> list[str]:
    return ["-m", "homie", "serve", "mcp", *arguments]


def content_of(result: types.CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    return dict(result.structured_content or {})


class Server:
    """An HTTP server in a process of its own."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        environment = {**other_packages.environment(*MCP), **variables}
        line = [sys.executable, *command("--transport", "http", "--port", "0", "--json", *arguments)]
        self.process = subprocess.Popen(
            line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        text = "".join(iter(self.process.stdout.readline, "}\n"))
        assert text, self.process.communicate()[1]
        self.greeting = json.loads(text + "}")

    def client(self, name: str, **options: Any) -> Client:
        headers = {"Authorization": f"Bearer {self.greeting['token']}"}
        transport = streamable_http_client(self.greeting["url"], http_client=create_mcp_http_client(headers))
        return Client(transport, client_info=types.Implementation(name=name, version="1"), **options)

    def end(self, number: int = signal.SIGTERM) -> str:
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)[1]


@pytest.fixture(scope="module")
def tiny() -> Iterator[Server]:
    server = Server("put the ball in the box", *TINY, TINY_PERIOD="0.05")
    yield server
    server.end()
    assert server.process.returncode in (130, -signal.SIGTERM, 143)


def test_a_can_goes_into_the_fridge_over_stdio() -> None:
    """By the example for clients, whose command is the one that a registry gets."""
    example = json.loads((EXAMPLES / ".mcp.json").read_text())["mcpServers"]["homie"]
    (package,) = json.loads((EXAMPLES / "server.json").read_text())["packages"]
    registered = [word for each in package["packageArguments"] for word in (each.get("name"), each["value"]) if word]
    assert example["args"] == registered and example["command"] == "homie"
    arguments = ["-m", "homie", *example["args"], "--picture-size", "64", "--skills", "ideal"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=other_packages.environment(*MCP))

    async def drive() -> None:
        async with Client(server) as client:
            fridge = ("go_to", {"target": "fridge"})
            calls = [fridge, ("open", {"target": "fridge"}), *STEPS]
            calls += [("put", {"target": "tomato soup can", "destination": "fridge"}), ("close", {"target": "fridge"})]
            for name, given in calls:
                result = content_of(await client.call_tool(name, given))
                assert result["ok"], result
            assert len((await client.call_tool("observe", {"view": "all"})).content) == 8
            content_of(await client.call_tool("report", {"success": True}))

    asyncio.run(asyncio.wait_for(drive(), 300))


@pytest.mark.slow
def test_a_registry_takes_the_description_of_the_server() -> None:
    """By the linter skillsaw, which has the registry's schemas."""
    line = [sys.executable, "-m", "skillsaw", "lint", str(EXAMPLES)]
    environment = other_packages.environment("skillsaw", "skillsaw==0.22.0")
    completed = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0 and "mcp-registry" in completed.stdout and "Errors:   0" in completed.stdout, (
        completed.stdout
    )
    described, project = (
        json.loads((EXAMPLES / "server.json").read_text()),
        tomllib.loads(PROJECT.read_text())["project"],
    )
    (package,) = described["packages"]
    assert described["version"] == package["version"] == project["version"]
    assert package["identifier"] == project["name"] and package["identifier"] in project["scripts"]


def test_killing_the_client_ends_the_server_that_it_started(tmp_path: Path) -> None:
    log = tmp_path / "homie.log"
    environment = {**other_packages.environment(*MCP), "TINY_PERIOD": "0.3", "HOMIE_LOG_FILE": str(log)}
    line = [sys.executable, "-c", CLIENT, *command("go", *TINY, "--verbose")]
    client = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None and client.stdout.readline().strip() == "go"
    (server,) = [int(number) for number in _children(client.pid)]
    client.kill()
    client.wait()
    until(lambda: not Path(f"/proc/{server}").exists() or _state(server) == "Z")


def _children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_http_clients_take_turns_and_one_that_is_killed_lets_go(mode: str, tiny: Server) -> None:
    async def drive() -> None:
        async with tiny.client("ann", mode=mode) as ann, tiny.client("bob", mode=mode) as bob:
            driving = asyncio.create_task(ann.call_tool("go_to", {"target": "box"}))
            await asyncio.sleep(0.5)
            refused = await bob.call_tool("go_to", {"target": "ball"})
            assert refused.is_error and "held by ann" in refused.content[0].text
            assert content_of(await bob.call_tool("stop"))["stopped"]
            assert content_of(await driving)["code"] == "E1"
            assert content_of(await ann.call_tool("report", {"success": False}))["over"]
            assert content_of(await bob.call_tool("go_to", {"target": "ball"}))["ok"]
            await bob.call_tool("report", {"success": False})

    asyncio.run(asyncio.wait_for(drive(), 120))


def test_an_http_client_that_is_killed_in_the_middle_loses_the_robot(tiny: Server) -> None:
    script = (
        "import asyncio, sys\nfrom mcp import Client\nfrom mcp.client.streamable_http import streamable_http_client\n"
        "from mcp.shared._httpx_utils import create_mcp_http_client\n"
        "async def main():\n"
        "    http = create_mcp_http_client({'Authorization': 'Bearer ' + sys.argv[2]})\n"
        "    async with Client(streamable_http_client(sys.argv[1], http_client=http), mode='legacy') as client:\n"
        "        print(flush=True)\n        await client.call_tool('go_to', {'target': 'box'})\n"
        "asyncio.run(main())\n"
    )
    line = [sys.executable, "-c", script, tiny.greeting["url"], tiny.greeting["token"]]
    killed = subprocess.Popen(line, env=other_packages.environment(*MCP), stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None and killed.stdout.readline() == "\n"

    async def drive() -> None:
        async with tiny.client("bob") as bob:

            async def holder() -> str:
                return str(content_of(await bob.call_tool("status"))["held_by"])

            while not await holder():
                await asyncio.sleep(0.05)
            killed.kill()
            killed.wait()
            while await holder():
                await asyncio.sleep(0.05)
            assert content_of(await bob.call_tool("status"))["last"]["code"] == "E1"
            assert content_of(await bob.call_tool("go_to", {"target": "ball"}))["ok"]
            await bob.call_tool("report", {"success": False})

    asyncio.run(asyncio.wait_for(drive(), 120))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer {token}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": "Bearer {token}", "Host": "evil.example"}, 421),
    ],
)
def test_who_may_not_talk_to_the_server(headers: dict[str, str], status: int, tiny: Server) -> None:
    filled = {name: value.format(token=tiny.greeting["token"]) for name, value in headers.items()}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "stop"}}).encode()
    all_headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **filled}
    request = urllib.request.Request(tiny.greeting["url"], body, all_headers)
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=30)
    assert raised.value.code == status


def test_there_is_no_way_in_beside_the_token(tiny: Server) -> None:
    with pytest.raises(websockets.InvalidStatus, match="403"):
        websockets.sync.client.connect(tiny.greeting["url"].replace("http:", "ws:"))


@pytest.fixture
def started() -> Iterator[Callable[..., Server]]:
    """Starts servers that no test leaves behind."""
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.wait()


def test_a_killed_server_leaves_a_suite_to_go_on_with(tmp_path: Path, started: Callable[..., Server]) -> None:
    task = {"id": "put", "text": "put the ball in the box", "goal": {"in": ["ball", "box"]}}
    suite = {"format": 1, "name": "small", "protocol": {"rounds": 8, "trials": 2}, "tasks": [task]}
    (tmp_path / "small.json").write_text(json.dumps(suite))
    of_suite = ["--suite", str(tmp_path / "small.json"), "--out", str(tmp_path / "run"), *TINY]
    steps = (("go_to", "ball"), ("pick", "ball"), ("go_to", "box"))

    async def play(server: Server, *, completes: bool) -> None:
        async with server.client("ann") as client:
            content_of(await client.call_tool("start_task"))
            for name, target in steps:
                assert content_of(await client.call_tool(name, {"target": target}))["ok"]
            if not completes:
                server.end(signal.SIGKILL)
                return
            content_of(await client.call_tool("put", {"target": "ball", "destination": "box"}))
            assert content_of(await client.call_tool("report", {"success": True}))["over"]

    asyncio.run(asyncio.wait_for(play(started(*of_suite), completes=False), 120))
    again = started(*of_suite)
    for _ in range(2):
        asyncio.run(asyncio.wait_for(play(again, completes=True), 120))
    again.end()
    scores = homie.load_run(tmp_path / "run").results.scores
    assert [bool(score.success or score.verdict) for score in scores] == [True, True]
    assert os.listdir(tmp_path / "run" / "episodes").count("put-0-partial-1") == 1


def test_a_bench_waits_for_an_agent_in_every_episode(tmp_path: Path) -> None:
    task = {"id": "put", "text": "put the ball in the box", "goal": {"in": ["ball", "box"]}}
    suite = {"format": 1, "name": "small", "protocol": {"rounds": 5, "trials": 3}, "tasks": [task]}
    (tmp_path / "small.json").write_text(json.dumps(suite))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    line = ["-m", "homie", "bench", str(tmp_path / "small.json"), "--planner", f"mcp:{port}", "--workers", "1", *TINY]
    bench = subprocess.Popen(
        [sys.executable, *line, "--out", str(tmp_path / "run")],
        env={**other_packages.environment(*MCP), "HOMIE_MCP_TOKEN": "a token"},
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: _listens(port), process=bench)
    http = create_mcp_http_client({"Authorization": "Bearer a token"})
    transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)

    async def drive() -> None:
        async with Client(transport) as client:
            assert "start_task" in (await client.call_tool("go_to", {"target": "ball"})).content[0].text
            for completes in (True, False):
                started = content_of(await client.call_tool("start_task"))
                assert started == {"task": "put the ball in the box", "rounds": 5}
                if completes:
                    for target in ("ball", "box"):
                        assert content_of(await client.call_tool("go_to", {"target": target}))["ok"]
                        name, given = ("pick", {}) if target == "ball" else ("put", {"destination": "box"})
                        assert content_of(await client.call_tool(name, {"target": "ball", **given}))["ok"]
                assert content_of(await client.call_tool("report", {"success": completes}))["over"]
            content_of(await client.call_tool("start_task"))
            rounds_left = [
                content_of(await client.call_tool("pick", {"target": "ball"})).get("rounds_left") for _ in range(5)
            ]
            assert rounds_left == [4, 3, 2, 1, None]

    asyncio.run(asyncio.wait_for(drive(), 120))
    assert bench.wait(timeout=60) == 0, bench.communicate()
    scores = homie.load_run(tmp_path / "run").results.scores
    assert [bool(score.verdict) for score in scores] == [True, False, False]


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_a_bench_whose_agents_bring_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    for planner, says in (("mcp", "HOMIE_MCP_TOKEN"), ("mcp:x", "is a port, such as mcp:8766")):
        with pytest.raises(SystemExit) as excinfo:
            main(["bench", "homie-100", "--planner", planner])
        assert excinfo.value.code == 2 and says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--calls", "3"], "add --suite NAME"),
        (["go", "--suite", "homie-100"], "leave out --scene and the task"),
        (["--transport", "http", "--host", "0.0.0.0", *TINY], "HOMIE_MCP_TOKEN"),
    ],
)
def test_what_cannot_be_served_is_said(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as excinfo:
        main(["serve", "mcp", *arguments])
    assert excinfo.value.code == 2 and says in capsys.readouterr().err
