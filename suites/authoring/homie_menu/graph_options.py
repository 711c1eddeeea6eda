"""The interactions of a task: those that its expert needs, among plausible ones that it does not."""

from __future__ import annotations

import random
from collections.abc import Sequence

from homie.bench.authoring.numbered_actions import list_actions
from homie.bench.suite.suite import Task, read_subtask
from homie.kernel.actions import ACTION_TABLE, ActionTable
from homie.kernel.types import Subtask, is_interaction
from homie.kernel.world.household_verbs import PERSON_VERBS
from homie.kernel.world.snapshot import WorldSnapshot

MOST, WRONG = 8, 4
"""Interactions of a task where its expert needs no more than half of them, and least wrong ones of any task:
EmbodiedEval's tasks have a few each, and its questions eight answers."""
ALIKE = 0.5
"""Fraction of the wrong ones with a right action on another object, or another action on a right object."""
TABLE: ActionTable = {**ACTION_TABLE, **{name: verb.action for name, verb in PERSON_VERBS.items()}}
"""Actions of the suite's skills."""


def options(task: Task, expert: Sequence[str], world: WorldSnapshot) -> list[str]:
    """Return the interactions in the order of every list, by action and name, which does not reveal the right ones.

    Args:
        task: Task of homie-menu; its id is the seed.
        expert: Its steps on the graph.
        world: State at the start.
    """
    rng = random.Random(f"homie-menu-graph {task.id}")
    able = [choice.subtask for choice in list_actions(world, TABLE, TABLE, str, "points")]
    every = [subtask for subtask in able if is_interaction(subtask)]
    right = {step for step in map(read_subtask, expert) if is_interaction(step)}
    wrong = [subtask for subtask in every if subtask not in right]
    about = {_entity(read_subtask(step)) for step in task.expert or ()} - {""}
    actions = {step.action for step in right}
    alike = [subtask for subtask in wrong if subtask.action in actions or _entity(subtask) in about]
    number = max(MOST, len(right) + WRONG) - len(right)
    drawn = _spread(alike, round(ALIKE * number), rng)
    drawn += _spread([subtask for subtask in wrong if subtask not in drawn], number - len(drawn), rng)
    return [str(subtask) for subtask in every if subtask in right or subtask in drawn]


def _spread(subtasks: Sequence[Subtask], number: int, rng: random.Random) -> list[Subtask]:
    """Sample so many at random, no action much more often than another."""
    left = rng.sample(list(subtasks), len(subtasks))
    drawn: list[Subtask] = []
    while left and len(drawn) < number:
        count = [subtask.action for subtask in drawn]
        chosen = min(left, key=lambda subtask: count.count(subtask.action))
        left.remove(chosen)
        drawn.append(chosen)
    return drawn


def _entity(subtask: Subtask) -> str:
    return (subtask.destination or subtask.target) if subtask.action != "End" else ""
