"""Written plans: reading them as subtasks, and comparing them with the truth and its order, without a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from homie.kernel.actions import WORDS, canonical_action
from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from suites.published.robobench.plans import Node, nodes, split_steps

GO_TO = "Go to"
"""The action that changes nothing but where the robot is: it may be there once more, or not, without being needless."""

SKILLS = "go_to(thing), pick(thing), put(thing, place), open(place), close(place)"
"""The actions as plans are to write them."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A plan beside the truth.

    Attributes:
        matched, total: Actions of the truth, as in RoboBench.
        needless: Actions, Go to aside, that the truth has not.
        same: Whether both have the same actions, in an order that the truth allows.
    """

    matched: int
    total: int
    needless: int
    same: bool


def read_plan(text: str) -> tuple[Subtask, ...]:
    """The subtasks of a plan such as `1-open(fridge), 2-put(tomato_soup_can, fridge)`.

    Other words for an action (`pick_up`, `place`) are read as it. A step that is none becomes an action that no robot
    has, so that it fails where it stands.
    """
    return tuple(_subtask(step) for step in split_steps(text))


def written_plan(subtasks: Sequence[Subtask]) -> str:
    """Subtasks as a plan."""
    return ", ".join(f"{number}-{written_step(subtask)}" for number, subtask in enumerate(subtasks, 1))


def written_step(subtask: Subtask) -> str:
    """A subtask as a step: `put(tomato_soup_can, fridge)`."""
    names = ", ".join(_name(name) for name in (subtask.target, subtask.destination) if name)
    return f"{_name(subtask.action)}({names})"


def compared(plan: Sequence[Subtask], truth: Sequence[Subtask], before: Sequence[Sequence[int]]) -> Comparison:
    """A plan beside the truth.

    Args:
        plan: of an answer.
        truth: of the question.
        before: of each step of the truth, the steps (from 0) that come before it.
    """
    done, truth_nodes = [_node(step) for step in plan], [_node(step) for step in truth]
    there, reference = Counter(done), Counter(truth_nodes)
    extra = (there - reference).items()
    going = _node(Subtask(GO_TO)).skill
    return Comparison(
        matched=(there & reference).total(),
        total=reference.total(),
        needless=sum(number for node, number in extra if node.skill != going),
        same=there == reference and _allowed(done, truth_nodes, before, frozenset()),
    )


def _allowed(
    done: Sequence[Node], truth: Sequence[Node], before: Sequence[Sequence[int]], past: frozenset[int]
) -> bool:
    """Whether the actions can be those of the truth that are left, in an order of its graph."""
    if not done:
        return True
    free = [
        number
        for number, node in enumerate(truth)
        if number not in past and node == done[0] and past.issuperset(before[number])
    ]
    return any(_allowed(done[1:], truth, before, past | {number}) for number in free)


def _subtask(step: str) -> Subtask:
    skill, bracket, rest = step.partition("(")
    words = " ".join(skill.replace("_", " ").split())
    action = canonical_action(words) or WORDS.get(words.lower(), words)
    names = [" ".join(name.replace("_", " ").split()) for name in rest.rstrip(" )").split(",")] if bracket else []
    target, destination, *more = (*names, "", "")
    if any(more) or not action:
        return Subtask(step)
    return Subtask(action, target, destination)


def _node(subtask: Subtask) -> Node:
    try:
        (node,) = nodes(written_step(subtask))
    except (BadInput, ValueError):  # no step, or one for two arms
        return Node("", str(subtask), ())
    return node


def _name(words: str) -> str:
    return "_".join(words.lower().split())
