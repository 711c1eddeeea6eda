"""Floors, walls and rooms: which fixed geoms belong to the house itself, and which rooms it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.house.index import Rect
from homie.envs.mujoco.mjcf_house.contents import HouseRoom
from homie.envs.mujoco.mjcf_house.names import room_kind_in
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.types import Box
from homie.kernel.world.furniture import FURNITURE

SIDE = 1.0
"""Minimum length (m) of the shorter side of a floor."""
SAME_LEVEL = 0.005
"""Maximum height difference (m) between floors of one level: a rug is higher."""
THIN, TALL = 0.21, 1.5
"""Maximum thickness and minimum height of a wall, m."""
OVERHEAD = 2.0
"""Height (m) above the floor from which a large level geom is a ceiling."""
AROUND = 1.5
"""Margin (m) around all furniture within which an infinite floor counts as a room."""
LEAST_VOTES = 2
"""Minimum number of pieces of furniture typical of a kind of room to recognise it: a table alone may stand anywhere."""
UNKNOWN = "room"
"""The kind of a room that could not be recognised."""


def floor_level(tree: Tree, data: mujoco.MjData) -> float | None:
    """Return the height (m) of the lowest large level fixed geom; None if there is none."""
    model = tree.model
    tops = [
        top
        for geom in range(model.ngeom)
        if model.body_weldid[model.geom_bodyid[geom]] == 0 and (top := _floor_top(tree, data, geom)) is not None
    ]
    return min(tops, default=None)


def floors(tree: Tree, data: mujoco.MjData, level: float) -> list[int]:
    """Return the geoms that are floors at the height `level`, m."""
    model = tree.model
    return [
        geom
        for geom in range(model.ngeom)
        if model.body_weldid[model.geom_bodyid[geom]] == 0
        and (top := _floor_top(tree, data, geom)) is not None
        and abs(top - level) < SAME_LEVEL
    ]


def _floor_top(tree: Tree, data: mujoco.MjData, geom: int) -> float | None:
    """Return the top height (m) of a large level geom; None for another shape, or if it is only visual."""
    model = tree.model
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
        upright = data.geom_xmat[geom][8] > 0.99
        return float(data.geom_xpos[geom][2]) if upright and tree.solid(geom) else None
    box = _upright_box(model, data, geom)
    name = model.geom(geom).name
    flat = min(box.half[:2]) > SIDE / 2 and box.half[2] < min(box.half[:2]) / 4
    return float(box.center[2] + box.half[2]) if flat and (tree.solid(geom) or "floor" in name.lower()) else None


def _upright_box(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Box:
    """Return the world-axis-aligned bounding box of a geom."""
    turn, aabb = data.geom_xmat[geom].reshape(3, 3), model.geom_aabb[geom]
    return Box(data.geom_xpos[geom] + turn @ aabb[:3], np.abs(turn) @ aabb[3:])


def is_wall(box: Box) -> bool:
    """Whether a fixed box has the shape of a wall or a ceiling of a house whose floor is at z = 0."""
    long, thin = max(box.half[:2]), min(box.half[:2])
    wall = 2 * thin < THIN and 2 * box.half[2] > TALL and 2 * long > TALL / 2
    ceiling = min(box.half[:2]) > SIDE / 2 and box.center[2] - box.half[2] > OVERHEAD
    return bool(wall or ceiling)


def rooms(
    tree: Tree, data: mujoco.MjData, floor_geoms: Sequence[int], kinds: Sequence[tuple[str, Box]]
) -> tuple[HouseRoom, ...]:
    """Return the rooms of a house: one for each floor that does not lie within another; an infinite plane is the floor
    of a room only where there is no other floor.

    Args:
        floor_geoms: The floor geoms.
        kinds: Kind and box of every piece of furniture.
    """
    model = tree.model
    bounds = _bounds(kinds)
    finite_geoms = [geom for geom in floor_geoms if not _is_endless(model, geom)]
    rects: list[tuple[Rect, int]] = []
    for geom in finite_geoms or floor_geoms:
        rect = _rect(model, data, geom, bounds)
        if not any(_is_inside(rect, other) for other, _ in rects):
            rects = [(other, number) for other, number in rects if not _is_inside(other, rect)] + [(rect, geom)]
    rooms: list[HouseRoom] = []
    for rect, geom in rects:
        names = [model.geom(geom).name, model.body(int(model.geom_bodyid[geom])).name]
        kind = room_kind_in(names) or _kind_by_furniture(rect, kinds)
        rooms.append(HouseRoom(name=kind, kind=kind, rect=rect, geom=geom))
    return _with_unique_names(rooms)


def _with_unique_names(rooms: Sequence[HouseRoom]) -> tuple[HouseRoom, ...]:
    """Give rooms unique names: their kinds, numbered where there are several of one kind."""
    total, counts, renamed = Counter(room.kind for room in rooms), Counter[str](), []
    for room in rooms:
        counts[room.kind] += 1
        name = room.kind.replace(" ", "_") + (f"_{counts[room.kind]}" if total[room.kind] > 1 else "")
        renamed.append(HouseRoom(name=name, kind=room.kind, rect=room.rect, geom=room.geom))
    return tuple(renamed)


def _is_endless(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE and not model.geom_size[geom][:2].all())


def _bounds(kinds: Sequence[tuple[str, Box]]) -> Rect:
    """Return the rectangle (x0, y0, x1, y1) around all furniture, with a margin, m."""
    corners = np.concatenate([box.corners() for _, box in kinds] or [np.zeros((1, 2))])
    (x0, y0), (x1, y1) = corners.min(axis=0) - AROUND, corners.max(axis=0) + AROUND
    return float(x0), float(y0), float(x1), float(y1)


def _rect(model: mujoco.MjModel, data: mujoco.MjData, geom: int, bounds: Rect) -> Rect:
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
        middle, half = data.geom_xpos[geom][:2], model.geom_size[geom][:2]
        half = np.abs(data.geom_xmat[geom].reshape(3, 3)[:2, :2]) @ np.where(half > 0.0, half, np.inf)
    else:
        box = _upright_box(model, data, geom)
        middle, half = box.center[:2], box.half[:2]
    (x0, y0), (x1, y1) = middle - half, middle + half
    if model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_PLANE:
        return float(x0), float(y0), float(x1), float(y1)
    return max(float(x0), bounds[0]), max(float(y0), bounds[1]), min(float(x1), bounds[2]), min(float(y1), bounds[3])


def _is_inside(inner: Rect, outer: Rect) -> bool:
    a, b = np.array(inner), np.array(outer)
    return bool((a[:2] >= b[:2] - 0.05).all() and (a[2:] <= b[2:] + 0.05).all())


def _kind_by_furniture(rect: Rect, kinds: Sequence[tuple[str, Box]]) -> str:
    """Return the kind of room in which most of the furniture within `rect` usually stands."""
    room_by_kind = {use.kind: use.rooms[0] for use in FURNITURE if use.rooms}
    x0, y0, x1, y1 = rect
    votes = Counter(
        room_by_kind[kind]
        for kind, box in kinds
        if kind in room_by_kind and x0 <= box.center[0] <= x1 and y0 <= box.center[1] <= y1
    )
    best, count = votes.most_common(1)[0] if votes else (UNKNOWN, 0)
    return best if count >= LEAST_VOTES else UNKNOWN
