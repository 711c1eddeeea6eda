"""Endpoints that send too much, send it packed, or answer oddly: no episode hangs, bursts or is lost to trifles."""

from __future__ import annotations

import gzip
import json
import shutil
import ssl
import subprocess
import threading
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from endpoint import (
    WORD,
    Body,
    Connection,
    Endpoint,
    answer,
    chat_model,
    claude_model,
    completion,
    question,
    raw,
    says,
)

from homie.kernel.errors import PlannerError
from planners.llm.calls import RemoteModel
from planners.llm.calls.answer_limits import LARGEST

Make = Callable[..., RemoteModel]
ONCE = {"retries": 0}


@pytest.fixture(params=[chat_model, claude_model], ids=["chat", "anthropic"])
def make(request: pytest.FixtureRequest) -> Make:
    built: Make = request.param
    return built


# ------------------------------------------------------------ too much


def packed_as(name: str, data: bytes, code: int = 200) -> Callable[[Connection, Body], None]:
    return lambda at, _: at.send(code, data, headers={"Content-Encoding": name})


@pytest.mark.parametrize("code", [200, 400])
def test_a_small_body_that_unpacks_to_a_large_one_is_not_unpacked_whole(make: Make, code: int) -> None:
    bomb = gzip.compress(bytes(2 * LARGEST), 1)
    assert len(bomb) < LARGEST / 10
    with Endpoint(packed_as("gzip", bomb, code)) as endpoint, pytest.raises(PlannerError, match="larger than 16 MiB"):
        make(endpoint, **ONCE).complete(question())


class Endless:
    """A way that sends a body without an end and counts what it got rid of."""

    def __init__(self) -> None:
        self.sent = 0
        self.left = threading.Event()

    def __call__(self, at: Connection, body: Body) -> None:
        at.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        try:
            while self.sent < 40 * LARGEST:
                self.sent += at.wfile.write(b" " * 2**16)
        finally:
            self.left.set()


def test_a_body_without_an_end_is_left_after_a_bounded_part_of_it(make: Make) -> None:
    endless = Endless()
    with Endpoint(endless) as endpoint:
        with pytest.raises(PlannerError, match="larger than"):
            make(endpoint, **ONCE).complete(question())
        assert endless.left.wait(20)
    assert endless.sent < 3 * LARGEST  # what was read, and what the system holds between the two


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_packed_answer_is_an_answer(make: Make, name: str) -> None:
    def way(at: Connection, body: Body) -> None:
        assert at.headers["accept-encoding"] == "gzip"
        build = answer if at.path.endswith("/messages") else completion
        data = build(body, WORD, tokens=(1, 1))
        packed = gzip.compress(data) if name == "gzip" else zlib.compress(data)
        at.send(200, packed, headers={"Content-Encoding": name})

    with Endpoint(way) as endpoint:
        assert make(endpoint).complete(question()).text == WORD


def test_what_is_packed_otherwise_was_not_asked_for(make: Make) -> None:
    with Endpoint(packed_as("br", b"\x0b")) as endpoint, pytest.raises(PlannerError, match="packed as 'br'"):
        make(endpoint, **ONCE).complete(question())


# ------------------------------------------------------------ TLS


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server with a certificate that nobody signed."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    paths = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command, *paths, "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_port
    server.shutdown()


def test_a_certificate_that_is_not_trusted_is_reported_as_that(make: Make, secure: int) -> None:
    with pytest.raises(
        PlannerError, match=r"Cannot reach localhost:\d+ securely: self-signed certificate .*SSL_CERT_F"
    ):
        make(f"https://localhost:{secure}/v1", retries=3, backoff=60.0).complete(question())


def test_a_server_that_does_not_speak_tls_is_reported_as_that(make: Make) -> None:
    with Endpoint(says(WORD)) as endpoint, pytest.raises(PlannerError, match=r"securely: .*does it speak http://"):
        make(endpoint.url.replace("http:", "https:"), retries=0, timeout=10.0).complete(question())


# ------------------------------------------------------------ odd answers that are answers


