"""The base on the real wheels: straight drives that keep to a line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import Goal, OccupancyGrid, Outcome, Pose2, Subtask
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, wrap


class Drive(MobileSkill):
    """Drives by a distance, to a pose if it goes ahead."""

    to: Pose2
    distance: float

    def routine(self) -> Motion:
        yield from self.straight(self.distance, line=self.to)
        yield from self.turn(self.to.yaw)


@pytest.mark.parametrize("aside", [-0.04, 0.03])
@pytest.mark.parametrize("distance", [0.32, -0.32])
def test_a_base_that_begins_aside_of_a_line_ends_on_it(aside: float, distance: float) -> None:
    """Where a path ends is good to 4 cm; where the arm reaches into something that is too much."""
    yaw = 0.7
    along, across = np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])
    with MujocoHome(one_room([], [], (2.0 + aside * across[0], 2.0 + aside * across[1], yaw))) as home:
        skill = Drive(SPEC, ArmKinematics())
        begin = home.observe().body.base
        end = begin.xy - aside * across + distance * along
        skill.to, skill.distance = Pose2(float(end[0]), float(end[1]), begin.yaw), distance
        skill.start(Subtask("Go to", "nothing"), Goal("nothing", "", np.zeros(3)), home.observe())
        while skill.outcome is Outcome.RUNNING:
            home.act(skill.act(home.observe()))
        stands = home.observe().body.base
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    assert abs((stands.xy - end) @ across) < 0.012
    assert abs((stands.xy - end) @ along) < 0.03
    assert abs(wrap(stands.yaw - yaw)) < 0.03


class Turn(MobileSkill):
    """Turns to a heading."""

    heading: float

    def routine(self) -> Motion:
        yield from self.turn(self.heading)


def test_a_base_whose_corner_is_held_turns_from_a_little_further_on() -> None:
    """The robot stands between a cabinet and a table, a corner of its torso at the cabinet's front."""
    furniture = [
        {"name": "cabinet", "kind": "cabinet", "colour": "blue", "x": 0.287, "y": 1.238, "yaw": 0.0},
        {"name": "table", "kind": "table", "colour": "brown", "x": 0.337, "y": 2.738, "width": 1.0, "depth": 0.55},
    ]
    home = MujocoHome(one_room(furniture, [], (0.43, 1.83, 1.44)))
    with home:
        skill = Turn(SPEC, ArmKinematics())
        skill.heading = -0.07
        goal = Goal("nothing", "", np.zeros(3), grid=FloorPlan(home.world).grid())
        skill.start(Subtask("Go to", "nothing"), goal, home.observe())
        while skill.outcome is Outcome.RUNNING:
            home.act(skill.act(home.observe()))
        yaw = home.observe().body.base.yaw
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    assert abs(wrap(yaw - skill.heading)) < 0.03


class Stand(MobileSkill):
    """Drives to a pose."""

    place: Pose2

    def routine(self) -> Motion:
        yield from self.navigate(self.place.xy, self.place.yaw)


@pytest.mark.parametrize(("distance", "turns"), [(-0.4, False), (-1.5, True)])
def test_a_short_way_back_is_driven_backwards(distance: float, turns: bool) -> None:
    """A robot that is to face the same way half a metre further back does not turn twice for it."""
    home = MujocoHome(one_room([], [], (2.0, 2.0, 0.0)))
    with home:
        skill = Stand(SPEC, ArmKinematics())
        skill.place = Pose2(2.0 + distance, 2.1, 0.0)
        goal = Goal("nothing", "", np.zeros(3), grid=FloorPlan(home.world).grid())
        skill.start(Subtask("Go to", "nothing"), goal, home.observe())
        furthest = 0.0
        while skill.outcome is Outcome.RUNNING:
            home.act(skill.act(home.observe()))
            furthest = max(furthest, abs(home.observe().body.base.yaw))
        stands = home.observe().body.base
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    assert np.linalg.norm(stands.xy - skill.place.xy) < 0.06
    assert abs(stands.yaw) < 0.03
    assert (furthest > math.pi / 2) == turns


def _floor(*, taken: bool) -> OccupancyGrid:
    """4 x 4 m of free floor; where the place is taken something as wide as the floor stands from x = 3 on."""
    occupied = np.zeros((80, 80), dtype=bool)
    occupied[:, 60:] = taken
    return OccupancyGrid(occupied, np.zeros_like(occupied), np.zeros(2), 0.05)


@pytest.mark.parametrize(("seen_after", "retryable"), [(0.0, False), (2.0, True)])
def test_a_place_that_was_taken_on_the_way_is_worth_another_attempt(seen_after: float, retryable: bool) -> None:
    """Before a fridge whose door had been moved a bit Go to gave up for good, half a metre before its place."""
    with MujocoHome(one_room([], [], (1.0, 2.0, 0.0))) as home:
        skill = Stand(SPEC, ArmKinematics())
        skill.place = Pose2(3.3, 2.0, 0.0)
        goal = Goal("nothing", "", np.zeros(3), grid=_floor(taken=True))
        first_goal = goal if seen_after == 0.0 else Goal("nothing", "", np.zeros(3), grid=_floor(taken=False))
        start = home.observe().stamp
        skill.start(Subtask("Go to", "nothing"), first_goal, home.observe())
        while skill.outcome is Outcome.RUNNING:
            observation = home.observe()
            if observation.stamp - start > seen_after:
                skill.revise(goal)
            home.act(skill.act(observation))
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "no free path to the target")
    assert skill.retryable is retryable
