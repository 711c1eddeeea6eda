"""Straight drives and turns of the base, by numbers: how far, how fast, when they end, and what stops them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.kernel.types import Outcome, Pose2, Subtask
from skills.motion.motions import wrap
from tests.skills.classical.obedient import PERIOD, ObedientRobot, Routine, empty_floor, nowhere, play

BEGIN = Pose2(0.5, -0.3, 0.7)


def drive(distance: float, **options: float) -> tuple[ObedientRobot, float]:
    """The robot after a straight drive on free floor, and how far it has come along its heading, m."""
    robot = ObedientRobot(BEGIN)
    skill = Routine(lambda skill: skill.straight(distance, **options))  # type: ignore[arg-type]
    play(skill, robot, nowhere())
    assert skill.outcome is Outcome.SUCCEEDED
    x, y, _ = BEGIN.inverse(np.array([robot.base.x, robot.base.y, 0.0]))
    assert abs(y) < 1e-6, "straight"
    return robot, float(x)


# ------------------------------------------------------------ straight


@pytest.mark.parametrize("distance", [0.05, 0.3, 1.2, -0.05, -0.3, -1.2])
def test_a_straight_drive_ends_within_a_centimetre(distance: float) -> None:
    robot, driven_distance = drive(distance)
    assert driven_distance == pytest.approx(distance, abs=0.0101)
    assert all(v * distance > 0 for v, _ in robot.velocities[:-1])


@pytest.mark.parametrize("distance", [0.0, 0.009, -0.009])
def test_less_than_a_centimetre_is_not_driven(distance: float) -> None:
    robot, driven_distance = drive(distance)
    assert driven_distance == 0.0 and robot.velocities == [(0.0, 0.0)]


@pytest.mark.parametrize("distance", [1.5, -1.5])
def test_a_straight_drive_keeps_to_its_speed_and_brakes_before_its_end(distance: float) -> None:
    robot, _ = drive(distance, speed=0.3)
    speeds = [abs(v) for v, _ in robot.velocities if v]
    assert max(speeds) == pytest.approx(0.3), "as fast as it may"
    braking = max(before - after for before, after in pairwise(speeds)) / PERIOD
    assert braking == pytest.approx(0.5 * SPEC.max_linear_acceleration, rel=0.35), "half as hard as it could"
    assert speeds[-1] < 0.13, "slow at its end"
    assert len(speeds) * PERIOD < 1.5 / 0.3 + 1.0, "and no slower than it has to be"


@pytest.mark.parametrize("distance", [0.3, -0.3])
def test_a_base_that_has_come_past_its_end_does_not_drive_on(distance: float) -> None:
    """Where the floor slips or odometry jumps: past the end each metre leaves more to drive."""
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    skill = Routine(lambda skill: skill.straight(distance))
    skill.start(Subtask("Go to", "nothing"), nowhere(), robot.observe())
    for _ in range(3):
        robot.act(skill.act(robot.observe()))
    robot.put_at(Pose2(1.2 * distance, 0.0, 0.0))
    robot.act(skill.act(robot.observe()))
    assert skill.outcome is Outcome.SUCCEEDED and robot.velocities[-1] == (0.0, 0.0)


def test_a_straight_drive_that_something_holds_is_given_up_after_a_second() -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    robot.may_be_at = lambda base: base.x < 0.2
    skill = Routine(lambda skill: skill.straight(0.5))
    took = play(skill, robot, nowhere())
    assert skill.outcome is Outcome.SUCCEEDED, "silently"
    free = sum(v > 0.0 for v, _ in robot.velocities) * PERIOD - 1.0
    assert robot.base.x == pytest.approx(0.2, abs=0.02)
    assert took == pytest.approx(free + 1.0, abs=0.09) and free == pytest.approx(0.2 / 0.4, abs=0.13)


def test_a_straight_drive_takes_no_longer_than_it_is_given() -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    skill = Routine(lambda skill: skill.straight(2.0, speed=0.1, seconds=3.0))
    assert play(skill, robot, nowhere()) == pytest.approx(3.0, abs=0.05)
    assert robot.base.x == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("distance", [0.8, -0.8])
@pytest.mark.parametrize("aside", [0.05, -0.05])
def test_a_base_next_to_its_line_heads_back_to_it_at_a_small_angle(distance: float, aside: float) -> None:
    line = Pose2(0.0, 0.0, 0.7)
    begin = line.transform(np.array([0.0, aside, 0.0]))
    robot = ObedientRobot(Pose2(float(begin[0]), float(begin[1]), 0.7))
    furthest = 0.0
    skill = Routine(lambda skill: skill.straight(distance, line=line))
    skill.start(Subtask("Go to", "nothing"), nowhere(), robot.observe())
    while skill.outcome is Outcome.RUNNING:
        robot.act(skill.act(robot.observe()))
        furthest = max(furthest, abs(robot.base.yaw - line.yaw))
    x, y, _ = line.inverse(np.array([robot.base.x, robot.base.y, 0.0]))
    assert abs(y) < 0.005 and x == pytest.approx(distance, abs=0.02)
    assert abs(robot.base.yaw - line.yaw) < 0.03
    assert 0.15 < furthest <= 0.25, "it heads back by a quarter of a radian at most"
    assert max(abs(w) for _, w in robot.velocities) <= 0.8


# ------------------------------------------------------------ turn


@pytest.mark.parametrize(("begin", "heading"), [(0.0, 2.0), (3.0, -3.0), (-3.0, 3.0), (0.5, -1.0)])
def test_a_turn_goes_the_short_way_and_ends_at_its_heading(begin: float, heading: float) -> None:
    robot = ObedientRobot(Pose2(0.2, 0.1, begin))
    skill = Routine(lambda skill: skill.turn(heading))
    took = play(skill, robot, nowhere())
    way = wrap(heading - begin)
    assert skill.outcome is Outcome.SUCCEEDED and abs(wrap(robot.base.yaw - heading)) < 0.02
    assert robot.base.yaw - begin == pytest.approx(way, abs=0.02)
    turning = [abs(w) for _, w in robot.velocities if w]
    assert all(v == 0.0 and w * way >= 0.0 for v, w in robot.velocities)
    assert max(turning) <= SPEC.max_angular
    assert max(np.abs(np.diff([*turning[turning.index(max(turning)) :], 0.0]))) < 0.3, "it brakes before its end"
    assert took < abs(way) / SPEC.max_angular + 1.7


def test_a_turn_that_is_there_already_moves_nothing() -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 1.0))
    play(Routine(lambda skill: skill.turn(1.019)), robot, nowhere())
    assert robot.velocities == [(0.0, 0.0)]


def test_a_base_that_cannot_be_turned_gives_up_with_a_reason() -> None:
    """Without a map there is no place to try from; with one, from two other places, and then no more."""
    for grid, reason, tries in ((None, "the base cannot turn", 1), (empty_floor(), "the base cannot turn", 3)):
        robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
        robot.may_be_at = lambda base: abs(base.yaw) < 0.3
        skill = Routine(lambda skill: skill.turn(1.5))
        took = play(skill, robot, nowhere(grid))
        assert (skill.outcome, skill.reason) == (Outcome.FAILED, reason)
        turning = [(v, w) for v, w in robot.velocities if w > 0.5]
        assert tries * 1.0 <= len(turning) * PERIOD <= tries * 1.1 + 0.3, "a second each, after which it is held up"
        assert took < 8.0


@pytest.mark.parametrize("yaw", [0.0, 0.9, -2.0])
def test_a_base_that_is_held_turns_from_a_little_further_on(yaw: float) -> None:
    """A corner of it stands at something that ends five centimetres further on."""
    robot = ObedientRobot(Pose2(0.0, 0.0, yaw))
    robot.may_be_at = lambda base: abs(base.yaw - yaw) < 0.3 or math.hypot(base.x, base.y) > 0.03
    skill = Routine(lambda skill: skill.turn(yaw + 1.5))
    play(skill, robot, nowhere(empty_floor()))
    assert skill.outcome is Outcome.SUCCEEDED and abs(robot.base.yaw - yaw - 1.5) < 0.02
    assert 0.03 < math.hypot(robot.base.x, robot.base.y) < 0.06
    assert max(abs(v) for v, _ in robot.velocities) <= 0.2


@pytest.mark.parametrize("yaw", [0.0, 0.9, -2.0])
@pytest.mark.parametrize("ahead", [True, False])
def test_a_base_that_is_held_goes_to_where_it_has_room(yaw: float, ahead: bool) -> None:
    """A wall stands before it, or behind it: the way goes to the other side, as far as a turn needs."""
    way = (1.0 if ahead else -1.0) * np.array([math.cos(yaw), math.sin(yaw)])
    grid = empty_floor()
    cells = np.stack(np.meshgrid(*[grid.origin[0] + 0.05 * (np.arange(120) + 0.5)] * 2), axis=-1)
    grid = replace(grid, occupied=cells @ way < -0.28)
    robot = ObedientRobot(Pose2(0.0, 0.0, yaw))
    robot.may_be_at = lambda base: abs(base.yaw - yaw) < 0.3 or base.xy @ way > 0.04
    skill = Routine(lambda skill: skill.turn(yaw + 1.5))
    play(skill, robot, nowhere(grid))
    assert skill.outcome is Outcome.SUCCEEDED and abs(robot.base.yaw - yaw - 1.5) < 0.02
    assert 0.04 < robot.base.xy @ way < 0.12
