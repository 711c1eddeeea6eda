"""Episodes of MolmoSpaces (`benchmark.json`): house, its modifications, the robot's start pose, and the task.

Source: github.com/allenai/molmospaces (Apache-2.0), `molmo_spaces/evaluation/benchmark_schema.py`. Poses are x, y, z
(m) and a quaternion w, x, y, z. The package is not required, its assets are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from homie.envs.mujoco.blueprints.extents import angles_of
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.text_pattern import pattern_validator
from homie.kernel.types import Pose2, quaternion_rotation

FILE = "benchmark.json"
ASSETS = "MLSPACES_ASSETS_DIR"
"""Environment variable of MolmoSpaces with the folder that has `scenes` and `objects`."""
SCENES: Mapping[str, str] = {
    "ithor": "ithor/FloorPlan{house}_physics.xml",
    "procthor-10k": "procthor-10k-{split}/{split}_{house}.xml",
    "procthor-objaverse": "procthor-objaverse-{split}/{split}_{house}.xml",
    "holodeck-objaverse": "holodeck-objaverse-{split}/{split}_{house}.xml",
}
"""Paths of house files below `scenes`, by scene data set."""
KINDS: Mapping[str, str] = {
    "PickTask": "pick",
    "PickAndPlaceTask": "pick-and-place",
    "OpeningTask": "open",
    "NavToObjTask": "nav-to-obj",
    "DoorOpeningTask": "door-opening",
}
"""Task classes that Homie judges, with their names in the ids of its suite."""

Number = Annotated[float, Field(allow_inf_nan=False)]
SevenNumbers: TypeAlias = Annotated[tuple[Number, ...], Field(min_length=7, max_length=7)]


class _Part(BaseModel):
    """Base of the parts of an episode; fields of the file that Homie does not use are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Changes(_Part):
    """Modifications of an episode to its house. Bodies are named as in the file of the house, or are new.

    Attributes:
        added_objects: Files below the assets folder, by name of the new body.
        primitive_objects: Bodies made of geoms; Homie refuses them.
        joints: Initial joint positions by name.
        assets: The assets folder.
    """

    added_objects: Mapping[str, str] = {}
    primitive_objects: Mapping[str, object] = {}
    object_poses: Mapping[str, SevenNumbers] = {}
    removed_objects: tuple[str, ...] = ()
    joints: Mapping[str, float] = {}
    assets: Path = Path()


class EpisodeTask(_Part):
    """A task by names of bodies, and its success thresholds; see `homie.envs.mujoco.mjcf_house.judge`."""

    task_cls: str
    task_type: str | None = None
    robot_base_pose: SevenNumbers
    pickup_obj_name: str = ""
    pickup_obj_start_pose: SevenNumbers | None = None
    pickup_obj_candidates: tuple[str, ...] | None = None
    succ_pos_threshold: Number | None = None
    place_receptacle_name: str | None = None
    place_receptacle_start_pose: SevenNumbers | None = None
    receptacle_supported_weight_frac: Number = 0.5
    max_place_receptacle_pos_displacement: Number = 0.15
    max_place_receptacle_rot_displacement: Number = float(np.radians(60.0))
    joint_name: str = ""
    joint_index: int = Field(0, ge=0)
    joint_start_position: Number | tuple[Number, ...] | None = None
    task_success_threshold: Number = 0.2
    any_inst_of_category: bool = False
    door_body_name: str = ""
    articulated_joint_range: tuple[Number, Number] | None = None
    articulated_joint_reset_state: tuple[Number, ...] | None = None
    door_openness_threshold: Number = 0.67

    @property
    def name(self) -> str:
        """Name of the task class, without its module."""
        return self.task_cls.rpartition(".")[2]


class Language(_Part):
    """The task instruction."""

    task_description: str = Field(min_length=1)


