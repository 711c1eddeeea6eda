"""Boxes that the arm keeps out of."""

from __future__ import annotations

import numpy as np

from perception.sensors.solids import SKIN, solids_of

ORIGIN = np.zeros(3)


def _plate(size: float, z: float) -> np.ndarray:
    x, y = np.meshgrid(np.arange(0, size, 0.02), np.arange(0, size, 0.02))
    return np.stack([x.ravel(), y.ravel(), np.full(x.size, z)], axis=1).astype(np.float32)


def test_a_board_becomes_thin_plates_that_cover_it() -> None:
    points = _plate(0.6, 0.5)
    boxes = solids_of(points, ORIGIN, 5.0)
    assert len(boxes) == 1
    assert all(box.half[2] == SKIN and abs(box.center[2] - 0.5) < 1e-6 for box in boxes)
    covered = [any((np.abs(point - box.center) <= box.half + 1e-6).all() for box in boxes) for point in points]
    assert all(covered)


def test_only_what_is_near_counts() -> None:
    boxes = solids_of(_plate(2.0, 0.5), ORIGIN, 0.8)
    assert boxes
    assert all(np.linalg.norm(box.center - ORIGIN) < 0.8 for box in boxes)
    assert solids_of(_plate(2.0, 0.5), np.array([9.0, 9.0, 0.0]), 0.8) == []


def test_the_corner_between_a_board_and_a_wall_stays_free() -> None:
    board = _plate(0.12, 0.0)
    wall = board[:, [0, 2, 1]]
    boxes = solids_of(np.concatenate([board, wall]), ORIGIN, 5.0)
    away = np.array([0.06, 0.06, 0.06])
    assert all((np.abs(away - box.center) > box.half + 0.015).any() for box in boxes)
