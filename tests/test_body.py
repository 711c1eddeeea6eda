"""What a body is said to be and to do: groups, looking at a point, standing still, what numbers of a hand mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from homie_tiny import TinyRobot

from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.robot.body import Group, Joint, Kind, RobotSpec, is_at_rest
from homie.kernel.robot.conventions import HandConventions, check_period
from homie.kernel.scenes import Scenes
from homie.kernel.types import Command, GripperState, Pose, Pose2, Proprioception

HEAD = Group("head", "head", (Joint("pan", -1.0, 1.0, 1.0), Joint("tilt", -0.5, 1.4, 1.0)))
LIFT = Group("torso", "torso", (Joint("lift", 0.0, 0.4, 0.1),))
GRIPPER = Group.gripper(opening=0.1, speed=0.2)
BASE = Group.base(linear=1.0, angular=2.0, linear_acceleration=0.5, angular_acceleration=4.0)


def spec(*groups: Group, **more: object) -> RobotSpec:
    return RobotSpec(name="cart", groups=groups, period=0.1, **more)  # type: ignore[arg-type]


# ---------------------------------------------------------------- groups


def test_what_a_body_lacks_counts_as_nothing() -> None:
    cart, bare = spec(BASE, GRIPPER), spec()
    assert (cart.max_linear, cart.max_angular) == (1.0, 2.0)
    assert (cart.max_linear_acceleration, cart.max_angular_acceleration) == (0.5, 4.0)
    assert (cart.gripper_max, cart.gripper_speed) == (0.1, 0.2)
    for value in (bare.max_linear, bare.max_angular, bare.max_linear_acceleration, bare.max_angular_acceleration):
        assert value == 0.0
    assert (bare.gripper_max, bare.gripper_speed, bare.head, bare.first("base"), bare.of("arm")) == (
        0,
        0,
        None,
        None,
        (),
    )


@pytest.mark.parametrize(
    ("kind", "command"), [("base", lambda body: body.drive(0.5, 0.1)), ("gripper", lambda body: body.grip(0.05))]
)
def test_a_command_for_what_a_body_lacks_is_refused(kind: Kind, command) -> None:  # type: ignore[no-untyped-def]
    assert command(spec(BASE, GRIPPER)).get(kind) in ((0.5, 0.1), (0.05,))
    with pytest.raises(BadInput, match=rf"^The cart has no {kind}\.$"):
        command(spec())


def test_only_a_head_of_two_joints_can_look_somewhere() -> None:
    neck = Group("neck", "head", (Joint("nod", -1.0, 1.0, 1.0),))
    assert spec(neck).head is None and spec(neck).gaze(np.array([1.0, 0.0, 0.0]), 0.0) is None
    assert spec(neck, HEAD).head == HEAD and spec(neck, HEAD).first("head") == neck


@pytest.mark.parametrize(
    ("point", "lift", "pan", "tilt"),
    [
        ((2.0, 0.0, 1.0), 0.0, 0.0, 0.0),
        ((2.2, 0.0, 0.0), 0.0, 0.0, math.atan2(1.0, 2.0)),
        ((2.2, 0.0, 0.0), 0.4, 0.0, math.atan2(1.4, 2.0)),
        ((1.0, 1.0, 1.0), 0.0, math.pi / 4, 0.0),
        ((0.0, 1.0, 1.0), 0.0, 1.0, 0.0),
        ((0.0, -1.0, 1.0), 0.0, -1.0, 0.0),
        ((0.0, 0.0, 0.0), 0.0, 0.0, 1.4),
        ((0.3, 0.0, 3.0), 0.0, 0.0, -0.5),
    ],
)
def test_the_head_looks_at_a_point_as_far_as_it_can_turn(
    point: tuple[float, float, float], lift: float, pan: float, tilt: float
) -> None:
    body = spec(LIFT, HEAD, eye=(0.2, 0.0, 1.0))
    assert body.gaze(np.array(point), lift) == pytest.approx((pan, tilt))


# ---------------------------------------------------------------- standing still


def measurement(
    linear: float = 0.0, angular: float = 0.0, lift: float = 0.1, speed: float | None = 0.0, gripper: float = 0.0
) -> Proprioception:
    return Proprioception(
        Pose2(0.0, 0.0, 0.0),
        (linear, angular),
        {"lift": lift},
        {"gripper": GripperState(0.05, speed=gripper)},
        {} if speed is None else {"lift": speed},
    )


@pytest.mark.parametrize(
    ("now", "still"),
    [
        (measurement(), True),
        (measurement(linear=0.01), True),
        (measurement(linear=-0.0101), False),
        (measurement(linear=math.nan), False),
        (measurement(angular=-0.02), True),
        (measurement(angular=0.0201), False),
        (measurement(angular=math.nan), False),
        (measurement(speed=0.02), True),
        (measurement(speed=-0.0201), False),
        (measurement(speed=math.nan), False),
        (measurement(gripper=0.01), True),
        (measurement(gripper=-0.0101), False),
    ],
)
def test_below_what_a_standing_robot_reports_it_stands(now: Proprioception, still: bool) -> None:
    assert is_at_rest(now, None, 0.1) is still


def test_an_omnidirectional_base_has_a_third_velocity() -> None:
    rates = {"linear_acceleration": 0.5, "angular_acceleration": 4.0}
    cart = spec(Group.base(linear=1.0, angular=2.0, sideways=0.4, **rates))
    assert cart.groups[0].names == ("linear", "angular", "sideways")
    assert cart.groups[0].limits[2].tolist() == [-0.4, 0.4] and cart.groups[0].accelerations[2] == 0.5
    assert cart.drive(0.3, 0.1).get("base") == (0.3, 0.1, 0.0)
    assert is_at_rest(replace(measurement(), base_velocity=(0.0, 0.0, 0.01)), None, 0.1)
    assert not is_at_rest(replace(measurement(), base_velocity=(0.0, 0.0, -0.0101)), None, 0.1)


@pytest.mark.parametrize(("before", "still"), [(0.1, True), (0.0985, True), (0.097, False), (0.103, False)])
def test_a_joint_without_a_speed_counts_by_its_way(before: float, still: bool) -> None:
    """Over a period of 0.1 s, 0.002 rad are as fast as a joint may be that stands."""
    now = measurement(speed=None)
    assert not is_at_rest(now, None, 0.1), "nobody knows"
    assert is_at_rest(now, measurement(lift=before, speed=None), 0.1) is still


# ---------------------------------------------------------------- poses of the hand


def test_a_pose_of_the_hand_is_for_robots_with_an_arm_and_finite() -> None:
    robot = TinyRobot()
    robot.reset(seed=0)
    pose = Pose(np.zeros(3), np.eye(3))
    robot.act(Command(effector=pose))
    for wrong in (
        replace(pose, position=np.array([0.0, math.nan, 0.0])),
        replace(pose, rotation=np.full((3, 3), math.inf)),
    ):
        with pytest.raises(CommandRefused, match=r"^Command refused: effector holds a value that is not finite\.$"):
            robot.act(Command(effector=wrong))
    message = r"^Command refused: effector and \w+ are told at once\.$"  # codespell:ignore
    with pytest.raises(CommandRefused, match=message):
        robot.act(Command({robot.spec.chain.groups[0].name: (0.0,)}, effector=pose))
    robot.spec = spec(BASE)
    with pytest.raises(
        CommandRefused, match=r"^Command refused: cart has no arm, so no effector to bring to a pose\.$"
    ):
        robot.act(Command(effector=pose))


HAND = HandConventions(position="delta", frame="base", rotation="euler-xyz", gripper="open-is-1")


def test_what_a_policy_means_must_be_what_is_taken() -> None:
    facts = {"position": "delta", "frame": "base", "rotation": "euler-xyz", "gripper": "open-is-1"}
    assert HAND.facts() == facts
    HAND.check("The policy", {**facts, "images": 2})
    with pytest.raises(
        BadInput, match=r"^The policy declares 'gripper' for the convention 'frame', and 'base' is taken here\.$"
    ):
        HAND.check("The policy", {**facts, "frame": "gripper"})
    del facts["rotation"]
    with pytest.raises(BadInput, match=r"^It declares nothing for the convention 'rotation', and 'euler-xyz' is taken"):
        HAND.check("It", facts)


def test_nobody_decides_faster_than_the_robot_takes_commands() -> None:
    check_period("The policy", 0.1, 0.1)
    check_period("The policy", 0.3 - 0.2, 0.1)  # a hair less, by rounding
    check_period("The policy", 0.5, 0.1)
    with pytest.raises(
        BadInput, match=r"^The policy gives a motion every 0\.0999 s, and the robot takes one every 0\.1 s"
    ):
        check_period("The policy", 0.0999, 0.1)


def test_a_choice_of_a_suite_is_handed_on_as_it_was_written() -> None:
    from homie.kernel.options import HouseOptions

    class House(Scenes):
        Choice = HouseOptions

    assert House().options("mujoco", HouseOptions(rooms=3)) == {"rooms": 3}
