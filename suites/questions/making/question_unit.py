"""What a visit of a world brings: questions that may be used, in units that stand or fall together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from homie.kernel.types import Image
from suites.questions.question import Kind, PlanTask

Keep = Callable[[Image], str]
"""Stores a picture, and returns its file."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be used.

    Attributes:
        truth: Of kind choice the right choice in words, else as `Question` has it.
        choices: The words, in the order in which they stay.
        drawn: How many wrong choices are drawn from the truths of the others of its template; `choices` is then empty.
        avoid: What none of them may be.
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
    """What could have been a unit and is none, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Candidates that are used together or not at all: the same words with other pictures and other answers.

    A unit of one is balanced against others of its template by its truth.
    """

    dimension: str
    template: str
    source: str
    candidates: tuple[Candidate, ...]

    @property
    def name(self) -> tuple[str, str]:
        """Of its template, with the dimension."""
        return self.dimension, self.template


def contrast(
    dimension: str,
    template: str,
    source: str,
    text: str,
    answers: Sequence[tuple[str, tuple[str, ...]]],
    kind: Kind = "choice",
) -> Unit:
    """A unit with the same words for every answer.

    Args:
        answers: Each with the pictures that show it.
    """
    choices = tuple(answer for answer, _ in answers) if kind == "choice" else ()
    return Unit(
        dimension,
        template,
        source,
        tuple(Candidate(text, kind, pictures, answer, choices) for answer, pictures in answers),
    )
