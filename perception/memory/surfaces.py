"""Where things can be put: the level parts of furniture, found in its points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homie.kernel.types import Array, Mask, Surface, planar_rotation
from perception.localise import rectangle
from perception.memory.clouds import all_of, cells_of

LAYER = 0.01
"""Metres of height that one bin of the histogram covers."""
LEAST_HALF = 0.07
"""Half the width (m) below which a level part is an edge, not a surface."""
LEAST_CELLS = 12
"""Cells of `CELL` metres that must have been seen of a surface."""
CELL = 0.04
LEAST_FILL = 0.4
"""Part of the rectangle that must have been seen: less is a rim or a frame."""
LEAST_COVER = 0.3
"""Part of a surface that must have something above it to make it a compartment."""
HEADROOM = 0.08
"""Metres above a surface below which points belong to its edge or to things on it."""
DEEPEST = 0.3
"""Metres below its rim that the floor of a basin may be."""
MOST_COVERED = 0.2
"""Part of a basin's opening over which the rim may seem to lie."""
BORDER = 0.025
"""Metres at the edge of a surface in which lower points are taken for its front, not for a basin."""
OVERHANG = 0.07
"""The same on the front side, where worktops stand out over what is below them."""
EASY = (0.35, 1.15)
"""Heights (m) that the arm reaches with ease."""
HIGHEST = 1.6
"""Metres above the floor up to which a surface is of any use."""


@dataclass(frozen=True, slots=True)
class _Layer:
    surface: Surface
    cells: int


def find_surfaces(
    points: Array, level: Array, yaw: float, front: Array | None, roof: float | None = None
) -> tuple[Surface, ...]:
    """The surfaces of a piece of furniture: basins first, then the largest and easiest to reach.

    Args:
        points: (n, 3), everything of it but its doors.
        level: (m, 3), the points where it is horizontal.
        yaw: Of its axes.
        front: Unit vector (2,) to the side that a person uses, which is the way into a compartment.
        roof: Height of the top of what opens with a door: everything below it is a compartment, and nothing else is
            offered.
    """
    layers = [layer for height in _heights(level) if (layer := _layer(level, height, yaw)) is not None]
    layers.sort(key=lambda layer: -layer.cells * (1.0 if EASY[0] < layer.surface.center[2] < EASY[1] else 0.3))
    basins: list[Surface] = []
    surfaces: list[Surface] = []
    for layer in layers:
        surface = _roofed(layer.surface, points, front)
        if roof is not None:
            surface = replace(surface, clearance=min(surface.clearance, roof - float(surface.center[2])), access=front)
        basin = None if surface.access is not None else _basin(surface, points, level, front)
        if basin is not None:
            basins.append(basin)
            surfaces += _beside(surface, basin)
        elif surface.clearance > HEADROOM:
            surfaces.append(surface)
    return (*basins, *(surface for surface in surfaces if not any(_in_basin(surface, basin) for basin in basins)))


def _heights(level: Array) -> list[float]:
    """Heights (m) at which many level points lie."""
    if len(level) < LEAST_CELLS:
        return []
    bins = np.round(level[:, 2] / LAYER).astype(int)
    low = int(bins.min())
    counts = np.bincount(bins - low, minlength=int(bins.max()) - low + 1).astype(float)
    padded = np.pad(counts, 1)
    wide = padded[:-2] + padded[1:-1] + padded[2:]
    heights: list[float] = []
    for index in np.argsort(-wide):
        height = (low + int(index)) * LAYER
        if wide[index] < LEAST_CELLS:
            break
        if 0.05 < height < HIGHEST and all(abs(height - other) > 2.5 * LAYER for other in heights):
            heights.append(height)
    return heights


def _layer(level: Array, height: float, yaw: float) -> _Layer | None:
    """The surface at a height, or None where the level points there do not make one."""
    at = level[np.abs(level[:, 2] - height) < 1.6 * LAYER]
    axes = planar_rotation(-yaw)
    local = at[:, :2] @ axes.T
    cells = np.unique(cells_of(local, CELL))
    if len(cells) < LEAST_CELLS:
        return None
    trimmed = _trimmed(local)
    center, half, _ = rectangle(trimmed @ axes, yaw)
    half = np.asarray(half)
    size = np.maximum(np.ceil(2 * half / CELL), 1.0)
    if half.min() < LEAST_HALF or len(cells) < LEAST_FILL * float(size[0] * size[1]):
        return None
    z = float(np.median(at[:, 2]))
    return _Layer(Surface(np.array([*center, z]), float(half[0]), float(half[1]), yaw), len(cells))


def _trimmed(local: Array) -> Array:
    """Points (n, 2) without stragglers: rows and columns of the rectangle in which next to nothing was seen."""
    low, high = np.percentile(local, [0.5, 99.5], axis=0)
    remaining: Array = local[all_of((local >= low) & (local <= high))]
    return remaining


