"""LIBERO's suites: every task in each of its published initial states, judged by LIBERO's own predicate."""

from __future__ import annotations

from pathlib import Path

from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import SceneChoice, Suite, Task
from homie.envs.libero.names import kind_and_colour, place_of
from homie.envs.libero.tasks import LiberoTask, find_task, goals_of, task_names
from homie.kernel.support.files import slug
from homie.kernel.world.conditions import parse_condition

STEPS = {
    "Open": "[Open, {0}]",
    "Close": "[Close, {0}]",
    "Turnon": "[Turn on, {0}]",
    "Turnoff": "[Turn off, {0}]",
}
LAST = ("Close", "Turnon", "Turnoff")
"""Predicates that are achieved after the objects are in their places."""
LONGEST = 44
"""Characters of number and name of a task in an id, which has 48 with the number of the initial state."""


def libero_goal() -> Suite:
    """10 tasks in one scene with different goals."""
    return suite_of("libero_goal")


def libero_spatial() -> Suite:
    """10 tasks that distinguish one black bowl from another by its place."""
    return suite_of("libero_spatial")


def libero_object() -> Suite:
    """10 tasks that put different groceries into a basket."""
    return suite_of("libero_object")


def libero_10() -> Suite:
    """10 long tasks of two goals each."""
    return suite_of("libero_10")


def libero_90() -> Suite:
    """90 tasks in kitchens, living rooms and studies."""
    return suite_of("libero_90")


def by_name(name: Path) -> Suite:
    """Any suite of the package, LIBERO-PRO's variants too: `homie bench libero:libero_goal_swap`."""
    return suite_of(str(name))


def suite_of(name: str) -> Suite:
    """Return a suite with the tasks of LIBERO's suite of that name. Raises BadInput, MissingPart."""
    tasks = [task for number in range(len(task_names(name))) for task in _tasks(find_task(f"{name}/{number}"))]
    return Suite(
        format=1,
        name=slug(name),
        description="Tasks of LIBERO in their published initial states, judged by its own predicates.",
        robot="libero",
        skills="classical,chores",
        protocol=Protocol(rounds=20, trials=1),
        tasks=tuple(tasks),
    )


def _tasks(task: LiberoTask) -> list[Task]:
    steps = _expert(goals_of(task))
    name = slug(f"{task.number} {task.name}", LONGEST)
    return [
        Task(
            id=f"{name}-{state:02d}",
            text=task.text,
            scene=SceneChoice.model_validate({"suite": task.suite, "task": task.number, "seed": state}),
            goal=parse_condition({"done": True}),
            expert=steps,
        )
        for state in range(len(task.states))
    ]


def _expert(goals: list[list[str]]) -> tuple[str, ...] | None:
    """Return subtasks that achieve the goals, in a feasible order."""
    steps: list[str] = []
    for predicate, *names in sorted(goals, key=lambda goal: goal[0] in LAST):
        if predicate in STEPS:
            steps.append(STEPS[predicate].format(*names))
            continue
        item, place = names[0], place_of(names[1])
        if kind_and_colour(place)[0].endswith("drawer") and f"[Open, {place}]" not in steps:
            steps.append(f"[Open, {place}]")
        steps += [f"[Pick, {item}]", f"[Put, {item}, {place}]"]
    return (*steps, "[End]") if steps else None
