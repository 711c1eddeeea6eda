"""Collision shapes of a mesh: its convex hull, or for a hollow mesh a bottom and the sectors of its wall.

Frame: the object's, origin at the centre of its bounding box, z up; metres.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.parts import Hollow, Vec3
from homie.kernel.types import Array

CORNERS, WALL_CORNERS = 48, 20
"""Numbers of directions in which corners of a hull are searched, in addition to axes and rims: for a whole object, and
for a sector of a wall. Contacts cost by corners; a hull of 10 cm deviates from its mesh by 1 to 2 mm."""
RIM, TILT = 12, 0.06
"""Number and tilt of the directions, nearly straight down and up, that find the rims of flat undersides and tops."""
SECTORS = 12
"""Number of sectors of a wall: the midpoint of a chord is 3 % of the radius inside the circle."""
SLOPING = 1.2
"""Minimum ratio of the radii of rim and floor for which walls are also split in height: one straight piece would fill
a part of a round bowl."""
DEEP = 0.35
"""Minimum depth of the opening of a hollow object, as a share of its height."""
LEVELS = (0.2, 0.85)
"""Shares of the depth at which the radii of floor and rim are measured: corners are round."""
THINNEST = 0.003
"""Minimum thickness (m): thinner pieces are thickened, because a hull needs a volume."""
SPACING = 0.004
"""Spacing (m) of the sampled surface points that are assigned to sectors."""
FOOT, LEVEL = 0.0005, 0.002
"""Gap (m) between the hull and the underside of its stand, and height (m) above the lowest point up to which points
belong to the underside."""
STAND = 0.004
"""Height of a stand (m)."""


def _fibonacci(count: int) -> Array:
    """Return evenly distributed unit vectors (n, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z * z)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


def _circle_directions(count: int) -> Array:
    """Return evenly distributed unit vectors (n, 2)."""
    turn = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


_AXES = np.vstack([np.eye(3), -np.eye(3)])
_RIMS = np.vstack([np.hstack([TILT * _circle_directions(RIM), np.full((RIM, 1), side)]) for side in (-1.0, 1.0)])


def hull(points: Array, directions: int = CORNERS) -> Array:
    """Return the corners (n, 3) of an approximate convex hull: the farthest points in many directions. Its bounding box
    is that of the points."""
    view_directions = np.vstack([_AXES, _RIMS, _fibonacci(directions)])
    corners: Array = points[np.unique(np.argmax(points @ view_directions.T, axis=0))]
    return _thicken(corners)


def _thicken(points: Array) -> Array:
    """Return the points; nearly coplanar ones are doubled with an offset, so that they have a volume."""
    middle = points - points.mean(axis=0)
    normal = np.linalg.svd(middle, full_matrices=False)[2][-1]
    if np.ptp(middle @ normal) >= THINNEST / 3:
        return points
    return np.vstack([points - normal * THINNEST / 2, points + normal * THINNEST / 2])


def stand(points: Array) -> tuple[Vec3, Vec3] | None:
    """Return the lower and upper corners of a box inscribed in the underside of points, on which they stand still; None
    for a round underside. MuJoCo computes only one or two contacts of a hull on a box at a time, so that it rocks."""
    lowest = float(points[:, 2].min())
    foot_points = points[points[:, 2] < lowest + LEVEL][:, :2]
    low, high = foot_points.min(axis=0), foot_points.max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    ring_directions = _circle_directions(4 * RIM)
    room = (foot_points @ ring_directions.T).max(axis=0) - ring_directions @ middle
    share = 0.95 * float((room / np.maximum(np.abs(ring_directions) @ half, 1e-9)).min())
    if share * float(half.min()) < THINNEST:
        return None
    (x0, y0), (x1, y1) = middle - share * half, middle + share * half
    return (float(x0), float(y0), lowest), (float(x1), float(y1), lowest + STAND)


