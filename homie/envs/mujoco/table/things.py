"""Geometry of the objects on the table: loose shapes and a sponge, fixed containers, sorters and areas to wipe.

An object's frame has its origin in the middle of its footprint, on the table; lengths in metres. Tiles of areas lie on
the table and are visual only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from homie.envs.mujoco.blueprints.materials import COLOURS, RGB, shade
from homie.envs.mujoco.blueprints.parts import Part, Vec3, block, disc
from homie.envs.mujoco.table.outlines import GAP, HEIGHT, SHAPES, convex_pieces, core, outline, plate_with_hole
from homie.kernel.types import Array

CONTAINER_HALF, CONTAINER_HEIGHT, _WALL = 0.07, 0.05, 0.006
SPONGE: Vec3 = (0.025, 0.045, 0.02)
"""Half extents; it is grasped across its first side."""
AREA: tuple[float, float] = (0.10, 0.025)
"""Half length and half width of an area to wipe; it is long along its x."""
TILES = (10, 2)
"""Number of tiles along the length and width of an area."""
CELL, LID, SORTER_HEIGHT = 0.054, 0.012, 0.075
"""Half side of the compartment under a hole; thickness of the lid; height of the sorter."""
_FLOOR = 0.005
_MASS = 0.09
_STAND = 0.0004
"""Length by which the hidden box supporting a shape exceeds it at both ends: MuJoCo keeps boxes steadier."""


@dataclass(frozen=True, slots=True)
class Prism:
    """A convex piece of an object: an outline (n, 2) extruded from z[0] to z[1]."""

    outline: Array
    z: tuple[float, float]
    rgb: RGB


@dataclass(frozen=True, slots=True)
class ThingPlan:
    """Geometry of an object: half extents (3,) of its box, parts, whether it is loose, and x offset of its box."""

    half: Vec3
    parts: tuple[Part | Prism, ...]
    loose: bool = False
    ahead: float = 0.0

    @property
    def radius(self) -> float:
        """Upper bound of the radius of its footprint about its origin, m."""
        return math.hypot(self.half[0] + self.ahead, self.half[1])


@lru_cache(maxsize=256)
def plan_of(kind: str, colour: str, holes: tuple[str, ...] = ()) -> ThingPlan:
    """Return the geometry of a kind of object."""
    rgb = COLOURS[colour]
    if kind in SHAPES:
        return _shape(kind, rgb)
    if kind == "container":
        return _container(rgb)
    if kind == "shape sorter":
        return _sorter(rgb, holes)
    if kind == "sponge":
        return _sponge(rgb)
    if kind == "area":
        return _area(rgb)
    raise ValueError(f"there is no kind {kind!r}")


def hole_places(holes: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Return the middles (x, y) of the holes of a sorter in its frame: two rows of two."""
    return tuple(((1 - 2 * (k // 2)) * CELL, (2 * (k % 2) - 1) * CELL) for k in range(len(holes)))


def tile_places() -> list[tuple[float, float]]:
    """Return the middles (x, y) of the tiles of an area in its frame."""
    long, wide = (2 * half / count for half, count in zip(AREA, TILES, strict=True))
    return [
        (-AREA[0] + (i + 0.5) * long, -AREA[1] + (j + 0.5) * wide) for i in range(TILES[0]) for j in range(TILES[1])
    ]


def _shape(kind: str, rgb: RGB) -> ThingPlan:
    points = outline(kind)
    low, high = points.min(axis=0), points.max(axis=0)
    half = (float(high[0] - low[0]) / 2, float(high[1] - low[1]) / 2, HEIGHT / 2)
    center_x = float(high[0] + low[0]) / 2
    if kind == "cube":
        return ThingPlan(
            half, (block((-half[0], half[0]), (-half[1], half[1]), (0.0, HEIGHT), rgb, mass=_MASS),), loose=True
        )
    side = core(kind)
    stand = block((-side, side), (-side, side), (-_STAND, HEIGHT + _STAND), rgb, mass=_MASS, hidden=True)
    if kind == "cylinder":
        return ThingPlan(half, (stand, disc(0.0, 0.0, (0.0, HEIGHT), half[0], rgb)), loose=True)
    pieces = tuple(Prism(piece, (0.0, HEIGHT), rgb) for piece in convex_pieces(points))
    return ThingPlan(half, (stand, *pieces), loose=True, ahead=center_x)


def _container(rgb: RGB) -> ThingPlan:
    a, t, h = CONTAINER_HALF, _WALL, CONTAINER_HEIGHT
    inside = shade(rgb, 0.8)
    walls = [
        block((side * a - (t if side > 0 else 0.0), side * a + (t if side < 0 else 0.0)), (-a, a), (0.0, h), rgb)
        for side in (-1, 1)
    ]
    walls += [
        block(
            (-a + t, a - t), (side * a - (t if side > 0 else 0.0), side * a + (t if side < 0 else 0.0)), (0.0, h), rgb
        )
        for side in (-1, 1)
    ]
    bottom = block((-a + t, a - t), (-a + t, a - t), (0.0, _FLOOR), inside)
    return ThingPlan((a, a, h / 2), (bottom, *walls))


def _sorter(rgb: RGB, holes: tuple[str, ...]) -> ThingPlan:
    rows, columns = (len(holes) + 1) // 2, 2
    half = (rows * CELL, columns * CELL, SORTER_HEIGHT / 2)
    parts: list[Part | Prism] = [
        block((-half[0], half[0]), (-half[1], half[1]), (0.0, _FLOOR), shade(rgb, 0.55)),
    ]
    top = SORTER_HEIGHT - LID
    t = _WALL / 2
    for k in range(rows + 1):
        x = min(max(-half[0] + 2 * k * CELL, -half[0] + t), half[0] - t)
        parts.append(block((x - t, x + t), (-half[1], half[1]), (_FLOOR, top), shade(rgb, 0.9)))
    for k in range(columns + 1):
        y = min(max(-half[1] + 2 * k * CELL, -half[1] + t), half[1] - t)
        parts.append(block((-half[0], half[0]), (y - t, y + t), (_FLOOR, top), shade(rgb, 0.9)))
    for hole, (x, y) in zip(holes, hole_places(holes), strict=True):
        for piece in plate_with_hole(CELL, outline(hole, GAP)):
            parts.append(Prism(piece + np.array([x, y]), (top, SORTER_HEIGHT), rgb))
    return ThingPlan(half, tuple(parts))


def _sponge(rgb: RGB) -> ThingPlan:
    x, y, h = SPONGE[0], SPONGE[1], 2 * SPONGE[2]
    skin = 0.0006
    scourer = block((-x - skin, x + skin), (-y - skin, y + skin), (0.0, 0.28 * h), (0.12, 0.42, 0.2), solid=False)
    return ThingPlan(SPONGE, (block((-x, x), (-y, y), (0.0, h), rgb, mass=0.05), scourer), loose=True)


def _area(rgb: RGB) -> ThingPlan:
    long, wide = AREA[0] / TILES[0], AREA[1] / TILES[1]
    tiles = tuple(
        block((x - long, x + long), (y - wide, y + wide), (0.0, 0.0008), rgb, solid=False) for x, y in tile_places()
    )
    return ThingPlan((AREA[0], AREA[1], 0.0004), tiles)
