"""Checks before a bench begins, so that errors that would occur in every episode are reported before anything is
written."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from pydantic import ValidationError

from homie.bench.options import BenchOptions
from homie.bench.play.worker import ERRING, EXPERT
from homie.bench.suite.suite import Suite, Task, find_suite
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.options import OpenOptions
from homie.kernel.registry import DETECTOR, named_part
from homie.kernel.scenes import scene_options, scenes_of
from homie.kernel.support.validation_sentences import explain
from homie.kernel.world.conditions import conjuncts
from homie.runtime.assembly import load_checks, named_planner

FEW = 20
"""Maximum number of tasks for checking their start before the suite is played: five seconds."""


def ready(options: BenchOptions) -> tuple[BenchOptions, Suite]:
    """Return the options of a bench, with the suite's default robot and skills, and the suite.

    Raises:
        BadInput, MissingPart: Every episode would fail.
    """
    suite = find_suite(options.suite)
    options = _with_default_robot(
        _with_default_skills(options, suite), suite
    )  # a robot brings skills, where none are set
    tasks = suite.select(options.tasks, options.split)
    _check_scenes(options.robot, suite, tasks)
    _check_planner(options, tasks)
    named_part(DETECTOR, options.detector, options.detector_settings)
    load_checks(options.check_order)
    for kind, name in (("robots", options.robot), ("locators", options.targets)):
        registry.find(kind, name)
    return options, suite


def done_at_start(options: BenchOptions, tasks: Sequence[Task]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of tasks whose goal holds before the first subtask, and of those whose goal holds partially.

    The worlds are created without physics, in 0.25 s each. Suites with more than `FEW` tasks are not checked here;
    their workers evaluate the goal at every start, and the tables show it.
    """
    complete, incomplete = [], []
    scenes = scenes_of(options.robot)
    for task in tasks if len(tasks) <= FEW else ():
        if task.goal is None or task.scene.spec is not None:
            continue
        world = scenes.begin(task.scene.seed, task.scene.settings)
        if world is None:
            continue
        with contextlib.suppress(BadInput):  # conditions that need physics
            verdicts = [condition.holds(world) for condition in conjuncts(task.goal)]
            if all(verdicts):
                complete.append(task.id)
            elif any(verdicts):
                incomplete.append(task.id)
    return tuple(complete), tuple(incomplete)


def _with_default_robot(options: BenchOptions, suite: Suite) -> BenchOptions:
    """Return the options with the suite's robot and its defaults, if no robot was given."""
    if not suite.robot or "robot" in options.model_fields_set:
        return options
    return BenchOptions.build(**{**options.model_dump(exclude_unset=True), "robot": suite.robot})


def _with_default_skills(options: BenchOptions, suite: Suite) -> BenchOptions:
    """Return the options with the suite's skill sets, if none were given."""
    if not suite.skills or "skills" in options.model_fields_set:
        return options
    return BenchOptions.build(**{**options.model_dump(exclude_unset=True), "skills": suite.skills})


def _check_scenes(robot: str, suite: Suite, tasks: Sequence[Task]) -> None:
    """Raise BadInput if the tasks are not for the robot, or their scenes are not of its environment."""
    if suite.robot and not f"{robot}:".startswith(f"{suite.robot}:"):
        raise BadInput(f"The suite '{suite.name}' is for the robot {suite.robot}: add `--robot {suite.robot}`.")
    for task in tasks:
        try:
            scene_values = scene_options(robot, task.scene.settings)
            OpenOptions(**{"robot": robot, "seed": task.scene.seed, **scene_values})
        except BadInput as error:
            raise BadInput(f"The suite '{suite.name}': task '{task.id}': {error}") from error
        except ValidationError as error:
            raise BadInput(f"The suite '{suite.name}': task '{task.id}': scene.{explain(error)}") from error


def _check_planner(options: BenchOptions, tasks: Sequence[Task]) -> None:
    if options.planner != EXPERT:
        planner_part = named_planner(options.planner, options.planner_settings)
        if isinstance(planner_part.make, type) and issubclass(planner_part.make, Planner):
            planner_part.make.check(planner_part.argument, planner_part.settings)
        return
    missing = [task.id for task in tasks if task.expert is None]
    if missing and not scenes_of(options.robot).expert:
        raise BadInput(f"The planner 'expert' plays what the suite gives, and it gives none for: {', '.join(missing)}.")
    if options.planner_settings:
        named_planner(f"{ERRING}:", options.planner_settings)
        if missing:
            raise BadInput(f"Mistakes need the steps of the suite, and it gives none for: {', '.join(missing)}.")
