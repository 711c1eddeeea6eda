"""Result of visiting a world: candidate questions, in units that are used or refused together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from homie.kernel.types import Image
from suites.questions.question import Kind, PlanTask

Keep = Callable[[Image], str]
"""Stores a picture, and returns the name of its file."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be used.

    Attributes:
        truth: For kind choice the right choice in words, else as in `Question`.
        choices: The choices in words, in their final order.
        drawn: Number of wrong choices to draw from the truths of the template's other candidates; then no `choices`.
        avoid: Answers that must not be drawn.
    """

    text: str
    kind: Kind
    pictures: tuple[str, ...]
    truth: str
    choices: tuple[str, ...] = ()
    drawn: int = 0
    avoid: tuple[str, ...] = ()
    region: tuple[float, float, float, float] | None = None
    task: PlanTask | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A possible unit that was refused, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Candidates that are used together or not at all: the same words with other pictures and other answers.

    A unit with one candidate is balanced against others of its template by its truth.
    """

    dimension: str
    template: str
    source: str
    candidates: tuple[Candidate, ...]

    @property
    def name(self) -> tuple[str, str]:
        """Name of the template, with the dimension."""
        return self.dimension, self.template


def contrast(
    dimension: str,
    template: str,
    source: str,
    text: str,
    answers: Sequence[tuple[str, tuple[str, ...]]],
    kind: Kind = "choice",
) -> Unit:
    """Make a unit with the same text for every answer.

    Args:
        answers: Answers, each with the pictures that show it.
    """
    choices = tuple(answer for answer, _ in answers) if kind == "choice" else ()
    return Unit(
        dimension,
        template,
        source,
        tuple(Candidate(text, kind, pictures, answer, choices) for answer, pictures in answers),
    )
