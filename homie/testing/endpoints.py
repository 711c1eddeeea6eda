"""An endpoint for language models on this machine, to try prompts, planners and benches without a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

ChatMessages: TypeAlias = Sequence[Mapping[str, Any]]
"""The messages of a request: `role` and `content`, which is a text or a list of parts with texts and pictures."""


class ChatServer:
    """An OpenAI-compatible endpoint (chat completions) whose model is a function. Use it as a context manager.

    It listens on 127.0.0.1 while the block lasts, answers several clients at once, and ignores the name of the model,
    sampling settings and response formats. `requests` has the body of each request, in their order.

    Example:
        >>> import homie
        >>> from homie.testing import ChatServer
        >>> answer = '{"analysis": "Nothing to do.", "subtask": {"action": "End"}, "model": "ideal"}'
        >>> with ChatServer(lambda messages: answer) as server:
        ...     planner = {"planner": "chat:any", "planner_settings": {"base_url": server.url}}
        ...     with homie.open(**planner, skills="ideal", rooms=2, objects=4, picture_size=64) as session:
        ...         for played in session.rounds("go to the table"):
        ...             print(played, played.decision.analysis)
        round 1: [End] ok Nothing to do.
    """

    def __init__(self, model: Callable[[ChatMessages], str], *, port: int = 0) -> None:
        """Listen.

        Args:
            model: From the messages of a request to the text of the answer. Several threads call it.
            port: 0 takes a free one.

        Raises:
            OSError: Something else has that port.
        """
        self.requests: list[Mapping[str, Any]] = []
        self._model = model
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self._answer))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _answer(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self.requests.append(body)
        text = self._model(body["messages"])
        usage = {"prompt_tokens": len(json.dumps(body["messages"])) // 4, "completion_tokens": len(text) // 4}
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", ""),
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(answer: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self._send(404, {"error": {"message": f"There is no {self.path} here, only /v1/chat/completions."}})
                return
            try:
                self._send(200, answer(body))
            except Exception as error:  # a bug of the model is sent to the client, as an endpoint would do
                self._send(500, {"error": {"message": f"The model raised {type(error).__name__}: {error}"}})

        def _send(self, status: int, content: Mapping[str, Any]) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler
