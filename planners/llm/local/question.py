"""What a local model is asked, and what it writes. No torch here: planners ask a model in another process too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image


@dataclass(frozen=True, eq=False)
class Question:
    """What one answer is asked for.

    Attributes:
        schema: It has to follow it, None for free text.
        limit: Tokens it may take.
        temperature: 0 for the best token always.
        seed: Of the choice otherwise.
        cancelled: Nobody waits any more.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    limit: int = 1024
    temperature: float = 0.0
    seed: int = 0
    cancelled: Event = field(default_factory=Event)

    @property
    def pictures(self) -> list[Image]:
        return [part for message in self.messages for part in message.parts if not isinstance(part, str)]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of its pictures: questions that have these in common can share a batch."""
        return tuple(picture.shape for picture in self.pictures)


@dataclass(frozen=True, slots=True)
class Written:
    """One answer. finish `length`: it was cut off at the limit.

    Attributes:
        reused_tokens: Of the input, that the model had read for the question before.
        choices: Where its schema left a choice: the texts that were chosen, each with its probability among all that
            were allowed.
    """

    text: str
    finish: Literal["stop", "length"]
    input_tokens: int
    output_tokens: int
    reused_tokens: int = 0
    choices: tuple[tuple[str, float], ...] = field(default=(), compare=False)
