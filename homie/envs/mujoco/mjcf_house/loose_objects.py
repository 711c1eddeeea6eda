"""Loose objects: their bounding boxes, and the cavities of bowls and mugs that can contain other objects."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import Extents
from homie.envs.mujoco.blueprints.parts import Hollow
from homie.envs.mujoco.mjcf_house.tree import Tree
from homie.kernel.types import Array, Box, Solid

DEEP = 0.02
"""Minimum depth of a hollow, m."""
SHARE = 0.4
"""Minimum depth of a hollow as a fraction of the object's height."""
NARROW = 0.015
"""Minimum radius of a hollow, m."""
LEAST_PARTS, UPRIGHT = 3, 0.9
"""Minimum number of convex solids of a hollow object, and minimum z component of its own z axis."""
STEPS = 24
"""Number of heights and distances that are sampled."""


def box_of(tree: Tree, data: mujoco.MjData, extents: Extents, body: int) -> tuple[Box, tuple[Solid, ...]] | None:
    """Return the upright bounding box of a loose body and its solids; None if it has no collision geoms."""
    parts = extents.geom_parts(data, [geom for geom in tree.moved(body) if tree.solid(geom)])
    return (Box.around(parts), parts) if parts else None


def hollow_of(parts: Sequence[Solid], box: Box, position: Array, rotation: Array) -> Hollow | None:
    """Return the cavity of an object made of several solids, in its body frame; None if it has none.

    Args:
        parts: Solids of the object, in the world frame.
        box: Their bounding box.
        position, rotation: Pose of the body in the world frame.
    """
    if len(parts) < LEAST_PARTS or rotation[2, 2] < UPRIGHT:
        return None
    bottom, top = box.center[2] - box.half[2], box.center[2] + box.half[2]
    heights = np.linspace(top - 0.002, bottom, STEPS)
    open_down_to = next((z for z in heights if _filled(parts, np.array([*box.center[:2], z]))), bottom)
    depth = float(top - open_down_to)
    if depth < max(DEEP, SHARE * 2 * box.half[2]):
        return None
    rim, floor = (_radius(parts, box, z) for z in (top - 0.2 * depth, open_down_to + 0.25 * depth))
    if min(rim, floor) < NARROW:
        return None
    center = rotation.T @ (np.array([*box.center[:2], open_down_to]) - position)
    x, y, z = (float(value) for value in center)
    return Hollow(center=(x, y, z), depth=depth, floor=floor, rim=rim)


def _radius(parts: Sequence[Solid], box: Box, height: float) -> float:
    """Return the distance (m) from the middle to the nearest wall at a height; 0 if a side is open."""
    reach = []
    for angle in np.arange(0.0, 2 * np.pi, np.pi / 4):
        direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        max_distance = float(np.linalg.norm(box.half[:2]))
        steps = np.linspace(0.0, max_distance, STEPS)
        hit = (step for step in steps if _filled(parts, np.array([*box.center[:2], height]) + step * direction))
        reach.append(float(next(hit, 0.0)))
    return min(reach)


def _filled(parts: Sequence[Solid], point: Array) -> bool:
    """Whether a point is in a solid, for a mesh in its bounding box along its own axes."""
    for part in parts:
        local = part.pose.rotation.T @ (point - part.pose.position)
        if part.points is not None:
            low, high = part.points.min(axis=0), part.points.max(axis=0)
            if (local >= low).all() and (local <= high).all():
                return True
        elif (np.abs(local) <= part.half).all():
            return True
    return False
