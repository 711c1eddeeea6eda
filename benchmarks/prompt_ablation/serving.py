"""The reader as an endpoint: it gets the messages that any model would get, over HTTP, and nothing else."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from benchmarks.prompt_ablation.jobs import Job
from benchmarks.prompt_ablation.question import read_question
from benchmarks.prompt_ablation.reader import next_subtask

CHARACTERS = 4
"""Characters a token; the usage that is reported is of the texts alone."""


def answer(messages: Sequence[Mapping[str, Any]], jobs: Mapping[str, Sequence[Job]]) -> str:
    """The answer to a request of the template `emmoe-json`. Raises KeyError for a task of which no jobs are known."""
    system, *others = messages
    turns = [_text(message) for message in others if message["role"] == "user" and "\nTask: " in f"\n{_text(message)}"]
    question = read_question(_text(system), turns[:-1], turns[-1])
    parts = next_subtask(question, jobs[question.task])
    subtask = dict(zip(("action", "target", "destination"), parts, strict=False))
    return json.dumps({"analysis": "read", "subtask": subtask, "model": question.model(parts[0])})


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = answer(body["messages"], self.server.jobs)
        length = sum(len(_text(message)) for message in body["messages"]) // CHARACTERS
        usage = {"prompt_tokens": length, "completion_tokens": 0, "total_tokens": length}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        about = {"id": "r", "object": "chat.completion", "created": 0, "model": body["model"]}
        data = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, jobs: Mapping[str, Sequence[Job]]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.jobs = jobs


class Served:
    """The endpoint, while the `with` block lasts. port: 0 takes a free one."""

    def __init__(self, jobs: Mapping[str, Sequence[Job]], port: int = 0) -> None:
        self._server = _Server(port, jobs)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Served:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
