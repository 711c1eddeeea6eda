"""Requests to language models and their replies: the interface between model planners and models.

PlannerInput --prompt--> Request --LanguageModel.complete--> Reply --parsing--> Decision
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Subtask

Finish: TypeAlias = Literal["stop", "length", "refusal", "unknown"]

BESIDE = "beside"
"""Leniency for an answer outside of its field in the API (docs/prompts.md)."""
ODD_END = "odd-end"
"""Leniency for a complete answer with an unknown finish reason (docs/prompts.md)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        schema: JSON schema of the answer, None for free text.
        name: Name of the schema.
        useless: Subtasks that would have no effect now; a local model can exclude them.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None = None
    name: str = "decision"
    useless: tuple[Subtask, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Attributes:
        reasoning: Reasoning of the model before the answer, if the endpoint returns it.
        finish: `length`: cut off at the token limit; `refusal`: the model declined to answer; `unknown`: an unknown
            finish reason.
        cost: US dollars, 0 if the price is unknown.
        cached: From the response cache, so without cost.
        cache_read_tokens, cache_write_tokens: Input tokens read from and written to the provider's prefix cache.
        leniencies: Rules (docs/prompts.md) by which the text was taken from a reply that violates its API.
        reason: The endpoint's finish reason.
        asked: The requested form of the answer.
    """

    text: str
    reasoning: str = ""
    finish: Finish = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cached: bool = False
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    leniencies: tuple[str, ...] = ()
    reason: str = ""
    asked: str = ""


class LanguageModel(ABC):
    """A multimodal language model, local or behind an endpoint. One instance serves one episode at a time."""

    @abstractmethod
    def complete(self, request: Request) -> Reply:
        """Answer a request. Raises PlannerError if that fails (the episode ends as infrastructure)."""

    def reset(self, *, seed: int) -> None:
        """Begin a new episode: reset its cost and seed."""

    def advice(self, reply: Reply) -> str:
        """Return a sentence with settings that help against unreadable replies like this one, "" for none."""
        return ""

    def describe(self) -> Mapping[str, object]:
        """Return the model's name, endpoint and options for `run.json`: JSON-ready, without secrets."""
        return {}
