"""The reader as an endpoint: it gets the messages that any model would get, over HTTP, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.prompt_jobs import Job
from benchmarks.prompt_question import read_question
from benchmarks.prompt_reader import next_subtask
from benchmarks.scripted import Endpoint

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


class Served(Endpoint):
    """The endpoint, while the `with` block lasts.

    Args:
        port: 0 takes a free one.
    """

    def __init__(self, jobs: Mapping[str, Sequence[Job]], port: int = 0) -> None:
        def answered(_: str, body: Mapping[str, Any]) -> tuple[str, int]:
            messages = body["messages"]
            return answer(messages, jobs), sum(len(_text(message)) for message in messages) // CHARACTERS

        super().__init__(answered, port)
