"""Tasks in a house: from a custom goal, from a suite, or sampled from house and seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from homie.bench.suite.suite import SceneChoice, find_suite
from homie.gym.reset_and_step import Unsuitable
from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import Condition, parse_condition, unknown_words
from homie.kernel.world.furniture import kinds
from homie.kernel.world.snapshot import WorldSnapshot

TOPS = tuple(use.kind for use in kinds(lambda use: use.holds == "top"))
"""Destination furniture of sampled tasks."""


@dataclass(frozen=True, slots=True)
class HouseTask:
    """An instruction with its success condition.

    Attributes:
        scene: The scene in the suite, None for the house of any seed.
    """

    text: str
    goal: Condition
    scene: SceneChoice | None = None


def of_suite(suite: str, task: str) -> HouseTask:
    """Return a task of a suite by id. Raises BadInput for a task whose success is not judged from the world state."""
    (chosen,) = find_suite(suite).select(task)[:1]
    if chosen.goal is None:
        raise BadInput(f"The task '{task}' of the suite '{suite}' has no goal that the world could be asked for.")
    return HouseTask(chosen.text, chosen.goal, chosen.scene)


def of_goal(goal: object, instruction: str) -> HouseTask:
    """Create a task from a goal in the syntax of suite files. Raises BadInput."""
    if not instruction.strip():
        raise BadInput("Say with `instruction` in words what the goal asks for.")
    return HouseTask(instruction.strip(), parse_condition(goal))


def of_house(scene: Mapping[str, Any], seed: int) -> HouseTask:
    """Sample a task from a scene spec and a seed: bring an object from open furniture to furniture without one of its
    kind. Raises Unsuitable if the house has no such object."""
    kinds = {piece["name"]: piece["kind"] for piece in scene["furniture"]}
    existing = {(item["kind"], kinds.get(item["receptacle"], "")) for item in scene["objects"]}
    choices = sorted(
        {
            (kind, top)
            for kind, place in existing
            if place in TOPS
            for top in TOPS
            if top in kinds.values() and (kind, top) not in existing
        }
    )
    if not choices:
        raise Unsuitable(f"The house of seed {seed} has nothing that could be brought to a table: give a goal.")
    kind, top = choices[int(np.random.default_rng(seed).integers(len(choices)))]
    words = [name.replace("_", " ") for name in (kind, top)]
    return HouseTask(f"put the {words[0]} on the {words[1]}", parse_condition({"on": [kind, top]}))


def check_fits(task: HouseTask, world: WorldSnapshot) -> None:
    """Raise Unsuitable if a goal names an object that the house lacks."""
    if unknown := unknown_words(task.goal, world):
        raise Unsuitable(f"The goal names what this house has not: {', '.join(unknown)}.")
