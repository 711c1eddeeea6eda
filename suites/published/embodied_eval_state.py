"""What an episode of EmbodiedEval consists of: states of the world and the options chosen between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.kernel.errors import BadInput

Point = tuple[float, float, float]
"""A position in metres; y is up, so distances on the floor are in x and z."""
MAX_STEPS = 24
"""The released limit of steps."""
QA = "QA"
"""Task types whose name contains this are questions: in their last step only answers are on the menu."""
ANSWER = "answer"
"""Options that begin with this word answer a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The world after reset or after a step.

    Attributes:
        agent: Its position.
        objects: Their positions by id.
        grabbed: The id of the object in the hand, -1 for none.
        options: The menu that is offered in this state.
        feedback: Of the step that led here: success, failed or others.
        feedback_content: Further text.
    """

    agent: Point
    objects: Mapping[int, Point]
    grabbed: int
    options: Sequence[str]
    feedback: str = ""
    feedback_content: str = ""

    def position(self, number: int) -> Point:
        """The position of an object.

        Raises:
            BadInput: there is no such object.
        """
        if number not in self.objects:
            raise BadInput(f"object {number} is not in the world, so no predicate can speak of it")
        return self.objects[number]


@dataclass(frozen=True, slots=True)
class Step:
    """An executed step: the option that was chosen and the state that it led to."""

    option: str
    after: State


def menu(state: State, task_type: str, step: int, max_steps: int = MAX_STEPS) -> tuple[str, ...]:
    """The options of a step.

    Args:
        state: in which the choice is made.
        task_type: a type whose name contains "QA" leaves only the answers in the last step.
        step: index of the step, from 0.
        max_steps: the limit.
    """
    if QA in task_type and step == max_steps - 1:
        return tuple(option for option in state.options if ANSWER in option)
    return tuple(state.options)
