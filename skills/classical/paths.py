"""Where a robot is on a path over the floor: corners (n, 2) in the odometry frame, m."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Array


def _segment(path: Array, point: Array) -> tuple[int, float]:
    """The segment of the path nearest to a point, and where on it (0..1). Later segments win ties."""
    best, where = np.inf, (0, 0.0)
    for i in range(len(path) - 1):
        a, b = path[i], path[i + 1]
        span = b - a
        t = float(np.clip((point - a) @ span / max(float(span @ span), 1e-9), 0.0, 1.0))
        distance = float(np.linalg.norm(a + span * t - point))
        if distance <= best + 1e-9:
            best, where = distance, (i, t)
    return where


def length_left(path: Array, point: Array) -> float:
    """Metres from the nearest point of a path (n, 2) to its end; near the end, the straight way at least."""
    if len(path) == 1:
        return float(np.linalg.norm(path[0] - point))
    i, t = _segment(path, point)
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    along = float(lengths[i] * (1.0 - t) + lengths[i + 1 :].sum())
    return max(along, float(np.linalg.norm(path[-1] - point)) if along < 0.1 else along)


def rest_of(path: Array, point: Array) -> Array:
    """The corners (m, 2) of a path that are still ahead."""
    return path[_segment(path, point)[0] + 1 :] if len(path) > 1 else path


def point_ahead(path: Array, point: Array, distance: float) -> Array:
    """The point `distance` metres further along the path than the nearest one, or the path's end."""
    if len(path) == 1:
        end: Array = path[0]
        return end
    i, t = _segment(path, point)
    here = path[i] + (path[i + 1] - path[i]) * t
    for nxt in path[i + 1 :]:
        step = float(np.linalg.norm(nxt - here))
        if step >= distance:
            ahead: Array = here + (nxt - here) * (distance / step)
            return ahead
        distance -= step
        here = nxt
    last: Array = path[-1]
    return last
