"""A model planner whose model another program asks: an evaluation framework with models of its own.

PlannerInput --prompt--> messages --ask, given by that program--> text --reading--> Decision

Prompts, reading and asking again are those of every model planner, so that an answer means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from homie.kernel.interfaces.prompts import Message
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner, PromptSettings

Ask: TypeAlias = Callable[[Sequence[Message]], Mapping[str, Any]]
"""From the messages of a question to the fields of a `Reply`: `text`, and `input_tokens`, `cost`, `finish`, ..."""


class _Asked(LanguageModel):
    def __init__(self, ask: Ask, about: Mapping[str, object]) -> None:
        self._ask, self._about = ask, about

    def complete(self, request: Request) -> Reply:
        return Reply(**self._ask(request.messages))

    def describe(self) -> Mapping[str, object]:
        return self._about


class ElsewherePlanner(ModelPlanner):
    """Asks by a function.

    Args:
        ask: Blocks until there is an answer; raises PlannerError where there will be none.
        settings: Of the prompts.
        about: The model, for the run folder; JSON-ready.
    """

    name = "elsewhere"

    def __init__(self, ask: Ask, settings: PromptSettings, about: Mapping[str, object]) -> None:
        super().__init__(_Asked(ask, about), settings)
