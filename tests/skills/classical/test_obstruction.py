"""What is in the way, in words, and the world as it would be without it."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import Box, Goal, OccupancyGrid
from skills.motion.collision import clear_boxes, on_the_way, without


def box(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.05) -> Box:
    return Box(np.array([x, y, z]), np.array([0.1, 0.05, 0.05]), 0.0, name)


def test_a_grid_without_what_lies_on_the_floor() -> None:
    occupied = np.zeros((40, 40), dtype=bool)
    occupied[19:21, 18:22] = occupied[:, 39] = True
    grid = OccupancyGrid(occupied, np.zeros_like(occupied), np.array([-1.0, -1.0]), 0.05)
    free = clear_boxes(grid, [box("mug")])
    assert free.occupied[:, :39].sum() == 0, "the footprint is free"
    assert free.occupied[:, 39].all(), "the wall is still there"
    assert grid.occupied.sum() == occupied.sum(), "the grid itself is as it was"


def test_a_goal_without_a_thing_keeps_what_it_stands_on() -> None:
    board = Box(np.array([0.0, 0.0, -0.02]), np.array([0.4, 0.3, 0.02]))
    part = Box(np.array([0.05, 0.0, 0.05]), np.array([0.04, 0.04, 0.05]))
    other = box("plum", x=0.4)
    goal = Goal("apple", "", np.zeros(3), obstacles=(box(""), other), solids=(board, part), loose=(box("mug"), other))
    free = without(goal, [box("mug")])
    assert free.solids == (board,)
    assert [b.center[0] for b in free.obstacles] == [0.4]


def test_only_what_a_path_runs_into_is_on_the_way() -> None:
    path = np.array([[0.0, 0.0], [4.0, 0.0]])
    things = [box("mug", x=2.0, y=0.1), box("plum", x=2.0, y=1.0), box("apple", x=5.0)]
    assert [obstacle.name for obstacle in on_the_way(things, path, 0.3)] == ["mug"]
