"""Looking around with one camera on a head that turns."""

from __future__ import annotations

import math

import pytest

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import VIEWS
from ros_bridge.robot.turning import ANGLES, can_turn, look_around
from tests.homes import one_room


@pytest.fixture(scope="module")
def robot():
    with MujocoHome(one_room(robot=(2.0, 2.0, 0.7)), picture_size=(16, 16)) as home:
        yield home


def test_every_view_shows_its_side_and_the_robot_stands_as_before(robot):
    assert can_turn(robot.spec)
    frames = look_around(robot, VIEWS, lambda: robot.observe(["head"]).frames["head"])
    assert tuple(frames) == VIEWS == tuple(frame.name for frame in frames.values())
    for view, frame in frames.items():
        ahead = frame.pose.rotation[:, 2]  # of an optical frame z looks ahead
        off = math.remainder(math.atan2(ahead[1], ahead[0]) - 0.7 - ANGLES[view], math.tau)
        assert abs(off) < 0.06, view
        assert ahead[2] < -0.2, "it looks down a little"
    body = robot.measured()
    assert abs(math.remainder(body.base.yaw - 0.7, math.tau)) < 0.03
    assert abs(body.joints["head_pan_joint"]) < 0.03


def test_what_the_head_can_see_does_not_turn_the_base(robot):
    before = robot.measured().base
    look_around(robot, ("left", "right"), lambda: robot.observe(["head"]).frames["head"])
    assert abs(robot.measured().base.yaw - before.yaw) < 0.01


def test_the_base_turns_by_no_more_than_the_head_cannot_and_the_head_to_each_side_once(robot):
    before, turned = robot.measured().base, []

    def look():
        body = robot.measured()
        base = math.remainder(body.base.yaw - before.yaw, math.tau)
        turned.append((base, body.joints["head_pan_joint"]))
        return robot.observe(["head"]).frames["head"]

    look_around(robot, VIEWS, look)
    quarter = math.pi / 2
    expected = [(0, 0), (0, -quarter), (0, quarter), (quarter, quarter)]
    assert turned == [pytest.approx(pair, abs=0.05) for pair in expected]
