"""Scene specs: a house as a JSON file, version 1. docs/scene-spec.md explains every field.

Frames: world x, y on the floor in metres, yaw in radians. The x, y, yaw of an object are in the frame of its surface,
or in the world if it is on a floor.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from pydantic import model_validator

from homie.envs.mujoco.house.spec_checks import check
from homie.envs.mujoco.house.spec_parts import DoorwaySpec, SceneParts
from homie.envs.mujoco.house.surfaces import Corners, overlap
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import LARGEST, bounded_bytes, parse_json
from homie.kernel.support.files import reading

ADVICE = "A scene spec is a JSON file of a house (docs/scene-spec.md); `homie scene --save FILE` writes one."


class SceneSpec(SceneParts):
    """A complete house, checked for consistency."""

    @model_validator(mode="after")
    def _check_consistency(self) -> SceneSpec:
        check(self)
        return self

    @classmethod
    def load(cls, path: Path | str) -> SceneSpec:
        """Read a spec file. Warns of rooms that the robot cannot reach (`doubts`).

        Raises:
            BadInput: the file cannot be read or is not a valid scene; one sentence names the first mistake.
        """
        with reading(path, "the scene spec", advice=ADVICE):
            text = bounded_bytes(Path(path), LARGEST).decode()
        scene = cls.parse(text, str(path))
        for sentence in doubts(scene):
            warnings.warn(f"{path}: {sentence}", stacklevel=2)
        return scene

    @classmethod
    def parse(cls, text: str, source: str = "scene spec") -> SceneSpec:
        """Read a spec from JSON text.

        Args:
            text: the JSON text.
            source: how error messages name the text, for example its path.

        Raises:
            BadInput: the text is not a valid scene; one sentence names the first mistake.

        Example:
            >>> room = '{"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 4, "y1": 4}'
            >>> scene = SceneSpec.parse('{"rooms": [' + room + '], "robot": {"x": 2, "y": 2}}')
            >>> scene.rooms[0].floor
            'wood'
        """
        with reading(source, advice=ADVICE):
            loaded = parse_json(text)
            if isinstance(loaded, dict) and "things" in loaded:
                raise BadInput(f"{source} is a scene of the table, not of a house: give --robot franka with it.")
            return cls.model_validate(loaded)

    def dump(self) -> str:
        """Return JSON text that `parse` reads back to an equal spec."""
        return self.model_dump_json(indent=1, exclude_defaults=False) + "\n"


LANE = 0.6
"""Free width (m) that the robot needs: its base is 0.55 m across."""
DEPTH = 0.5
"""Depth (m) that has to be free on each side of a doorway."""
STEP = 0.05
"""Spacing (m) of the lanes that are checked."""


def doubts(scene: SceneParts) -> list[str]:
    """Return sentences about doorways blocked by furniture, and about rooms that cannot be reached from the start."""
    sentences = []
    free_doorways: list[DoorwaySpec] = []
    for doorway in scene.doorways:
        if blockers := _blockers(scene, doorway):
            a, b = doorway.rooms
            sentences.append(
                f"The robot does not fit through the doorway between '{a}' and '{b}': {blockers} in the way."
            )
        else:
            free_doorways.append(doorway)
    start = next((room.name for room in scene.rooms if room.contains(scene.robot.x, scene.robot.y)), None)
    reached_rooms, pending = {start}, [start]
    while pending:
        room_name = pending.pop()
        for doorway in free_doorways:
            if room_name in doorway.rooms:
                new_rooms = set(doorway.rooms) - reached_rooms
                reached_rooms |= new_rooms
                pending += new_rooms
    unreached_names = [f"'{room.name}'" for room in scene.rooms if room.name not in reached_rooms]
    if unreached_names:
        sentences.append(
            f"The robot cannot get to {', '.join(unreached_names)}: no doorway leads there from where it starts."
        )
    return sentences


def _blockers(scene: SceneParts, doorway: DoorwaySpec) -> str:
    """Return the furniture that blocks all lanes through a doorway, with its verb ("'x' is"); "" if a lane is free."""
    rooms = {room.name: room for room in scene.rooms}
    a, b = (rooms[name] for name in doorway.rooms)
    along_y = any(abs(p - q) < 1e-6 and abs(p - doorway.x) < 1e-6 for p, q in ((a.x0, b.x1), (a.x1, b.x0)))
    reach = max(doorway.width - LANE, 0.0) / 2
    floor_pieces = [piece for piece in scene.furniture if piece.stands_on is None]
    blocker_names: set[str] = set()
    for offset in np.arange(-reach, reach + STEP / 2, STEP):
        lane = _lane(doorway, float(offset), along_y=along_y)
        blocking = {f"'{piece.name}'" for piece in floor_pieces if overlap(piece.corners(), lane)}
        if not blocking:
            return ""
        blocker_names |= blocking
    return f"{', '.join(sorted(blocker_names))} {'is' if len(blocker_names) == 1 else 'are'}"


def _lane(doorway: DoorwaySpec, offset: float, *, along_y: bool) -> Corners:
    """Return a lane through a doorway, shifted by `offset` metres along the wall.

    Args:
        along_y: Whether the wall runs along y.
    """
    half_x, half_y = (DEPTH, LANE / 2) if along_y else (LANE / 2, DEPTH)
    x = doorway.x + (0.0 if along_y else offset)
    y = doorway.y + (offset if along_y else 0.0)
    return ((x - half_x, y - half_y), (x + half_x, y - half_y), (x + half_x, y + half_y), (x - half_x, y + half_y))