def hollow_of(points: Array, faces: NDArray[np.int32]) -> Hollow | None:
    """Return the hollow of an upright vessel, measured by rays from its axis; None if it has none."""
    bottom, top = float(points[:, 2].min()), float(points[:, 2].max())
    rim = points[points[:, 2] > top - 0.08 * (top - bottom)]
    x, y = ((rim.min(axis=0) + rim.max(axis=0)) / 2)[:2] + 1e-5 * np.array([3.7, 2.3])  # misses a vertex on the axis
    triangles = points[faces]
    down = _ray_distances(triangles, np.array([x, y, top + 0.01]), np.array([[0.0, 0.0, -1.0]]))[0]
    floor = max(top + 0.01 - float(down), bottom + THINNEST)
    depth = top - floor
    if not np.isfinite(down) or depth < DEEP * (top - bottom):
        return None
    ring_directions = np.hstack([_circle_directions(16), np.zeros((16, 1))])
    radii = [
        float(_ray_distances(triangles, np.array([x, y, floor + share * depth]), ring_directions).min())
        for share in LEVELS
    ]
    half = np.ptp(points[:, :2], axis=0).min() / 2
    all_around = [
        _ray_distances(triangles, np.array([x, y, floor + share * depth]), ring_directions).max() for share in LEVELS
    ]
    if not np.isfinite(all_around).all() or min(radii) < 0.2 * half:
        return None
    return Hollow((float(x), float(y), floor), depth, *radii)


def _ray_distances(triangles: Array, origin: Array, directions: Array) -> Array:
    """Return the distances (r,) from a point along unit vectors (r, 3) to the nearest of triangles (t, 3, 3), inf for
    no hit, by Moeller and Trumbore (1997)."""
    corner, first, second = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normals = np.cross(directions[:, None], second[None])
    volume = np.einsum("rtj,tj->rt", normals, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        to_origin = origin - corner
        u = np.einsum("rtj,tj->rt", normals, to_origin) / volume
        crossed = np.cross(to_origin, first)
        v = directions @ crossed.T / volume
        distance = np.einsum("tj,tj->t", second, crossed) / volume
        hit = (np.abs(volume) > 1e-15) & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 1e-6)
    nearest: Array = np.where(hit, distance, np.inf).min(axis=1)
    return nearest


def vessel(points: Array, faces: NDArray[np.int32], hollow: Hollow) -> tuple[Array, ...]:
    """Return the convex pieces (n, 3) of a hollow object: its bottom, then the sectors of its wall."""
    surface = _sample_surface(points, faces)
    floor = hollow.center[2]
    floor_points = surface[surface[:, 2] <= floor + 1e-6]
    lid = floor_points.copy()
    lid[:, 2] = floor
    return (hull(np.vstack([floor_points, lid])), *_sectors(surface, hollow))


def _sectors(surface: Array, hollow: Hollow) -> Iterator[Array]:
    x, y, floor = hollow.center
    top = float(surface[:, 2].max())
    radius, turn = np.hypot(*(surface[:, :2] - (x, y)).T), np.arctan2(surface[:, 1] - y, surface[:, 0] - x)
    bands = 2 if hollow.rim > SLOPING * hollow.floor else 1
    cuts = np.linspace(floor, top, bands + 1)
    wide = np.pi / SECTORS + SPACING / 2 / hollow.rim  # sectors overlap by the spacing of the points
    for sector in range(SECTORS):
        middle = 2.0 * np.pi * sector / SECTORS
        in_sector = np.abs(np.angle(np.exp(1j * (turn - middle)))) <= wide
        for low, high in pairwise(cuts):
            level = (surface[:, 2] >= low - SPACING / 2) & (surface[:, 2] <= high + SPACING / 2)
            piece = surface[in_sector & level & (radius > 0.6 * hollow.floor)]
            if len(piece) >= 4:
                yield hull(piece, WALL_CORNERS)


def _sample_surface(points: Array, faces: NDArray[np.int32]) -> Array:
    """Sample points of a surface with a spacing of about `SPACING`, including its vertices."""
    triangles = points[faces]
    longest = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
    fine = np.clip(np.ceil(longest / SPACING), 1, 64).astype(int)
    samples = []
    for count in np.unique(fine):
        i, j = (grid.ravel() for grid in np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij"))
        inside = i + j <= count
        weights = np.stack([count - i - j, i, j], axis=1)[inside] / count
        samples.append(np.einsum("wk,tkj->twj", weights, triangles[fine == count]).reshape(-1, 3))
    return np.vstack(samples)
