"""Rules, and layers composed of them.

A *rule* checks one question and returns a code with its sentence, or None if it does not apply. A layer is an
`homie.kernel.interfaces.ErrorCheck`: its rules in order, the first violation counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from homie.kernel.actions import entity_words
from homie.kernel.interfaces import CheckQuestion
from homie.kernel.types import Check, ErrorCode

Layer: TypeAlias = Literal["format", "logical", "distance", "execution"]


class Violation(NamedTuple):
    """Violation of a rule by a subtask.

    Attributes:
        about: See `homie.kernel.types.Feedback`.
    """

    code: ErrorCode
    message: str
    about: tuple[str, ...] = ()


def official(code: ErrorCode, about: tuple[str, ...] = (), **names: str) -> Violation:
    """Create a violation with the sentence of the official code (`ErrorCode.sentence`), with its names filled in."""
    return Violation(code, code.filled(**names), about)


Rule: TypeAlias = Callable[[CheckQuestion], Violation | None]


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """Rules of one layer as one check. Always returns a Check; its `code` is None where no rule is violated."""

    layer: Layer
    rules: tuple[Rule, ...]

    def __call__(self, question: CheckQuestion) -> Check:
        for rule in self.rules:
            violation = rule(question)
            if violation is not None:
                return Check(self.layer, violation.code, violation.message, violation.about)
        return Check(self.layer)


def place(question: CheckQuestion) -> str:
    """Return the words for `question.entity`: the destination of a Put, the target of any other action."""
    return entity_words(question.subtask, question.action.arguments)
