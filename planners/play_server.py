"""Server with a chat completions API for robots, and a page for the person who answers as the model.

POST /v1/chat/completions   waits for the person's answer               Authorization: Bearer TOKEN
GET  /v1/models             the only model
GET  /?token=TOKEN          logs a browser in, after which it uses a cookie
GET  /                      the page; it polls /api/waiting and posts to /api/answer
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import select
import socket
import time
from collections.abc import Callable, Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.support.page_headers_and_cookies import cookie_in, page_headers, same_secret, secret_cookie
from planners.play_desk import Desk, Question

LARGEST = 64 * 2**20
"""Maximum bytes of a request: a hundred times four pictures of 768 x 768."""
LOOK = 25.0
"""Seconds of one long poll of the page; browsers and proxies time out after 30 or more."""
GLANCE = 0.5
"""Interval for checking whether a waiting robot is still connected, s."""
COOKIE = "homie-play"
MODEL = "person"
_FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
_HEADERS = page_headers(pictures="data:")
"""Their policy lets content from robots be displayed but never executed."""


class Refusal(Exception):
    """A refused request: an HTTP status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class PlayServer(ThreadingHTTPServer):
    """HTTP server for robots and the page.

    Args:
        host, port: Address to listen at.
        token: API key of robots, and the browser's token in the first URL.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, token: str) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Connection)
        self.desk = Desk()
        self.token = token
        host_in_url = f"[{host}]" if ":" in host else host
        self.url = f"http://{host_in_url}:{self.server_port}"

    @property
    def page(self) -> str:
        """The URL of the page with the token."""
        return f"{self.url}/?token={self.token}"

    @property
    def base_url(self) -> str:
        """The URL for `--base-url`."""
        return f"{self.url}/v1"

    def knows(self, token: str) -> bool:
        """Return whether a token is the server's."""
        return same_secret(token, self.token)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect during a request."""


class _Connection(BaseHTTPRequestHandler):
    server: PlayServer
    protocol_version = "HTTP/1.1"
    server_version = "homie-play"
    sys_version = ""

    def do_GET(self) -> None:
        self._serve({"/v1/models": self._models, "/api/waiting": self._waiting, **dict.fromkeys(_FILES, self._file)})

    def do_POST(self) -> None:
        self._serve({"/v1/chat/completions": self._complete, "/api/answer": self._answer})

    def _serve(self, routes: Mapping[str, Any]) -> None:
        address = urlsplit(self.path)
        self.query = parse_qs(address.query)
        try:
            if address.path == "/" and self.server.knows(self.query.get("token", [""])[0]):
                self._log_in()
                return
            self._check()
            if address.path not in routes:
                raise Refusal(404, f"There is nothing at {address.path}.")
            routes[address.path]()
        except Refusal as refusal:
            self.close_connection = True  # the body may not have been read
            self._send(refusal.status, {"error": {"message": str(refusal), "type": "invalid_request_error"}})

    def log_message(self, *args: object) -> None:
        """Log nothing, as URLs contain the token."""

    # ------------------------------------------------------------ access

    def _check(self) -> None:
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        cookie = cookie_in(self.headers.get("Cookie", ""), COOKIE)
        if not (self.server.knows(bearer) or self.server.knows(cookie)):
            raise Refusal(401, "This server wants its token: open the address that `homie play-server` has printed.")

    def _log_in(self) -> None:
        """Move the token from the URL into a cookie that scripts and other sites cannot use."""
        self.send_response(303)
        self.send_header("Location", "/")
        self.send_header("Set-Cookie", secret_cookie(COOKIE, self.server.token))
        self._finish(b"", "text/plain")

    # ------------------------------------------------------------ for robots

    def _models(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "homie"}]})

    def _complete(self) -> None:
        body = self._json()
        messages = body.get("messages")
        if not (isinstance(messages, list) and messages and all(isinstance(item, Mapping) for item in messages)):
            raise Refusal(400, "`messages` must be a list of messages.")
        if body.get("stream"):
            raise Refusal(400, "A person does not stream: leave `stream` out.")
        question = self.server.desk.ask(body)
        text = self._wait_for_answer(question)
        if text is None:
            self.close_connection = True
            return
        message = {"role": "assistant", "content": text}
        self._send(
            200,
            {
                "id": f"play-{question.number}",
                "object": "chat.completion",
                "created": int(time.time()),
                "model": str(body.get("model", MODEL)),
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            },
        )

    def _wait_for_answer(self, question: Question) -> str | None:
        """Wait for the person's answer; None if the robot disconnects before."""
        desk = self.server.desk
        while (text := desk.wait(question, GLANCE)) is None:
            if self._has_disconnected():
                desk.withdraw(question)
                return None
        return text

    def _has_disconnected(self) -> bool:
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    # ------------------------------------------------------------ for the page

    def _file(self) -> None:
        name, kind = _FILES[urlsplit(self.path).path]
        self._finish_head(200)
        self._finish(_template(name), f"{kind}; charset=utf-8")

    def _waiting(self) -> None:
        last_count = self.query.get("after", ["-1"])[0]
        changes, waiting = self.server.desk.look(int(last_count) if last_count.isdecimal() else -1, LOOK)
        first = waiting[0] if waiting else None
        time_now = time.monotonic()
        state: dict[str, object] = {"changes": changes, "waiting": len(waiting), "question": None}
        if first is not None:
            state["question"] = {
                "number": first.number,
                "seconds": round(time_now - first.since, 1),
                "body": first.body,
            }
        self._send(200, state)

    def _answer(self) -> None:
        body = self._json()
        number, text = body.get("number"), body.get("text")
        if not isinstance(number, int) or not isinstance(text, str):
            raise Refusal(400, "An answer has a `number` and a `text`.")
        if not self.server.desk.answer(number, text):
            raise Refusal(409, "Nobody waits for this answer any more.")
        self._send(200, {"taken": number})

    # ------------------------------------------------------------ bytes

    def _json(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise Refusal(411, "The request must say its Content-Length.")
        if int(length) > LARGEST:
            raise Refusal(413, f"The request is larger than {LARGEST // 2**20} MiB.")
        try:
            body = parse_json(self.rfile.read(int(length)), lax=True)
        except ValueError:
            raise Refusal(400, "The request is not JSON.") from None
        if not isinstance(body, dict):
            raise Refusal(400, "The request must be a JSON object.")
        return body

    def _send(self, status: int, value: object) -> None:
        self._finish_head(status)
        self._finish(json.dumps(value).encode(), "application/json")

    def _finish_head(self, status: int) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)

    def _finish(self, data: bytes, kind: str) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)


