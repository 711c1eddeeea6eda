"""Motions of arm and gripper, by numbers: when they end, what they lean on, and how the hand gets out again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, READY, REST, SPEC
from homie.kernel.types import Array, Box, Command, Goal, Outcome, Pose, Pose2, Subtask
from skills.motion.held_object import Hand
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion, Stuck
from tests.skills.classical.obedient import (
    KINEMATICS,
    PERIOD,
    ObedientRobot,
    empty_floor,
    floor_round,
    in_posture,
    nowhere,
)

ORIGIN = Pose2(0.0, 0.0, 0.0)
ELBOW = "elbow_flex_joint"


class Arm(Manipulation):
    """A skill whose routine the test chooses."""

    behaviour: Callable[[Arm], Motion]

    def routine(self) -> Motion:
        yield from self.behaviour()


def play_arm(
    robot: ObedientRobot, behaviour: Callable[[Arm], Motion], goal: Goal | None = None, hand: Hand | None = None
) -> Arm:
    """The skill after its attempt."""
    skill = Arm(SPEC, KINEMATICS, hand or Hand())
    skill.behaviour = lambda: behaviour(skill)  # type: ignore[method-assign, assignment]
    skill.start(Subtask("Pick", "mug"), goal or nowhere(empty_floor()), robot.observe())
    while skill.outcome is Outcome.RUNNING and robot.stamp < 200.0:
        robot.act(skill.act(robot.observe()))
    return skill


def posture(**changes: float) -> Array:
    """The raised posture with some joints elsewhere."""
    values = dict(zip(SPEC.chain.names, READY.tolist(), strict=True)) | changes
    return np.array([values[name] for name in SPEC.chain.names])


# ------------------------------------------------------------ gripper


@pytest.mark.parametrize(("opening", "width"), [(0.1, 0.02), (0.0, 0.1), (0.05, 0.05)])
def test_fingers_go_to_a_width_and_the_motion_ends_when_they_are_there(opening: float, width: float) -> None:
    robot = ObedientRobot(ORIGIN, READY, opening)
    play_arm(robot, lambda skill: skill.gripper(width))
    assert robot.body.gripper == pytest.approx(width, abs=0.003)
    assert robot.stamp == pytest.approx(abs(width - opening) / SPEC.gripper_speed, abs=2.1 * PERIOD)


def test_fingers_that_something_stops_are_waited_for_a_quarter_of_a_second() -> None:
    robot = ObedientRobot(ORIGIN, READY, 0.1)
    robot.stops_fingers = lambda: 0.06
    play_arm(robot, lambda skill: skill.gripper(0.0))
    assert robot.body.gripper == 0.06
    assert robot.stamp == pytest.approx(0.04 / SPEC.gripper_speed + 0.28, abs=2.1 * PERIOD)


@pytest.mark.parametrize("width", [0.0, 0.05])
def test_the_hand_is_closed_until_it_holds_something_or_is_shut(width: float) -> None:
    robot = ObedientRobot(ORIGIN, READY, 0.1)
    robot.stops_fingers = lambda: width
    play_arm(robot, lambda skill: skill.squeeze())
    assert robot.body.holding is bool(width) and robot.body.gripper == pytest.approx(width, abs=0.004)
    assert robot.stamp == pytest.approx((0.1 - width) / SPEC.gripper_speed + 0.2, abs=3 * PERIOD)


def test_the_hand_opens_to_let_go_as_far_as_it_is_commanded() -> None:
    for further, opening in ((np.inf, SPEC.gripper_max), (0.02, 0.07)):
        robot = ObedientRobot(ORIGIN, READY, 0.05, holding=True)
        skill = play_arm(robot, lambda skill, further=further: skill.release(further))  # type: ignore[misc]
        assert skill.outcome is Outcome.SUCCEEDED
        assert robot.body.gripper == pytest.approx(opening, abs=0.003)


def test_a_hand_that_holds_all_the_same_says_so() -> None:
    robot = ObedientRobot(ORIGIN, READY, 0.05, holding=True)
    robot.stops_fingers = lambda: 0.2
    skill = play_arm(robot, lambda skill: skill.release())
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "the hand does not let go")


# ------------------------------------------------------------ arm


def test_an_arm_that_leans_on_something_is_not_waited_for_long() -> None:
    """A little off it goes on after 0.3 s; a third of a radian off something is in the way."""
    for off, reason in ((0.02, ""), (0.2, ""), (0.34, ""), (0.36, f"the arm is blocked: {ELBOW} is 0.36 off")):
        end = posture(elbow_flex_joint=READY[4] + 0.5)
        free, robot = ObedientRobot(ORIGIN, READY), ObedientRobot(ORIGIN, READY)
        play_arm(free, lambda skill, end=end: skill.posture(end))  # type: ignore[misc]
        robot.stops_joint[ELBOW] = float(end[4]) - off
        began = []

        def behaviour(skill: Arm, end: Array = end, began: list[float] = began, robot: ObedientRobot = robot) -> Motion:
            try:
                yield from skill.posture(end)
            finally:
                began.append(robot.stamp)

        skill = play_arm(robot, behaviour)
        assert skill.reason == reason
        waited = began[0] - free.stamp
        assert waited == pytest.approx(0.0 if off < 0.03 else 0.3, abs=2.1 * PERIOD)


def test_an_arm_that_is_slower_than_its_limits_is_waited_for_while_it_comes_nearer() -> None:
    """As in a simulator faster than real time, whose joints a guard moves in real time."""
    end = posture(elbow_flex_joint=READY[4] + 1.0)
    for speed, reason in ((0.3, ""), (0.15, ""), (0.05, f"the arm is blocked: {ELBOW} is 0.8")):
        robot = ObedientRobot(ORIGIN, READY)
        robot.slow_joints[ELBOW] = speed
        skill = play_arm(robot, lambda skill: skill.posture(end))
        assert skill.reason.startswith(reason) and bool(skill.reason) is bool(reason)


@pytest.mark.parametrize("speed", [0.05, 0.15])
def test_a_straight_line_goes_as_fast_as_it_is_commanded_and_keeps_its_direction(speed: float) -> None:
    robot = ObedientRobot(Pose2(1.0, 2.0, 0.7), READY)
    begin = robot.gripper
    end = Pose(begin.position + np.array([0.03, 0.02, -0.12]), begin.rotation)
    places = [begin.position]

    def behaviour(skill: Arm) -> Motion:
        for command in skill.line(end, speed=speed):
            places.append(robot.gripper.position)
            yield command

    play_arm(robot, behaviour)
    np.testing.assert_allclose(robot.gripper.position, end.position, atol=0.004)
    np.testing.assert_allclose(robot.gripper.rotation, end.rotation, atol=0.03)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1) / PERIOD
    assert speed * 0.8 < max(steps) <= speed * 1.001
    way = end.position - begin.position
    away = np.array(places) - begin.position
    aside = away - np.outer(away @ way, way) / (way @ way)
    assert np.linalg.norm(aside, axis=1).max() < 0.01


def test_a_line_that_the_arm_cannot_go_is_reported() -> None:
    robot = ObedientRobot(ORIGIN, READY)
    far = Pose(np.array([1.8, 0.0, 1.0]), robot.gripper.rotation)
    skill = play_arm(robot, lambda skill: skill.line(far))
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "no arm motion along the straight line")


@pytest.mark.parametrize(("distance", "expected"), [(0.2, 0.2), (0.6, 0.36), (1.0, 0.3), (3.0, 0.0)])
def test_the_hand_is_led_out_as_far_as_that_goes(distance: float, expected: float) -> None:
    """All of the way, or six tenths of it, or three; and on to the next pose only after all of it."""
    robot = ObedientRobot(ORIGIN, READY)
    begin, heights = robot.gripper, []
    down = np.array([0.0, 0.0, -1.0])

    def behaviour(skill: Arm) -> Motion:
        for command in skill.withdraw(Pose(begin.position + distance * down, begin.rotation), begin):
            heights.append(robot.gripper.position[2])
            yield command

    skill = play_arm(robot, behaviour)
    assert skill.outcome is Outcome.SUCCEEDED
    end = robot.gripper.position
    assert begin.position[2] - min(heights, default=begin.position[2]) == pytest.approx(expected, abs=0.02)
    assert begin.position[2] - end[2] == pytest.approx(0.0 if expected == distance else expected, abs=0.02)
    speeds = np.abs(np.diff(heights)) / PERIOD
    assert max(speeds, default=0.25) == pytest.approx(0.25, abs=0.05), "an empty hand at 25 cm/s"


def test_to_stand_still_is_to_command_nothing() -> None:
    robot = ObedientRobot(ORIGIN)
    play_arm(robot, lambda skill: skill.wait(0.5))
    assert robot.commands == [Command()] * 14, "13 periods, and the one in which it ends"


def test_a_motion_next_to_another_stops_where_it_is() -> None:
    robot = ObedientRobot(ORIGIN)
    play_arm(robot, lambda skill: skill.run_alongside(skill.wait(0.4), skill.lift(np.array([0.386]))))
    height = robot.body.joints["torso_lift_joint"]
    assert height == pytest.approx(REST[0] + 10 * PERIOD * SPEC.chain.speeds[0], abs=0.005)


def test_the_head_looks_and_the_motion_ends_when_it_does() -> None:
    robot = ObedientRobot(Pose2(1.0, 1.0, 0.5))
    play_arm(robot, lambda skill: skill.look_at(np.array([2.0, 2.0, 0.3])))
    assert len(robot.commands) == 2
    pan, tilt = (robot.body.joints[name] for name in ("head_pan_joint", "head_tilt_joint"))
    assert pan == pytest.approx(np.pi / 4 - 0.5) and tilt > 0.4
    standing = ObedientRobot(Pose2(1.0, 1.0, 0.5))
    standing.stops_joint["head_tilt_joint"] = 0.0
    play_arm(standing, lambda skill: skill.look_at(np.array([2.0, 2.0, 0.3]), seconds=0.8))
    assert standing.stamp == pytest.approx(0.8, abs=2 * PERIOD), "no longer than it is given"


# ------------------------------------------------------------ leaving and getting free


@pytest.mark.parametrize(("behind", "away"), [(3.0, 0.35), (0.6, 0.25), (0.5, 0.15), (0.33, 0.0)])
def test_it_backs_away_as_far_as_there_is_room(behind: float, away: float) -> None:
    wall = Box(np.array([-behind - 0.05, 0.0, 0.5]), np.array([0.05, 2.0, 0.5]))
    robot = ObedientRobot(ORIGIN, READY)
    play_arm(robot, lambda skill: skill.leave(), replace(nowhere(floor_round(wall)), solids=(wall,)))
    assert robot.base.x == pytest.approx(-away, abs=0.0101)
    assert in_posture(robot, REST)


def test_with_something_in_the_hand_it_is_carried() -> None:
    robot = ObedientRobot(ORIGIN, READY, 0.05, holding=True)
    robot.stops_fingers = lambda: 0.05
    play_arm(robot, lambda skill: skill.leave())
    assert in_posture(robot, CARRY) and robot.body.holding


def test_where_the_arm_cannot_be_folded_it_goes_back_by_the_way_it_came() -> None:
    """A cage around the hand: out along the way in, a quarter of a metre back, then folded."""
    robot, hand = ObedientRobot(Pose2(-0.6, 0.0, 0.0), REST), Hand()
    reached = KINEMATICS.solve(np.array([0.75, 0.0, 0.9]), np.eye(3), READY)
    assert reached.ok
    sides = [(0.0, 0.16, 0.3, 0.02, 1.0), (0.0, -0.16, 0.3, 0.02, 1.0), (0.0, 0.0, 0.3, 0.18, 0.02)]
    boxes = [Box(np.array([x + 0.45, y, 1.08 if h < 0.1 else 1.0]), np.array([hx, hy, h])) for x, y, hx, hy, h in sides]
    goal = replace(nowhere(empty_floor()), solids=tuple(boxes))

    def behaviour(skill: Arm) -> Motion:
        yield from skill.follow_joints([READY])
        yield from skill.straight(0.3)
        yield from skill.follow_joints([reached.q])
        raise Stuck("something stops the hand")

    skill = play_arm(robot, behaviour, goal, hand)
    assert (skill.outcome, skill.reason) == (Outcome.FAILED, "something stops the hand")
    assert in_posture(robot, REST), "it frees itself before it tells"


def test_in_the_travelling_posture_there_is_nothing_to_free() -> None:
    def fails(skill: Arm) -> Motion:
        raise Stuck("nothing was done")
        yield

    robot = ObedientRobot(ORIGIN, REST)
    skill = play_arm(robot, fails)
    assert skill.reason == "nothing was done" and robot.base == ORIGIN and len(robot.commands) <= 2
