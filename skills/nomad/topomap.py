"""A topological map: images along a route that was driven once, and the names of places on it.

    FOLDER/0.png 1.png 2.png ...   the nodes, in driving order (upstream's `topomaps/images/NAME/`)
    FOLDER/names.json              optional: {"loop": true, "names": {"kitchen": [0, 31], "fridge_1": [7]}}

A map can be followed forward only, because its images look forward. In a loop the first node follows the last.
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
from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot, Skill
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.types import Command, Goal, Image, Outcome, Pose2, Subtask

NAMES = "names.json"
SUFFIXES = (".png", ".jpg", ".jpeg")
STRIDE, TURN = 0.5, math.radians(30.0)
"""Distance driven (m) and angle turned (rad) after which a recorder adds the next node."""


class Names(BaseModel):
    """The content of `names.json`.

    Attributes:
        names: The nodes at each place.
        loop: Whether the last node leads to the first.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    loop: bool = False
    names: Mapping[str, tuple[int, ...]] = {}


@dataclass(frozen=True, slots=True)
class TopoMap:
    """A topological map.

    Attributes:
        nodes: An image (h, w, 3) uint8 each, in driving order.
        names, loop: As in `Names`.
    """

    nodes: tuple[Image, ...] = field(repr=False)
    names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    loop: bool = False


def load(folder: Path) -> TopoMap:
    """Read a map.

    Raises:
        BadInput: the folder does not exist, an image or a number is missing, or a name has an unknown node.
    """
    if not folder.is_dir():
        raise BadInput(f"There is no topological map {folder}: give a folder of pictures 0.png, 1.png, ...")
    pictures = {int(path.stem): path for path in folder.iterdir() if path.suffix in SUFFIXES and path.stem.isdecimal()}
    if not pictures:
        raise BadInput(f"The topological map {folder} has no pictures: they are named 0.png, 1.png, ...")
    gap = next((number for number in range(len(pictures)) if number not in pictures), None)
    if gap is not None:
        raise BadInput(f"The topological map {folder} has no picture of node {gap}: nodes are numbered from 0 on.")
    names_file = _read_names(folder / NAMES)
    for name, numbers in names_file.names.items():
        invalid_node = next((number for number in numbers if not 0 <= number < len(pictures)), None)
        if invalid_node is not None or not numbers:
            node_text = "no node" if invalid_node is None else f"node {invalid_node}"
            raise BadInput(f"{folder / NAMES}: '{name}' has {node_text}; the nodes are 0 to {len(pictures) - 1}.")
    nodes = tuple(_read_picture(pictures[number]) for number in range(len(pictures)))
    return TopoMap(nodes, names_file.names, names_file.loop)


def save(chart: TopoMap, folder: Path) -> None:
    """Write a map into an empty or new folder. Raises BadInput if the folder is not empty."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"The folder {folder} is not empty: a topological map needs one of its own.")
    for number, picture in enumerate(chart.nodes):
        Pillow.fromarray(picture).save(folder / f"{number}.png")
    content = {"loop": chart.loop, "names": {name: list(numbers) for name, numbers in chart.names.items()}}
    (folder / NAMES).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def record(
    robot: Robot, skill: Skill, places: Sequence[tuple[str, Goal]], *, camera: str = "front", loop: bool = False
) -> TopoMap:
    """Drive from place to place with a Go to skill and take images on the way.

    Args:
        robot: the robot that drives.
        skill: a Go to skill.
        places: names and goals in driving order. The map begins at the first place that is reached; places that are
            not reached get no name.
        camera: the camera that takes the images.
        loop: whether to drive back to the beginning; the map is a loop if that succeeds.

    Raises:
        BadInput: no place was reached.
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
    """Takes an image at every place, and in between after every `STRIDE` or `TURN`."""

    def __init__(self, robot: Robot, skill: Skill, camera: str) -> None:
        self.robot, self.skill, self.camera = robot, skill, camera
        self.nodes: list[Image] = []
        self.names: dict[str, list[int]] = {}
        self._last: Pose2 | None = None

    def drive(self, name: str, goal: Goal) -> bool:
        """Go to a place. Returns whether it was reached."""
        robot, skill = self.robot, self.skill
        observation = robot.observe(skill.cameras)
        start = observation.stamp
        skill.start(Subtask("Go to", name), goal, observation)
        while skill.outcome is Outcome.RUNNING and observation.stamp - start < skill.max_seconds:
            robot.act(skill.act(observation))
            observation = robot.observe(skill.required_cameras())
            if self._changed(observation.body.base):
                self.take()
        robot.act(Command())
        return skill.outcome is Outcome.SUCCEEDED

    def take(self, name: str = "") -> None:
        """Add a node at the current pose, with a name if it is a place."""
        observation = self.robot.observe((self.camera,))
        self.nodes.append(observation.frames[self.camera].rgb)
        self._last = observation.body.base
        if name:
            self.names.setdefault(name, []).append(len(self.nodes) - 1)

    def _changed(self, base: Pose2) -> bool:
        if self._last is None:
            return False
        turn_angle = abs(math.remainder(base.yaw - self._last.yaw, math.tau))
        return turn_angle >= TURN or math.hypot(base.x - self._last.x, base.y - self._last.y) >= STRIDE


def _read_names(path: Path) -> Names:
    if not path.exists():
        return Names()
    with reading(path, advice="It holds names with lists of nodes."):
        return Names.model_validate(load_json(path))


def _read_picture(path: Path) -> Image:
    try:
        with Pillow.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, UnidentifiedImageError, Pillow.DecompressionBombError, SyntaxError) as error:
        raise BadInput(f"The picture {path} cannot be read: {error}.") from error
