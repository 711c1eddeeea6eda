"""Outlines of the shapes on the table, and convex decompositions of them and of plates with holes.

Outlines are (n, 2) in metres, counter-clockwise and star-shaped about the origin.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from homie.kernel.types import Array, planar_rotation

SHAPES = ("cube", "cylinder", "triangular prism", "cross", "star")
HEIGHT = 0.045
"""Height of every shape (m)."""
GAP = 0.009
"""Clearance (m) around a shape in its hole of the sorter."""

_CUBE, _ROUND, _TRIANGLE, _STAR = 0.0225, 0.0235, 0.0158, 0.0155
"""Distance of the edges from the middle, m."""
_ARM, _ARM_WIDTH = 0.026, 0.0095
"""Half length and half width of the arms of the cross, m."""
_CORNERS = 24
_STRIPS = 8


def outline(shape: str, gap: float = 0.0) -> Array:
    """Return the outline of a shape, its edges offset outwards by `gap`, m."""
    if shape == "cube":
        return _regular(4, _CUBE + gap, np.pi / 4)
    if shape == "cylinder":
        return _regular(_CORNERS, _ROUND + gap, 0.0)
    if shape == "triangular prism":
        return _regular(3, _TRIANGLE + gap, 0.0)
    if shape == "star":
        return _star(_STAR + gap)
    if shape == "cross":
        long, wide = _ARM + gap, _ARM_WIDTH + gap
        quarter = np.array([[long, -wide], [long, wide], [wide, wide]])
        return np.concatenate([quarter @ planar_rotation(k * np.pi / 2).T for k in range(4)])
    raise ValueError(f"there is no shape {shape!r}")


def core(shape: str) -> float:
    """Return half the side (m) of an axis-aligned square slightly smaller than the largest within the outline."""
    edges = {"cube": _CUBE, "cylinder": _ROUND, "triangular prism": _TRIANGLE, "star": _STAR, "cross": _ARM_WIDTH * 1.4}
    return 0.7 * edges[shape]


def convex_pieces(points: Array) -> list[Array]:
    """Split an outline into convex outlines: itself, or a kite from the middle to each convex corner."""
    following, preceding = np.roll(points, -1, axis=0), np.roll(points, 1, axis=0)
    corner = _cross(points - preceding, following - points)
    if (corner > 0).all():
        return [points]
    pieces = []
    inner = np.flatnonzero(corner < 0)
    for first, last in zip(inner, [*inner[1:], inner[0] + len(points)], strict=True):
        corners_between = points[np.arange(first, last + 1) % len(points)]
        pieces.append(np.concatenate([np.zeros((1, 2)), corners_between]))
    return pieces


def plate_with_hole(half: float, hole: Array) -> list[Array]:
    """Split a square plate about the origin, with half side `half` and a hole, into convex outlines."""
    corners = np.arctan2([-1, 1, 1, -1], [1, 1, -1, -1])
    angles = np.concatenate([np.arctan2(hole[:, 1], hole[:, 0]), corners])
    angles = np.unique(np.round(angles, 9))
    inner = np.array([_ray(hole, angle) for angle in angles])
    outer = np.array([_square_point(half, angle) for angle in angles])
    pieces = []
    for i in range(len(angles)):
        j = (i + 1) % len(angles)
        pieces.append(np.array([inner[i], outer[i], outer[j], inner[j]]))
    return pieces


def strips(points: Array) -> list[tuple[Array, Array]]:
    """Cover an outline by axis-aligned rectangles, as middles (2,) and half sizes (2,): slices across x."""
    cuts = np.linspace(points[:, 0].min(), points[:, 0].max(), _STRIPS + 1)
    edges = list(zip(points, np.roll(points, -1, axis=0), strict=True))
    strips = []
    for low, high in pairwise(cuts):
        inside = [float(y) for x, y in points if low <= x <= high]
        for x in (low, high):
            for a, b in edges:
                if min(a[0], b[0]) <= x <= max(a[0], b[0]) and a[0] != b[0]:
                    inside.append(float(a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])))
        middle = np.array([(low + high) / 2, (max(inside) + min(inside)) / 2])
        strips.append((middle, np.array([(high - low) / 2, (max(inside) - min(inside)) / 2])))
    return strips


def _regular(count: int, edge: float, turn: float) -> Array:
    angles = turn + np.arange(count) * 2 * np.pi / count
    return np.asarray(edge / np.cos(np.pi / count) * np.stack([np.cos(angles), np.sin(angles)], -1))


def _star(edge: float) -> Array:
    """Return a five-pointed star whose edges are `edge` from the middle."""
    angles = np.arange(10) * np.pi / 5
    inner_share = 0.58
    # Scale so that the edge from (R, 0) to the inner corner at 36 degrees has the distance `edge` from the middle.
    tip, notch = np.array([1.0, 0.0]), inner_share * np.array([np.cos(np.pi / 5), np.sin(np.pi / 5)])
    distance = float(abs(_cross(tip, notch)) / np.linalg.norm(tip - notch))
    radii = np.where(np.arange(10) % 2 == 0, 1.0, inner_share) * edge / distance
    return np.asarray(radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], -1))


def _ray(points: Array, angle: float) -> Array:
    """Return the intersection (2,) of an outline with the ray from the middle at an angle."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        edge = end - start
        denominator = _cross(direction, edge)
        if abs(denominator) < 1e-12:
            continue
        ray_fraction, edge_fraction = _cross(start, edge) / denominator, _cross(start, direction) / denominator
        if ray_fraction > 0 and -1e-9 <= edge_fraction <= 1 + 1e-9:
            return np.asarray(ray_fraction * direction)
    raise ValueError("the outline does not go around the middle")


def _square_point(half: float, angle: float) -> Array:
    direction = np.array([np.cos(angle), np.sin(angle)])
    return np.asarray(half / np.abs(direction).max() * direction)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
