"""Bowls that are taken by their rim, with what lies in them, on a robot that follows commands at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import READY, SPEC
from homie.kernel.types import Box, Goal, Outcome, Pose, Pose2, Subtask
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand, fill_box
from skills.motion.motions import Motion, gripper_rotation
from tests.skills.classical.obedient import (
    KINEMATICS,
    ObedientRobot,
    Routine,
    empty_floor,
    floor_round,
    nowhere,
)
from tests.skills.classical.test_boards_and_plates_by_numbers import BOARD, SHELF
from tests.skills.classical.test_pick_and_put_by_numbers import Picking, Putting, bare_table, bottom, on_table

BOWL = Box(np.array([0.5, 0.1, 0.747]), np.array([0.08, 0.08, 0.027]), 0.0, "can")
PLUM = Box(np.array([0.5, 0.12, 0.752]), np.full(3, 0.025), 0.0, "plum")


def grips_wall(robot: ObedientRobot, bowl: Box) -> None:
    """Let the robot take a bowl where a finger is on either side of its wall."""

    def width() -> float:
        hand = robot.gripper
        tips = [hand.position + side * 0.02 * hand.rotation[:, 1] for side in (-1.0, 1.0)]
        low = hand.position[2] + SPEC.fingers.reach * hand.rotation[2, 0] < bowl.center[2] + bowl.half[2]
        inside = [bowl.distance(tip[:2]) == 0.0 for tip in tips]
        return 0.006 if robot.body.holding or (low and inside[0] != inside[1]) else 0.0

    robot.stops_fingers = width


def take_bowl(goal: Goal) -> Picking:
    """A bowl in the hand."""
    picking = Picking()
    grips_wall(picking.robot, BOWL)
    assert picking.attempt(goal) == ""
    return picking


def test_an_empty_bowl_is_taken_by_its_rim_from_straight_above() -> None:
    picking = take_bowl(on_table(BOWL))
    (at,) = picking.closed
    away = np.abs(at.position[:2] - BOWL.center[:2])
    assert max(away) == pytest.approx(0.068, abs=0.006) and min(away) < 0.006, "in the middle of a side"
    assert 0.0 < BOWL.center[2] + BOWL.half[2] - (at.position[2] + SPEC.fingers.reach * at.rotation[2, 0]) < 0.04
    assert not picking.hand.loose and picking.hand.level is None
    assert abs(picking.hand.center[1]) > 0.05, "its middle is aside of the hand"


def test_a_bowl_with_fruit_in_it_is_carried_level_and_slowly() -> None:
    picking = take_bowl(on_table(BOWL, loose=(PLUM,), obstacles=(PLUM,)))
    hand, robot = picking.hand, picking.robot
    assert hand.loose and hand.level is not None
    number = next(n for n, command in enumerate(robot.commands) if command.get("gripper") == (0.0,))
    upright = [abs((pose.rotation @ hand.axes)[2, 2]) for pose in picking.poses[number:]]
    assert min(upright) > 0.99, "it does not tilt"
    speeds = [abs(v) for v, _ in robot.velocities[number:]]
    assert 0.1 < max(speeds) <= 0.25


def test_a_finger_rather_does_not_push_what_is_in_a_bowl() -> None:
    """The plum lies at its left wall: the hand takes it elsewhere."""
    plum_at_left = replace(PLUM, center=np.array([0.5, 0.15, 0.752]))
    (at,) = take_bowl(on_table(BOWL, loose=(plum_at_left,))).closed
    assert not (at.position[1] > 0.15 and abs(at.position[0] - 0.5) < 0.03)


def test_a_second_bowl_in_a_bowl_is_in_the_way_of_its_rim() -> None:
    nested = replace(BOWL, center=BOWL.center + np.array([0.0, 0.0, 0.016]), name="bowl")
    picking = Picking()
    reason = picking.attempt(on_table(BOWL, loose=(nested,), obstacles=(nested,), solids=(nested,)))
    assert not picking.skill.retryable and reason.endswith("the bowl is in the way")


def holding_bowl(*, loose: bool = False) -> Hand:
    """A hand that has taken the bowl by the wall at its left, steeply from above."""
    hand, pitch = Hand(), 0.95
    grip = Pose(np.array([0.5, 0.168, 0.79]), gripper_rotation(0.0, pitch))
    hand.take(BOWL, grip, pitch)
    hand.loose = loose
    return hand


def test_a_bowl_is_let_down_flat_and_the_finger_inside_goes_up() -> None:
    for loose, opened in ((False, SPEC.gripper_max), (True, 0.066 + 0.025)):
        putting = Putting(holding_bowl(loose=loose))
        goal = bare_table()
        assert putting.attempt(goal) == "" and putting.skill.outcome is Outcome.SUCCEEDED
        assert putting.released is not None
        there = bottom(putting.hand, putting.released)
        assert there.center[2] - there.half[2] == pytest.approx(0.72 + 0.012, abs=0.004)
        assert there.half == pytest.approx(BOWL.half, abs=0.01)
        widths = [c.get("gripper") for c in putting.robot.commands[putting.let_go - 3 : putting.let_go + 12]]
        assert max(width[0] for width in widths if width) == pytest.approx(opened, abs=1e-6)
        after = np.array([pose.position for pose in putting.poses[putting.let_go :]]) - putting.released.position
        first = after[: np.argmax(after[:, 2] > 0.07)]
        assert np.linalg.norm(first[:, :2], axis=1).max() < 0.03, "upwards"


def test_a_bowl_is_put_between_boards_and_the_finger_comes_out_over_its_rim() -> None:
    putting = Putting(holding_bowl())
    goal = replace(bare_table(surfaces=(BOARD,), solids=SHELF), grid=floor_round(SHELF[0]))
    assert putting.attempt(goal) == "" and putting.released is not None
    there = bottom(putting.hand, putting.released)
    assert abs(there.center[0] - 0.75) < 0.15 and there.center[2] - there.half[2] > 0.72
    after = np.array([pose.position for pose in putting.poses[putting.let_go :]]) - putting.released.position
    first = after[: np.argmax(after[:, 2] > 0.06)]
    assert np.linalg.norm(first[:, :2], axis=1).max() < 0.02, "up first"


def test_what_is_held_turns_from_where_it_has_room() -> None:
    """A post at either side keeps a long thing from going round; a little back one of them is out of its way."""
    hand = Hand()
    hand.spheres = fill_box(Box(np.array([0.25, 0.0, 0.0]), np.array([0.25, 0.03, 0.03])), np.eye(3))
    q = KINEMATICS.solve(np.array([0.7, 0.0, 0.95]), np.eye(3), READY).q
    posts = [Box(np.array([x, y, 0.9]), np.array([0.05, 0.05, 0.9])) for x, y in ((0.78, 0.78), (0.0, -0.9))]
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0), q, holding=True)
    robot.stops_fingers = lambda: 0.1

    def behaviour(skill: MobileSkill) -> Motion:  # a path that leads to the side
        yield from skill.follow(np.array([[0.0, 0.0], [0.0, 0.6]]))

    skill = Routine(behaviour, hand)
    skill.start(Subtask("Go to", "nothing"), replace(nowhere(empty_floor()), solids=tuple(posts)), robot.observe())
    back = 0.0
    while skill.outcome is Outcome.RUNNING and robot.base.yaw < 1.4:
        robot.act(skill.act(robot.observe()))
        back = min(back, robot.base.x)
    assert -0.32 < back < -0.08 and robot.base.yaw > 1.4
