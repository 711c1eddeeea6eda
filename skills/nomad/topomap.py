"""A topological map: pictures along a way that was driven once, and the names of places on it.

    FOLDER/0.png 1.png 2.png ...   the nodes, in the order driven (upstream's `topomaps/images/NAME/`)
    FOLDER/names.json              optional: {"loop": true, "names": {"kitchen": [0, 31], "fridge_1": [7]}}

A map is followed forward only, for its pictures look forward. Of a loop the first node comes after the last.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import UnidentifiedImageError
from pydantic import BaseModel, ConfigDict, ValidationError

from homie.errors import BadInput
from homie.interfaces import Robot, Skill
from homie.types import CameraFrame, Command, Goal, Image, Outcome, Pose2, Subtask

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
    robot: Robot, skill: Skill, places: Iterable[tuple[str, Goal]], *, camera: str = "front", loop: bool = False
) -> TopoMap:
    """Drive from place to place by a Go to skill and take pictures on the way.

    places: names and goals, in the order of the tour; one that the skill does not reach gets no name. The first node
    is where the robot stands now. loop: the tour ends where it began; drive back there as the last place.
    """
    recorder = _Recorder(robot, camera)
    recorder.take()
    for name, goal in places:
        observation = robot.observe(skill.cameras)
        skill.start(Subtask("Go to", name), goal, observation)
        began = observation.stamp
        while skill.outcome is Outcome.RUNNING and observation.stamp - began < skill.max_seconds:
            robot.act(skill.act(observation))
            observation = robot.observe(skill.looks())
            recorder.passed(observation.body.base)
        robot.act(Command())
        if skill.outcome is Outcome.SUCCEEDED:
            recorder.take()
            recorder.names.setdefault(name, []).append(len(recorder.nodes) - 1)
    names = {name: tuple(numbers) for name, numbers in recorder.names.items()}
    return TopoMap(tuple(recorder.nodes), names, loop)


class _Recorder:
    """Takes a picture at the start, at every place, and in between wherever enough has changed."""

    def __init__(self, robot: Robot, camera: str) -> None:
        self.robot, self.camera = robot, camera
        self.nodes: list[Image] = []
        self.names: dict[str, list[int]] = {}
        self.last: Pose2 | None = None

    def passed(self, base: Pose2) -> None:
        assert self.last is not None  # the first picture is taken before anything moves
        turned = abs(math.remainder(base.yaw - self.last.yaw, math.tau))
        if math.hypot(base.x - self.last.x, base.y - self.last.y) >= STRIDE or turned >= TURN:
            self.take()

    def take(self) -> None:
        observation = self.robot.observe((self.camera,))
        frame: CameraFrame = observation.frames[self.camera]
        self.nodes.append(frame.rgb)
        self.last = observation.body.base


def _read_names(path: Path) -> Names:
    if not path.exists():
        return Names()
    try:
        return Names.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Can not read {path}: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"{path}: {where}: {first['msg']}. It holds names with lists of nodes.") from error


def _read_picture(path: Path) -> Image:
    try:
        with Pillow.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, UnidentifiedImageError, Pillow.DecompressionBombError, SyntaxError) as error:
        raise BadInput(f"The picture {path} can not be read: {error}.") from error
