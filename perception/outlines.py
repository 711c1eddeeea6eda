"""Which pixels of an outline, or of a box without one, show the object: surroundings and background are removed, and
what a network has left out is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.types import FLOOR as ROOM
from homie.kernel.types import Array, Depth, Mask, mask_bounds
from perception.scan import Points

FLOOR = 0.03
"""Height (m) above which points in a box without a mask count; lower points are floor."""
LARGE_BOX = 0.4
"""Smallest extent (m) of the box of a large object."""
SUPPORT = 0.015
"""Height (m) above the lowest points of a small object up to which level parts belong to its support."""
LEAST_DEPTH, DEEP = 0.3, 0.6
"""Largest depth of a large object behind its nearest points: metres, and multiples of the width of its box."""
PROTRUDES, FARTHEST_HANDLE, LEAST_HANDLE = 0.012, 0.12, 4
"""Smallest and largest distance (m) of a handle's points before their door, and fewest visible points of a handle."""
PLANES, APART, FLAT = 64, 0.02, 0.006
"""Planes sampled for a door, smallest distance (m) between the two points that define a plane, and inlier distance
(m)."""
LEAST_FRONT, ON_FRONT = 12, 0.015
"""Fewest points of a front for a plane fit, and largest distance (m) of the front's points from the plane."""
RAISED, OWN = 0.008, 0.3
"""Height (m) above its support from which points belong to an object, and share of a connected piece inside the outline
from which all of the piece belongs to the object."""
JUMP, STEEP = 0.01, 3.0
"""Largest change of the depth of one surface over two pixels: metres, and multiples of the width of a pixel."""
LEAST_PIECE = 0.15
"""Smallest share of an outline in its largest piece; below, the outline is too small to split into pieces."""
BESIDE, BESIDE_SMALL = 0.15, 0.02
"""Distance (m) before and behind the largest piece of furniture, of a small object, within which the rest may lie."""
EDGE_STEP = 0.02
SMALL_EDGE_STEP = 0.09
SMALL = 400 / 256**2
"""Largest depth difference (m) between a pixel at the edge of a mask and the pixels inside it, and the same for masks
below the share `SMALL` of a picture (400 of 256 x 256 pixels), where a row of a far rim lies well behind the row before
it."""
KERNEL = np.ones((3, 3), np.uint8)
"""A pixel and its eight neighbours."""


def correct_outline(mask: Mask, points: Points, depth: Depth, fx: float, part: str, eye: Array, valid: Mask) -> Mask:
    """Remove the surroundings and the background from an outline (h, w) drawn by a network."""
    height = points[..., 2]
    if part == ROOM:
        return np.asarray(mask & (np.abs(height) < 2 * FLOOR))
    if part in ("door", "drawer"):
        return _front_pixels(mask, points, eye, flat=part == "door")
    mask = _above_floor(mask, height)
    if not mask.any():
        return mask
    x0, y0, x1, y1 = mask_bounds(mask)
    pixel = float(np.median(depth[mask])) / fx
    if max(y1 - y0 - 1, x1 - x0 - 1) * pixel >= LARGE_BOX:
        return _connected_piece(mask, depth, fx, BESIDE)
    seed = foreground(_connected_piece(mask, depth, fx, BESIDE_SMALL, (x1 - x0 - 1) * pixel), points, depth, fx)
    return _complete_outline(seed, valid, points, depth, fx)


def handle_pixels(valid: Mask, points: Points, eye: Array, inner: Mask) -> Mask:
    """Return the pixels (h, w) of a handle: those of the box `inner` (h, w) before the plane of its door or drawer.

    The plane is the one with the most inliers among those with points of a handle before them: the wall is visible
    behind the free edge of a door. Pieces that continue towards the camera are a wall beside the door.
    """
    handle = np.zeros(valid.shape, dtype=bool)
    if np.count_nonzero(valid) < LEAST_FRONT:
        return handle
    planes = _UprightPlanes.through(points[valid], eye)
    is_handle = planes.handles() & inner[valid][:, None]
    support = np.where(is_handle.sum(axis=0) < LEAST_HANDLE, 0, planes.on_plane)
    if len(support) and support.max():
        best = int(np.argmax(support))
        handle[valid] = is_handle[:, best]
        before = np.full(valid.shape, -np.inf)
        before[valid] = planes.before[:, best]
        pieces = cv2.connectedComponents((before > PROTRUDES).astype(np.uint8), connectivity=8)[1]
        handle &= ~np.isin(pieces, np.unique(pieces[before > FARTHEST_HANDLE]))
    return handle


