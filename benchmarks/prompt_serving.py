"""Serve the prompt reader as an HTTP endpoint, which gets only the messages that a model would get."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.prompt_jobs import Job
from benchmarks.prompt_question import read_question
from benchmarks.prompt_reader import next_subtask
from benchmarks.scripted import Endpoint

CHARACTERS = 4
"""Characters per token; the reported usage covers the texts alone."""


def answer(messages: Sequence[Mapping[str, Any]], jobs: Mapping[str, Sequence[Job]]) -> str:
    """Answer a request of the template `emmoe-json`. Raises KeyError for a task without known jobs."""
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


class EndpointServer(Endpoint):
    """Endpoint that runs during the `with` block.

    Args:
        port: 0 for a free port.
    """

    def __init__(self, jobs: Mapping[str, Sequence[Job]], port: int = 0) -> None:
        def answered(_: str, body: Mapping[str, Any]) -> tuple[str, int]:
            messages = body["messages"]
            return answer(messages, jobs), sum(len(_text(message)) for message in messages) // CHARACTERS

        super().__init__(answered, port)
