"""Free spots for an object that is put down without simulating an arm: on or in furniture, in a bowl."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.house.index import ObjectInfo, ReceptacleInfo
from homie.envs.mujoco.world import World
from homie.kernel.types import Array, Box, Surface, planar_rotation

STEP = 0.04
"""Grid spacing (m) of the candidate spots."""
EDGE = 0.02
"""Minimum distance (m) of an object from the edge of a surface, if there is room."""
APART = 0.04
"""Minimum distance (m) from other objects: a finger fits between them."""
HEADROOM = 0.02
"""Minimum free height (m) above the object."""
OVERHANG = 0.6
"""Maximum distance of an object's centre from the edge, as a share of the surface's half width: limits the margin of
objects about as wide as the surface, or wider."""
ABOVE = 0.0005
"""Height (m) above the support at which the object is released."""
RISE = 0.01
"""Step (m) by which higher spots are tried in a bowl that contains something."""
HIGHEST = 15
"""Number of these steps."""
RING = 0.5
"""Distance from a bowl's centre at which further spots are tried, as a share of its radius."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A candidate pose of an object: the centre of its underside (3,) and its yaw, in the world frame."""

    foot: Array
    yaw: float


def spots_on(world: World, place: ReceptacleInfo, half: Array, position: Array, without: list[str]) -> Iterator[Spot]:
    """Yield free spots on or in furniture, surface by surface, on each the nearest to the robot first.

    Args:
        world: The home.
        place: The furniture.
        half: Half sizes (3,) of the upright object, m.
        position: Position (2,) of the robot, m.
        without: Loose objects that are ignored as obstacles.
    """
    other_names = [name for name in world.contents(place.name) if name not in without]
    boxes = world.object_boxes(other_names)
    for plan in place.surfaces:
        if world.accessible(place, plan):
            surface = world.surface(place, plan)
            if 2 * half[2] + HEADROOM <= min(surface.clearance, surface.lid):
                yield from _on_surface(surface, half, position, boxes)


def _on_surface(surface: Surface, half: Array, position: Array, boxes: tuple[Box, ...]) -> Iterator[Spot]:
    axes = planar_rotation(-surface.yaw)  # its rows
    places: list[tuple[float, Spot]] = []
    for is_turned in (False, True):
        a, b = (half[1], half[0]) if is_turned else (half[0], half[1])
        room = [_room(surface.half_x, a), _room(surface.half_y, b)]
        grid = np.stack(np.meshgrid(*(_steps(width) for width in room)), axis=-1).reshape(-1, 2)
        is_free = np.ones(len(grid), dtype=bool)
        for box in boxes:
            corners = (box.corners() - surface.center[:2]) @ axes.T
            margin = np.array([a, b]) + APART
            low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
            level = box.center[2] - box.half[2] - surface.center[2]
            if -HEADROOM < level < 2 * half[2]:
                is_free &= ~((grid > low) & (grid < high)).all(axis=1)
        for u, v in grid[is_free]:
            foot = surface.center + np.array([*(u, v) @ axes, ABOVE])
            places.append(
                (float(np.hypot(*(foot[:2] - position))), Spot(foot, surface.yaw + (np.pi / 2 if is_turned else 0.0)))
            )
    places.sort(key=lambda pair: round(pair[0], 9))  # reproducible: matrix products differ between processors
    yield from (location for _, location in places)


def _room(half_width: float, half: float) -> float:
    """Return the maximum offset (m) of an object's centre from a surface's centre, along one of the surface's axes."""
    return max(half_width - min(half + EDGE, OVERHANG * half_width), 0.0)


def _steps(width: float) -> Array:
    count = int(width / STEP)
    return np.linspace(-width, width, 2 * count + 1)


def spots_in(world: World, bowl: ObjectInfo) -> Iterator[Spot]:
    """Yield spots in a hollow object, or on a solid one: at its centre and around it, the lowest first."""
    box = world.object_box(bowl)
    if bowl.hollow is None:
        middle, radius, rises = box.center + np.array([0.0, 0.0, box.half[2]]), float(box.half[:2].min()), 1
    else:
        turn = world.rotation(bowl.body)
        middle = world.position(bowl.body) + turn @ np.asarray(bowl.hollow.center)
        radius, rises = bowl.hollow.radius(bowl.hollow.depth / 2), HIGHEST
    offsets = [np.zeros(2), *(RING * radius * np.array([np.cos(a), np.sin(a)]) for a in np.arange(6) * np.pi / 3)]
    for rise in range(rises):
        for offset in offsets:
            yield Spot(middle + np.array([*offset, ABOVE + rise * RISE]), box.yaw)
