"""Where Go to stops: on the side of a wall on which the target is."""

from __future__ import annotations

import numpy as np
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import Box, Goal, OccupancyGrid, Outcome, Subtask
from skills.classical.goto import GoTo

CELL = 0.05
WALL_Y = 2.4
TARGET = Box(np.array([1.0, WALL_Y + 0.2, 0.5]), np.full(3, 0.04))


def _map(*, wall: bool, until: float = 2.9) -> OccupancyGrid:
    """Free floor of 4 x 3.3 m; the wall, of which only one side was seen, leaves a way through at its right end."""
    occupied = np.zeros((80, 80), dtype=bool)
    occupied[int(3.3 / CELL) :] = True
    walls = np.zeros_like(occupied)
    if wall:
        walls[int(WALL_Y / CELL), : int(until / CELL)] = True
    return OccupancyGrid(occupied | walls, np.zeros_like(occupied), np.zeros(2), CELL, walls)


def _ends_at(*, seen_after: float) -> float:
    """The y at which Go to ends, from the side of the wall on which the target is not, when the wall comes onto the
    map after so many seconds."""
    with MujocoHome(one_room([], [], (1.0, 1.9, 0.0))) as home:
        skill = GoTo(SPEC, ArmKinematics())
        goal = Goal("apple", "", TARGET.center, box=TARGET, grid=_map(wall=seen_after == 0.0))
        revised_goal = Goal("apple", "", TARGET.center, box=TARGET, grid=_map(wall=True))
        start = home.observe().stamp
        skill.start(Subtask("Go to", "apple"), goal, home.observe())
        while skill.outcome is Outcome.RUNNING:
            observation = home.observe()
            if observation.stamp - start > seen_after:
                skill.revise(revised_goal)
            home.act(skill.act(observation))
        assert skill.outcome is Outcome.SUCCEEDED, skill.reason
        return home.observe().body.base.y


def test_it_goes_round_a_wall_that_is_one_cell_thin() -> None:
    assert _ends_at(seen_after=0.0) > WALL_Y


def test_it_goes_on_when_the_wall_was_only_seen_on_the_way() -> None:
    assert _ends_at(seen_after=0.5) > WALL_Y


def test_it_does_not_end_behind_a_wall_without_a_way_round() -> None:
    with MujocoHome(one_room([], [], (1.0, 1.9, 0.0))) as home:
        skill = GoTo(SPEC, ArmKinematics())
        goal = Goal("apple", "", TARGET.center, box=TARGET, grid=_map(wall=True, until=4.0))
        skill.start(Subtask("Go to", "apple"), goal, home.observe())
        while skill.outcome is Outcome.RUNNING:
            home.act(skill.act(home.observe()))
        assert skill.outcome is Outcome.FAILED
        assert skill.reason == "a wall is between the target and every place that can be reached"
        assert not skill.retryable