def foreground(mask: Mask, points: Points, depth: Depth, fx: float) -> Mask:
    """Segment the object in a box without a mask by its depth.

    The floor is removed. Of a large object, pixels remain that are not farther behind its nearest points than its
    largest depth; of a small one, pixels at about the depth of its middle, without the level surface under it.

    Args:
        mask: (h, w), pixels with measured depth in the box.
    """
    height = points[..., 2]
    mask = _above_floor(mask, height)
    if not mask.any():
        return mask
    h, w = mask.shape
    nearest = float(np.percentile(depth[mask], 5))
    if nearest * max(h, w) / fx > LARGE_BOX:  # not by its middle: the wall shows between table legs
        return np.asarray(mask & (depth < nearest + max(LEAST_DEPTH, DEEP * nearest * w / fx)))
    core = np.zeros_like(mask)
    core[h // 4 : h - h // 4, w // 4 : w - w // 4] = True
    core = core & mask if (core & mask).any() else mask
    layer: Mask = mask & (np.abs(depth - float(np.percentile(depth[core], 30))) < 0.15)
    if not layer.any():  # a few points at very different depths
        return mask
    bottom = float(np.percentile(height[layer], 5))
    support = layer & level_mask(points, layer) & (height < bottom + SUPPORT)
    remaining: Mask = layer & ~support & (height > bottom + SUPPORT / 2)
    return remaining if np.count_nonzero(remaining) > max(4, 0.15 * np.count_nonzero(layer)) else layer


def erode_edges(mask: Mask, depth: Depth, small: float) -> Mask:
    """Remove pixels at the edge of a mask that belong to the background or an occluder (they mix depths).

    Args:
        small: Area (pixels) below which the mask counts as that of a small object.
    """
    inner = cv2.erode(mask.astype(np.uint8), KERNEL, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    if np.count_nonzero(inner) < 0.3 * np.count_nonzero(mask):  # a thin object is all edge: keep its middle depth
        if not mask.any():
            return mask
        middle = float(np.median(depth[mask]))
        thin: Mask = mask & (np.abs(depth - middle) < 0.15)
        return thin
    step = SMALL_EDGE_STEP if np.count_nonzero(mask) < small else EDGE_STEP
    farthest = cv2.dilate(np.where(inner, depth, np.float32(-1.0)), KERNEL) + step
    nearest = cv2.erode(np.where(inner, depth, np.float32(1e3)), KERNEL) - step
    remaining: Mask = inner | (mask & (depth < farthest) & (depth > nearest))
    return remaining


def level_mask(points: Points, mask: Mask) -> Mask:
    """Return the pixels of horizontal surfaces: the height hardly changes between neighbouring rows and columns."""
    level = np.zeros(mask.shape, dtype=bool)
    if mask.shape[0] < 3 or mask.shape[1] < 3:
        return level
    down = points[1:] - points[:-1]
    side = points[:, 1:] - points[:, :-1]
    flat_down = np.abs(down[..., 2]) < 0.12 * np.hypot(down[..., 0], down[..., 1])
    flat_down &= mask[1:] & mask[:-1]
    flat_side = np.abs(side[..., 2]) < 0.12 * np.hypot(side[..., 0], side[..., 1])
    flat_side &= mask[:, 1:] & mask[:, :-1]
    rows = np.zeros_like(level)
    rows[1:] |= flat_down
    rows[:-1] |= flat_down
    columns = np.zeros_like(level)
    columns[:, 1:] |= flat_side
    columns[:, :-1] |= flat_side
    is_level: Mask = rows & columns & mask
    return is_level


def _above_floor(mask: Mask, height: Depth) -> Mask:
    """Return the pixels of a mask above the floor, or all of them if it shows little else."""
    above_floor = mask & (height > FLOOR)
    return above_floor if np.count_nonzero(above_floor) > 0.1 * np.count_nonzero(mask) else mask


def _continuous(mask: Mask, depth: Depth, fx: float, jump: float) -> Mask:
    """Return the pixels of a mask around which its depth changes by no more than one surface does.

    Args:
        jump: Change (m) that is allowed even where a surface is seen from the front.
    """
    farthest = cv2.dilate(np.where(mask, depth, np.float32(0.0)), KERNEL)
    nearest = cv2.erode(np.where(mask, depth, np.float32(1e3)), KERNEL)
    return np.asarray(mask & (farthest - nearest < jump + STEEP * depth / fx))


def _complete_outline(seed: Mask, valid: Mask, points: Points, depth: Depth, fx: float) -> Mask:
    """Complete the outline (h, w) of an object with its other parts that rise above the level surface under it.

    Args:
        seed: Part of the outline.
        valid: Pixels with measured depth, also around the object.
    """
    if not seed.any():
        return seed
    height, middle = points[..., 2], float(np.median(depth[seed]))
    near = valid & (np.abs(depth - middle) < 0.15)
    low = float(np.percentile(height[seed], 10)) + RAISED
    support = near & ~seed & level_mask(points, near) & (height < low)
    if np.count_nonzero(support) < 8:
        return seed
    raised = near & (height > float(np.percentile(height[support], 90)) + RAISED)
    continuous = _continuous(raised, depth, fx, 2 * JUMP)
    count, pieces = cv2.connectedComponents(continuous.astype(np.uint8), connectivity=8)
    whole = seed.copy()
    for piece in range(1, count):
        own = pieces == piece
        if np.count_nonzero(own & seed) > OWN * np.count_nonzero(own):
            whole |= cv2.dilate(own.astype(np.uint8), KERNEL).astype(bool) & raised
    return whole


@dataclass(frozen=True, slots=True)
class _UprightPlanes:
    """Vertical planes through k pairs of points, with the signed distances of n points from each.

    Attributes:
        before: Distances (m), (n, k), positive towards the camera.
        on_plane: Number of inliers of each plane, (k,).
    """

    before: Array
    on_plane: Array

    @classmethod
    def through(cls, points: Points, eye: Array) -> _UprightPlanes:
        """Sample planes through pairs of points (n, 3) with a fixed seed."""
        cloud = points[:, :2].astype(np.float64)
        pairs = np.random.default_rng(0).integers(0, len(cloud), (PLANES, 2))
        directions = cloud[pairs[:, 1]] - cloud[pairs[:, 0]]
        lengths = np.hypot(*directions.T)
        starts, directions = cloud[pairs[lengths > APART, 0]], directions[lengths > APART]
        normals = np.stack([-directions[:, 1], directions[:, 0]], axis=1) / lengths[lengths > APART, None]
        normals *= np.sign(((eye[:2] - starts) * normals).sum(axis=1))[:, None]
        before = cloud @ normals.T - (starts * normals).sum(axis=1)
        return cls(before, (np.abs(before) < FLAT).sum(axis=0))

    def handles(self) -> Mask:
        """Return which points lie before each plane at the distance of a handle, (n, k)."""
        return np.asarray((self.before > PROTRUDES) & (self.before < FARTHEST_HANDLE))


def _front_pixels(mask: Mask, points: Points, eye: Array, *, flat: bool) -> Mask:
    """Remove the handle from the outline (h, w) of a door or drawer.

    Args:
        flat: Remove points behind the plane of the front too: a network outlines the side of a cabinet with its door,
            but a drawer has an inside.
    """
    if np.count_nonzero(mask) < LEAST_FRONT:
        return mask
    planes = _UprightPlanes.through(points[mask], eye)
    if not len(planes.on_plane):
        return mask
    nothing_before = planes.on_plane - (planes.before > FARTHEST_HANDLE).sum(axis=0)
    before = planes.before[:, int(np.argmax(nothing_before))]
    front = np.zeros_like(mask)
    front[mask] = (before < ON_FRONT) & ((before > -ON_FRONT) | (not flat))
    return front


def _connected_piece(mask: Mask, depth: Depth, fx: float, max_step: float, deepest: float = 0.0) -> Mask:
    """Return the largest piece of an outline with continuous depth, and the pixels at about the same depth.

    Args:
        max_step: Distance (m) before and behind that piece within which the rest may lie.
        deepest: Largest total depth (m): the far side of a bowl is well behind the near one.
    """
    continuous = _continuous(mask, depth, fx, JUMP)
    count, pieces, facts, _ = cv2.connectedComponentsWithStats(continuous.astype(np.uint8), connectivity=8)
    if count < 2 or facts[1:, cv2.CC_STAT_AREA].max() < LEAST_PIECE * np.count_nonzero(mask):
        return _largest_layer(mask, depth, max_step)
    main = pieces == 1 + int(np.argmax(facts[1:, cv2.CC_STAT_AREA]))
    low, high = np.percentile(depth[main], [2, 98])
    return np.asarray(mask & (depth > low - max_step) & (depth < max(high + max_step, low + deepest)))


def _largest_layer(mask: Mask, depth: Depth, gap: float) -> Mask:
    """Return the largest group of pixels of an outline without a gap in depth (m): the background between the legs of a
    chair lies well behind them."""
    if not mask.any():
        return mask
    depths = np.sort(depth[mask])
    layers = np.split(depths, np.flatnonzero(np.diff(depths) > gap) + 1)
    largest = max(layers, key=len)
    return np.asarray(mask & (depth >= largest[0]) & (depth <= largest[-1]))
