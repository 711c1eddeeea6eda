"""From pixels to places: the points under a mask, and the upright box of the thing they belong to.

mask + depth + intrinsics + camera pose -> points in the odometry frame -> Box
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import FLOOR as ROOM
from homie.kernel.types import Array, Box, CameraFrame, Depth, Detection, Intrinsics, Mask, mask_bounds, planar_rotation
from perception.colours import lit_colour

Points = NDArray[np.float32]

FARTHEST = 8.0
"""Metres beyond which depth is not used."""
SAME_SURFACE = 0.04
"""Metres between a point and the depth picture up to which the picture shows it."""
LARGE = 12000
"""Pixels of a box from which every second row and column is enough."""
ROUND_DEPTH, FLAT_DEPTH = 0.09, 0.05
"""Metres that a small thing is taken to be deep at most when only its front can be seen: a curved or a flat one."""
FLOOR = 0.03
"""Metres above the floor from which something in a box without a mask counts."""
LARGE_BOX = 0.4
"""Metres that a box shows at least of something large."""
SUPPORT = 0.015
"""Metres above the lowest points of something small up to which a level part is what it stands on."""
LEAST_DEPTH, DEEP = 0.3, 0.6
"""Metres, and widths of a box, by which something large in it goes on behind its nearest points at most."""
TOP, WHOLE_TOP, LEAST_TOP = 0.08, 0.8, 6
"""Share of its height from its highest point that is the top of a thing; share of the depth that was seen over which
this reaches if it is flat (0.64 for a ball); points of it from which that can be seen."""
PROTRUDES, FARTHEST_HANDLE, LEAST_HANDLE = 0.012, 0.12, 4
"""Metres before its door from which and up to which a point is of a handle, and points of it that have to be seen."""
PLANES, APART, FLAT = 64, 0.02, 0.006
"""Planes that are tried for a door, metres between the two points that give one, and metres from it that points on it
may lie."""
LEAST_FRONT, ON_FRONT = 12, 0.015
"""Points of a front from which its plane is fitted, and metres from it up to which points are of the front."""
MARGIN = 5
"""Least pixels around a handle or an object that are looked at with it."""
RAISED, OWN = 0.008, 0.3
"""Metres above its support from which a point is of an object, and share of a piece of the picture within an outline
from which all of the piece is of the object."""
JUMP, STEEP = 0.01, 3.0
"""Metres, and widths of a pixel, by which the depth of one surface changes over two pixels at most."""
LEAST_PIECE = 0.15
"""Share of an outline that its largest piece has at least; else it is too small for pieces."""
BESIDE, BESIDE_SMALL = 0.15, 0.02
"""Metres before and behind the largest piece of furniture, and of something small, at which there may be more of it."""
EDGE_STEP = 0.02
SMALL_EDGE_STEP = 0.09
SMALL = 400 / 256**2
"""Metres by which a pixel at the edge of a mask may differ in depth from the pixels inside it, and the same for masks
of less than the share `SMALL` of a picture (400 of 256 x 256 pixels), where a row of a far rim lies well behind the row
before it."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One frame in space.

    Attributes:
        points: (H, W, 3) float32 in the odometry frame.
        valid: (H, W), where depth was measured.
    """

    frame: CameraFrame
    points: Points
    valid: Mask

    @classmethod
    def of(cls, frame: CameraFrame) -> Scan | None:
        """The scan of a frame, or None if the frame has no depth. A frame has one, however often it is asked for."""
        if frame.depth is None:
            return None
        if Scan not in frame.memo:
            frame.memo[Scan] = cls._measured(frame, frame.depth)
        points, valid = frame.memo[Scan]
        return cls(frame, points, valid)

    @staticmethod
    def _measured(frame: CameraFrame, depth: Depth) -> tuple[Points, Mask]:
        rays = _rays(frame.intrinsics) @ frame.pose.rotation.T.astype(np.float32)
        points = rays * depth[..., None] + frame.pose.position.astype(np.float32)
        return points, (depth > 0.05) & (depth < FARTHEST)

    @property
    def eye(self) -> Array:
        """Where the camera is, (3,)."""
        return self.frame.pose.position

    def visible(self, points: Points) -> tuple[Mask, NDArray[np.intp], NDArray[np.intp]]:
        """Which points (n, 3) the depth picture shows where they are, (n,), and the rows and columns of those."""
        assert self.frame.depth is not None
        k = self.frame.intrinsics
        local = (points - self.eye.astype(np.float32)) @ self.frame.pose.rotation.astype(np.float32)
        shown = (local[:, 2] > 0.05) & (local[:, 2] < FARTHEST)
        z = np.where(shown, local[:, 2], 1.0)
        u = np.round(local[:, 0] / z * k.fx + k.cx).astype(np.intp)
        v = np.round(local[:, 1] / z * k.fy + k.cy).astype(np.intp)
        shown &= (u >= 0) & (v >= 0) & (u < k.width) & (v < k.height)
        shown[shown] = np.abs(self.frame.depth[v[shown], u[shown]] - z[shown]) < SAME_SURFACE
        return shown, v[shown], u[shown]


@dataclass(frozen=True, slots=True)
class Patch:
    """What one view shows of one thing.

    Attributes:
        points: (n, 3) float32, odometry frame.
        level: (n,), whether the surface is horizontal there.
        spacing: Metres between the points of neighbouring pixels.
        eye: Camera position (3,).
        rgb: Its colour where it is lit, 0..255.
    """

    points: Points
    level: Mask
    spacing: float
    eye: Array
    rgb: tuple[int, int, int]

    @property
    def area(self) -> float:
        """Square metres that it shows."""
        return len(self.points) * self.spacing**2


@lru_cache(maxsize=16)
def _rays(intrinsics: Intrinsics) -> Points:
    """Rays of all pixels in the optical frame with z = 1, (H, W, 3)."""
    u = (np.arange(intrinsics.width, dtype=np.float32) - intrinsics.cx) / intrinsics.fx
    v = (np.arange(intrinsics.height, dtype=np.float32) - intrinsics.cy) / intrinsics.fy
    rays = np.ones((intrinsics.height, intrinsics.width, 3), dtype=np.float32)
    rays[..., 0] = u[None, :]
    rays[..., 1] = v[:, None]
    return rays


def patch_of(scan: Scan, detection: Detection, *, limit: int = 1500) -> Patch | None:
    """The points of a detection, or None where too few were measured. At most about `limit` points are kept.

    A frame remembers those of its masks: a simulator shows the same frame again where its world stands as it stood.
    """
    measured = scan.frame.memo.get(Scan)
    if detection.mask is None or measured is None or measured[1] is not scan.valid:
        return _patch_of(scan, detection, limit)
    known = scan.frame.memo.setdefault((patch_of, detection.box, limit), [])
    for mask, patch in known:
        if mask is detection.mask:
            cached: Patch | None = patch
            return cached
    known.append((detection.mask, _patch_of(scan, detection, limit)))
    return known[-1][1]  # type: ignore[no-any-return]


def _patch_of(scan: Scan, detection: Detection, limit: int) -> Patch | None:
    is_outlined_handle = detection.part == "handle" and not detection.instance
    is_rough = detection.mask is not None and not detection.instance and not detection.part
    wide = is_outlined_handle or is_rough
    x0, y0, x1, y1 = _with_surroundings(detection.box, scan.valid.shape) if wide else detection.box
    step = 2 if (x1 - x0) * (y1 - y0) > LARGE else 1
    window = (slice(y0, y1, step), slice(x0, x1, step))
    assert scan.frame.depth is not None  # a scan is made of a frame with depth
    mask, depth, points = scan.valid[window], scan.frame.depth[window], scan.points[window]
    if is_outlined_handle:  # too thin for the outlines of networks
        inner = np.zeros(scan.valid.shape, dtype=bool)
        inner[detection.box[1] : detection.box[3], detection.box[0] : detection.box[2]] = True
        mask = _protruding(mask, points, scan.eye, inner[window])
    elif detection.mask is None:
        mask = _foreground(mask, points, depth, scan.frame.intrinsics.fx / step)
    else:
        mask = _erode_edges(mask & detection.mask[window], depth, SMALL * scan.frame.depth.size)
        if not detection.instance:  # a network has drawn the outline
            fx = scan.frame.intrinsics.fx / step
            mask = _corrected(mask, points, depth, fx, detection.part, scan.eye, scan.valid[window])
    chosen = np.flatnonzero(mask.ravel())
    if len(chosen) < 4:
        return None
    level = level_mask(points, mask) & (points[..., 2] < scan.eye[2])  # what is above the eye is an underside
    if len(chosen) > limit:
        chosen = chosen[:: len(chosen) // limit + 1]
    rgb = lit_colour(scan.frame.rgb[window].reshape(-1, 3)[chosen])
    return Patch(
        points=points.reshape(-1, 3)[chosen],
        level=level.ravel()[chosen],
        spacing=float(np.median(depth.ravel()[chosen]) / scan.frame.intrinsics.fx),
        eye=scan.eye,
        rgb=(int(rgb[0]), int(rgb[1]), int(rgb[2])),
    )


def _corrected(
    mask: Mask, points: Points, depth: NDArray[np.float32], fx: float, part: str, eye: Array, valid: Mask
) -> Mask:
    """The outline (h, w) that a network has drawn, without what lies around and behind what it is about."""
    height = points[..., 2]
    if part == ROOM:
        return np.asarray(mask & (np.abs(height) < 2 * FLOOR))
    if part in ("door", "drawer"):
        return _front(mask, points, eye, flat=part == "door")
    above_floor = mask & (height > FLOOR)
    mask = above_floor if np.count_nonzero(above_floor) > 0.1 * np.count_nonzero(mask) else mask
    if not mask.any():
        return mask
    x0, y0, x1, y1 = mask_bounds(mask)
    pixel = float(np.median(depth[mask])) / fx
    if max(y1 - y0 - 1, x1 - x0 - 1) * pixel >= LARGE_BOX:
        return _connected(mask, depth, fx, BESIDE)
    seed = _foreground(_connected(mask, depth, fx, BESIDE_SMALL, (x1 - x0 - 1) * pixel), points, depth, fx)
    return _completed(seed, valid, points, depth, fx)


def _completed(seed: Mask, valid: Mask, points: Points, depth: NDArray[np.float32], fx: float) -> Mask:
    """The outline (h, w) of an object with what else of it stands out of the level surface that it stands on.

    Args:
        seed: A part of it.
        valid: Where depth was measured, also around the object.
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
    kernel = np.ones((3, 3), np.uint8)
    farthest = cv2.dilate(np.where(raised, depth, np.float32(0.0)), kernel)
    nearest = cv2.erode(np.where(raised, depth, np.float32(1e3)), kernel)
    smooth = raised & (farthest - nearest < 2 * JUMP + STEEP * depth / fx)
    count, pieces = cv2.connectedComponents(smooth.astype(np.uint8), connectivity=8)
    whole = seed.copy()
    for piece in range(1, count):
        own = pieces == piece
        if np.count_nonzero(own & seed) > OWN * np.count_nonzero(own):
            whole |= cv2.dilate(own.astype(np.uint8), kernel).astype(bool) & raised
    return whole


