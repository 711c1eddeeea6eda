"""A topological map: pictures along a way that was driven once, and the names of places on it.

    FOLDER/0.png 1.png 2.png ...   the nodes, in the order driven (upstream's `topomaps/images/NAME/`)
    FOLDER/names.json              optional: {"loop": true, "names": {"kitchen": [0, 31], "fridge_1": [7]}}

A map is followed forward only, for its pictures look forward. Of a loop the first node comes after the last.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import UnidentifiedImageError
from pydantic import BaseModel, ConfigDict, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot, Skill
from homie.kernel.types import Command, Goal, Image, Outcome, Pose2, Subtask

NAMES = "names.json"
SUFFIXES = (".png", ".jpg", ".jpeg")
STRIDE, TURN = 0.5, math.radians(30.0)
"""Metres driven or radians turned after which a recorder takes the next node."""


class Names(BaseModel):
    """What `names.json` holds. names: the nodes at each place. loop: the last node leads to the first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    loop: bool = False
    names: Mapping[str, tuple[int, ...]] = {}


@dataclass(frozen=True, slots=True)
class TopoMap:
    """nodes: a picture (h, w, 3) each, in the order of the way."""

    nodes: tuple[Image, ...] = field(repr=False)
    names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    loop: bool = False


def load(folder: Path) -> TopoMap:
    """Read a map. Raises BadInput where there is none, a number is missing, or a name has a node that is not there."""
    if not folder.is_dir():
        raise BadInput(f"There is no topological map {folder}: give a folder of pictures 0.png, 1.png, ...")
    found = {int(path.stem): path for path in folder.iterdir() if path.suffix in SUFFIXES and path.stem.isdecimal()}
    if not found:
        raise BadInput(f"The topological map {folder} has no pictures: they are named 0.png, 1.png, ...")
    gap = next((number for number in range(len(found)) if number not in found), None)
    if gap is not None:
        raise BadInput(f"The topological map {folder} has no picture of node {gap}: nodes are numbered from 0 on.")
    said = _read_names(folder / NAMES)
    for name, numbers in said.names.items():
        wrong = next((number for number in numbers if not 0 <= number < len(found)), None)
        if wrong is not None or not numbers:
            has = "no node" if wrong is None else f"node {wrong}"
            raise BadInput(f"{folder / NAMES}: '{name}' has {has}; the nodes are 0 to {len(found) - 1}.")
    nodes = tuple(_read_picture(found[number]) for number in range(len(found)))
    return TopoMap(nodes, said.names, said.loop)


def save(chart: TopoMap, folder: Path) -> None:
    """Write a map into an empty or new folder. Raises BadInput for one that has something in it."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"The folder {folder} is not empty: a topological map needs one of its own.")
    for number, picture in enumerate(chart.nodes):
        Pillow.fromarray(picture).save(folder / f"{number}.png")
    said = {"loop": chart.loop, "names": {name: list(numbers) for name, numbers in chart.names.items()}}
    (folder / NAMES).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def record(
    robot: Robot, skill: Skill, places: Sequence[tuple[str, Goal]], *, camera: str = "front", loop: bool = False
) -> TopoMap:
    """Drive from place to place by a Go to skill and take pictures on the way.

    places: names and goals in the order of the tour. The map begins at the first that is reached; one that is not
    reached gets no name. loop: drive back to the beginning; the map is a loop if that succeeds. Raises BadInput where
    no place is reached.
    """
    recorder = _Recorder(robot, skill, camera)
    tour = list(places)
    while tour and not recorder.nodes:
        name, goal = tour.pop(0)
        if recorder.drive(name, goal):
            start = name, goal
            recorder.take(name)
    if not recorder.nodes:
        raise BadInput("No place of the tour was reached, so there is no map.")
    for name, goal in tour:
        if recorder.drive(name, goal):
            recorder.take(name)
    closed = loop and recorder.drive(*start)
    return TopoMap(tuple(recorder.nodes), {name: tuple(at) for name, at in recorder.names.items()}, closed)


class _Recorder:
    """Takes a picture at every place, and in between wherever enough has changed since the last one."""

    def __init__(self, robot: Robot, skill: Skill, camera: str) -> None:
        self.robot, self.skill, self.camera = robot, skill, camera
        self.nodes: list[Image] = []
        self.names: dict[str, list[int]] = {}
        self._last: Pose2 | None = None

    def drive(self, name: str, goal: Goal) -> bool:
        """Go to a place; whether it was reached."""
        robot, skill = self.robot, self.skill
        observation = robot.observe(skill.cameras)
        began = observation.stamp
        skill.start(Subtask("Go to", name), goal, observation)
        while skill.outcome is Outcome.RUNNING and observation.stamp - began < skill.max_seconds:
            robot.act(skill.act(observation))
            observation = robot.observe(skill.looks())
            if self._changed(observation.body.base):
                self.take()
        robot.act(Command())
        return skill.outcome is Outcome.SUCCEEDED

    def take(self, name: str = "") -> None:
        """A node here, with a name if it is a place."""
        observation = self.robot.observe((self.camera,))
        self.nodes.append(observation.frames[self.camera].rgb)
        self._last = observation.body.base
        if name:
            self.names.setdefault(name, []).append(len(self.nodes) - 1)

    def _changed(self, base: Pose2) -> bool:
        if self._last is None:
            return False
        turned = abs(math.remainder(base.yaw - self._last.yaw, math.tau))
        return turned >= TURN or math.hypot(base.x - self._last.x, base.y - self._last.y) >= STRIDE


def _read_names(path: Path) -> Names:
    if not path.exists():
        return Names()
    try:
        return Names.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"{path}: {where}: {first['msg']}. It holds names with lists of nodes.") from error


def _read_picture(path: Path) -> Image:
    try:
        with Pillow.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, UnidentifiedImageError, Pillow.DecompressionBombError, SyntaxError) as error:
        raise BadInput(f"The picture {path} cannot be read: {error}.") from error
