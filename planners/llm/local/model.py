"""A local model behind the interface of all language models."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from homie.kernel.types import END, Subtask
from planners.llm.local.own_or_shared_model import Source
from planners.llm.local.question import Completion, Question
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.prompting.schemas import among_actions, exclude_steps
from planners.llm.setting_advice import advice_for


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """Generation options.

    Attributes:
        limit: Maximum tokens of an answer.
        temperature: 0 for greedy decoding.
        constrained: Whether to constrain answers to the schema of the request.
        batch: Maximum number of questions in one pass.
        end_probability: Threshold: a less probable End is replaced by another action.
        repeats: Whether subtasks without an effect may be chosen.
    """

    limit: int
    temperature: float
    constrained: bool
    batch: int
    end_probability: float = 0.0
    repeats: bool = True


def _begins_with_subtask(schema: Mapping[str, Any]) -> bool:
    """Return whether the subtask comes first, without an analysis that would not match another subtask."""
    return next(iter(schema.get("properties", {})), "") == "subtask"


def _step(text: str) -> Subtask | None:
    """Parse the subtask of an answer with a single-subtask schema; None for other answers."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    step = answer.get("subtask") if isinstance(answer, dict) else None
    if not isinstance(step, dict) or "action" not in step:
        return None
    return Subtask(*(str(step.get(part, "")) for part in ("action", "target", "destination")))


def _probability(answer: Completion, action: str) -> float:
    """Return the probability of an answer's action, from the last choice of a token that begins its name."""
    prefixes = ((text.strip(), probability) for text, probability in reversed(answer.choices))
    return next((probability for text, probability in prefixes if text and action.startswith(text)), 1.0)


class LocalModel(LanguageModel):
    """A model on this machine, in this or another process. `name` is the user's name for it."""

    def __init__(self, source: Source, writing: GenerationOptions, name: str) -> None:
        self.source = source
        self._writing = writing
        self._name = name
        self._seed = 0
        self._question_count = 0

    def reset(self, *, seed: int) -> None:
        self._seed = seed
        self._question_count = 0

    def complete(self, request: Request) -> Reply:
        writing_options = self._writing
        question = Question(
            request.messages,
            request.schema if writing_options.constrained else None,
            writing_options.limit,
            writing_options.temperature,
            seed=self._seed * 1_000_003 + self._question_count,
        )
        self._question_count += 1
        answers = [self.source.ask(question, writing_options.batch)]
        schema, step = question.schema, _step(answers[0].text)
        if schema is not None and step is not None:
            probability = _probability(answers[0], step.action)
            if step.action == END.action and probability < writing_options.end_probability:
                if other := among_actions(schema, END.action.__ne__):
                    answers.append(self.source.ask(replace(question, schema=other), writing_options.batch))
            elif step in request.useless and not writing_options.repeats and _begins_with_subtask(schema):
                useful_schema = exclude_steps(schema, request.useless)
                answers += self._answer_alternatives(question, useful_schema, step.action, probability)
        last_answer = answers[-1]
        return Reply(
            last_answer.text,
            finish=last_answer.finish,
            reason=last_answer.finish,
            asked="grammar" if question.schema is not None else "text",
            input_tokens=sum(answer.input_tokens for answer in answers),
            output_tokens=sum(answer.output_tokens for answer in answers),
            cache_read_tokens=sum(answer.reused_tokens for answer in answers),
        )

    def _answer_alternatives(
        self, question: Question, useful_schema: Mapping[str, Any], action: str, probability: float
    ) -> list[Completion]:
        """Return answers by the reduced schema with the chosen action, and with another; the more likely last.

        Args:
            question: The question.
            useful_schema: The schema without useless subtasks.
            action: The chosen action.
            probability: Its probability.
        """
        weighted_answers: list[tuple[float, Completion]] = []
        for accepts, share in ((action.__eq__, probability), (action.__ne__, 1.0 - probability)):
            if schema := among_actions(useful_schema, accepts):
                answer = self.source.ask(replace(question, schema=schema), self._writing.batch)
                weighted_answers.append((share * math.prod(chance for _, chance in answer.choices), answer))
        return [answer for _, answer in sorted(weighted_answers, key=lambda pair: pair[0])]

    def advice(self, reply: Reply) -> str:
        return advice_for(reply, f"--set max_new_tokens={2 * self._writing.limit}")

    def describe(self) -> Mapping[str, object]:
        writing_options = self._writing
        return {
            "name": self._name,
            **self.source.facts.engine,
            "max_new_tokens": writing_options.limit,
            "temperature": writing_options.temperature,
            "constrained": writing_options.constrained,
            "end_probability": writing_options.end_probability,
            "repeats": writing_options.repeats,
        }
