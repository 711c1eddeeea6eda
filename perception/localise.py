"""From pixels to positions: the points in a mask, and the upright box of the object they belong to.

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
"""Largest depth (m) that is used."""
SAME_SURFACE = 0.04
"""Largest depth difference (m) between a point and the depth picture at which the point counts as visible."""
LARGE = 12000
"""Area (pixels) of a box above which only every second row and column is used."""
ROUND_DEPTH, FLAT_DEPTH = 0.09, 0.05
"""Largest assumed depth (m) of a small object of which only the front can be seen: curved, flat."""
FLOOR = 0.03
"""Height (m) above which points in a box without a mask count; lower points are floor."""
LARGE_BOX = 0.4
"""Smallest extent (m) of the box of a large object."""
SUPPORT = 0.015
"""Height (m) above the lowest points of a small object up to which level parts belong to its support."""
LEAST_DEPTH, DEEP = 0.3, 0.6
"""Largest depth of a large object behind its nearest points: metres, and multiples of the width of its box."""
TOP, WHOLE_TOP, LEAST_TOP = 0.08, 0.8, 6
"""Share of an object's height, from its highest point, that counts as its top; share of the visible depth that the top
covers if it is flat (0.64 for a ball); fewest points of the top for this test."""
PROTRUDES, FARTHEST_HANDLE, LEAST_HANDLE = 0.012, 0.12, 4
"""Smallest and largest distance (m) of a handle's points before their door, and fewest visible points of a handle."""
PLANES, APART, FLAT = 64, 0.02, 0.006
"""Planes sampled for a door, smallest distance (m) between the two points that define a plane, and inlier distance
(m)."""
LEAST_FRONT, ON_FRONT = 12, 0.015
"""Fewest points of a front for a plane fit, and largest distance (m) of the front's points from the plane."""
MARGIN = 5
"""Fewest pixels of surroundings that are used with a handle or an object."""
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


@dataclass(frozen=True, slots=True)
class Scan:
    """Point cloud of one frame.

    Attributes:
        points: (H, W, 3) float32 in the odometry frame.
        valid: (H, W), pixels with measured depth.
    """

    frame: CameraFrame
    points: Points
    valid: Mask

    @classmethod
    def of(cls, frame: CameraFrame) -> Scan | None:
        """Return the scan of a frame, or None if the frame has no depth. The points are cached in the frame."""
        if frame.depth is None:
            return None
        if Scan not in frame.memo:
            frame.memo[Scan] = cls._back_project(frame, frame.depth)
        points, valid = frame.memo[Scan]
        return cls(frame, points, valid)

    @staticmethod
    def _back_project(frame: CameraFrame, depth: Depth) -> tuple[Points, Mask]:
        rays = _rays(frame.intrinsics) @ frame.pose.rotation.T.astype(np.float32)
        points = rays * depth[..., None] + frame.pose.position.astype(np.float32)
        return points, (depth > 0.05) & (depth < FARTHEST)

    @property
    def eye(self) -> Array:
        """Camera position, (3,), in the odometry frame."""
        return self.frame.pose.position

    def visible(self, points: Points) -> tuple[Mask, NDArray[np.intp], NDArray[np.intp]]:
        """Return which points (n, 3) are visible in the depth picture, (n,), and the rows and columns of those."""
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
    """Points of one entity in one view.

    Attributes:
        points: (n, 3) float32, odometry frame.
        level: (n,), whether the surface is horizontal there.
        spacing: Metres between the points of neighbouring pixels.
        eye: Camera position (3,).
        rgb: Colour of the lit part, 0..255.
    """

    points: Points
    level: Mask
    spacing: float
    eye: Array
    rgb: tuple[int, int, int]

    @property
    def area(self) -> float:
        """Visible area (square metres)."""
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
    """Return the points of a detection, or None if too few were measured. At most about `limit` points are kept.

    The frame caches the patches of its masks: a simulator returns the same frame again if its world has not changed.
    """
    measured = scan.frame.memo.get(Scan)
    if detection.mask is None or measured is None or measured[1] is not scan.valid:
        return _patch_of(scan, detection, limit)
    cache = scan.frame.memo.setdefault((patch_of, detection.box, limit), [])
    for mask, patch in cache:
        if mask is detection.mask:
            cached: Patch | None = patch
            return cached
    cache.append((detection.mask, _patch_of(scan, detection, limit)))
    return cache[-1][1]  # type: ignore[no-any-return]


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
        mask = _handle_pixels(mask, points, scan.eye, inner[window])
    elif detection.mask is None:
        mask = _foreground(mask, points, depth, scan.frame.intrinsics.fx / step)
    else:
        mask = _erode_edges(mask & detection.mask[window], depth, SMALL * scan.frame.depth.size)
        if not detection.instance:  # a network has drawn the outline
            fx = scan.frame.intrinsics.fx / step
            mask = _correct_outline(mask, points, depth, fx, detection.part, scan.eye, scan.valid[window])
    chosen = np.flatnonzero(mask.ravel())
    if len(chosen) < 4:
        return None
    level = level_mask(points, mask) & (points[..., 2] < scan.eye[2])  # a level part above the camera is an underside
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


