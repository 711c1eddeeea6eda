"""EmbodiedBench's published task files as suites: `homie bench eb-navigation:FOLDER`, `eb-manipulation:FOLDER`.

A name without a version is the one with `@2025-fixed`, without the faults of the evaluator of that release.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any, get_args

from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import Attribute, SceneChoice, Suite, Task
from homie.envs.coppelia.released_task import SUBSETS, episodes, read_task
from homie.kernel.robot import small_steps
from homie.kernel.world.predicates import Done
from suites.published.embodiedbench_files import NavigationTask, read_navigation
from suites.published.quirks import EB_MANIPULATION, EB_NAVIGATION, with_quirks

WITHIN = 1.0
"""Distance (m) from the target that counts as arrived, as in EB-Navigation."""
SURE = 0.02
"""Margin (m) by which an expert goes nearer than necessary: AI2-THOR's positions are rounded."""
SIGHT = {"field_of_view": 100.0, "visibility": 10.0}
"""Field of view (degrees) of the camera of EB-Navigation, and the distance (m) up to which AI2-THOR calls an object
visible."""


def eb_navigation(folder: Path) -> Suite:
    """Return the tasks of EB-Navigation, by ids such as `base-01`: by subset and place in its file, counted from 1.

    Args:
        folder: with a file for each subset.

    Raises:
        BadInput: A file is missing or not of the released form.
    """
    tasks = [
        _approach(f"{subset}-{number:02}".replace("_", "-"), subset, task)
        for subset, released in read_navigation(folder).items()
        for number, task in enumerate(released, 1)
    ]
    protocol = Protocol(rounds=20, trials=1, feedback="text", steps=20, actions="numbered", end="goal")
    return Suite(
        format=1,
        name="eb-navigation@2025-fixed",
        description="EB-Navigation from its published task files.",
        robot="thor",
        skills="own",
        protocol=protocol,
        tasks=tuple(tasks),
    )


def eb_navigation_as_released(folder: Path) -> Suite:
    """The same with the faults of the official evaluator. Raises BadInput as `eb_navigation` does."""
    return with_quirks(eb_navigation(folder), "eb-navigation@2025-02", EB_NAVIGATION)


def eb_manipulation(folder: Path) -> Suite:
    """Return the episodes of EB-Manipulation for the robot `coppelia`, by ids such as `base-01`: by subset and order.

    Args:
        folder: `data` of the released data set.

    Raises:
        BadInput: There are no episodes, or one is not of the released form.
    """
    tasks: list[Task] = []
    counts: Counter[str] = Counter()
    for subset, place in episodes(folder):
        counts[subset] += 1
        name = SUBSETS[subset]
        tasks.append(
            Task(
                id=f"{name}-{counts[subset]:02}",
                text=read_task(place).instruction,
                attributes=(_attribute(name),),
                scene=SceneChoice.model_validate({"robot_settings": {"task": str(place.resolve())}}),
                goal=Done(done=True),
            )
        )
    return Suite(
        format=1,
        name="eb-manipulation@2025-fixed",
        description="EB-Manipulation from its published episodes.",
        robot="coppelia",
        skills="arm",
        protocol=Protocol(rounds=15, trials=1, feedback="text", things="numbered", steps=15, end="goal"),
        tasks=tuple(tasks),
    )


def eb_manipulation_as_released(folder: Path) -> Suite:
    """The same with the faults of the official evaluator. Raises BadInput as `eb_manipulation` does."""
    return with_quirks(eb_manipulation(folder), "eb-manipulation@2025-02", EB_MANIPULATION)


def _approach(name: str, subset: str, task: NavigationTask) -> Task:
    at, target = task.start.position, task.target_position
    point = [target.x, target.y, target.z]
    scene: dict[str, Any] = {
        "floor_plan": task.scene,
        "pose": [at.x, at.y, at.z, task.start.rotation, task.start.horizon],
        "hidden": list(task.hidden),
        "approach": {"target": task.target, "point": point, "metres": WITHIN},
        "things": {task.target: point},
        "actions": "eb-navigation",
        **SIGHT,
    }
    return Task(
        id=name,
        text=task.instruction,
        attributes=(_attribute(subset),),
        scene=SceneChoice.model_validate(scene),
        goal=Done(done=True),
        expert=tuple(f"[{step}]" for step in way(task)) or None,
    )


def way(task: NavigationTask) -> tuple[str, ...]:
    """Return the fewest moves by which an agent comes near enough to the target without obstacles: forward or backward,
    then sideways, without turning."""
    at, target, turn = task.start.position, task.target_position, math.radians(task.start.rotation)
    dx, dz = target.x - at.x, target.z - at.z
    ahead = dx * math.sin(turn) + dz * math.cos(turn)
    right = dx * math.cos(turn) - dz * math.sin(turn)
    far = math.ceil(math.hypot(dx, dz) / small_steps.STRIDE)
    there = [
        (first, second)
        for first in range(far + 1)
        for second in range(far + 1)
        if math.hypot(abs(ahead) - first * small_steps.STRIDE, abs(right) - second * small_steps.STRIDE)
        <= WITHIN - SURE
    ]
    first, second = min(there, key=lambda moves: (sum(moves), moves))
    straight = small_steps.FORWARD if ahead > 0.0 else small_steps.BACKWARD
    aside = small_steps.RIGHTWARD if right > 0.0 else small_steps.LEFTWARD
    return (straight,) * first + (aside,) * second


def _attribute(subset: str) -> Attribute:
    name = subset.replace("_", "-")
    return next(attribute for attribute in get_args(Attribute) if attribute == name)