def answer_edited(**changes: Any) -> Callable[[Connection, Body], None]:
    """A good completion with some of it changed: `usage`, or fields of its message."""

    def way(at: Connection, body: Body) -> None:
        reply_body = json.loads(completion(body, WORD, tokens=(100, 10)))
        if "usage" in changes:
            reply_body["usage"] = changes["usage"]
        reply_body["choices"][0]["message"] |= {key: value for key, value in changes.items() if key != "usage"}
        at.send(200, json.dumps(reply_body).encode())

    return way


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12.5, "completion_tokens": 3.0}, (12, 3)),
        ({"prompt_tokens": "12", "completion_tokens": None}, (0, 0)),
        ({"prompt_tokens": -4, "completion_tokens": True}, (0, 0)),
        ({"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": [1]}, (7, 2)),
        ([1, 2], (0, 0)),
        ("many", (0, 0)),
    ],
)
def test_an_odd_account_of_tokens_loses_no_answer(usage: object, tokens: tuple[int, int]) -> None:
    with Endpoint(answer_edited(usage=usage)) as endpoint:
        reply = chat_model(endpoint, **ONCE).complete(question())
    assert (reply.text, reply.input_tokens, reply.output_tokens) == (WORD, *tokens)


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        ({"content": "hm"}, "hm"),
        ([{"type": "text", "text": "first"}, {"type": "text", "text": "then"}], "first\nthen"),
        (3, ""),
        ({"effort": "low"}, ""),
    ],
)
def test_odd_reasoning_loses_no_answer(reasoning: object, expected: str) -> None:
    with Endpoint(answer_edited(reasoning=reasoning)) as endpoint:
        reply = chat_model(endpoint, **ONCE).complete(question())
    assert (reply.text, reply.reasoning) == (WORD, expected)


def test_a_part_without_text_loses_no_answer() -> None:
    with Endpoint(answer_edited(content=[{"type": "text", "text": None}, {"type": "text", "text": WORD}])) as endpoint:
        assert chat_model(endpoint, **ONCE).complete(question()).text == WORD


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "byte order mark"])
def test_half_a_surrogate_pair_loses_no_answer(mark: bytes) -> None:
    body = mark + b'{"choices": [{"message": {"content": "{\\"word\\": \\"\\ud83d\\"}", "reasoning": "\\udc00"}}]}'
    with Endpoint(raw(body)) as endpoint:
        reply = chat_model(endpoint, **ONCE).complete(question())
    assert (json.loads(reply.text), reply.reasoning) == ({"word": "?"}, "?")


def test_a_whole_object_that_blanks_ran_behind_was_not_cut_off(make: Make) -> None:
    with Endpoint(says(WORD + " \n" * 200, finish="length")) as endpoint:
        reply = chat_model(endpoint).complete(question())
        assert (reply.text, reply.finish) == (WORD, "stop")
    for text in (WORD, WORD[:-1] + " ", "[1] ", "done  "):
        with Endpoint(says(text, finish="length")) as endpoint:
            assert make(endpoint).complete(question(schema=None)).finish == "length"


# ------------------------------------------------------------ ends that are none


@pytest.mark.parametrize("reason", ["abort", "error", "cancelled"])
def test_an_answer_that_the_endpoint_gave_up_on_is_asked_for_again(reason: str) -> None:
    with Endpoint(says('{"word": "ye', finish=reason), says(WORD)) as endpoint:
        assert chat_model(endpoint, backoff=0.02).complete(question()).text == WORD
    with Endpoint(says(WORD, finish=reason)) as endpoint, pytest.raises(PlannerError, match=f"gave up .*'{reason}'"):
        chat_model(endpoint, **ONCE).complete(question())


def test_an_error_in_a_choice_is_reported() -> None:
    choice = {
        "error": {"code": 502, "message": "Upstream is gone"},
        "finish_reason": "error",
        "message": {"content": ""},
    }
    data = json.dumps({"choices": [choice]}).encode()
    with Endpoint(raw(data)) as endpoint, pytest.raises(PlannerError, match="answers 502: Upstream is gone"):
        chat_model(endpoint, **ONCE).complete(question())


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("eos", "stop"), ("end_turn", "stop"), ("STOP", "stop"), ("model_length", "length"), ("moon", "unknown")],
)
def test_ends_are_called_many_names(reason: str, finish: str) -> None:
    with Endpoint(says(WORD, finish=reason)) as endpoint:
        assert chat_model(endpoint).complete(question()).finish == finish