def _correct_outline(
    mask: Mask, points: Points, depth: NDArray[np.float32], fx: float, part: str, eye: Array, valid: Mask
) -> Mask:
    """Remove the surroundings and the background from an outline (h, w) drawn by a network."""
    height = points[..., 2]
    if part == ROOM:
        return np.asarray(mask & (np.abs(height) < 2 * FLOOR))
    if part in ("door", "drawer"):
        return _front_pixels(mask, points, eye, flat=part == "door")
    above_floor = mask & (height > FLOOR)
    mask = above_floor if np.count_nonzero(above_floor) > 0.1 * np.count_nonzero(mask) else mask
    if not mask.any():
        return mask
    x0, y0, x1, y1 = mask_bounds(mask)
    pixel = float(np.median(depth[mask])) / fx
    if max(y1 - y0 - 1, x1 - x0 - 1) * pixel >= LARGE_BOX:
        return _connected_piece(mask, depth, fx, BESIDE)
    seed = _foreground(_connected_piece(mask, depth, fx, BESIDE_SMALL, (x1 - x0 - 1) * pixel), points, depth, fx)
    return _complete_outline(seed, valid, points, depth, fx)


def _complete_outline(seed: Mask, valid: Mask, points: Points, depth: NDArray[np.float32], fx: float) -> Mask:
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
    """Expand a box on each side by its thickness, to include the door of a handle or the support of an object."""
    x0, y0, x1, y1 = box
    margin = max(MARGIN, min(x1 - x0, y1 - y0))
    return max(0, x0 - margin), max(0, y0 - margin), min(shape[1], x1 + margin), min(shape[0], y1 + margin)


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


def _handle_pixels(valid: Mask, points: Points, eye: Array, inner: Mask) -> Mask:
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


