"""The play server: robots ask it like any endpoint, a person sees exactly what they sent, and nobody else gets in."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from browser import CHROMIUM, Browser
from endpoint import SCHEMA, WORD, chat_model, question

from homie.kernel.errors import BadInput, InfrastructureError
from planners.llm.prompting.schemas import decision_schema
from planners.play_server import PlayServer, serve_play
from tests.waiting import until

TOKEN = "0123456789abcdef"
PICTURE = np.random.default_rng(3).integers(0, 255, (24, 32, 3), np.uint8)


@pytest.fixture
def server() -> Iterator[PlayServer]:
    with PlayServer("127.0.0.1", 0, TOKEN) as play_server:
        threading.Thread(target=play_server.serve_forever, args=(0.01,), daemon=True).start()
        yield play_server
        play_server.shutdown()


@pytest.fixture
def robot(server: PlayServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A planner's model that asks the server."""
    monkeypatch.setenv("HOMIE_PLAY_TOKEN", TOKEN)
    return chat_model(server.base_url, "person", api_key_env="HOMIE_PLAY_TOKEN", retries=0)


def call(
    server: PlayServer, path: str, body: object = None, *, data: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a response; with the token unless headers say otherwise."""
    all_headers = {
        "Authorization": f"Bearer {TOKEN}",
        **{name.replace("_", "-"): text for name, text in headers.items()},
    }
    sent = json.dumps(body).encode() if body is not None else data
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    try:
        line.request("GET" if sent is None else "POST", path, sent, all_headers)
        response = line.getresponse()
        return response.status, {name.lower(): text for name, text in response.getheaders()}, response.read()
    finally:
        line.close()


def first(server: PlayServer) -> dict[str, Any]:
    """The question that the page shows, as soon as there is one."""
    after = -1
    while True:
        _, _, body = call(server, f"/api/waiting?after={after}")
        state = json.loads(body)
        if state["question"]:
            return dict(state["question"])
        after = state["changes"]


def say(server: PlayServer, number: int, text: str) -> int:
    return call(server, "/api/answer", {"number": number, "text": text})[0]


# ------------------------------------------------------------ who gets in


@pytest.mark.parametrize("path", ["/", "/page.js", "/api/waiting", "/v1/models", "/nowhere", "/?token=wrong"])
@pytest.mark.parametrize("wrong", ["", "Bearer ", "Bearer 0123456789abcdeF"])
def test_nobody_gets_in_without_the_token(server: PlayServer, path: str, wrong: str) -> None:
    status, headers, body = call(server, path, Authorization=wrong)
    assert status == 401 and "open the address" in json.loads(body)["error"]["message"]
    assert "set-cookie" not in headers and TOKEN not in str(headers)


def test_strangers_can_neither_ask_nor_answer(server: PlayServer) -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    assert call(server, "/v1/chat/completions", body, Authorization="")[0] == 401
    assert call(server, "/api/answer", {"number": 1, "text": "x"}, Cookie="homie-play=no", Authorization="")[0] == 401
    assert server.desk.look(-1, 0)[1] == []


def test_the_address_that_is_printed_lets_a_browser_in_and_the_token_out_of_the_address(server: PlayServer) -> None:
    status, headers, _ = call(server, f"/?token={TOKEN}", Authorization="")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    status, headers, body = call(server, "/", Authorization="", Cookie=cookie.partition(";")[0])
    assert status == 200 and b"<title>" in body
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "img-src data:" in policy


# ------------------------------------------------------------ questions and answers


def test_the_person_sees_what_the_model_would_see_and_the_robot_gets_the_answer(server: PlayServer, robot: Any) -> None:
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(robot.complete, question("Front:", PICTURE, "Well?"))
        page = first(server)
        system, user = page["body"]["messages"]
        assert system == {"role": "system", "content": "You answer."}
        assert [part.get("text") for part in user["content"]] == ["Front:", None, "Well?"]
        data = base64.b64decode(user["content"][1]["image_url"]["url"].partition("base64,")[2])
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert np.array_equal(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), PICTURE)
        assert page["body"]["response_format"]["json_schema"]["schema"] == SCHEMA
        assert say(server, page["number"], WORD) == 200
        reply = future.result(timeout=60)
    assert (reply.text, reply.finish) == (WORD, "stop")
    assert say(server, page["number"], "again") == 409, "it is answered"


def test_questions_wait_in_the_order_in_which_they_came_and_get_their_own_answers(
    server: PlayServer, robot: Any
) -> None:
    with ThreadPoolExecutor(3) as pool:
        futures = []
        for number in range(3):
            futures.append(pool.submit(robot.complete, question(f"Number {number}?", schema=None)))
            until(lambda: len(server.desk.look(-1, 0)[1]) == len(futures))
        for number in range(3):
            page = first(server)
            assert page["body"]["messages"][-1]["content"] == f"Number {number}?"
            say(server, page["number"], f"It is {number}.")
        assert [future.result(timeout=60).text for future in futures] == [f"It is {number}." for number in range(3)]


def test_the_page_gets_a_question_as_soon_as_it_comes(server: PlayServer, robot: Any) -> None:
    with ThreadPoolExecutor(2) as pool:
        changes, _ = server.desk.look(-1, 0)
        looking = pool.submit(call, server, f"/api/waiting?after={changes}")
        future = pool.submit(robot.complete, question("Well?"))
        state = json.loads(looking.result(timeout=60)[2])
        assert (state["waiting"], state["changes"] > changes) == (1, True)
        say(server, state["question"]["number"], WORD)
        future.result(timeout=60)


def test_a_robot_that_hangs_up_leaves_nothing_on_the_desk(server: PlayServer) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port)) as line:
        line.sendall(head.encode() + body)
        number = first(server)["number"]
    until(lambda: not server.desk.look(-1, 0)[1])
    assert say(server, number, "too late") == 409


@pytest.mark.parametrize(
    ("path", "data", "status", "message"),
    [
        ("/v1/chat/completions", b"{", 400, "not JSON"),
        ("/v1/chat/completions", b"[1]", 400, "JSON object"),
        ("/v1/chat/completions", b"[" * 100_000, 400, "not JSON"),
        ("/v1/chat/completions", b'{"messages": []}', 400, "list of messages"),
        ("/v1/chat/completions", b'{"messages": ["hi"]}', 400, "list of messages"),
        ("/v1/chat/completions", b'{"messages": [{"role": "user"}], "stream": true}', 400, "does not stream"),
        ("/api/answer", b'{"number": "1", "text": "x"}', 400, "`number`"),
        ("/v1/completions", b"{}", 404, "nothing at /v1/completions"),
    ],
)
def test_what_is_no_question_is_refused_in_a_sentence(
    server: PlayServer, path: str, data: bytes, status: int, message: str
) -> None:
    code, _, body = call(server, path, data=data)
    assert code == status and message in json.loads(body)["error"]["message"]
    assert server.desk.look(-1, 0)[1] == []


def test_a_request_that_is_too_large_is_not_read(server: PlayServer) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port)) as line:
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {10**12}\r\n\r\n"
        )
        line.sendall(head.encode())
        assert line.recv(100).startswith(b"HTTP/1.1 413")


def test_what_cannot_be_served_is_reported(monkeypatch: pytest.MonkeyPatch, server: PlayServer) -> None:
    def ready(_: PlayServer) -> None:
        raise AssertionError

    with pytest.raises(InfrastructureError, match=r"port \d+: Address already in use. Try another --port"):
        serve_play(host="127.0.0.1", port=server.server_port, token_env="HOMIE_PLAY_TOKEN", ready=ready)
    with pytest.raises(BadInput, match="Give an address of this machine"):
        serve_play(host="192.0.2.1", port=0, token_env="HOMIE_PLAY_TOKEN", ready=ready)
    for weak in ("short", "0123456789abcde;", "0123456789abcdé0"):
        monkeypatch.setenv("HOMIE_PLAY_TOKEN", weak)
        with pytest.raises(BadInput, match="at least 16 letters and digits"):
            serve_play(host="127.0.0.1", port=0, token_env="HOMIE_PLAY_TOKEN", ready=ready)


# ------------------------------------------------------------ as a user runs it

PLAYED = (
    {"action": "Go to", "target": "ball"},
    {"action": "Pick", "target": "ball"},
    {"action": "Go to", "target": "box"},
    {"action": "Put", "target": "ball", "destination": "box"},
    {"action": "End"},
)


def test_an_episode_is_played_by_hand(tmp_path: Path) -> None:
    """`homie play-server` and `homie run` as two processes, and a person in this one."""
    homie = [sys.executable, "-m", "homie"]
    path = os.pathsep.join([str(Path(__file__).parents[1] / "plugin"), str(Path(__file__).parents[2])])
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": path}
    serving = subprocess.Popen(
        [*homie, "play-server", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert serving.stdout is not None
        lines = [serving.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(serving.stdout.readline())
        address = json.loads("".join(lines))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}", address["page"])
        tiny = ["--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny", "--no-video"]
        asks = ["--planner", "chat:person", "--base-url", address["base_url"], "--api-key-env", "HOMIE_PLAY_TOKEN"]
        running = subprocess.Popen(
            [*homie, "run", "put the ball in the box", *tiny, *asks, "--out", str(tmp_path / "run"), "--json"],
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "HOMIE_PLAY_TOKEN": address["token"]},
        )
        server = RemoteServer(address)
        for subtask in PLAYED:
            page = server.first()
            assert "put the ball in the box" in json.dumps(page["body"]["messages"])
            server.say(page["number"], json.dumps({"analysis": "by hand", "subtask": subtask, "model": "tiny"}))
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 0, out
        (steps_file,) = (tmp_path / "run").glob("episodes/*/steps.jsonl")
        decisions = [json.loads(line)["decision"] for line in steps_file.read_text().splitlines()]
        assert [decision["subtasks"][0]["action"] for decision in decisions] == [
            subtask["action"] for subtask in PLAYED
        ]
        assert [answer["text"] for answer in decisions[0]["answers"]] == [decisions[0]["raw"]]
    finally:
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=60) == 130


class RemoteServer:
    """What the page does, from outside."""

    def __init__(self, address: Mapping[str, str]) -> None:
        self._host = address["base_url"].removeprefix("http://").partition("/")[0]
        self._headers = {"Authorization": f"Bearer {address['token']}"}

    def _call(self, path: str, body: object = None) -> Any:
        line = http.client.HTTPConnection(self._host, timeout=120)
        line.request("GET" if body is None else "POST", path, body and json.dumps(body), self._headers)
        return json.loads(line.getresponse().read())

    def first(self) -> dict[str, Any]:
        after = -1
        while not (state := self._call(f"/api/waiting?after={after}"))["question"]:
            after = state["changes"]
        return dict(state["question"])

    def say(self, number: int, text: str) -> None:
        assert self._call("/api/answer", {"number": number, "text": text}) == {"taken": number}


# ------------------------------------------------------------ the page


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
def test_in_a_browser_the_person_reads_starts_and_sends_an_answer(
    server: PlayServer, robot: Any, tmp_path: Path
) -> None:
    nasty = "<img src=x onerror=document.title='run'> & <script>document.title='run'</script>"
    schema = decision_schema("json", ("Go to", "Put", "End"), ("classical", "octo"))
    with Browser(tmp_path) as browser, ThreadPoolExecutor(1) as pool:
        browser.open(server.page)
        until(lambda: browser.run("document.querySelector('#status')?.textContent") == "Nobody asks at the moment.")
        assert browser.run("location.search") == "" and browser.run("document.cookie") == ""
        future = pool.submit(robot.complete, question("Front:", PICTURE, nasty, schema=schema))
        until(lambda: browser.run("document.title") == "(1) Homie asks")
        assert browser.run("[...document.querySelectorAll('article pre')].map(e => e.textContent)") == [
            "You answer.",
            nasty,
        ]
        until(lambda: browser.run("document.querySelector('figure small').textContent") == "32 x 24")
        assert browser.run("document.querySelector('figcaption').textContent") == "Front:"
        assert browser.run("[...document.querySelectorAll('#starts button')].map(e => e.textContent)") == [
            *("Go to", "Put", "End"),
        ]
        browser.run("document.querySelectorAll('#starts button')[2].click()")
        ended = json.loads(browser.run("document.querySelector('#text').value"))
        assert ended["subtask"] == {"action": "End", "report": None, "answer": None}
        browser.run("document.querySelectorAll('#starts button')[1].click()")
        start = json.loads(browser.run("document.querySelector('#text').value"))
        assert start["subtask"] == {"action": "Put", "target": "", "destination": ""} and start["model"] == "classical"
        answer = json.dumps({**start, "analysis": nasty})
        browser.run(f"document.querySelector('#text').value = {json.dumps(answer)}")
        browser.run(
            "document.querySelector('#text').dispatchEvent("
            "new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true, bubbles: true}))"
        )
        assert future.result(timeout=60).text == answer
        until(lambda: browser.run("document.title") == "Homie: nobody asks")
        assert browser.run("document.querySelector('#past pre').textContent") == answer
        assert browser.console == []