class Episode(_Part):
    """One episode.

    Attributes:
        scene_dataset, data_split, house_index: Identify the house.
    """

    scene_dataset: str
    data_split: Annotated[str, pattern_validator(r"\w+", "be letters, digits and _, such as val")] = "val"
    house_index: int = Field(ge=0)
    scene_modifications: Changes = Changes()
    task: EpisodeTask
    language: Language

    @property
    def start(self) -> Pose2:
        """Initial pose of the robot's base, on the floor."""
        x, y, _, *quaternion = self.task.robot_base_pose
        return Pose2(x, y, angles_of(quaternion_rotation(np.array(quaternion)))[0])

    def changes(self, assets: Path) -> Changes:
        """Return the modifications, including the joint that the task moves before it starts."""
        position = self.task.joint_start_position
        if isinstance(position, tuple):
            position = position[0] if position else None
        joints = {self.task.joint_name: position} if self.task.joint_name and position is not None else {}
        return self.scene_modifications.model_copy(update={"joints": joints, "assets": assets})

    def house(self, assets: Path) -> Path:
        """Return the file of the house. Raises BadInput."""
        if self.scene_dataset not in SCENES:
            known = suggestion(self.scene_dataset, SCENES, f"Homie knows {', '.join(SCENES)}.")
            raise BadInput(f"There is no set of houses '{self.scene_dataset}' in MolmoSpaces: {known}")
        name = SCENES[self.scene_dataset].format(split=self.data_split, house=self.house_index)
        path = assets / "scenes" / name
        if not path.is_file():
            raise BadInput(f"There is no house {path}: install it with MolmoSpaces, or name another folder of assets.")
        return path


_EPISODES = TypeAdapter(tuple[Episode, ...])


@lru_cache(maxsize=4)
def read_episodes(path: Path) -> tuple[Episode, ...]:
    """Read the episodes of a `benchmark.json`, given its path or its folder.

    Raises:
        BadInput: The file is missing, does not have MolmoSpaces' schema, or has a task that Homie cannot judge.
    """
    file = path / FILE if path.is_dir() else path
    with reading(file, "the episodes of MolmoSpaces"):
        episodes = _EPISODES.validate_python(load_json(file))
    for number, episode in enumerate(episodes):
        _check(episode, f"{file}: episode {number}")
    return episodes


def _check(episode: Episode, source: str) -> None:
    """Raise BadInput if Homie cannot run or judge an episode, or its task is incomplete."""
    task = episode.task
    if task.name not in KINDS:
        raise BadInput(f"{source} is a {task.name}, which Homie cannot judge; it knows {', '.join(KINDS)}.")
    if episode.scene_modifications.primitive_objects:
        raise BadInput(f"{source} has primitive_objects, which Homie cannot make: leave the episode out.")
    required = {
        "PickTask": ("pickup_obj_name", "pickup_obj_start_pose"),
        "PickAndPlaceTask": ("pickup_obj_name", "place_receptacle_name", "place_receptacle_start_pose"),
        "OpeningTask": ("pickup_obj_name", "joint_name", "task_type"),
        "NavToObjTask": ("pickup_obj_name",),
        "DoorOpeningTask": ("door_body_name", "articulated_joint_range"),
    }
    for name in required[task.name]:
        if not getattr(task, name):
            raise BadInput(f"{source}: task.{name} is missing, which a {task.name} has.")
    if task.articulated_joint_range is not None and task.articulated_joint_range[0] == task.articulated_joint_range[1]:
        raise BadInput(f"{source}: task.articulated_joint_range is empty, so that no share of it can be open.")
    if task.name == "OpeningTask" and task.task_type not in ("open", "close"):
        raise BadInput(f"{source}: task.task_type must be open or close, not '{task.task_type}'.")


def is_episode(argument: str) -> bool:
    """Whether an argument of the robot `mjcf` is an episode: `benchmark.json#3`."""
    return argument.partition("#")[0].endswith(".json")


def find_episode(argument: str) -> Episode:
    """Return the episode of `benchmark.json#3`, counted from 0; the first without a number. Raises BadInput."""
    file, _, number = argument.partition("#")
    episodes = read_episodes(Path(file).expanduser())
    if not episodes:
        raise BadInput(f"There are no episodes in {file}: its list is empty.")
    if not (number or "0").isdecimal() or int(number or "0") >= len(episodes):
        raise BadInput(f"There is no episode '{number}' in {file}: it has 0 to {len(episodes) - 1}.")
    return episodes[int(number or "0")]


def assets_folder(chosen: Path | None) -> Path:
    """Return the folder with MolmoSpaces' `scenes` and `objects`. Raises BadInput if it is not set."""
    known = os.environ.get(ASSETS, "")
    if chosen is None and not known:
        raise BadInput(f"Where are MolmoSpaces' assets? Give --robot-option assets=FOLDER, or set {ASSETS}.")
    return Path(known) if chosen is None else chosen.expanduser()
