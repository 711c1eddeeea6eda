"""From pixels to positions: the points in a mask, and the upright box of the object they belong to.

Scan + mask -> points in the odometry frame -> Box
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.types import Array, Box, Detection, Mask, planar_rotation
from perception.colours import lit_colour
from perception.outlines import SMALL, correct_outline, erode_edges, foreground, handle_pixels, level_mask
from perception.scan import Points, Scan

LARGE = 12000
"""Area (pixels) of a box above which only every second row and column is used."""
ROUND_DEPTH, FLAT_DEPTH = 0.09, 0.05
"""Largest assumed depth (m) of a small object of which only the front can be seen: curved, flat."""
TOP, WHOLE_TOP, LEAST_TOP = 0.08, 0.8, 6
"""Share of an object's height, from its highest point, that counts as its top; share of the visible depth that the top
covers if it is flat (0.64 for a ball); fewest points of the top for this test."""
MARGIN = 5
"""Fewest pixels of surroundings that are used with a handle or an object."""


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
    x0, y0, x1, y1 = detection.box
    step = 2 if (x1 - x0) * (y1 - y0) > LARGE else 1
    if wide:
        x0, y0, x1, y1 = _with_surroundings(detection.box, scan.valid.shape)
    window = (slice(y0, y1, step), slice(x0, x1, step))
    mask, depth, points = scan.valid[window], scan.depth[window], scan.points[window]
    if is_outlined_handle:  # too thin for the outlines of networks
        inner = np.zeros(scan.valid.shape, dtype=bool)
        inner[detection.box[1] : detection.box[3], detection.box[0] : detection.box[2]] = True
        mask = handle_pixels(mask, points, scan.eye, inner[window])
    elif detection.mask is None:
        mask = foreground(mask, points, depth, scan.frame.intrinsics.fx / step)
    else:
        mask = erode_edges(mask & detection.mask[window], depth, SMALL * scan.depth.size)
        if not detection.instance:  # a network has drawn the outline
            fx = scan.frame.intrinsics.fx / step
            mask = correct_outline(mask, points, depth, fx, detection.part, scan.eye, scan.valid[window])
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


def _with_surroundings(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Expand a box on each side by its thickness, to include the door of a handle or the support of an object."""
    x0, y0, x1, y1 = box
    margin = max(MARGIN, min(x1 - x0, y1 - y0))
    return max(0, x0 - margin), max(0, y0 - margin), min(shape[1], x1 + margin), min(shape[0], y1 + margin)


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
