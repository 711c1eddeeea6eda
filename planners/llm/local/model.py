"""A local model behind the interface of all language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planners.llm.local.question import Question
from planners.llm.local.source import Source
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.setting_advice import advice_for


@dataclass(frozen=True, slots=True)
class Writing:
    """How answers are written.

    Attributes:
        limit: Tokens of one answer.
        temperature: 0 for the best token always.
        constrained: Held to the schema of the request token by token.
        batch: Questions that may share one pass.
    """

    limit: int
    temperature: float
    constrained: bool
    batch: int


class LocalModel(LanguageModel):
    """A model on this machine, wherever it is loaded. `name` is how the user called it."""

    def __init__(self, source: Source, writing: Writing, name: str) -> None:
        self.source = source
        self._writing = writing
        self._name = name
        self._seed = 0
        self._asked = 0

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
        written = self.source.ask(question, how.batch)
        return Reply(
            written.text,
            finish=written.finish,
            reason=written.finish,
            asked="grammar" if question.schema is not None else "text",
            input_tokens=written.input_tokens,
            output_tokens=written.output_tokens,
            cache_read_tokens=written.reused_tokens,
        )

    def advice(self, reply: Reply) -> str:
        return advice_for(reply, f"--set max_new_tokens={2 * self._writing.limit}")

    def describe(self) -> Mapping[str, object]:
        how = self._writing
        return {
            "name": self._name,
            **self.source.facts.engine,
            "max_new_tokens": how.limit,
            "temperature": how.temperature,
            "constrained": how.constrained,
        }
