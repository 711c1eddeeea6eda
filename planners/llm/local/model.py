"""A local model behind the interface of all language models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from homie.kernel.types import END
from planners.llm.local.own_or_shared_model import Source
from planners.llm.local.question import Question, Written
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.prompting.schemas import without_end
from planners.llm.setting_advice import advice_for


@dataclass(frozen=True, slots=True)
class Writing:
    """How answers are written.

    Attributes:
        limit: Tokens of one answer.
        temperature: 0 for the best token always.
        constrained: Held to the schema of the request token by token.
        batch: Questions that may share one pass.
        end_probability: End less probable than this is not taken.
    """

    limit: int
    temperature: float
    constrained: bool
    batch: int
    end_probability: float = 0.0


def _ends(text: str) -> bool:
    """Whether an answer that follows its schema is the single step End."""
    try:
        answer = json.loads(text)
    except ValueError:
        return False
    step = answer.get("subtask") if isinstance(answer, dict) else None
    return isinstance(step, dict) and step.get("action") == END.action


def _probability(answer: Written) -> float:
    """Of the action of an answer that is End: the last choice that begins its name."""
    begun = ((text.strip(), probability) for text, probability in reversed(answer.choices))
    return next((probability for text, probability in begun if text and END.action.startswith(text)), 1.0)


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
        answers = [self.source.ask(question, how.batch)]
        if question.schema is not None and _ends(answers[0].text) and _probability(answers[0]) < how.end_probability:
            other = without_end(question.schema)
            if other is not None:
                answers.append(self.source.ask(replace(question, schema=other), how.batch))
        written = answers[-1]
        return Reply(
            written.text,
            finish=written.finish,
            reason=written.finish,
            asked="grammar" if question.schema is not None else "text",
            input_tokens=sum(answer.input_tokens for answer in answers),
            output_tokens=sum(answer.output_tokens for answer in answers),
            cache_read_tokens=sum(answer.reused_tokens for answer in answers),
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
