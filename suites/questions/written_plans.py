"""Written plans: parses them into subtasks, and compares them with the truth and its order, without a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from homie.kernel.actions import WORDS, canonical_action
from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from suites.published.robobench.plans import Node, nodes, split_steps

GO_TO = "Go to"
"""The action that changes only the robot's position: an additional or a missing one is not counted as needless."""

SKILLS = "go_to(thing), pick(thing), put(thing, place), open(place), close(place)"
"""The actions in the format of a plan."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of a plan with the truth.

    Attributes:
        matched, total: Actions of the truth, as in RoboBench.
        needless: Number of actions, Go to aside, that the truth does not have.
        same: Whether both have the same actions, in an order that the truth allows.
    """

    matched: int
    total: int
    needless: int
    same: bool


def read_plan(text: str) -> tuple[Subtask, ...]:
    """Parse a plan such as `1-open(fridge), 2-put(tomato_soup_can, fridge)` into subtasks.

    Synonyms of an action (`pick_up`, `place`) are accepted. A step that is not an action becomes an action that no
    robot has, so that execution fails at it.
    """
    return tuple(_subtask(step) for step in split_steps(text))


def written_plan(subtasks: Sequence[Subtask]) -> str:
    """Format subtasks as a plan."""
    return ", ".join(f"{number}-{written_step(subtask)}" for number, subtask in enumerate(subtasks, 1))


def written_step(subtask: Subtask) -> str:
    """Format a subtask as a step: `put(tomato_soup_can, fridge)`."""
    names = ", ".join(_name(name) for name in (subtask.target, subtask.destination) if name)
    return f"{_name(subtask.action)}({names})"


def compare_plans(plan: Sequence[Subtask], truth: Sequence[Subtask], before: Sequence[Sequence[int]]) -> Comparison:
    """Compare a plan with the truth.

    Args:
        plan: plan of an answer.
        truth: plan of the question.
        before: for each step of the truth, the steps (from 0) that precede it.
    """
    plan_nodes, truth_nodes = [_node(step) for step in plan], [_node(step) for step in truth]
    there, reference = Counter(plan_nodes), Counter(truth_nodes)
    extra = (there - reference).items()
    going = _node(Subtask(GO_TO)).skill
    return Comparison(
        matched=(there & reference).total(),
        total=reference.total(),
        needless=sum(number for node, number in extra if node.skill != going),
        same=there == reference and _allowed(plan_nodes, truth_nodes, before, frozenset()),
    )


def _allowed(
    plan_nodes: Sequence[Node], truth: Sequence[Node], before: Sequence[Sequence[int]], past: frozenset[int]
) -> bool:
    """Whether the actions can be the remaining ones of the truth, in an order of its graph."""
    if not plan_nodes:
        return True
    free = [
        number
        for number, node in enumerate(truth)
        if number not in past and node == plan_nodes[0] and past.issuperset(before[number])
    ]
    return any(_allowed(plan_nodes[1:], truth, before, past | {number}) for number in free)


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
    except (BadInput, ValueError):  # not a step, or a step for two arms
        return Node("", str(subtask), ())
    return node


def _name(words: str) -> str:
    return "_".join(words.lower().split())
