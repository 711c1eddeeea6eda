"""An episode of EmbodiedEval: the goal is evaluated after every step, until it is reached, missed, or time is up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from homie.kernel.errors import BadInput
from suites.published.embodied_eval_predicates import Predicate, Value
from suites.published.embodied_eval_state import State, Step


class Unusable(StrEnum):
    """Why an answer chose no option. It ends the episode."""

    NO_MATCH = "no option match"
    OUT_OF_RANGE = "option out of range"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record of one episode.

    Attributes:
        task_type: For example AttributeQA.
        predicates: The goal, all of which must hold after the same step.
        start: The state after reset.
        steps: The executed steps.
        unusable: Why the answer after them chose no option, None if it did not end that way.
        reference_length: The steps of a human, None if unknown.
    """

    task_type: str
    predicates: Sequence[Predicate]
    start: State
    steps: Sequence[Step]
    unusable: Unusable | None = None
    reference_length: int | None = None

    def __post_init__(self) -> None:
        if not self.predicates:
            raise BadInput("a task of EmbodiedEval needs at least one predicate")


def evaluate(predicates: Sequence[Predicate], start: State, steps: Sequence[Step]) -> tuple[Value, ...]:
    """Return the value of every predicate after the last step.

    Args:
        predicates: the goal.
        start: the reset state.
        steps: all steps since, at least one.

    Returns:
        A value per predicate, in order.
    """
    return tuple(predicate.value(start, steps) for predicate in predicates)


def until_failed(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values as in the released loop: it stops at the first that failed, so there can be fewer."""
    end = values.index(Value.FAILED) + 1 if Value.FAILED in values else len(values)
    return tuple(values[:end])


def conclusion(values: Sequence[Value]) -> Value:
    """Combine the values of several predicates: failed if one failed, done if all are done.

    Example:
        >>> conclusion([Value.DONE, Value.OPEN])
        <Value.OPEN: 0>
    """
    if Value.FAILED in values:
        return Value.FAILED
    return Value.DONE if values and all(value is Value.DONE for value in values) else Value.OPEN
