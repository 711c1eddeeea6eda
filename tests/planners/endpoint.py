"""A real HTTP server on 127.0.0.1 that speaks chat completions and Claude's messages, well or badly.

    with Endpoint(status(500), says("hello")) as endpoint: ...

It answers the first request in the first way, the second in the second, and all later ones in the last. What it was
asked is in `endpoint.asked`.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image
from planners.llm.calls import RemoteModel
from planners.llm.messages import Request
from planners.llm.providers.chat_model import ChatModel
from planners.llm.providers.chat_planner import ChatSettings
from planners.llm.providers.claude import ClaudeModel, ClaudeSettings

Body = Mapping[str, Any]
Way = Callable[["Connection", Body], None]
"""One way to answer a request."""


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Body


class Connection(BaseHTTPRequestHandler):
    """One request. The ways below use `send`, `server` and the raw file."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        way = self.server.next_way(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        try:
            way(self, body)
        except OSError:  # the client is gone
            self.close_connection = True

    def send(
        self, code: int, data: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, ways: tuple[Way, ...], port: int) -> None:
        super().__init__(("127.0.0.1", port), Connection)
        self.ways, self.asked, self.lock = ways, [], threading.Lock()
        self.over = threading.Event()

    def next_way(self, request: Asked) -> Way:
        with self.lock:
            self.asked.append(request)
            return self.ways[min(len(self.asked), len(self.ways)) - 1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Quiet: clients hang up."""


_NUMBERS = itertools.count()


class Endpoint:
    """The server, while the `with` block lasts."""

    def __init__(self, *ways: Way, port: int = 0) -> None:
        self._server = Server(ways, port)
        # A path of its own: what Homie knows of an address must not reach the next test that gets the same port.
        self.url = f"http://127.0.0.1:{self._server.server_port}/{next(_NUMBERS)}/v1"
        self.host = f"127.0.0.1:{self._server.server_port}"

    @property
    def asked(self) -> list[Asked]:
        return self._server.asked

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.over.set()
        self._server.shutdown()
        self._server.server_close()


def completion(body: Body, text: str, *, finish: str = "stop", thought: str = "", tokens: tuple[int, int]) -> bytes:
    """A chat completion. `finish`: as OpenAI calls it."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if thought:
        message["reasoning_content"] = thought
    if finish == "refusal":
        message |= {"content": None, "refusal": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop" if finish == "refusal" else finish}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    about = {"id": "c-1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return json.dumps({**about, "choices": [choice], "usage": usage}).encode()


def answer(body: Body, text: str, *, finish: str = "stop", thought: str = "", tokens: tuple[int, int]) -> bytes:
    """An answer of the Messages API: the tool where one is forced, else text."""
    blocks: list[dict[str, object]] = [{"type": "thinking", "thinking": thought, "signature": "s"}] if thought else []
    forced = body.get("tool_choice", {}).get("type") == "tool" and finish == "stop"
    if forced:
        blocks.append({"type": "tool_use", "id": "t", "name": body["tools"][0]["name"], "input": json.loads(text)})
    else:
        blocks.append({"type": "text", "text": text})
    reason = {"length": "max_tokens", "refusal": "refusal"}.get(finish, "tool_use" if forced else "end_turn")
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    about = {"id": "m-1", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
    return json.dumps({**about, "content": blocks, "stop_reason": reason, "usage": usage}).encode()


def says(text: str, *, finish: str = "stop", thought: str = "", tokens: tuple[int, int] = (100, 10)) -> Way:
    """A good answer."""

    def way(at: Connection, body: Body) -> None:
        make = answer if at.path.endswith("/messages") else completion
        at.send(200, make(body, text, finish=finish, thought=thought, tokens=tokens))

    return way


def slowly(seconds: float, then: Way) -> Way:
    """Something after a while."""

    def way(at: Connection, body: Body) -> None:
        at.server.over.wait(seconds)
        then(at, body)

    return way


def drips(data: bytes, pause: float) -> Way:
    """A whole answer, head and all, byte by byte: no single read ever waits long."""

    def way(at: Connection, body: Body) -> None:
        for byte in data:
            at.wfile.write(bytes([byte]))
            at.wfile.flush()
            if at.server.over.wait(pause):
                return

    return way


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"


def cut(at: Connection, body: Body) -> None:
    """The connection ends in the middle of the answer."""
    at.wfile.write(HEAD + b'{"id": "c-1", "choices": [{"mess')
    at.close_connection = True


def drops(at: Connection, body: Body) -> None:
    """The connection ends without a byte."""
    at.close_connection = True


def hangs(at: Connection, body: Body) -> None:
    """Nothing at all."""
    at.server.over.wait(60)


def status(code: int, message: str = "no", *, error: str = "", **headers: str) -> Way:
    """An error as both APIs write it; headers: with `_` for `-`."""
    body = {"type": "error", "error": {"type": "t", "code": error or None, "message": message}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda at, _: at.send(code, json.dumps(body).encode(), headers=named)


def raw(data: bytes, kind: str = "application/json") -> Way:
    """Whatever it is, with status 200."""
    return lambda at, _: at.send(200, data, kind)


# ------------------------------------------------------------ models to ask it with

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
WORD = '{"word": "yes"}'
"""An answer that follows it."""


def chat_model(endpoint: Endpoint | str, name: str = "m", **settings: Any) -> RemoteModel:
    """A model behind chat completions."""
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    return ChatModel(name, ChatSettings(**{"base_url": url, **settings}))


def claude_model(endpoint: Endpoint | str, name: str = "m", **settings: Any) -> RemoteModel:
    """A model behind the Messages API, whose SDK adds the version itself."""
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    return ClaudeModel(name, ClaudeSettings(**{"base_url": url.removesuffix("/v1"), **settings}))


def question(*parts: str | Image, schema: Mapping[str, object] | None = SCHEMA) -> Request:
    """A request with a system message."""
    return Request((Message("system", ("You answer.",)), Message("user", parts or ("Well?",))), schema)
