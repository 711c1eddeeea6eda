"""States of the world in an episode of EmbodiedEval, and the options chosen between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.kernel.errors import BadInput

Point = tuple[float, float, float]
"""A position in metres; y is up, so distances on the floor are in x and z."""
MAX_STEPS = 24
"""The released step limit."""
QA = "QA"
"""Task types whose name contains this are questions: their last step offers only answers."""
ANSWER = "answer"
"""Options that begin with this word answer a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The world after reset or after a step.

    Attributes:
        agent: Position of the agent.
        objects: Positions of objects by id.
        grabbed: Id of the held object, -1 for none.
        options: Options offered in this state.
        feedback: Feedback of the step that led here: success, failed or others.
        feedback_content: Further text.
    """

    agent: Point
    objects: Mapping[int, Point]
    grabbed: int
    options: Sequence[str]
    feedback: str = ""
    feedback_content: str = ""

    def position(self, number: int) -> Point:
        """Return the position of an object.

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
    """Return the options of a step.

    Args:
        state: the state in which the choice is made.
        task_type: a type whose name contains "QA" leaves only the answers in the last step.
        step: index of the step, from 0.
        max_steps: the limit.
    """
    if QA in task_type and step == max_steps - 1:
        return tuple(option for option in state.options if ANSWER in option)
    return tuple(state.options)
