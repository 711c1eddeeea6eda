"""Local endpoint for language models, to test prompts, planners and benches without a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

ChatMessages: TypeAlias = Sequence[Mapping[str, Any]]
"""Messages of a request: `role` and `content`, which is a text or a list of parts with texts and pictures."""
Reply: TypeAlias = Callable[[str, Mapping[str, Any]], tuple[int, Mapping[str, Any]]]
"""Function from the path and body of a request to the status and body of the response."""


class JsonServer:
    """A server on 127.0.0.1 that answers JSON with JSON, several clients at once, inside a `with` block."""

    def __init__(self, reply: Reply, port: int) -> None:
        """Listen; port 0 selects a free port. Raises OSError if the port is in use."""
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(reply))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.port = self._server.server_port

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class ChatServer(JsonServer):
    """An OpenAI-compatible endpoint (chat completions) whose model is a function. Used as a context manager.

    It listens on 127.0.0.1 inside the block, answers several clients at once, and ignores model name, sampling settings
    and response formats. `requests` holds the body of each request, in order.

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
            model: Function from the messages of a request to the text of the answer. Called from several threads.
            port: Port; 0 selects a free one.

        Raises:
            OSError: The port is in use.
        """
        super().__init__(self._reply, port)
        self.requests: list[Mapping[str, Any]] = []
        self._model = model
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def _reply(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        if not path.endswith("/chat/completions"):
            return 404, problem(f"There is no {path} here, only /v1/chat/completions.")
        self.requests.append(body)
        try:
            text = self._model(body["messages"])
        except Exception as error:  # a bug of the model is sent to the client, as an endpoint would do
            return 500, problem(f"The model raised {type(error).__name__}: {error}")
        return 200, completion(body, text, len(json.dumps(body["messages"])) // 4, len(text) // 4)


def completion(body: Mapping[str, Any], text: str, prompt_tokens: int, completion_tokens: int) -> Mapping[str, Any]:
    """Return the chat completion with a text, as the response to a request."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def problem(message: str) -> Mapping[str, Any]:
    """Return the body of an error response."""
    return {"error": {"message": message}}


def _handler(reply: Reply) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            status, content = reply(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler
