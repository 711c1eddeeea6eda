"""Doors and drawers that are open or ajar at the start in a messy house, and doors between its rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.envs.mujoco.generate.free_floor import unreachable
from homie.envs.mujoco.house.doors import leaf_corners
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_checks import check
from homie.envs.mujoco.house.spec_parts import LARGEST_ANGLE, LEAST_ANGLE, DoorwaySpec, LeafSpec
from homie.envs.mujoco.house.surfaces import Corners, overlap

OPEN_SHARE, LEAF_SHARE = 0.3, 0.8
"""Share of the doors and drawers of furniture that are not closed, and share of the doorways that have a door."""
AJAR, WIDE = (0.08, 0.4), (0.6, 0.95)
"""Opening of a door or drawer that is ajar, and of one that is wide open, as fractions of its range."""
AJAR_SHARE = 0.5
"""Share of the open doors and drawers that are only ajar."""
ACROSS, BESIDE = (LEAST_ANGLE, 1.75), (2.6, LARGEST_ANGLE)
"""Angles (rad) of a door that points into the room, and of a door that lies along the wall."""
TRIES = 6
"""Maximum number of samples of hinge side, room and angle for the door of a doorway."""
CLEAR = 0.005
"""Clearance (m) of a room door from furniture: a door that is pushed against it yields by a few millimetres."""
FREE = 0.3
"""Margin (m) on both sides of the floor in front of a container that room doors keep clear."""


def with_open_doors(scene: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    """Return the house with some doors and drawers open and with doors in doorways.

    Changes that block the robot's path to a room or a container are dropped.
    """
    for number, piece in enumerate(scene.furniture):
        if not piece.blueprint.articulations or piece.open or rng.random() >= OPEN_SHARE:
            continue
        span = AJAR if rng.random() < AJAR_SHARE else WIDE
        open_piece = piece.model_copy(update={"open": round(float(rng.uniform(*span)), 2)})
        scene = _apply_if_valid(scene, {"furniture": _replace(scene.furniture, number, open_piece)})
    for number, doorway in enumerate(scene.doorways):
        if doorway.leaf is None and rng.random() < LEAF_SHARE:
            scene = _add_leaf(scene, number, doorway, rng)
    return scene


def _add_leaf(scene: SceneSpec, number: int, doorway: DoorwaySpec, rng: np.random.Generator) -> SceneSpec:
    """Return the scene with a door in the doorway, or unchanged if no sampled door leaves the path free."""
    for _ in range(TRIES):
        leaf = LeafSpec(
            into=doorway.rooms[int(rng.integers(2))],
            hinge="left" if rng.random() < 0.5 else "right",
            angle=round(float(rng.uniform(*(ACROSS if rng.random() < 0.5 else BESIDE))), 3),
        )
        doorway_with_leaf = doorway.model_copy(update={"leaf": leaf})
        corners = leaf_corners(scene, doorway_with_leaf)
        if corners is None or any(
            overlap(corners, other_corners) for other_corners in (*_floor_in_front(scene), *_furniture_on_floor(scene))
        ):
            continue
        candidate = _apply_if_valid(scene, {"doorways": _replace(scene.doorways, number, doorway_with_leaf)})
        if candidate is not scene:
            return candidate
    return scene


def _floor_in_front(scene: SceneSpec) -> list[Corners]:
    """The floor in front of every container, where the robot stands to open it."""
    fronts = []
    for piece in scene.furniture:
        plan = piece.blueprint
        if plan.free_front and plan.articulations:
            c, s = np.cos(piece.yaw), np.sin(piece.yaw)
            a, b, side = plan.half_x, plan.half_x + plan.free_front, plan.half_y + FREE
            local = ((b, side), (a, side), (a, -side), (b, -side))
            fronts.append(tuple((piece.x + c * u - s * v, piece.y + s * u + c * v) for u, v in local))
    return fronts


def _furniture_on_floor(scene: SceneSpec) -> list[Corners]:
    """Footprints of the furniture on the floor, with the clearance for doors: in contact a door would penetrate it."""
    return [piece.corners(CLEAR) for piece in scene.furniture if piece.stands_on is None]


def _apply_if_valid(scene: SceneSpec, change: dict[str, object]) -> SceneSpec:
    """Return the changed scene if it is valid and every room and container stays reachable, else the original one."""
    candidate = scene.model_copy(update=change)
    try:
        check(candidate)
    except ValueError:
        return scene
    return scene if unreachable(candidate, obstructions(candidate)) else candidate


def obstructions(scene: SceneSpec) -> list[Corners]:
    """Return obstacles other than walls and furniture: open doors and drawers, and objects on the floor."""
    panels = [panel for piece in scene.furniture if piece.stands_on is None for panel in piece.panels()]
    leaves = [leaf for doorway in scene.doorways if (leaf := leaf_corners(scene, doorway))]
    rooms = {room.name for room in scene.rooms}
    return [*panels, *leaves, *(item.corners() for item in scene.objects if item.receptacle in rooms)]


def _replace(parts: Sequence[object], number: int, other: object) -> tuple[object, ...]:
    return (*parts[:number], other, *parts[number + 1 :])
