"""Warnings about a valid scene spec: rooms and doorways that the robot cannot reach. Each is one sentence."""

from __future__ import annotations

import numpy as np

from homie.envs.mujoco.house.footprints import Corners, overlap
from homie.envs.mujoco.house.spec_parts import DoorwaySpec, SceneParts

LANE = 0.6
"""Free width (m) that the robot needs: its base is 0.55 m across."""
DEPTH = 0.5
"""Depth (m) that has to be free on each side of a doorway."""
STEP = 0.05
"""Distance (m) between the lanes that are tried."""


def doubts(scene: SceneParts) -> list[str]:
    """Sentences about doorways that furniture blocks, and about rooms that cannot be reached from the start."""
    sentences = []
    free: list[DoorwaySpec] = []
    for doorway in scene.doorways:
        if blockers := _blockers(scene, doorway):
            a, b = doorway.rooms
            sentences.append(
                f"The robot does not fit through the doorway between '{a}' and '{b}': {blockers} in the way."
            )
        else:
            free.append(doorway)
    start = next((room.name for room in scene.rooms if room.contains(scene.robot.x, scene.robot.y)), None)
    reached, pending = {start}, [start]
    while pending:
        here = pending.pop()
        for doorway in free:
            if here in doorway.rooms:
                fresh = set(doorway.rooms) - reached
                reached |= fresh
                pending += fresh
    lost = [f"'{room.name}'" for room in scene.rooms if room.name not in reached]
    if lost:
        sentences.append(f"The robot cannot get to {', '.join(lost)}: no doorway leads there from where it starts.")
    return sentences


def _blockers(scene: SceneParts, doorway: DoorwaySpec) -> str:
    """The furniture that blocks every lane through a doorway, with its verb ("'x' is"); "" if a lane is free."""
    rooms = {room.name: room for room in scene.rooms}
    a, b = (rooms[name] for name in doorway.rooms)
    along_y = any(abs(p - q) < 1e-6 and abs(p - doorway.x) < 1e-6 for p, q in ((a.x0, b.x1), (a.x1, b.x0)))
    reach = max(doorway.width - LANE, 0.0) / 2
    standing = [piece for piece in scene.furniture if piece.stands_on is None]
    in_the_way: set[str] = set()
    for offset in np.arange(-reach, reach + STEP / 2, STEP):
        lane = _lane(doorway, float(offset), along_y=along_y)
        blocking = {f"'{piece.name}'" for piece in standing if overlap(piece.corners(), lane)}
        if not blocking:
            return ""
        in_the_way |= blocking
    return f"{', '.join(sorted(in_the_way))} {'is' if len(in_the_way) == 1 else 'are'}"


def _lane(doorway: DoorwaySpec, offset: float, *, along_y: bool) -> Corners:
    """A lane through a doorway, shifted by `offset` metres along the wall;

    Args:
        along_y: Whether the wall runs along y.
    """
    half_x, half_y = (DEPTH, LANE / 2) if along_y else (LANE / 2, DEPTH)
    x = doorway.x + (0.0 if along_y else offset)
    y = doorway.y + (offset if along_y else 0.0)
    return ((x - half_x, y - half_y), (x + half_x, y - half_y), (x + half_x, y + half_y), (x - half_x, y + half_y))
