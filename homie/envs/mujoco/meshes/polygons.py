"""Triangulation of polygons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array

MOST_CORNERS = 2000
"""Maximum number of corners for ear clipping, which takes quadratic time; larger faces become fans."""


def triangles(corners: Array) -> list[tuple[int, int, int]]:
    """Triangulate a face (n, 3) into n - 2 triangles of indices with the same orientation.

    Ear clipping in the plane of the face keeps concave parts. If the corners are no simple polygon (its sides cross, or
    all are on a line), the result is a fan.
    """
    count = len(corners)
    fan = [(0, index, index + 1) for index in range(1, count - 1)]
    if count == 3 or count > MOST_CORNERS or not np.isfinite(corners).all():
        return fan
    flat = _project_to_plane(corners)
    if flat is None or _is_convex(flat):
        return fan
    remaining, cut = list(range(count)), []
    while len(remaining) > 3:
        ear = next((index for index in range(len(remaining)) if _is_ear(flat, remaining, index)), None)
        if ear is None:
            return fan
        cut.append((remaining[ear - 1], remaining[ear], remaining[(ear + 1) % len(remaining)]))
        del remaining[ear]
    return [*cut, (remaining[0], remaining[1], remaining[2])]


def _project_to_plane(corners: Array) -> Array | None:
    """Project the corners to the plane of the face (n, 2), counter-clockwise; None if they span no plane."""
    next_corners = np.roll(corners, -1, axis=0)
    normal = np.cross(corners - corners[0], next_corners - corners[0]).sum(axis=0)
    length = float(np.linalg.norm(normal))
    if length <= 1e-12 * float(np.ptp(corners, axis=0).max()) ** 2:
        return None
    normal /= length
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = np.cross(normal, first)
    x /= np.linalg.norm(x)
    return np.stack([corners @ x, corners @ np.cross(normal, x)], axis=1)


def _is_convex(flat: Array) -> bool:
    sides = np.roll(flat, -1, axis=0) - flat
    turns = _cross(sides, np.roll(sides, -1, axis=0))
    if (turns < 0).any():
        return False
    angles = np.arctan2(sides[:, 1], sides[:, 0])
    turn_angles = np.mod(np.diff(angles, append=angles[:1]) + np.pi, 2 * np.pi) - np.pi
    return bool(abs(turn_angles.sum()) < 3 * np.pi)  # one full turn: a star turns twice


def _is_ear(flat: Array, remaining: Sequence[int], index: int) -> bool:
    """Whether a corner is convex and its triangle contains no other corner."""
    previous, current, following = remaining[index - 1], remaining[index], remaining[(index + 1) % len(remaining)]
    a, b, c = flat[previous], flat[current], flat[following]
    if _cross(b - a, c - b) <= 0:
        return False
    other_corners = flat[[other for other in remaining if other not in (previous, current, following)]]
    other_corners = other_corners[
        ~((other_corners == a).all(axis=1) | (other_corners == b).all(axis=1) | (other_corners == c).all(axis=1))
    ]
    inside = (
        (_cross(b - a, other_corners - a) >= 0)
        & (_cross(c - b, other_corners - b) >= 0)
        & (_cross(a - c, other_corners - c) >= 0)
    )
    return not bool(inside.any())


def _cross(first: Array, second: Array) -> Array:
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])
