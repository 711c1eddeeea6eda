"""The base on a path, by numbers: how fast it goes, when it turns first or backs up, and what makes it give up."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, REST, SPEC
from homie.kernel.types import Array, Box, Goal, OccupancyGrid, Outcome, Pose2, Subtask
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand, fill_box
from skills.motion.motions import Motion
from tests.skills.classical.obedient import PERIOD, ObedientRobot, Routine, empty_floor, nowhere, play

CORNER = np.array([[0.0, 0.0], [1.5, 0.0], [1.5, 1.5]])


def hand_holding(*, loose: bool = False, length: float = 0.03) -> Hand:
    """A hand with something in it."""
    hand = Hand()
    hand.spheres = fill_box(Box(np.array([length, 0.0, 0.0]), np.array([length, 0.03, 0.03])), np.eye(3))
    hand.loose = loose
    return hand


def follow(path: Array, begin: Pose2, hand: Hand | None = None, **options: bool) -> tuple[ObedientRobot, list[str]]:
    """The robot after it has followed a path on free floor, and how that ended."""
    robot = ObedientRobot(begin, CARRY if hand else REST, holding=hand is not None)
    ends: list[str] = []

    def behaviour(skill: MobileSkill) -> Motion:
        ends.append((yield from skill.follow(path, **options)))

    skill = Routine(behaviour, hand)
    play(skill, robot, nowhere(empty_floor()))
    return robot, ends


def test_a_path_is_followed_to_its_end_at_full_speed_round_its_corners() -> None:
    robot, ends = follow(CORNER, Pose2(0.0, 0.0, 0.0))
    assert ends == ["arrived"]
    assert np.linalg.norm(robot.base.xy - CORNER[-1]) < 0.04
    speeds = [v for v, _ in robot.velocities]
    assert max(speeds) == pytest.approx(SPEC.max_linear) and min(speeds) >= 0.0
    braking = [before - after for before, after in pairwise(speeds[-20:-1])]
    assert max(braking) / PERIOD == pytest.approx(0.5 * SPEC.max_linear_acceleration, rel=0.35)
    assert speeds[-2] < 0.2, "slow at its end"
    assert max(abs(w) for _, w in robot.velocities) <= SPEC.max_angular


def test_a_base_that_looks_elsewhere_turns_before_it_drives() -> None:
    for yaw, turns in ((0.55, False), (0.65, True), (-0.65, True), (3.0, True)):
        robot, ends = follow(np.array([[0.0, 0.0], [1.0, 0.0]]), Pose2(0.0, 0.0, yaw))
        v, w = robot.velocities[0]
        assert ends == ["arrived"] and w * yaw < 0.0
        assert (v == 0.0) is turns, yaw
        assert np.linalg.norm(robot.base.xy - [1.0, 0.0]) < 0.04


def test_a_path_is_followed_backwards() -> None:
    robot, ends = follow(np.array([[0.0, 0.0], [-0.8, 0.0]]), Pose2(0.0, 0.0, 0.1), backwards=True)
    assert ends == ["arrived"]
    assert all(v <= 0.0 for v, _ in robot.velocities)
    assert robot.base.x == pytest.approx(-0.78, abs=0.03) and abs(robot.base.yaw) < 0.15


def test_what_lies_loosely_in_the_thing_in_the_hand_is_carried_slowly() -> None:
    straight = np.array([[0.0, 0.0], [2.0, 0.0]])
    for hand, share in ((None, 1.0), (hand_holding(), 1.0), (hand_holding(loose=True), 0.4)):
        robot, ends = follow(straight, Pose2(0.0, 0.0, 0.0), hand)
        assert ends == ["arrived"]
        assert max(v for v, _ in robot.velocities) == pytest.approx(share * SPEC.max_linear)
        turned = ObedientRobot(Pose2(0.0, 0.0, 0.0), CARRY if hand else REST, holding=hand is not None)
        play(Routine(lambda skill: skill.turn(2.5), hand), turned, nowhere(empty_floor()))
        assert max(abs(w) for _, w in turned.velocities) == pytest.approx(share * SPEC.max_angular, rel=0.12)


def test_a_base_that_comes_no_nearer_for_four_seconds_is_blocked() -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    robot.may_be_at = lambda base: base.x < 0.5
    ends: list[tuple[str, float]] = []

    def behaviour(skill: MobileSkill) -> Motion:
        end = yield from skill.follow(np.array([[0.0, 0.0], [2.0, 0.0]]))
        ends.append((end, robot.stamp))

    play(Routine(behaviour), robot, nowhere(empty_floor()))
    ((end, seconds),) = ends
    assert end == "blocked" and seconds == pytest.approx(0.5 / SPEC.max_linear + 4.0, abs=0.2)


def _with_wall(x: float) -> OccupancyGrid:
    """The floor with a wall across it, at an x."""
    grid = empty_floor()
    occupied = grid.occupied.copy()
    occupied[:, int((x - grid.origin[0]) / grid.resolution)] = True
    return replace(grid, occupied=occupied)


@pytest.mark.parametrize(("wall", "end"), [(1.5, "stale"), (2.6, "arrived"), (-1.0, "arrived")])
def test_a_path_is_planned_again_when_something_is_seen_on_it(wall: float, end: str) -> None:
    """What comes onto the map elsewhere, as behind the robot or beyond the end, does not matter."""
    robot, ends = ObedientRobot(Pose2(0.0, 0.0, 0.0)), []

    def behaviour(skill: MobileSkill) -> Motion:
        ends.append((yield from skill.follow(np.array([[0.0, 0.0], [2.0, 0.0]]))))

    skill = Routine(behaviour)
    skill.start(Subtask("Go to", "nothing"), nowhere(empty_floor()), robot.observe())
    while skill.outcome is Outcome.RUNNING:
        robot.act(skill.act(robot.observe()))
        if robot.stamp > 0.1:
            skill.revise(nowhere(_with_wall(wall)))
    assert ends == [end]
    if end == "stale":
        assert robot.stamp <= 0.1 + 10 * PERIOD + 0.05, "the map is looked at every tenth period"


def navigate(robot: ObedientRobot, target: tuple[float, float], yaw: float | None, goal: Goal | None = None) -> Routine:
    """The skill after it has driven to a place."""
    skill = Routine(lambda skill: skill.navigate(np.array(target), yaw))
    play(skill, robot, goal or nowhere(empty_floor()))
    return skill


@pytest.mark.parametrize(("distance", "yaw", "backwards"), [(-0.7, 0.0, True), (-1.3, 0.0, False), (-0.7, 3.1, False)])
def test_a_short_way_is_driven_backwards_where_that_saves_turning(distance: float, yaw: float, backwards: bool) -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    skill = navigate(robot, (distance, 0.0), yaw)
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    assert np.linalg.norm(robot.base.xy - [distance, 0.0]) < 0.05
    assert abs(math.remainder(robot.base.yaw - yaw, math.tau)) < 0.02
    assert (min(v for v, _ in robot.velocities) < 0.0) is backwards
    assert (max(v for v, _ in robot.velocities) <= 0.0) is backwards


def test_a_way_that_stays_blocked_is_given_up_after_five_times() -> None:
    """After each time it moves to where there is more room and looks for another way."""
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    robot.may_be_at = lambda base: False
    skill = navigate(robot, (2.0, 0.0), None)
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "the way stays blocked")
    assert robot.stamp == pytest.approx(5 * 4.0 + 4 * 1.0, abs=0.6)
    assert skill.retryable


@pytest.mark.parametrize(("wall", "moves"), [(0.45, -1.0), (-0.45, 1.0)])
def test_a_blocked_base_moves_to_where_there_is_more_room(wall: float, moves: float) -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    robot.may_be_at = lambda base: robot.stamp > 4.2
    skill = Routine(lambda skill: skill.navigate(np.array([0.0, 2.0])))
    skill.start(Subtask("Go to", "nothing"), nowhere(_with_wall(wall)), robot.observe())
    while robot.stamp < 4.6 and skill.outcome is Outcome.RUNNING:
        robot.act(skill.act(robot.observe()))
    assert robot.base.x * moves > 0.03


def test_the_torso_goes_along_on_the_way_at_its_own_speed() -> None:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0))
    lift = np.array([0.2])
    play(Routine(lambda skill: skill.navigate(np.array([2.0, 0.0]), 0.0, torso=lift)), robot, nowhere(empty_floor()))
    heights = [command.get("torso") for command in robot.commands]
    reported = [REST[0], *(float(height[0]) for height in heights if height is not None)]
    assert reported[-1] == pytest.approx(0.2)
    assert np.max(np.abs(np.diff(reported))) == pytest.approx(SPEC.chain.speeds[0] * PERIOD)


def test_without_a_map_it_does_not_drive() -> None:
    skill = navigate(ObedientRobot(Pose2(0.0, 0.0, 0.0)), (1.0, 0.0), None, nowhere())
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "there is no map to drive by")


def test_what_lies_in_the_way_is_named_where_there_is_no_other_way() -> None:
    grid = _with_wall(1.0)
    mug, plum = (Box(np.array([1.0, y, 0.05]), np.full(3, 0.4), 0.0, name) for name, y in (("mug", 0.0), ("plum", 2.0)))
    skill = navigate(ObedientRobot(Pose2(0.0, 0.0, 0.0)), (2.0, 0.0), None, replace(nowhere(grid), loose=(mug, plum)))
    assert skill.reason == "no free path to the target: the mug is in the way" and not skill.retryable
    assert skill.about == ("mug",)
    alone = navigate(ObedientRobot(Pose2(0.0, 0.0, 0.0)), (2.0, 0.0), None, nowhere(grid))
    assert alone.reason == "no free path to the target" and not alone.retryable


# ------------------------------------------------------------ the held object


def test_a_base_with_something_long_in_the_hand_keeps_further_away() -> None:
    """The comfortable distance grows by what sticks out, in steps of ten centimetres."""
    costs = []
    for hand in (None, hand_holding(length=0.03), hand_holding(length=0.2)):
        robot = ObedientRobot(Pose2(0.0, 0.0, 0.0), CARRY, holding=hand is not None)
        skill = Routine(lambda skill: skill.wait(0.04), hand)
        play(skill, robot, nowhere(_with_wall(1.0)))
        costs.append(float(skill.costs.cost[60, 60]))
    assert costs[0] == costs[1] == 1.0 < costs[2], "a metre from the wall"


def test_the_costs_of_a_map_are_counted_once() -> None:
    """Half a second for each look at a large map would be felt."""
    skill = Routine(lambda skill: skill.wait(1.0))
    skill.start(Subtask("Go to", "nothing"), nowhere(_with_wall(1.0)), ObedientRobot(Pose2(0.0, 0.0, 0.0)).observe())
    first = skill.costs
    assert skill.costs is first
    skill.revise(nowhere(_with_wall(2.0)))
    assert skill.costs is not first and skill.costs is skill.costs
    assert skill.costs.clear_at(np.array([1.5, 0.0])) == pytest.approx(0.5, abs=0.06)


def test_something_long_goes_round_on_the_side_where_it_touches_nothing() -> None:
    hand = hand_holding(length=0.25)
    for side in (1.0, -1.0):
        post = Box(np.array([0.0, side * 0.75, 0.9]), np.array([0.3, 0.1, 0.9]))
        robot = ObedientRobot(Pose2(0.0, 0.0, 0.0), ready_to_hold(), holding=True)
        skill = Routine(lambda skill, side=side: skill.turn(side * 2.9), hand)  # type: ignore[misc]
        play(skill, robot, replace(nowhere(empty_floor()), solids=(post,)))
        assert skill.outcome is Outcome.SUCCEEDED
        assert robot.base.yaw == pytest.approx(side * (2.9 - math.tau), abs=0.02), "the long way round"
        empty = ObedientRobot(Pose2(0.0, 0.0, 0.0), ready_to_hold())
        play(Routine(lambda skill, side=side: skill.turn(side * 2.9)), empty, nowhere(empty_floor()))  # type: ignore[misc]
        assert empty.base.yaw == pytest.approx(side * 2.9, abs=0.02)


def ready_to_hold() -> Array:
    """Torso and arm stretched out ahead."""
    from homie.envs.mujoco.robots.bodies.fetch import READY
    from tests.skills.classical.obedient import KINEMATICS

    solution = KINEMATICS.solve(np.array([0.7, 0.0, 0.95]), np.eye(3), READY)
    assert solution.ok
    return solution.q
