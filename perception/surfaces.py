"""Where things can be put: the level parts of furniture, found in its points."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from homie.types import Array, Mask, Surface
from perception.localise import rectangle

LAYER = 0.01
"""Metres of height that one bin of the histogram covers."""
LEAST_HALF = 0.06
"""Half the width (m) below which a level part is an edge, not a surface."""
LEAST_CELLS = 12
"""Cells of `CELL` metres that must have been seen of a surface."""
CELL = 0.04
LEAST_FILL = 0.3
"""Part of the rectangle that must have been seen: less is a rim or a frame."""
HEADROOM = 0.08
"""Metres above a surface below which points belong to its edge or to things on it."""
HIGHEST = 1.6
"""Metres above the floor up to which a surface is of any use."""


@dataclass(frozen=True, slots=True)
class _Layer:
    surface: Surface
    cells: int


def find_surfaces(points: Array, level: Array, yaw: float, front: Array | None) -> tuple[Surface, ...]:
    """The surfaces of a piece of furniture, the largest seen first.

    points: (n, 3), everything of it but its doors. level: (m, 3), the points where it is horizontal. yaw: of its
    axes. front: unit vector (2,) to the side that a person uses, which is the way into a compartment.
    """
    layers = [layer for heights in _heights(level) if (layer := _layer(level, heights, yaw)) is not None]
    found = [replace(layer, surface=_roofed(layer.surface, points, front)) for layer in layers]
    found = [layer for layer in found if not any(_rim(layer.surface, other.surface) for other in found)]
    found.sort(key=lambda layer: -layer.cells)
    return tuple(layer.surface for layer in found if layer.surface.clearance > HEADROOM)


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
    axes = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    local = at[:, :2] @ axes.T
    cells = np.unique(np.floor(local / CELL).astype(int), axis=0)
    if len(cells) < LEAST_CELLS:
        return None
    kept = _trimmed(local)
    center, half, _ = rectangle(kept @ axes, yaw)
    half = np.asarray(half)
    size = np.maximum(np.ceil(2 * half / CELL), 1.0)
    if half.min() < LEAST_HALF or len(cells) < LEAST_FILL * float(size[0] * size[1]):
        return None
    z = float(np.median(at[:, 2]))
    return _Layer(Surface(np.array([*center, z]), float(half[0]), float(half[1]), yaw), len(cells))


def _trimmed(local: Array) -> Array:
    """Points (n, 2) without stragglers: rows and columns of the rectangle in which next to nothing was seen."""
    low, high = np.percentile(local, 0.5, axis=0), np.percentile(local, 99.5, axis=0)
    kept: Array = local[((local >= low) & (local <= high)).all(axis=1)]
    return kept


def _roofed(surface: Surface, points: Array, front: Array | None) -> Surface:
    """The surface with the free height above it, and the way in if there is something above it."""
    inner = np.array([surface.half_x, surface.half_y]) - 0.05
    above = points[_within(points, surface, np.maximum(inner, 0.02))]
    above = above[above[:, 2] > surface.center[2] + HEADROOM, 2] - surface.center[2]
    if len(above) < 8:
        return surface
    return replace(surface, clearance=float(np.percentile(above, 3)), access=front)


def _within(points: Array, surface: Surface, half: Array) -> Mask:
    """Which points (n, 3) lie over a rectangle of the given half sizes in the middle of a surface, (n,) bool."""
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    local = (points[:, :2] - surface.center[:2]) @ np.array([[c, -s], [s, c]])
    inside: Mask = (np.abs(local) < half).all(axis=1)
    return inside


def _rim(surface: Surface, other: Surface) -> bool:
    """Whether a surface is the rim of another: a basin or tray a little below it, open to above, takes its middle."""
    drop = surface.center[2] - other.center[2]
    if not 0.02 < drop < 0.35 or np.isfinite(other.clearance):
        return False
    half = np.array([surface.half_x, surface.half_y])
    middle = bool(_within(surface.center[None], other, np.array([other.half_x, other.half_y]))[0])
    return middle and other.half_x * other.half_y > 0.25 * float(half[0] * half[1])
