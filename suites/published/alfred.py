"""EB-ALFRED's published tasks as a suite for the robot `thor`: `homie bench eb-alfred:FOLDER`.

The name without a version is `eb-alfred@2025-fixed`, without the faults of the evaluator of that release.

The goal of a task is in the name of its scene, `<type>-<object>-<movable>-<receptacle>-<floor plan>/<trial>`, where
ALFRED keeps its parameters; the conditions of each type are those of ALFRED (its env/tasks.py), as conditions of Homie.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import Suite, Task
from suites.published.embodiedbench_files import AlfredTask, read_alfred
from suites.published.quirks import EB_ALFRED, with_quirks

STATES: Mapping[str, str] = {"heat": "heated", "cool": "cooled", "clean": "clean"}
"""State of an object when it is placed, by the word in the type of a task."""
WHERE: Mapping[str, tuple[str, ...]] = {"heated": ("Microwave",), "cooled": ("Fridge",), "clean": ("SinkBasin",)}
"""Receptacles that a scene needs for that state."""
PIECES: Mapping[str, tuple[str, ...]] = {"SinkBasin": ("Sink", "Faucet"), "BathtubBasin": ("Bathtub",)}
"""Parts of a type of objects: a basin is part of a sink, which has a faucet."""
VERBS: Mapping[str, str] = {
    "find": "Find",
    "pick up": "PickupObject",
    "put down": "PutObject",
    "open": "OpenObject",
    "close": "CloseObject",
    "turn on": "ToggleObjectOn",
    "turn off": "ToggleObjectOff",
    "slice": "SliceObject",
}
"""Actions of the robot by the verbs of reference steps."""
_STEP = re.compile(rf"({'|'.join(VERBS)}) (?:an|a|the) ?(\w*)")
_FIND = "find a "


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a task of ALFRED, by types of objects; "" for what its type does not have."""

    kind: str
    thing: str
    movable: str
    place: str
    sliced: bool


def eb_alfred(folder: Path) -> Suite:
    """Return the tasks of EB-ALFRED, by ids such as `base-01`: by subset and place in its file, counted from 1.

    Args:
        folder: with `global_actions.json` and `splits/`.

    Raises:
        BadInput: A file is missing or not of the released form.
    """
    released = read_alfred(folder)
    types = [action.removeprefix(_FIND) for action in released.actions if action.startswith(_FIND)]
    named = {name.lower(): name for name in (*types, *PIECES)}
    listed = str((folder / "global_actions.json").resolve())
    tasks = [
        _task(f"{subset}-{number:02}".replace("_", "-"), subset.replace("_", "-"), task, named, listed)
        for subset, items in released.tasks.items()
        for number, task in enumerate(items, 1)
    ]
    protocol = Protocol(rounds=40, trials=1, feedback="text", steps=30, failures=10, actions="numbered", end="goal")
    return Suite(
        format=1,
        name="eb-alfred@2025-fixed",
        description="EB-ALFRED from its published task files.",
        robot="thor",
        skills="own",
        protocol=protocol,
        tasks=tuple(tasks),
    )


def eb_alfred_as_released(folder: Path) -> Suite:
    """The same with the faults of the official evaluator. Raises BadInput as `eb_alfred` does."""
    return with_quirks(eb_alfred(folder), "eb-alfred@2025-02", EB_ALFRED)


def parameters(task: AlfredTask) -> Parameters:
    """Return ALFRED's parameters of a task, from the name of its scene."""
    _, thing, movable, place, _ = task.scene.split("/")[0].split("-")
    sliced = thing.endswith("Sliced")
    return Parameters(task.kind, thing.removesuffix("Sliced"), "" if movable == "None" else movable, place, sliced)


def goal_of(asked: Parameters) -> dict[str, Any]:
    """Return ALFRED's goal conditions, each of which counts in GP."""
    thing, place, movable = (_word(name) for name in (asked.thing, asked.place, asked.movable))
    sliced = {"is": "sliced"} if asked.sliced else {}
    number = 2 if asked.kind.startswith("pick_two") else 1
    conditions: list[dict[str, Any]] = [
        {"count": {"of": thing, **sliced, "at_least": least}} for least in range(1, number + 1) if asked.sliced
    ]
    there: dict[str, Any] = {"count": {"of": thing, "at": place, **sliced, "at_least": 1}}
    state = next((state for word, state in STATES.items() if f"_{word}_" in asked.kind), "")
    if asked.kind.startswith("look_at"):
        conditions += [{"held": thing}, {"turned_on": place}]
    elif number == 2:
        conditions += [there, {"count": {"of": thing, "at": place, **sliced, "at_least": 2}}]
    elif state:
        both = {"count": {"of": thing, "at": place, "is": state, "at_least": 1}}
        conditions += [there, {"is": [thing, state]}, both]
    elif movable:
        conditions += [{"at": [thing, movable]}, {"at": [movable, place]}, {"at": [thing, place]}]
    else:
        conditions.append(there)
    return {"all": conditions}


def steps_of(task: AlfredTask, named: Mapping[str, str]) -> tuple[str, ...]:
    """Return the reference steps as subtasks of the robot. Those that name nothing (`find an `) are left out; a basin
    is replaced by its sink or bathtub, as in the list of actions.

    Args:
        task: Task with its steps in words.
        named: Types of objects by their lower-case names.
    """
    subtasks = []
    for step in task.steps:
        parts = _STEP.fullmatch(step.strip())
        if parts is None or not parts[2]:
            continue
        verb, kind = VERBS[parts[1]], named.get(parts[2].lower(), parts[2]).removesuffix("Basin")
        subtasks.append(f"[{verb}]" if verb == "PutObject" else f"[{verb}, {_word(kind).replace('_', ' ')}]")
    return tuple(subtasks)


def kinds_of(task: AlfredTask, named: Mapping[str, str]) -> list[str]:
    """Return the types of objects that a simulated room needs: those of goal and reference steps, the object twice
    where the task needs two."""
    asked = parameters(task)
    words = (parts[2] for step in task.steps if (parts := _STEP.fullmatch(step.strip())) and parts[2])
    state = next((state for word, state in STATES.items() if f"_{word}_" in task.kind), "")
    mentioned = [named.get(word.lower(), word) for word in words]
    kinds = [asked.thing, asked.movable, asked.place, *WHERE.get(state, ()), *mentioned]
    kinds += [piece for kind in kinds for piece in PIECES.get(kind, ())]
    once = list(dict.fromkeys(kind for kind in kinds if kind))
    return [*once, asked.thing] if asked.kind.startswith("pick_two") and not asked.sliced else once


def _task(name: str, subset: str, task: AlfredTask, named: Mapping[str, str], listed: str) -> Task:
    scene = {
        "floor_plan": task.floor_plan,
        "kinds": kinds_of(task, named),
        "actions": "eb-alfred",
        "listed": listed,
    }
    return Task.model_validate(
        {
            "id": name,
            "text": task.instruction,
            "attributes": [subset],
            "scene": scene,
            "goal": goal_of(parameters(task)),
            "expert": steps_of(task, named) or None,
        }
    )


def _word(object_type: str) -> str:
    """Return Homie's word for a type of objects, as in the robot `thor`: `butter_knife`."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", object_type)
    return "_".join(word.lower() for word in words)
