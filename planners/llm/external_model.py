"""A model planner whose model is called by another program, such as an evaluation framework with its own models.

PlannerInput --prompt--> messages --ask, a function of that program--> text --parsing--> Decision

Prompts, parsing and retries are those of every model planner, so that an answer means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from homie.kernel.interfaces.prompts import Message
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner, PromptSettings

Ask: TypeAlias = Callable[[Sequence[Message]], Mapping[str, Any]]
"""Maps the messages of a prompt to the fields of a `Reply`: `text`, and `input_tokens`, `cost`, `finish`, ..."""


class _CallbackModel(LanguageModel):
    def __init__(self, ask: Ask, about: Mapping[str, object]) -> None:
        self._ask, self._description = ask, about

    def complete(self, request: Request) -> Reply:
        return Reply(**self._ask(request.messages))

    def describe(self) -> Mapping[str, object]:
        return self._description


class ElsewherePlanner(ModelPlanner):
    """Planner that calls its model through a function.

    Args:
        ask: Blocks until there is an answer; raises PlannerError if there is none.
        settings: Of the prompts.
        about: Description of the model for the run folder, JSON-ready.
    """

    name = "elsewhere"

    def __init__(self, ask: Ask, settings: PromptSettings, about: Mapping[str, object]) -> None:
        super().__init__(_CallbackModel(ask, about), settings)
