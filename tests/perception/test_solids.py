"""Boxes that the arm keeps out of."""

from __future__ import annotations

import numpy as np

from perception.arm_obstacles import SKIN, solids_of
from perception.memory.clouds import inside

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


def test_what_is_next_to_an_open_door_is_free_up_to_its_surface() -> None:
    """Level boxes around a door at an angle reach out where it is oblique, by a few centimetres."""
    yaw = 0.4
    along, away = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    across, up = np.meshgrid(np.arange(0.0, 0.6, 0.01), np.arange(0.0, 0.8, 0.01))
    door = (across.reshape(-1, 1) * along + up.reshape(-1, 1) * np.array([0.0, 0.0, 1.0])).astype(np.float32)
    beside = [along * k + 0.01 * away + np.array([0.0, 0.0, 0.4]) for k in np.linspace(0.02, 0.58, 20)]
    boxes = solids_of(door, ORIGIN, 5.0, yaw)
    assert all(inside(np.array(beside), box, 0.0).sum() == 0 for box in boxes)
    assert np.any([inside(door, box, 1e-6) for box in boxes], axis=0).all()
    assert any(inside(np.array(beside), box, 0.0).any() for box in solids_of(door, ORIGIN, 5.0))
