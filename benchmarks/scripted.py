"""An OpenAI-compatible endpoint on 127.0.0.1 whose answers a function gives: a model that is not a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

Answer: TypeAlias = Callable[[str, Mapping[str, Any]], tuple[str, int]]
"""From the first part of the path and the request: the text, and how many tokens the prompt is said to have. Raises
KeyError and ValueError for a request that it has no answer to."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            text, tokens = self.server.answer(self.path.split("/")[1], body)
        except (KeyError, ValueError) as error:
            self._send(400, {"error": {"message": f"The script has no answer: {error!r}."}})
            return
        usage = {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        about = {"id": "s", "object": "chat.completion", "created": 0, "model": body["model"]}
        self._send(200, {**about, "choices": [choice], "usage": usage})

    def _send(self, code: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, answer: Answer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer = answer


class Endpoint:
    """The endpoint, while the `with` block lasts. Raises OSError for one that is in use.

    Args:
        port: 0 takes a free one.
    """

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self._server = _Server(port, answer)
        self.port = self._server.server_port

    def url(self, first: str = "") -> str:
        """Its address; `first` is the first part of its path."""
        return f"http://127.0.0.1:{self.port}/{first}/v1" if first else f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
