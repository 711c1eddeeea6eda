"""Pick and Put between boards, of plates and of flat boxes, on a robot that follows commands at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import CARRY, SPEC
from homie.kernel.types import Box, Goal, Outcome, Pose, Pose2, Solid, Subtask, Surface
from skills.classical.grasp_candidates import FINGERS, Tool
from skills.classical.overhang import find_pinch_grasps
from tests.skills.classical.obedient import ObedientRobot, floor_round, in_posture
from tests.skills.classical.test_pick_and_put_by_numbers import (
    CAN,
    TABLE,
    TOP,
    Picking,
    Putting,
    bare_table,
    bottom,
    carrying,
    grips,
    keeps_out,
    on_table,
)

OUT = np.array([-1.0, 0.0])
"""Out through the front of the shelf, towards the robot."""
BOARD = Surface(np.array([0.75, 0.0, 0.72]), 0.15, 0.4, 0.0, clearance=0.33, access=OUT)
SHELF = (
    Box(np.array([0.75, 0.0, 0.36]), np.array([0.15, 0.4, 0.36]), 0.0, ""),
    Box(np.array([0.75, 0.0, 1.06]), np.array([0.15, 0.4, 0.01]), 0.0, ""),
    Box(np.array([0.91, 0.0, 0.7]), np.array([0.01, 0.4, 0.7]), 0.0, ""),
    *(Box(np.array([0.75, side * 0.41, 0.7]), np.array([0.15, 0.01, 0.7]), 0.0, "") for side in (-1.0, 1.0)),
)
ON_BOARD = replace(CAN, center=np.array([0.72, 0.1, 0.78]))


def on_board(box: Box = ON_BOARD) -> Goal:
    """A goal to pick something from between two boards."""
    return on_table(box, surfaces=(BOARD,), solids=SHELF, grid=floor_round(SHELF[0]))


def test_a_can_is_taken_out_through_the_front_between_two_boards() -> None:
    picking = Picking()
    grips(picking.robot, ON_BOARD)
    assert picking.attempt(on_board()) == "" and picking.robot.body.holding
    (at,) = picking.closed
    assert at.rotation[:2, 0] @ -OUT > 0.6, "it points into the shelf"
    inside = [pose.position for pose in picking.poses if pose.position[0] > 0.6]
    assert inside and all(0.72 < point[2] < 1.05 and abs(point[1]) < 0.4 for point in inside)
    number = max(n for n, pose in enumerate(picking.poses) if np.allclose(pose.position, at.position))
    out = [pose.position for pose in picking.poses[number:]]
    first = next(n for n, point in enumerate(out) if point[2] > at.position[2] + 0.035)
    assert np.linalg.norm(out[first][:2] - at.position[:2]) < 0.02, "lifted a little first"
    drawn = np.array([point for point in out if point[0] > 0.55]) - at.position
    aside = drawn[:, :2] @ [-at.rotation[1, 0], at.rotation[0, 0]]
    assert np.abs(aside).max() < 0.03 and np.ptp(drawn[:, 2]) < 0.12, "and out along the fingers"
    assert in_posture(picking.robot, CARRY)


def test_a_thing_is_put_between_two_boards_through_the_front() -> None:
    putting = Putting(carrying())
    goal = bare_table(surfaces=(BOARD,), solids=SHELF)
    goal = replace(goal, grid=floor_round(SHELF[0]))
    assert putting.attempt(goal) == "" and putting.released is not None
    there = bottom(putting.hand, putting.released)
    assert there.center[2] - there.half[2] == pytest.approx(0.72 + 0.012, abs=0.004)
    assert abs(there.center[0] - 0.75) < 0.12 and abs(there.center[1]) < 0.34
    inside = [pose.position for pose in putting.poses if pose.position[0] > 0.62]
    assert all(0.72 < point[2] < 1.05 for point in inside)
    after = np.array([pose.position for pose in putting.poses[putting.let_go :]])
    back = after[: next(n for n, point in enumerate(after) if point[0] < there.center[0] - 0.2)]
    assert np.ptp(back[:, 2]) < 0.08, "the hand leaves level"


PLATE = Box(np.array([0.55, 0.1, 0.731]), np.array([0.1, 0.1, 0.011]), 0.0, "can")


def grips_rim(robot: ObedientRobot, plate: Box) -> None:
    """Let the robot take a plate where its fingers are at its rim, one above and one below."""

    def width() -> float:
        hand = robot.gripper
        tip = hand.position + SPEC.fingers.reach * hand.rotation[:, 0]
        away = np.linalg.norm(tip[:2] - plate.center[:2])
        at_rim = 0.05 < away < 0.11 and abs(tip[2] - plate.center[2]) < 0.05
        return 0.008 if robot.body.holding or (at_rim and abs(hand.rotation[2, 1]) > 0.2) else 0.0

    robot.stops_fingers = width


def test_a_plate_is_taken_by_its_rim_kept_level_and_let_down() -> None:
    picking = Picking()
    grips_rim(picking.robot, PLATE)
    assert picking.attempt(on_table(PLATE)) == ""
    hand = picking.hand
    assert hand.roll != 0.0 and hand.level is not None and not hand.loose
    number = next(n for n, command in enumerate(picking.robot.commands) if command.get("gripper") == (0.0,))
    slid = picking.poses[number - 10 : number]
    assert np.ptp([pose.position[2] for pose in slid]) < 0.004, "the finger slides in level"
    assert abs((picking.poses[-1].rotation @ hand.axes)[2, 2]) > 0.95, "the plate is level"

    putting = Putting(hand)
    putting.robot = ObedientRobot(picking.robot.base, SPEC.chain.measured(picking.robot.body), 0.008, holding=True)
    putting.robot.stops_fingers = lambda: 0.008
    assert putting.attempt(bare_table()) == "" and putting.released is not None
    there = bottom(hand, putting.released)
    assert there.center[2] - there.half[2] == pytest.approx(0.72 + 0.012, abs=0.006)
    assert there.half[2] < 0.02, "it lies flat"
    opened = [command.get("gripper") for command in putting.robot.commands[putting.let_go :]]
    assert max(width[0] for width in opened if width) == pytest.approx(0.058), "only so far that the rim is free"
    after = np.array([pose.position for pose in putting.poses[putting.let_go :]])
    away = np.linalg.norm(after[:, :2] - putting.released.position[:2], axis=1)
    assert np.ptp(after[: np.argmax(away > 0.05)][:, 2]) < 0.01, "the finger slides out level"


FLAT = Box(np.array([0.5, 0.1, 0.74]), np.array([0.08, 0.11, 0.02]), 0.0, "can")


def flat_at(box: Box) -> Goal:
    """A goal to pick a flat block, which has no rim, from where it lies on the table."""
    return on_table(box, parts=(Solid("box", box.half, Pose(box.center, np.eye(3))),))


def test_a_flat_box_is_drawn_over_the_edge_and_taken_there_from_above_and_below() -> None:
    robot = ObedientRobot(Pose2(-0.8, 0.1, 0.0))
    picking, box, pressed = Picking(robot), FLAT, []
    skill = picking.skill
    robot.stops_fingers = lambda: 0.04 if box is not FLAT and _about(robot, box) else 0.0
    skill.start(Subtask("Pick", "can"), flat_at(FLAT), robot.observe())
    last = None
    while skill.outcome is Outcome.RUNNING:
        robot.act(skill.act(robot.observe()))
        hand = robot.gripper
        tip = hand.position + SPEC.fingers.reach * hand.rotation[:, 0]
        tip_low = tip[2] - SPEC.fingers.half_height * abs(hand.rotation[2, 2])
        on_it = box.distance(tip[:2]) == 0.0 and tip_low < box.center[2] + box.half[2] and hand.rotation[2, 0] < -0.4
        if on_it and not robot.body.holding and robot.body.gripper < 0.01:
            if last is not None:
                box = replace(box, center=box.center + np.array([*(tip - last)[:2], 0.0]))
            pressed.append(tip)
            last = tip
        else:
            last = None
        keeps_out(robot, flat_at(box))
        skill.revise(flat_at(box))
    assert skill.outcome is Outcome.SUCCEEDED, skill.reason
    moved = box.center - FLAT.center
    assert abs(moved[2]) == 0.0 and 0.02 < np.linalg.norm(moved) < 0.3
    assert find_pinch_grasps(box, TOP, (), Tool(SPEC.gripper_max, FINGERS)), "it hangs over the edge"
    assert TABLE.distance(box.center) == 0.0, "and lies on the table still"
    speeds = np.linalg.norm(np.diff(pressed, axis=0), axis=1) / SPEC.period
    assert max(speeds) < 0.13, "drawn slowly"
    assert min(point[2] for point in pressed) > FLAT.center[2] + FLAT.half[2] - 0.035, "pressed by two centimetres"
    assert robot.body.holding


def _about(robot: ObedientRobot, box: Box) -> bool:
    hand = robot.gripper
    tip = hand.position + SPEC.fingers.reach * hand.rotation[:, 0]
    return box.distance(tip[:2]) < 0.01 and abs(tip[2] - box.center[2]) < 0.03 and abs(hand.rotation[2, 1]) > 0.9
