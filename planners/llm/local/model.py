"""A local model behind the interface of all language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planners.llm.local.engine import Question
from planners.llm.local.server import Server
from planners.llm.messages import LanguageModel, Reply, Request


@dataclass(frozen=True, slots=True)
class Writing:
    """How answers are written. limit: tokens of one answer. temperature: 0 for the best token always.

    constrained: held to the schema of the request token by token. batch: questions that may share one pass.
    """

    limit: int
    temperature: float
    constrained: bool
    batch: int


class LocalModel(LanguageModel):
    """One episode's share of a model on this machine. `name` is how the user called it."""

    def __init__(self, server: Server, writing: Writing, name: str) -> None:
        self._server = server
        self._writing = writing
        self._name = name
        self._seed = 0
        self._asked = 0
        server.users.add(self)

    def reset(self, *, seed: int) -> None:
        self._seed = seed
        self._asked = 0

    def complete(self, request: Request) -> Reply:
        how = self._writing
        question = Question(
            request.messages,
            request.schema if how.constrained else None,
            how.limit,
            how.temperature,
            seed=self._seed * 1_000_003 + self._asked,
        )
        self._asked += 1
        written = self._server.ask(question, how.batch)
        return Reply(
            written.text,
            finish=written.finish,
            input_tokens=written.input_tokens,
            output_tokens=written.output_tokens,
        )

    def describe(self) -> Mapping[str, object]:
        how = self._writing
        return {
            "name": self._name,
            **self._server.engine.describe(),
            "max_new_tokens": how.limit,
            "temperature": how.temperature,
            "constrained": how.constrained,
        }