def _connected_piece(mask: Mask, depth: NDArray[np.float32], fx: float, max_step: float, deepest: float = 0.0) -> Mask:
    """Return the largest piece of an outline with continuous depth, and the pixels at about the same depth.

    Args:
        max_step: Distance (m) before and behind that piece within which the rest may lie.
        deepest: Largest total depth (m): the far side of a bowl is well behind the near one.
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
    """Return the largest group of pixels of an outline without a gap in depth (m): the background between the legs of a
    chair lies well behind them."""
    if not mask.any():
        return mask
    depths = np.sort(depth[mask])
    layers = np.split(depths, np.flatnonzero(np.diff(depths) > gap) + 1)
    largest = max(layers, key=len)
    return np.asarray(mask & (depth >= largest[0]) & (depth <= largest[-1]))


def _erode_edges(mask: Mask, depth: NDArray[np.float32], small: float) -> Mask:
    """Remove pixels at the edge of a mask that belong to the background or an occluder (they mix depths).

    Args:
        small: Area (pixels) below which the mask counts as that of a small object.
    """
    kernel = np.ones((3, 3), np.uint8)
    inner = cv2.erode(mask.astype(np.uint8), kernel, borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    if np.count_nonzero(inner) < 0.3 * np.count_nonzero(mask):  # a thin object is all edge: keep its middle depth
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
    """Segment the object in a box without a mask by its depth.

    The floor is removed. Of a large object, pixels remain that are not farther behind its nearest points than its
    largest depth; of a small one, pixels at about the depth of its middle, without the level surface under it.

    Args:
        mask: (h, w), pixels with measured depth in the box.
    """
    above_floor = mask & (points[..., 2] > FLOOR)
    mask = above_floor if np.count_nonzero(above_floor) > 0.1 * np.count_nonzero(mask) else mask
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
    height = points[..., 2]
    bottom = float(np.percentile(height[layer], 5))
    support = layer & level_mask(points, layer) & (height < bottom + SUPPORT)
    remaining: Mask = layer & ~support & (height > bottom + SUPPORT / 2)
    return remaining if np.count_nonzero(remaining) > max(4, 0.15 * np.count_nonzero(layer)) else layer


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


def rectangle(xy: Array | Points, yaw: float | None = None) -> tuple[Array, Array, float]:
    """Fit a rectangle around points (n, 2), with the given yaw if any. Returns centre (2,), half sizes (2,) and yaw.

    The first axis is the longer one unless the yaw is given.
    """
    if yaw is None:
        center, half, yaw = rectangle(xy, _best_yaw(np.asarray(xy, dtype=np.float64)))
        if half[1] > half[0]:
            return center, half[::-1].copy(), _wrap_axis(yaw + np.pi / 2)
        return center, half, _wrap_axis(yaw)
    axes = planar_rotation(-yaw)
    local = np.asarray(xy, dtype=np.float64) @ axes.T
    low, high = local.min(axis=0), local.max(axis=0)
    return ((low + high) / 2) @ axes, (high - low) / 2, yaw


def _best_yaw(xy: Array) -> float:
    """Return the yaw of the rectangle that fits points (n, 2) best.

    Of the rectangles on an edge of the hull that are nearly as small as the smallest, the one with most points near its
    sides: two faces seen over a corner fill a triangle, which a slanted rectangle fits just as tightly
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


def _wrap_axis(yaw: float) -> float:
    """Wrap the yaw of an axis to (-pi/2, pi/2]."""
    return float(np.pi / 2 - np.remainder(np.pi / 2 - yaw, np.pi))


def object_box(points: Points, spacing: float, eye: Array, *, complete: bool = True) -> Box:
    """Estimate the upright box of a small object from the points (n, 3) of the sides visible from `eye` (3,).

    Args:
        complete: Add the hidden far side. That of an object with a flat top is visible from above; a round object is
            mirrored; if the view is too flat to decide, the depth is assumed equal to the width, but at most
            `ROUND_DEPTH` or `FLAT_DEPTH`, or what would go unnoticed (half a pixel row of its top).
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
    hides = flat or abs(float(axes[1] @ view)) > 0.8  # else the short side is across the view, hence visible
    if complete and not resolved and hides and half[1] < 0.8 * half[0]:
        deepest = FLAT_DEPTH if flat else ROUND_DEPTH
        half_depth = max(float(half[1]), min(float(half[0]), deepest / 2, float(half[1]) + row / 4))
        center = center + axes[1] * np.sign(axes[1] @ view) * (half_depth - half[1])
        half = np.array([half[0], half_depth])
    if eye[2] <= high:
        high += 0.5 * spacing
    low -= 0.5 * spacing
    return Box(np.array([*center, (low + high) / 2]), np.array([*half, (high - low) / 2]), yaw)