def _with_surroundings(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """A box with as much around it on each side as it is thick: of a handle, its door; of an object, its support."""
    x0, y0, x1, y1 = box
    margin = max(MARGIN, min(x1 - x0, y1 - y0))
    return max(0, x0 - margin), max(0, y0 - margin), min(shape[1], x1 + margin), min(shape[0], y1 + margin)


@dataclass(frozen=True, slots=True)
class _UprightPlanes:
    """Upright planes through pairs of k points, with the distances of n points before each.

    Attributes:
        before: Metres, (n, k), positive towards the camera.
        on_plane: Points on each, (k,).
    """

    before: Array
    on_plane: Array

    @classmethod
    def through(cls, points: Points, eye: Array) -> _UprightPlanes:
        """Planes through pairs of points (n, 3), sampled with a fixed seed."""
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
        """Which points are as far before each plane as a handle is, (n, k)."""
        return np.asarray((self.before > PROTRUDES) & (self.before < FARTHEST_HANDLE))


def _protruding(valid: Mask, points: Points, eye: Array, inner: Mask) -> Mask:
    """The points (h, w) of a handle: those of the box `inner` (h, w) before the plane of its door or drawer.

    The plane is the one with the most points on it, of those that have points of a handle before them: behind the free
    edge of a door one sees the wall. What goes on towards the camera is a wall beside the door.
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


def _front(mask: Mask, points: Points, eye: Array, *, flat: bool) -> Mask:
    """The points (h, w) of the outline of a door or drawer without its handle.

    Args:
        flat: Leave out what is behind the plane of the front too: a network draws the side of a cabinet with its door,
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


def _connected(mask: Mask, depth: NDArray[np.float32], fx: float, max_step: float, deepest: float = 0.0) -> Mask:
    """The largest piece of an outline over which the depth changes little by little, and what is about as far away.

    Args:
        max_step: Metres before and behind that piece at which there may be more of it.
        deepest: Metres that all of it may be deep: the far side of a bowl is well behind the near one.
    """
    kernel = np.ones((3, 3), np.uint8)
    farthest = cv2.dilate(np.where(mask, depth, np.float32(0.0)), kernel)
    nearest = cv2.erode(np.where(mask, depth, np.float32(1e3)), kernel)
    smooth = mask & (farthest - nearest < JUMP + STEEP * depth / fx)
    count, pieces, facts, _ = cv2.connectedComponentsWithStats(smooth.astype(np.uint8), connectivity=8)
    if count < 2 or facts[1:, cv2.CC_STAT_AREA].max() < LEAST_PIECE * np.count_nonzero(mask):
        return _largest_layer(mask, depth, max_step)
    main = pieces == 1 + int(np.argmax(facts[1:, cv2.CC_STAT_AREA]))
    low, high = np.percentile(depth[main], [2, 98])
    return np.asarray(mask & (depth > low - max_step) & (depth < max(high + max_step, low + deepest)))


def _largest_layer(mask: Mask, depth: NDArray[np.float32], gap: float) -> Mask:
    """The pixels of an outline between two gaps in depth (m) that are most: what shows between the legs of a chair lies
    well behind them."""
    if not mask.any():
        return mask
    depths = np.sort(depth[mask])
    layers = np.split(depths, np.flatnonzero(np.diff(depths) > gap) + 1)
    largest = max(layers, key=len)
    return np.asarray(mask & (depth >= largest[0]) & (depth <= largest[-1]))


def _erode_edges(mask: Mask, depth: NDArray[np.float32], small: float) -> Mask:
    """The mask without pixels at its edge that belong to what is behind or before (they mix depths).

    Args:
        small: Pixels below which the mask is that of something small.
    """
    kernel = np.ones((3, 3), np.uint8)
    inner = cv2.erode(mask.astype(np.uint8), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    if np.count_nonzero(inner) < 0.3 * np.count_nonzero(mask):  # a thin thing is all edge: keep its middle depth
        if not mask.any():
            return mask
        middle = float(np.median(depth[mask]))
        thin: Mask = mask & (np.abs(depth - middle) < 0.15)
        return thin
    step = SMALL_EDGE_STEP if np.count_nonzero(mask) < small else EDGE_STEP
    farthest = cv2.dilate(np.where(inner, depth, np.float32(-1.0)), kernel) + step
    nearest = cv2.erode(np.where(inner, depth, np.float32(1e3)), kernel) - step
    remaining: Mask = inner | (mask & (depth < farthest) & (depth > nearest))
    return remaining


def _foreground(mask: Mask, points: Points, depth: NDArray[np.float32], fx: float) -> Mask:
    """Without a mask: what the box is about, as far as depth tells it from what is around.

    Args:
        mask: (h, w), where depth was measured in the box. The floor is left out. Of something large stays what is not
            farther behind its nearest points than it may be deep; of something small what is about as near as its
            middle, without the level surface that it stands on.
    """
    above_floor = mask & (points[..., 2] > FLOOR)
    mask = above_floor if np.count_nonzero(above_floor) > 0.1 * np.count_nonzero(mask) else mask
    if not mask.any():
        return mask
    h, w = mask.shape
    nearest = float(np.percentile(depth[mask], 5))
    if nearest * max(h, w) / fx > LARGE_BOX:  # not by its middle: between the legs of a table one sees the wall
        return np.asarray(mask & (depth < nearest + max(LEAST_DEPTH, DEEP * nearest * w / fx)))
    core = np.zeros_like(mask)
    core[h // 4 : h - h // 4, w // 4 : w - w // 4] = True
    core = core & mask if (core & mask).any() else mask
    layer: Mask = mask & (np.abs(depth - float(np.percentile(depth[core], 30))) < 0.15)
    if not layer.any():  # a few points at very different depths
        return mask
    height = points[..., 2]
    bottom = float(np.percentile(height[layer], 5))
    support = layer & level_mask(points, layer) & (height < bottom + SUPPORT)
    remaining: Mask = layer & ~support & (height > bottom + SUPPORT / 2)
    return remaining if np.count_nonzero(remaining) > max(4, 0.15 * np.count_nonzero(layer)) else layer


def level_mask(points: Points, mask: Mask) -> Mask:
    """Where a surface is horizontal: its height hardly changes from a pixel to the one above and beside it."""
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


def rectangle(xy: Array | Points, yaw: float | None = None) -> tuple[Array, Array, float]:
    """The best rectangle around points (n, 2): centre (2,), half sizes (2,), yaw; of the given yaw if there is one.

    The first axis is the longer one unless the yaw is given.
    """
    if yaw is None:
        center, half, yaw = rectangle(xy, _best_yaw(np.asarray(xy, dtype=np.float64)))
        if half[1] > half[0]:
            return center, half[::-1].copy(), _quarter(yaw + np.pi / 2)
        return center, half, _quarter(yaw)
    axes = planar_rotation(-yaw)
    local = np.asarray(xy, dtype=np.float64) @ axes.T
    low, high = local.min(axis=0), local.max(axis=0)
    return ((low + high) / 2) @ axes, (high - low) / 2, yaw


def _best_yaw(xy: Array) -> float:
    """Yaw of the rectangle that fits points (n, 2) best.

    Of all rectangles on an edge of the hull that are nearly as small as the smallest, the one whose sides have most
    points near them: two faces seen over a corner fill a triangle, and that fits slantwise just as tightly
    (the closeness criterion of Zhang et al., "Efficient L-Shape Fitting for Vehicle Detection Using Laser Scanners",
    IV 2017).
    """
    hull = cv2.convexHull(np.ascontiguousarray(xy, dtype=np.float32)).reshape(-1, 2).astype(np.float64)
    if len(hull) < 2:
        return 0.0
    edges = np.roll(hull, -1, axis=0) - hull
    yaws = np.unique(np.round(np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2), 4))
    directions = np.stack([np.cos(yaws), np.sin(yaws)])
    normals = np.stack([-np.sin(yaws), np.cos(yaws)])
    areas = (np.ptp(hull @ directions, axis=0) + 1e-4) * (np.ptp(hull @ normals, axis=0) + 1e-4)
    near_best = areas < 1.2 * areas.min()
    if np.count_nonzero(near_best) == 1:
        return float(yaws[near_best][0])
    sample = xy[:: len(xy) // 300 + 1]
    u, v = sample @ directions[:, near_best], sample @ normals[:, near_best]
    to_side = np.minimum(
        np.minimum(
            u - (hull @ directions[:, near_best]).min(axis=0), (hull @ directions[:, near_best]).max(axis=0) - u
        ),
        np.minimum(v - (hull @ normals[:, near_best]).min(axis=0), (hull @ normals[:, near_best]).max(axis=0) - v),
    )
    blur = 0.04 * float(np.sqrt(areas.min())) + 1e-3
    closeness = (1.0 / np.maximum(to_side, blur)).sum(axis=0) / areas[near_best]
    return float(yaws[near_best][np.argmax(closeness)])


def _quarter(yaw: float) -> float:
    """The same axis as a yaw in (-pi/2, pi/2]."""
    return float(np.pi / 2 - np.remainder(np.pi / 2 - yaw, np.pi))


def object_box(points: Points, spacing: float, eye: Array, *, complete: bool = True) -> Box:
    """The upright box of a small thing from the points (n, 3) of the sides that were seen from `eye` (3,).

    Args:
        complete: Add what is hidden behind. The far side of a thing with a flat top can be seen from above; a round one
            is mirrored; where the view is too flat to tell, the thing is taken to be as deep as wide, but not deeper
            than `ROUND_DEPTH` or `FLAT_DEPTH` or than could have escaped notice (half a pixel row of its top).
    """
    points = np.asarray(points, dtype=np.float64)
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    xy = points[:, :2]
    view_offset = points.mean(axis=0) - eye
    reach = float(np.hypot(view_offset[0], view_offset[1]))
    view = view_offset[:2] / max(reach, 1e-6)
    sine = max(0.0, float(eye[2]) - high) / float(np.hypot(reach, eye[2] - high) + 1e-6)
    row = spacing / max(sine, 1e-3)
    depths = xy @ view
    top = points[:, 2] > high - min(0.006, TOP * (high - low))
    deep = bool(top.sum() >= LEAST_TOP and np.ptp(depths[top]) > WHOLE_TOP * np.ptp(depths))
    topped = deep or float(np.mean(points[:, 2] > high - 0.006)) > 0.2
    resolved = row < 0.03
    if complete and resolved and not topped:
        hidden = float(np.ptp(depths)) * (2.0 / (1.0 + sine) - 1.0)
        width = float(np.ptp(xy @ np.array([-view[1], view[0]])))
        hidden = min(hidden, max(0.0, max(width, ROUND_DEPTH) - float(np.ptp(depths))))
        xy = np.concatenate([xy, xy + hidden * view])
    center, half, yaw = rectangle(xy)
    axes = planar_rotation(-yaw)
    lateral = np.abs(axes @ np.array([-view[1], view[0]]))
    half = half + 0.5 * spacing * lateral
    flat = bool(half[1] < 0.15 * half[0] + 0.25 * spacing)
    hides = flat or abs(float(axes[1] @ view)) > 0.8  # else the short side lies across the view and was seen
    if complete and not resolved and hides and half[1] < 0.8 * half[0]:
        deepest = FLAT_DEPTH if flat else ROUND_DEPTH
        half_depth = max(float(half[1]), min(float(half[0]), deepest / 2, float(half[1]) + row / 4))
        center = center + axes[1] * np.sign(axes[1] @ view) * (half_depth - half[1])
        half = np.array([half[0], half_depth])
    if eye[2] <= high:
        high += 0.5 * spacing
    low -= 0.5 * spacing
    return Box(np.array([*center, (low + high) / 2]), np.array([*half, (high - low) / 2]), yaw)
