"""Distances of the arm's spheres to solid things, against brute force over the surfaces of the boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.types import Array, Box
from skills.motion.collision import FAR, Solids

FINE = 0.02
"""Metres between the points by which brute force knows a box."""


def _random(seed: int, count: int) -> tuple[list[Box], Array, Array]:
    """Boxes, sphere centres (n, 3) and radii (n,)."""
    rng = np.random.default_rng(seed)
    boxes = [
        Box(rng.uniform(-0.6, 0.6, 3), rng.uniform(0.02, 0.3, 3), float(rng.uniform(-np.pi, np.pi)))
        for _ in range(count)
    ]
    points = rng.uniform(-1.0, 1.0, (8, 3))
    points[:count] = [box.center + rng.uniform(-0.3, 0.3, 3) * box.half for box in boxes]  # some inside
    return boxes, points, rng.uniform(0.01, 0.1, 8)


def _surface(box: Box) -> Array:
    """Points on all six faces of a box, (n, 3)."""
    axes = [np.linspace(-h, h, max(2, int(np.ceil(2 * h / FINE)) + 1)) for h in box.half]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    on_face = (np.abs(np.abs(grid) - box.half) < 1e-9).any(axis=1)
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    points: Array = box.center + grid[on_face] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return points


def _inside(box: Box, point: Array) -> bool:
    return box.distance(point) == 0.0 and abs(point[2] - box.center[2]) <= box.half[2]


def _brute_force(boxes: list[Box], points: Array, radii: Array) -> float:
    best = np.inf
    for box in boxes:
        surface = _surface(box)
        for point, radius in zip(points, radii, strict=True):
            away = float(np.linalg.norm(surface - point, axis=1).min())
            best = min(best, (-away if _inside(box, point) else away) - radius)
    return min(best, FAR)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 100_000), st.integers(1, 4))
def test_agrees_with_brute_force(seed: int, count: int) -> None:
    boxes, points, radii = _random(seed, count)
    assert Solids(boxes).distance(points, radii) == pytest.approx(_brute_force(boxes, points, radii), abs=FINE)


@given(st.integers(0, 100_000))
def test_is_the_smallest_over_boxes_and_spheres(seed: int) -> None:
    boxes, points, radii = _random(seed, 3)
    single = [Solids([box]).distance(points[k : k + 1], radii[k : k + 1]) for box in boxes for k in range(len(points))]
    assert Solids(boxes).distance(points, radii) == pytest.approx(min(single), abs=1e-12)


@given(st.integers(0, 100_000), st.floats(-3.0, 3.0))
def test_does_not_depend_on_where_the_origin_is(seed: int, yaw: float) -> None:
    boxes, points, radii = _random(seed, 2)
    c, s = np.cos(yaw), np.sin(yaw)
    turn, shift = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([3.0, -2.0, 0.5])
    moved = [Box(turn @ box.center + shift, box.half, box.yaw + yaw) for box in boxes]
    before = Solids(boxes).distance(points, radii)
    assert Solids(moved).distance(points @ turn.T + shift, radii) == pytest.approx(before, abs=1e-9)


def test_depth_inside_is_to_the_nearest_face() -> None:
    box = Box(np.zeros(3), np.array([0.5, 0.4, 0.3]))
    assert Solids([box]).distance(np.array([[0.0, 0.3, 0.0]]), np.array([0.0])) == pytest.approx(-0.1)


def test_what_is_far_away_is_not_measured() -> None:
    assert Solids([]).distance(np.zeros((1, 3)), np.zeros(1)) == FAR
    box = Box(np.array([2.0, 0.0, 0.0]), np.full(3, 0.1))
    assert Solids([box]).distance(np.zeros((1, 3)), np.zeros(1)) == FAR
