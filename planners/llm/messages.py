"""What goes to a language model and what comes back. Every model planner speaks through these types.

PlannerInput --prompt--> Request --LanguageModel.complete--> Reply --reading--> Decision
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
"""The leniency of an answer that is not where its API has it (docs/prompts.md)."""
ODD_END = "odd-end"
"""The leniency of a whole answer that ends for a reason which is not known to be an end (docs/prompts.md)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question.

    Attributes:
        schema: JSON schema that the answer has to follow, None for free text.
        name: Of the schema.
        useless: Subtasks that would change nothing now; a local model can leave them out.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None = None
    name: str = "decision"
    useless: tuple[Subtask, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. finish `length`: it was cut off at the token limit; `refusal`: the model declined to answer;
    `unknown`: it ended in a way that no API is known to call an end.

    Attributes:
        reasoning: What a reasoning model wrote before it, where the endpoint tells.
        cost: US dollars, 0 where the price is not known.
        cached: From the response cache, so that it took nothing.
        cache_read_tokens, cache_write_tokens: Those of the input that the provider had in its own cache, and that it
            put there.
        leniencies: Rules (docs/prompts.md) by which the text was taken from a reply that is not as its API has it.
        reason: How the endpoint calls its end.
        asked: The form in which it was asked for.
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
        """Answer. Raises PlannerError where no answer can be had (the episode ends as infrastructure)."""

    def reset(self, *, seed: int) -> None:
        """A new episode begins: accounts start at zero."""

    def advice(self, reply: Reply) -> str:
        """What a user can set so that replies like this one become readable: a sentence, "" where nothing is known."""
        return ""

    def describe(self) -> Mapping[str, object]:
        """What `run.json` should keep: name, endpoint, capabilities. JSON-ready, without secrets."""
        return {}