@cache
def _template(name: str) -> bytes:
    return files("planners").joinpath("templates", name).read_bytes()


LEAST = 16
"""Minimum characters of a token that the user sets."""
_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)


def serve_play(*, host: str, port: int, token_env: str, ready: Callable[[PlayServer], None]) -> None:
    """Serve until KeyboardInterrupt, which is raised again. `ready` is called when it listens; port 0 is a free one.

    The token is that of the environment variable, else generated. Raises BadInput for an address that is not this
    machine's or a weak token, InfrastructureError for a port that is taken.
    """
    token = os.environ.get(token_env, "").strip()
    if token and (len(token) < LEAST or not token.isascii() or not token.isalnum()):
        raise BadInput(
            f"The token in {token_env} must be at least {LEAST} letters and digits; leave it out for one made here."
        )
    try:
        server = PlayServer(host, port, token or secrets.token_hex(16))
    except OSError as error:
        if error.errno not in _PORT_ERRORS:
            raise BadInput(f"Cannot listen at {host}: {reason_of(error)}. Give an address of this machine.") from error
        raise InfrastructureError(
            f"Cannot listen at {host} port {port}: {reason_of(error)}. Try another --port."
        ) from error
    with server:
        ready(server)
        server.serve_forever(poll_interval=0.2)
