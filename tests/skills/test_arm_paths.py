"""Ways of the arm: straight where that is free, over the top where something stands between, a reason where none is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.panda import HOME, SPEC
from homie.envs.mujoco.robots.bodies.panda_kinematics import GRIPPER_IN_TOOL, PandaKinematics
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Box, Pose
from skills.discrete_actions.arm_clearance import Clearance
from skills.discrete_actions.arm_paths import NoWay, find_way
from skills.discrete_actions.arm_skill_set import Arm

KINEMATICS = PandaKinematics()
DOWN = np.diag([1.0, -1.0, -1.0]) @ GRIPPER_IN_TOOL
LEFT, RIGHT = np.array([0.5, 0.2, 0.06]), np.array([0.5, -0.2, 0.06])
WALL = Box(np.array([0.5, 0.0, 0.07]), np.array([0.25, 0.01, 0.07]))
FLOOR = Box(np.array([0.3, 0.0, -0.02]), np.array([0.8, 0.8, 0.02]))


def joints_at(point: Array) -> Array:
    solution = KINEMATICS.solve(point, DOWN, HOME)
    assert solution.ok
    return solution.q


def clearance(q: Array, *boxes: Box, held: Box | None = None) -> Clearance:
    return Clearance(KINEMATICS, np.zeros(3), np.zeros(3), boxes, boxes, 0.04, q, held)


def along(q: Array, way: list[Array]) -> list[Array]:
    """Postures all along a way."""
    corners = [q, *way]
    return [a + (b - a) * t for a, b in pairwise(corners) for t in np.linspace(0.0, 1.0, 12)]


def test_a_free_way_is_straight():
    q = joints_at(LEFT)
    way = find_way(KINEMATICS, q, Pose(RIGHT, DOWN), clearance(q, FLOOR).describe_collision)
    points = np.array([KINEMATICS.forward(posture).position for posture in along(q, way)])
    assert np.abs(points[:, 2] - LEFT[2]).max() < 0.004 and np.abs(points[:, 0] - 0.5).max() < 0.004
    np.testing.assert_allclose(points[-1], RIGHT, atol=1e-3)


def test_a_wall_is_passed_over_the_top():
    q = joints_at(LEFT)
    obstructed = clearance(q, FLOOR, WALL).describe_collision
    way = find_way(KINEMATICS, q, Pose(RIGHT, DOWN), obstructed)
    postures = along(q, way)
    assert not any(obstructed(posture) for posture in postures)
    points = np.array([KINEMATICS.forward(posture).position for posture in postures])
    assert points[:, 2].max() > 0.14
    np.testing.assert_allclose(points[-1], RIGHT, atol=1e-3)


def test_what_the_hand_holds_is_kept_clear_too():
    q = joints_at(LEFT)
    held = Box(LEFT - np.array([0.0, 0.0, 0.02]), np.array([0.02, 0.02, 0.03]))
    low = Box(np.array([0.5, 0.0, 0.02]), np.array([0.25, 0.01, 0.025]))
    assert not clearance(q, low).describe_collision(joints_at(np.array([0.5, 0.0, 0.06])))
    sentence = clearance(q, low, held=held).describe_collision(joints_at(np.array([0.5, 0.0, 0.06])))
    assert sentence.startswith("what the hand holds would run into something at [")


def test_where_there_is_no_way_the_first_thing_in_it_is_reported():
    q = joints_at(LEFT)
    block = Box(RIGHT, np.array([0.1, 0.1, 0.05]))
    with pytest.raises(NoWay, match=r"would run into something at \[\d+, \d+, -?\d+\]"):
        find_way(KINEMATICS, q, Pose(RIGHT, DOWN), clearance(q, FLOOR, block).describe_collision)
    with pytest.raises(NoWay, match="does not reach there"):
        find_way(KINEMATICS, q, Pose(np.array([1.2, 0.0, 0.1]), DOWN), clearance(q, FLOOR).describe_collision)


def test_what_is_touched_at_the_start_may_be_left():
    q = joints_at(LEFT)
    around = Box(LEFT - np.array([0.0, 0.0, 0.03]), np.array([0.05, 0.05, 0.03]))
    obstructed = clearance(q, around).describe_collision
    assert not obstructed(q) and not obstructed(joints_at(LEFT + np.array([0.0, 0.0, 0.1])))
    assert obstructed(joints_at(LEFT - np.array([0.0, 0.0, 0.03])))


def test_the_skill_set_is_for_arms_on_tables():
    assert [skill.actions for skill in Arm().skills(SPEC, KINEMATICS)] == [("Move",)]
    with pytest.raises(BadInput, match="takes no argument"):
        Arm("fast")
