"""Placement surfaces: the level parts of furniture, detected in its points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homie.kernel.types import Array, Mask, Surface, planar_rotation
from perception.localise import rectangle
from perception.memory.clouds import all_of, cells_of

LAYER = 0.01
"""Bin size (m) of the histogram of heights."""
LEAST_HALF = 0.07
"""Smallest half width (m) of a surface; a narrower level part is an edge."""
LEAST_CELLS = 12
"""Fewest visible cells, of `CELL` metres, of a surface."""
CELL = 0.04
LEAST_FILL = 0.4
"""Smallest visible share of the rectangle: less is a rim or a frame."""
LEAST_COVER = 0.3
"""Smallest share of a surface with points above it that makes it a compartment."""
HEADROOM = 0.08
"""Height (m) above a surface below which points belong to its edge or to objects on it."""
DEEPEST = 0.3
"""Largest depth (m) of a basin's floor below its rim."""
MOST_COVERED = 0.2
"""Largest share of a basin's opening with points of the rim."""
BORDER = 0.025
"""Width (m) of a surface's edge in which lower points belong to its front, not to a basin."""
OVERHANG = 0.07
"""The same on the front side, where worktops overhang the furniture below."""
EASY = (0.35, 1.15)
"""Range of heights (m) that the arm reaches easily."""
HIGHEST = 1.6
"""Largest usable height (m) of a surface above the floor."""


@dataclass(frozen=True, slots=True)
class _Layer:
    surface: Surface
    cells: int


def find_surfaces(
    points: Array, level: Array, yaw: float, front: Array | None, roof: float | None = None
) -> tuple[Surface, ...]:
    """Detect the surfaces of a piece of furniture: basins first, then the largest and easiest to reach.

    Args:
        points: (n, 3), all its points except those of doors.
        level: (m, 3), the points on horizontal parts.
        yaw: Yaw of its axes.
        front: Unit vector (2,) to the side from which it is used, which is the access side of a compartment.
        roof: Height of the top of furniture with a door: only the compartments below it are returned.
    """
    layers = [layer for height in _heights(level) if (layer := _layer(level, height, yaw)) is not None]
    layers.sort(key=lambda layer: -layer.cells * (1.0 if EASY[0] < layer.surface.center[2] < EASY[1] else 0.3))
    basins: list[Surface] = []
    surfaces: list[Surface] = []
    for layer in layers:
        surface = _add_clearance(layer.surface, points, front)
        if roof is not None:
            surface = replace(surface, clearance=min(surface.clearance, roof - float(surface.center[2])), access=front)
        basin = None if surface.access is not None else _basin(surface, points, level, front)
        if basin is not None:
            basins.append(basin)
            surfaces += _surfaces_beside(surface, basin)
        elif surface.clearance > HEADROOM:
            surfaces.append(surface)
    return (*basins, *(surface for surface in surfaces if not any(_in_basin(surface, basin) for basin in basins)))


def _heights(level: Array) -> list[float]:
    """Return the heights (m) with many level points."""
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
    """Return the surface at a height, or None if the level points there do not form one."""
    at = level[np.abs(level[:, 2] - height) < 1.6 * LAYER]
    axes = planar_rotation(-yaw)
    local = at[:, :2] @ axes.T
    cells = np.unique(cells_of(local, CELL))
    if len(cells) < LEAST_CELLS:
        return None
    trimmed = _remove_outliers(local)
    center, half, _ = rectangle(trimmed @ axes, yaw)
    half = np.asarray(half)
    size = np.maximum(np.ceil(2 * half / CELL), 1.0)
    if half.min() < LEAST_HALF or len(cells) < LEAST_FILL * float(size[0] * size[1]):
        return None
    z = float(np.median(at[:, 2]))
    return _Layer(Surface(np.array([*center, z]), float(half[0]), float(half[1]), yaw), len(cells))


def _remove_outliers(local: Array) -> Array:
    """Remove outliers from points (n, 2): rows and columns of the rectangle with hardly any points."""
    low, high = np.percentile(local, [0.5, 99.5], axis=0)
    remaining: Array = local[all_of((local >= low) & (local <= high))]
    return remaining


def _add_clearance(surface: Surface, points: Array, front: Array | None) -> Surface:
    """Return the surface with the clearance above it, and with the access side if enough of it is covered."""
    inner = np.maximum(np.array([surface.half_x, surface.half_y]) - 0.05, 0.02)
    points_above = points[_is_within(points, surface, inner)]
    points_above = points_above[points_above[:, 2] > surface.center[2] + HEADROOM]
    covered = len(np.unique(cells_of(points_above[:, :2], CELL))) * CELL**2
    if covered < LEAST_COVER * 4 * float(inner[0] * inner[1]):
        return surface
    clearance = float(np.percentile(points_above[:, 2], 3) - surface.center[2])
    return replace(surface, clearance=clearance, access=front)


def _is_within(points: Array, surface: Surface, half: Array) -> Mask:
    """Return which points (n, 3) lie over a centred rectangle of a surface with the given half sizes, (n,) bool."""
    local = (points[:, :2] - surface.center[:2]) @ planar_rotation(-surface.yaw).T
    u, v = np.abs(local).T
    inside: Mask = (u < half[0]) & (v < half[1])
    return inside


def _basin(surface: Surface, points: Array, level: Array, front: Array | None) -> Surface | None:
    """Detect the basin of which a surface is the rim, or return None: a hole with lower points in it.

    Its floor is at the lowest points: the true floor may be hidden behind the rim and a little deeper.
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
    if half.min() < LEAST_HALF or _covered_share(rim, low + 0.03, high - 0.03) > MOST_COVERED:
        return None
    center = surface.center[:2] + (low + high) / 2 @ turn
    bottom = float(np.percentile(lower[:, 2], 2))
    return Surface(np.array([*center, bottom]), float(half[0]), float(half[1]), surface.yaw)


def _opening(low: Array, high: Array, rim: Array, limit: Array) -> tuple[Array, Array]:
    """Expand the rectangle low..high (2,) on every side up to the rim (n, 2), within -limit..limit."""
    low, high = low.copy(), high.copy()
    for axis, step in ((0, -1), (0, 1), (1, -1), (1, 1)):
        while True:
            a, b = low.copy(), high.copy()
            a[axis], b[axis] = (low[axis] - CELL / 2, low[axis]) if step < 0 else (high[axis], high[axis] + CELL / 2)
            if abs(a[axis]) > limit[axis] or abs(b[axis]) > limit[axis] or _covered_share(rim, a, b) > MOST_COVERED:
                break
            if step < 0:
                low[axis] = a[axis]
            else:
                high[axis] = b[axis]
    return low, high


def _covered_share(points: Array, low: Array, high: Array) -> float:
    """Return the share of the cells of the rectangle low..high that contain points (n, 2)."""
    inside = points[all_of((points >= low) & (points <= high))]
    size = CELL / 2
    cells = len(np.unique(cells_of(inside, size)))
    return cells / max(1.0, float(np.prod(np.maximum((high - low) / size, 1.0))))


def _surfaces_beside(surface: Surface, basin: Surface) -> list[Surface]:
    """Return the largest rectangle of a surface beside its basin, if it is large enough."""
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
    """Whether a surface is part of a basin: its floor, or a remainder of its rim."""
    reach = np.array([basin.half_x, basin.half_y]) + 0.02
    height_above = float(surface.center[2] - basin.center[2])
    return bool(_is_within(surface.center[None], basin, reach)[0]) and abs(height_above) < DEEPEST
