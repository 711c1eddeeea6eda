"""The task files of EB-ALFRED and EB-Navigation as released (EmbodiedBench/EmbodiedBench, commit b247936)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.text_pattern import pattern_validator

ALFRED_SUBSETS = ("base", "common_sense", "complex_instruction", "spatial", "visual_appearance", "long_horizon")
NAVIGATION_SUBSETS = ("base", "common_sense", "complex_instruction", "visual_appearance", "long_horizon")
"""The subsets by the names of their files; EB-Navigation has none of spatial relations."""


class _Released(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AlfredTask(_Released):
    """A task of EB-ALFRED.

    Attributes:
        scene: Folder of ALFRED, `<type>-<object>-<movable>-<receptacle>-<floor plan>/<trial>`.
        annotation: Index of its annotation.
        steps: The reference plan in words; these are not names of actions.
    """

    scene: Annotated[
        str,
        Field(alias="full_scene_name"),
        pattern_validator(r"[^/]+-\d+/[^/]+", "be a folder of ALFRED with the number of a floor plan, and a trial"),
    ]
    annotation: int = Field(alias="repeat_idx", ge=0)
    kind: str = Field(alias="task type")
    trial: str = Field(alias="task id")
    instruction: str = Field(alias="task description", min_length=1)
    steps: tuple[str, ...] = Field(alias="NL Steps", min_length=1)

    @property
    def floor_plan(self) -> str:
        """Name of the scene of AI2-THOR."""
        return f"FloorPlan{self.scene.split('/')[0].rsplit('-', 1)[1]}"


class Point(_Released):
    """A position in AI2-THOR's frame: metres, y up."""

    x: float
    y: float
    z: float


class Pose(_Released):
    """The start pose of the agent.

    Attributes:
        rotation: About y, degrees.
        horizon: Tilt of the camera, down is positive, degrees.
    """

    position: Point
    rotation: float
    horizon: float


class NavigationTask(_Released):
    """A task of EB-Navigation: come within 1 m, on the floor, of the target.

    Attributes:
        hidden: Objects removed at the start.
    """

    instruction: str = Field(min_length=1)
    scene: str
    target: str = Field(alias="targetObjectIds")
    target_kind: str = Field(alias="targetObjectType")
    target_position: Point
    start: Pose = Field(alias="agentPose")
    hidden: tuple[str, ...] = Field(alias="object_to_hide")


class _NavigationFile(_Released):
    tasks: tuple[NavigationTask, ...] = Field(min_length=1)


class _Listed(_Released):
    task: str
    repeat_idx: int
    instruction: str


_ALFRED_FILE = TypeAdapter(tuple[AlfredTask, ...])
_LISTS = TypeAdapter(dict[str, tuple[_Listed, ...]])
_ACTIONS = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Alfred:
    """The tasks of EB-ALFRED.

    Attributes:
        actions: Actions of every scene; the index is the id.
        tasks: Tasks by subset, in the order of the files.
    """

    actions: tuple[str, ...]
    tasks: Mapping[str, tuple[AlfredTask, ...]]


def read_alfred(folder: Path) -> Alfred:
    """Read `global_actions.json` and `splits/`.

    Args:
        folder: with both of them.

    Raises:
        BadInput: a file is missing or not of the released form, an action has two ids, or `splits.json`, by which the
            released code runs, names other tasks than the file of a subset.

    Example:
        >>> read_alfred(Path("nowhere"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        homie.kernel.errors.BadInput: Cannot read the actions of EB-ALFRED nowhere/global_actions.json: ...
    """
    path = folder / "global_actions.json"
    with reading(path, "the actions of EB-ALFRED"):
        actions = _ACTIONS.validate_python(load_json(path))
    for action in actions:
        if actions.count(action) > 1:
            raise BadInput(f"{path} has the action {action!r} twice, so that its id is not clear.")
    lists = folder / "splits" / "splits.json"
    with reading(lists, "the tasks of EB-ALFRED"):
        listed = _LISTS.validate_python(load_json(lists))
    tasks = {}
    for subset in ALFRED_SUBSETS:
        path = lists.with_name(f"{subset}.json")
        with reading(path, "the tasks of EB-ALFRED"):
            tasks[subset] = _ALFRED_FILE.validate_python(load_json(path))
        ours = [(task.scene, task.annotation, task.instruction) for task in tasks[subset]]
        if ours != [(task.task, task.repeat_idx, task.instruction) for task in listed.get(subset, ())]:
            raise BadInput(f"{path} and {lists} have different tasks of {subset}: take both from one release.")
    return Alfred(actions, tasks)


def read_navigation(folder: Path) -> Mapping[str, tuple[NavigationTask, ...]]:
    """Read the tasks of EB-Navigation, by subset, in the order of the files.

    Args:
        folder: with a file for each subset.

    Raises:
        BadInput: a file is missing or not of the released form.

    Example:
        >>> read_navigation(Path("nowhere"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        homie.kernel.errors.BadInput: Cannot read the tasks of EB-Navigation nowhere/base.json: ...
    """
    tasks = {}
    for subset in NAVIGATION_SUBSETS:
        path = folder / f"{subset}.json"
        with reading(path, "the tasks of EB-Navigation"):
            tasks[subset] = _NavigationFile.model_validate(load_json(path)).tasks
    return tasks