def _roofed(surface: Surface, points: Array, front: Array | None) -> Surface:
    """The surface with the free height above it, and the way in if most of it is covered."""
    inner = np.maximum(np.array([surface.half_x, surface.half_y]) - 0.05, 0.02)
    points_above = points[_is_within(points, surface, inner)]
    points_above = points_above[points_above[:, 2] > surface.center[2] + HEADROOM]
    covered = len(np.unique(cells_of(points_above[:, :2], CELL))) * CELL**2
    if covered < LEAST_COVER * 4 * float(inner[0] * inner[1]):
        return surface
    clearance = float(np.percentile(points_above[:, 2], 3) - surface.center[2])
    return replace(surface, clearance=clearance, access=front)


def _is_within(points: Array, surface: Surface, half: Array) -> Mask:
    """Which points (n, 3) lie over a rectangle of the given half sizes in the middle of a surface, (n,) bool."""
    local = (points[:, :2] - surface.center[:2]) @ planar_rotation(-surface.yaw).T
    u, v = np.abs(local).T
    inside: Mask = (u < half[0]) & (v < half[1])
    return inside


def _basin(surface: Surface, points: Array, level: Array, front: Array | None) -> Surface | None:
    """The basin that a surface is the rim of, or None: a hole in it, in which something lower was seen.

    Its floor is where the lowest point was seen: the true one may be hidden behind the rim and a little deeper.
    """
    inner = np.array([surface.half_x, surface.half_y]) - BORDER
    if inner.min() < LEAST_HALF:
        return None
    z, turn = float(surface.center[2]), planar_rotation(-surface.yaw)
    inside = points[_is_within(points, surface, inner)]
    if front is not None:
        edge = abs(float(turn[0] @ front)) * surface.half_x + abs(float(turn[1] @ front)) * surface.half_y
        inside = inside[(inside[:, :2] - surface.center[:2]) @ front < edge - OVERHANG]
    lower = inside[(inside[:, 2] < z - 0.03) & (inside[:, 2] > z - DEEPEST)]
    if len(lower) < LEAST_CELLS:
        return None
    rim = (level[np.abs(level[:, 2] - z) < 1.6 * LAYER, :2] - surface.center[:2]) @ turn.T
    seen = (lower[:, :2] - surface.center[:2]) @ turn.T
    low, high = _opening(seen.min(axis=0), seen.max(axis=0), rim, inner)
    half = (high - low) / 2
    if half.min() < LEAST_HALF or _covered(rim, low + 0.03, high - 0.03) > MOST_COVERED:
        return None
    center = surface.center[:2] + (low + high) / 2 @ turn
    bottom = float(np.percentile(lower[:, 2], 2))
    return Surface(np.array([*center, bottom]), float(half[0]), float(half[1]), surface.yaw)


def _opening(low: Array, high: Array, rim: Array, limit: Array) -> tuple[Array, Array]:
    """The rectangle low..high (2,) grown on every side as far as no rim (n, 2) was seen, within -limit..limit."""
    low, high = low.copy(), high.copy()
    for axis, step in ((0, -1), (0, 1), (1, -1), (1, 1)):
        while True:
            a, b = low.copy(), high.copy()
            a[axis], b[axis] = (low[axis] - CELL / 2, low[axis]) if step < 0 else (high[axis], high[axis] + CELL / 2)
            if abs(a[axis]) > limit[axis] or abs(b[axis]) > limit[axis] or _covered(rim, a, b) > MOST_COVERED:
                break
            if step < 0:
                low[axis] = a[axis]
            else:
                high[axis] = b[axis]
    return low, high


def _covered(points: Array, low: Array, high: Array) -> float:
    """Part of the rectangle low..high in whose cells there are points (n, 2)."""
    inside = points[all_of((points >= low) & (points <= high))]
    size = CELL / 2
    cells = len(np.unique(cells_of(inside, size)))
    return cells / max(1.0, float(np.prod(np.maximum((high - low) / size, 1.0))))


def _beside(surface: Surface, basin: Surface) -> list[Surface]:
    """The largest rectangle of a surface beside its basin, if it is large enough to be of use."""
    turn = planar_rotation(-surface.yaw)
    u, v = turn @ (basin.center[:2] - surface.center[:2])
    a, b = surface.half_x, surface.half_y
    sides = (
        (-a, u - basin.half_x, -b, b),
        (u + basin.half_x, a, -b, b),
        (-a, a, -b, v - basin.half_y),
        (-a, a, v + basin.half_y, b),
    )
    x0, x1, y0, y1 = max(sides, key=lambda s: min(s[1] - s[0], 0.5) * min(s[3] - s[2], 0.5))
    half_x, half_y = (x1 - x0) / 2, (y1 - y0) / 2
    if min(half_x, half_y) < LEAST_HALF + 0.03:
        return []
    center = surface.center[:2] + np.array([(x0 + x1) / 2, (y0 + y1) / 2]) @ turn
    return [replace(surface, center=np.array([*center, surface.center[2]]), half_x=half_x, half_y=half_y)]


def _in_basin(surface: Surface, basin: Surface) -> bool:
    """Whether a surface is part of a basin: its floor, or something that is left of its rim."""
    reach = np.array([basin.half_x, basin.half_y]) + 0.02
    height_above = float(surface.center[2] - basin.center[2])
    return bool(_is_within(surface.center[None], basin, reach)[0]) and abs(height_above) < DEEPEST
