"""Path planning: paths exist, keep their distance, and are found wherever they exist."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.types import OccupancyGrid
from skills.motion.base_path_planning import CostMap, plan_path

RADIUS = 0.3


def grid_of(picture: np.ndarray, resolution: float = 0.05) -> OccupancyGrid:
    return OccupancyGrid(picture, np.zeros_like(picture), np.zeros(2), resolution)


def two_rooms(door: slice) -> OccupancyGrid:
    picture = np.zeros((80, 160), dtype=bool)
    picture[[0, -1], :] = picture[:, [0, -1]] = True
    picture[:, 80] = True
    picture[door, 80] = False
    return grid_of(picture)


def test_goes_through_the_door_and_keeps_the_radius() -> None:
    costs = CostMap.of(two_rooms(slice(30, 50)), RADIUS)
    path = plan_path(costs, np.array([1.0, 1.0]), np.array([7.0, 3.0]))
    assert path is not None
    np.testing.assert_allclose(path[0], [1.0, 1.0])
    np.testing.assert_allclose(path[-1], [7.0, 3.0])
    for a, b in itertools.pairwise(path):
        assert costs.clear_line(a, b, RADIUS - 0.03)


def test_a_door_too_narrow_for_the_footprint_is_no_door() -> None:
    costs = CostMap.of(two_rooms(slice(35, 45)), RADIUS)
    assert plan_path(costs, np.array([1.0, 1.0]), np.array([7.0, 3.0])) is None


def test_a_robot_that_stands_too_close_may_leave() -> None:
    costs = CostMap.of(two_rooms(slice(30, 50)), RADIUS)
    assert costs.clear_at(np.array([0.25, 2.0])) < RADIUS
    assert plan_path(costs, np.array([0.25, 2.0]), np.array([3.0, 2.0])) is not None


def test_a_robot_that_stands_too_close_leaves_the_wall_at_once() -> None:
    """Two metres along a wall: away from it first."""
    costs = CostMap.of(two_rooms(slice(30, 50)), RADIUS)
    path = plan_path(costs, np.array([0.25, 1.0]), np.array([0.9, 3.0]))
    assert path is not None
    points = np.concatenate([np.linspace(a, b, 50) for a, b in itertools.pairwise(path)])
    close = points[[costs.clear_at(point) < RADIUS for point in points]]
    assert np.ptp(close[:, 1]) < 0.16 and np.ptp(close[:, 0]) < 0.16
    assert plan_path(costs, np.array([0.06, 1.0]), np.array([0.9, 3.0])) is None, "nearer than half its radius"


def test_what_a_metre_costs() -> None:
    """Five times as much at the wall as 30 cm further away; and once more where nobody has looked yet."""
    picture = np.zeros((80, 80), dtype=bool)
    picture[:, 0] = True
    unknown = np.zeros_like(picture)
    unknown[60:] = True
    costs = CostMap.of(OccupancyGrid(picture, unknown, np.zeros(2), 0.05), RADIUS)
    row = costs.cost[10]
    clearance = costs.clearance[10]
    assert np.isinf(row[clearance < RADIUS]).all() and np.isfinite(row[clearance >= RADIUS]).all()
    assert row[clearance > RADIUS + 0.301].max() == 1.0 < row[clearance < RADIUS + 0.29].min()
    np.testing.assert_allclose(np.interp(RADIUS + np.array([0.0001, 0.15]), clearance, row), [5.0, 2.0], atol=0.15)
    np.testing.assert_allclose(costs.cost[70][20:], costs.cost[10][20:] + 1.0)
    wide = CostMap.of(OccupancyGrid(picture, unknown, np.zeros(2), 0.05), RADIUS, comfort=0.6)
    assert wide.cost[10][14] > 1.0 == costs.cost[10][14]


def test_a_path_on_free_floor_is_straight_and_one_to_near_a_point_ends_near_it() -> None:
    costs = CostMap.of(grid_of(np.zeros((120, 120), dtype=bool)), RADIUS)
    begin, end = np.array([1.0, 1.0]), np.array([5.0, 3.0])
    path = plan_path(costs, begin, end)
    assert path is not None
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert length < 1.03 * np.linalg.norm(end - begin)
    assert len(path) <= 5, "a point every two metres"
    near = plan_path(costs, begin, end, 0.5)
    assert near is not None and 0.4 < np.linalg.norm(near[-1] - end) <= 0.55


def test_how_much_of_a_line_is_blocked() -> None:
    costs = CostMap.of(two_rooms(slice(30, 50)), RADIUS)
    assert costs.between(np.array([3.0, 1.0]), np.array([5.0, 1.0])) == pytest.approx(0.05, abs=0.03)
    assert costs.between(np.array([3.0, 2.0]), np.array([5.0, 2.0])) == 0.0
    assert costs.clear_at(np.array([-0.1, 1.0])) == costs.clear_at(np.array([1.0, 4.1])) == 0.0, "outside of the map"


def test_prefers_the_middle_of_a_corridor() -> None:
    picture = np.zeros((40, 200), dtype=bool)
    picture[[0, -1], :] = True
    costs = CostMap.of(grid_of(picture), RADIUS)
    path = plan_path(costs, np.array([1.0, 0.45]), np.array([9.0, 0.45]))
    assert path is not None
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    walked = np.concatenate([[0.0], np.cumsum(lengths)])
    middle = np.interp(walked[-1] / 2, walked, path[:, 1])
    assert 0.55 < middle < 1.45


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_finds_a_path_exactly_where_the_free_space_connects(seed: int) -> None:
    import cv2

    rng = np.random.default_rng(seed)
    picture = np.zeros((60, 60), dtype=bool)
    for _ in range(12):
        y, x = rng.integers(0, 55, 2)
        picture[y : y + rng.integers(2, 20), x : x + rng.integers(1, 5)] = True
    costs = CostMap.of(grid_of(picture, 0.1), RADIUS)
    free = np.argwhere(costs.clearance >= RADIUS)
    if len(free) < 2:
        return
    start, goal = (tuple(int(v) for v in free[i]) for i in rng.integers(0, len(free), 2))
    _, labels = cv2.connectedComponents((costs.clearance >= RADIUS).astype(np.uint8), connectivity=8)
    path = plan_path(costs, costs.point(start), costs.point(goal))
    if labels[start] == labels[goal]:
        assert path is not None
    if path is not None:
        assert np.linalg.norm(path[-1] - costs.point(goal)) < 1e-6
