"""Questions to a local model and its answers. Without torch, as the model may be in another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Image


@dataclass(frozen=True, eq=False)
class Question:
    """A request for one answer.

    Attributes:
        schema: JSON schema of the answer, None for free text.
        limit: Maximum tokens of the answer.
        temperature: 0 for greedy decoding.
        seed: For sampling.
        cancelled: Set when nobody waits for the answer any more.
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
        """The shapes of its pictures; questions with equal shapes can share a batch."""
        return tuple(picture.shape for picture in self.pictures)


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer.

    Attributes:
        finish: `length` if the answer was cut off at the limit.
        reused_tokens: Input tokens taken from the prefix cache.
        choices: The tokens, as text, at which the schema allowed several, each with its probability among these.
    """

    text: str
    finish: Literal["stop", "length"]
    input_tokens: int
    output_tokens: int
    reused_tokens: int = 0
    choices: tuple[tuple[str, float], ...] = field(default=(), compare=False)
