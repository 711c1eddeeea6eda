"""Consistency of the people of a scene spec. Every failure is one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from homie.envs.mujoco.blueprints.parts import WALL
from homie.envs.mujoco.blueprints.person import HALF_Y
from homie.envs.mujoco.house.doors import leaf_corners
from homie.envs.mujoco.house.footprints import Corners, overlap, square
from homie.envs.mujoco.house.spec_parts import PersonSpec, SceneParts

STEP = 0.1
"""Metres between two points of a path that are looked at."""


def check_people(scene: SceneParts, start: Corners) -> None:
    """Raises ValueError with one sentence if a person is in something, or in nothing.

    Args:
        start: The robot's footprint.
    """
    things = {piece.name for piece in scene.furniture} | {item.name for item in scene.objects}
    things |= {person.id for person in scene.people}
    for person in scene.people:
        if person.points_at is not None and (person.points_at not in things or person.points_at == person.id):
            raise ValueError(f"'{person.id}' points at '{person.points_at}', which is not a thing of this scene")
        for corners in _occupied(person):
            blocked = _blocked(scene, corners)
            if blocked:
                raise ValueError(f"'{person.id}' {'walks' if person.path else 'is'} {blocked}")
        if overlap(person.corners(), start):
            raise ValueError(f"the robot starts in '{person.id}'")
    for first, second in combinations(scene.people, 2):
        if any(overlap(corners, second.corners()) for corners in _occupied(first)) or any(
            overlap(corners, first.corners()) for corners in _occupied(second)
        ):
            raise ValueError(f"'{first.id}' and '{second.id}' overlap")


def _occupied(person: PersonSpec) -> Iterator[Corners]:
    """What a person stands on: at the start, and at points of its path."""
    yield person.corners()
    here = person.position
    for target in person.path:
        count = max(math.ceil(math.dist(here, target) / STEP), 1)
        for k in range(1, count + 1):
            share = k / count
            point = (here[0] + share * (target[0] - here[0]), here[1] + share * (target[1] - here[1]))
            yield square(*point, HALF_Y)
        here = target


def _blocked(scene: SceneParts, corners: Corners) -> str:
    """What is there already, in words: `in 'table'`; "" for free floor."""
    if not all(_on_floor(scene, x, y) for x, y in corners):
        return "outside the rooms or in a wall"
    for piece in scene.furniture:
        if any(overlap(footprint, corners) for footprint in (piece.corners(), *piece.panels())):
            return f"in '{piece.name}'"
    rooms = {room.name for room in scene.rooms}
    for item in scene.objects:
        if item.receptacle in rooms and overlap(item.corners(), corners):
            return f"in '{item.name}'"
    for doorway in scene.doorways:
        leaf = leaf_corners(scene, doorway)
        if leaf is not None and overlap(leaf, corners):
            return f"in the door between '{doorway.rooms[0]}' and '{doorway.rooms[1]}'"
    return ""


def _on_floor(scene: SceneParts, x: float, y: float) -> bool:
    """Whether a point is between the walls of a room, or in a doorway."""
    if any(room.contains(x, y, WALL / 2) for room in scene.rooms):
        return True
    rooms = {room.name: room for room in scene.rooms}
    for doorway in scene.doorways:
        near = rooms[doorway.rooms[0]]
        across = min(abs(doorway.x - near.x0), abs(doorway.x - near.x1)) < 1e-6
        u, v = (WALL / 2, doorway.width / 2) if across else (doorway.width / 2, WALL / 2)
        if abs(x - doorway.x) <= u + 1e-9 and abs(y - doorway.y) <= v + 1e-9:
            return True
    return False
