"""Fingers that slide and fingers that turn: a gap in metres on one side, what the robot counts on the other."""

from __future__ import annotations

import threading
import time

import pytest
import yaml

from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.types import Pose2
from ros_bridge.guard.command_checks import check_grip
from ros_bridge.guard.commands_to_robot import RosOutlet
from ros_bridge.guard.messages import Grip
from ros_bridge.profiles.model import parse_profile
from ros_bridge.profiles.parts import Gripper
from ros_bridge.robot.proprioception import BodySensors
from ros_bridge.served_robot import ServedRobot
from ros_bridge.transport.interface import SENSOR
from tests.ros_bridge.serving.test_served import FETCH, Puppet
from tests.waiting import until

KINDS = {
    "two that slide": ({"joints": ("l", "r")}, 0.06, [0.03, 0.03]),
    "one that counts the gap": ({"joints": ("l",)}, 0.06, [0.06]),
    "one that counts its own way": ({"joints": ("l",), "position": "finger"}, 0.03, [0.03]),
    "a knuckle, 0 when open": ({"joints": ("k",), "position": "angle", "open": 0.0, "closed": 0.8}, 0.32, [0.32]),
    "a jaw, open upwards": ({"joints": ("k",), "position": "angle", "open": 1.74, "closed": -0.17}, 0.976, [0.976]),
}
"""Of each the profile, and for a gap of 0.06 of 0.1 m the command and the joint states."""


def profile_with(**gripper: object):
    fields = {"action": "/gripper_controller/gripper_action", "width": 0.1, "effort": 60, **gripper}
    return FETCH.model_copy(update={"gripper": Gripper(**fields)})


@pytest.mark.parametrize("trajectory", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_gap_is_commanded_and_felt_as_the_robot_counts(nodes, kind, trajectory):
    gripper, command, states = KINDS[kind]
    profile = profile_with(**gripper, trajectory=trajectory)
    robot, over, reported, received = Puppet(), threading.Event(), [], {}
    served = ServedRobot(nodes("/robot"), robot, profile)
    thread = threading.Thread(target=served.run, args=(over.is_set,))
    thread.start()
    try:
        node = nodes("/agent")
        measurements, outlet = BodySensors(node, profile, robot.spec, Pose2(0.0, 0.0, 0.0)), RosOutlet(node, profile)
        node.subscription(
            "sensor_msgs/msg/JointState",
            profile.joint_states,
            lambda message: received.update(zip(message.name, message.position, strict=True)),
            SENSOR,
        )
        until(lambda: outlet._gripper.ready() and received)
        outlet.grip(Grip(id=1, width=0.06, effort=20.0, stamp=time.monotonic()), reported.append)
        until(lambda: reported)
        assert reported[0].outcome == "succeeded"
        assert reported[0].position == (None if trajectory else pytest.approx(command))
        assert robot.opening == pytest.approx(0.06)
        until(lambda: measurements.body().gripper == pytest.approx(0.06, abs=1e-4))
        until(lambda: [received[name] for name in profile.gripper.joints] == pytest.approx(states, abs=1e-4))
    finally:
        over.set()
        thread.join()


def test_fingers_that_a_trajectory_does_not_close_hold_something(nodes):
    profile = profile_with(joints=("l", "r"), trajectory=True)
    robot, over, reported = Puppet(), threading.Event(), []
    robot.least = 0.05
    robot.opening = 0.09
    served = ServedRobot(nodes("/robot"), robot, profile)
    thread = threading.Thread(target=served.run, args=(over.is_set,))
    thread.start()
    try:
        outlet = RosOutlet(nodes("/agent"), profile)
        until(outlet._gripper.ready)
        outlet.grip(Grip(id=1, width=0.0, effort=20.0, stamp=time.monotonic()), reported.append)
        until(lambda: reported)
        assert (reported[0].outcome, reported[0].stalled) == ("succeeded", True)
        assert "0.050 m apart" in reported[0].text
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("kind", KINDS)
def test_gap_and_command_are_each_the_other(kind):
    gripper = profile_with(**KINDS[kind][0]).gripper
    for gap in (0.0, 0.037, 0.1):
        positions, speeds = gripper.joint_states(gap, 0.2)
        assert gripper.gap_of(gripper.command_position(gap)) == pytest.approx(gap, abs=1e-12)
        assert gripper.measured(positions) == pytest.approx(gap, abs=1e-12)
        assert gripper.rate(speeds) == pytest.approx(0.2)


def test_the_guard_takes_the_gap_that_the_fingers_have():
    profile = profile_with(joints=("k",), position="angle", open=0.0, closed=0.8)
    check_grip(profile, Grip(id=1, width=0.1, effort=20, stamp=0.0))
    with pytest.raises(CommandRefused, match=r"The gap 0.8 m is outside 0\.\.0\.1"):
        check_grip(profile, Grip(id=1, width=0.8, effort=20, stamp=0.0))


@pytest.mark.parametrize(
    ("gripper", "sentence"),
    [
        ({"position": "angle"}, "needs two different angles, `open` and `closed`"),
        ({"position": "angle", "open": 0.0}, "needs two different angles"),
        ({"position": "angle", "open": 0.5, "closed": 0.5}, "needs two different angles"),
        ({"open": 0.0, "closed": 0.8}, "`open` and `closed` are for `position: angle`"),
        ({"position": "angle", "open": 0.0, "closed": 0.8, "joints": ["a", "b"]}, "name the one joint whose angle"),
        ({"trajectory": True}, "`trajectory: true` needs the `joints`"),
    ],
)
def test_half_an_angle_is_refused(gripper, sentence):
    fields = {"action": "/g", "width": 0.1, "effort": 60, **gripper}
    text = yaml.safe_dump({"name": "hand", "frames": {"effector": "hand"}, "gripper": fields})
    with pytest.raises(BadInput, match=sentence):
        parse_profile(text, "here")
