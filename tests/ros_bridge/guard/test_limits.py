"""Each limit of the guard at its edge: what is just allowed passes, what is just over it is refused in its sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from homie.kernel.errors import CommandRefused
from ros_bridge.guard import command_checks as limits
from ros_bridge.guard.messages import Aim, Grip, Heartbeat, Navigate, Obstacle, Point, Reach, Trajectory, Velocity
from ros_bridge.profiles.model import Profile, read_profile

FETCH, FRANKA = read_profile("fetch"), read_profile("franka")
JOINT = {"lower": -1.0, "upper": 2.0, "velocity": 0.5, "acceleration": 1.0}
ARM = Profile.model_validate(
    {
        "name": "two_links",
        "frames": {"effector": "hand"},
        "groups": {
            "arm": {
                "action": "/arm/follow",
                "stream": "/arm/stream",
                "joints": [{"name": "shoulder", **JOINT}, {"name": "elbow", **JOINT, "velocity": 1.0}],
            },
            "lift": {"action": "/lift/follow", "joints": [{"name": "lift", **JOINT, "lower": 0.5}]},
        },
        "gripper": {"action": "/grip", "width": 0.1, "effort": 50},
        "chain": [
            {"joint": "shoulder", "kind": "revolute"},
            {"joint": "elbow", "kind": "revolute", "xyz": [1, 0, 0]},
            {"joint": "hand", "kind": "fixed", "xyz": [1, 0, 0]},
        ],
        "reaching": {"group": "arm", "moves": ["arm"]},
    }
)
"""Two links of 1 m that turn about z: with straight joints the hand is at 2 0 0."""
AT_REST = {"shoulder": 0.0, "elbow": 0.0, "lift": 1.0}
BOXED = ARM.model_copy(
    update={"workspace": limits.Workspace.model_validate({"lower": [0.0, -3.0, -1.0], "upper": [2.5, 3.0, 1.0]})}
)
"""The hand may not go behind the shoulder."""


def refusal(check, *arguments):
    """Why a check refuses something, "" if it does not."""
    try:
        check(*arguments)
    except CommandRefused as error:
        return str(error)
    return ""


# ------------------------------------------------------------ time


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        (0.0, ""),
        (-0.25, ""),
        (-0.26, "It is 0.26 s old, at most 0.25 s are allowed."),
        (-1.0, "It is 1.00 s old"),
        (0.05, ""),
        (0.06, "Its stamp is 0.06 s in the future: it must be time.monotonic()."),
        (0.5, "Its stamp is 0.50 s in the future"),
        (math.nan, "not finite"),
        (math.inf, "not finite"),
    ],
)
def test_a_stamp_is_of_the_last_quarter_of_a_second(stamp, words):
    assert refusal(limits.check_stamp, stamp, 0.0).startswith(words) or words in refusal(limits.check_stamp, stamp, 0.0)
    assert bool(refusal(limits.check_stamp, stamp, 0.0)) is bool(words)


# ------------------------------------------------------------ the base


def velocity(linear=0.0, angular=0.0, frame="base_link"):
    return Velocity(linear=linear, angular=angular, frame=frame, stamp=0.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_velocity_may_be_as_high_as_the_limit_and_its_rounding(sign):
    for linear, angular in ((0.51, 0.0), (0.0, 1.02), (0.1, -0.2)):
        command = velocity(sign * linear, sign * angular)
        assert limits.check_velocity(FETCH, command) == (command.linear, command.angular, 0.0)
    assert refusal(limits.check_velocity, FETCH, velocity(sign * 0.52)).startswith("The linear velocity")
    assert refusal(limits.check_velocity, FETCH, velocity(0.0, sign * 1.03)).startswith("The angular velocity")


@pytest.mark.parametrize("sign", [1, -1])
def test_only_a_base_that_can_drives_to_the_side_as_fast_as_its_limit(sign):
    base = FETCH.base.model_copy(update={"sideways": 0.2})
    omnidirectional = FETCH.model_copy(update={"base": base})
    aside = velocity(0.1, 0.2).model_copy(update={"sideways": sign * 0.2})
    assert limits.check_velocity(omnidirectional, aside) == (0.1, 0.2, sign * 0.2)
    faster = aside.model_copy(update={"sideways": sign * 0.21})
    assert refusal(limits.check_velocity, omnidirectional, faster).startswith("The sideways velocity")
    assert "does not drive to the side: its profile has no `sideways`" in refusal(limits.check_velocity, FETCH, aside)
    endless = aside.model_copy(update={"sideways": math.nan})
    assert refusal(limits.check_velocity, omnidirectional, endless) == "The velocity is not finite."
    assert limits.check_driven(omnidirectional, 0.64, 0.0) == "" and limits.check_driven(FETCH, 0.64, 0.0)


def test_an_arm_on_a_table_has_no_velocity():
    assert refusal(limits.check_velocity, FRANKA, velocity()) == "The robot franka has no base that drives."


def test_a_group_without_an_action_follows_no_trajectory():
    torso = FETCH.groups["torso"].model_copy(update={"action": None})
    command = Trajectory(
        id=1, group="torso", joints=("torso_lift_joint",), points=(Point(positions=(0.1,), time=4.0),), stamp=0.0
    )
    low = {"torso_lift_joint": 0.0}
    free = FETCH.model_copy(update={"workspace": None})
    streamed = free.model_copy(update={"groups": {"torso": torso}})
    assert refusal(limits.check_trajectory, free, command, low) == ""
    assert "names no `action` for 'torso'" in refusal(
        limits.check_trajectory, streamed, command, {"torso_lift_joint": 0.0}
    )


@pytest.mark.parametrize("place", [(math.nan, 0, 0), (0, math.inf, 0), (0, 0, math.nan)])
def test_a_place_is_finite(place):
    x, y, yaw = place
    command = Navigate(id=1, x=x, y=y, yaw=yaw, frame="odom", stamp=0.0)
    assert refusal(limits.check_navigate, FETCH, command) == "The place is not finite."


def test_a_place_is_in_the_odometry_frame_of_a_robot_with_navigation():
    command = Navigate(id=1, x=1, y=1, yaw=0, frame="odom", stamp=0.0)
    assert refusal(limits.check_navigate, FETCH, command) == ""
    other = command.model_copy(update={"frame": "map"})
    assert refusal(limits.check_navigate, FETCH, other) == "A place is in the frame 'odom', not 'map'."
    assert "names no navigation" in refusal(limits.check_navigate, ARM, command)


def test_how_fast_navigation_may_drive():
    over = 1.2
    assert limits.check_driven(FETCH, 0.5 * over, -1.0 * over) == ""
    assert limits.check_driven(FETCH, -0.5 * over - 0.01, 0.0).endswith(
        "drives at -0.61 m/s and 0.00 rad/s, over the limits"
    )
    assert limits.check_driven(FETCH, 0.0, over + 0.01).endswith("drives at 0.00 m/s and 1.21 rad/s, over the limits")
    assert limits.check_driven(FRANKA, 9.0, 9.0) == ""


# ------------------------------------------------------------ planned motions


def reach(positions=(0.1, 0.2), boxes=(), held=(), **changes):
    fields = {"joints": ("shoulder", "elbow"), "frame": "base_link", "stamp": 0.0, **changes}
    return Reach(id=1, positions=positions, boxes=boxes, held=held, **fields)


def box(center=(1, 0, 0), half=(0.1, 0.1, 0.1), yaw=0.0):
    return Obstacle(center=center, half=half, yaw=yaw)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (reach(boxes=(box(),), held=((0, 0, 0, 0.1),)), ""),
        (reach(frame="odom"), "Obstacles are in the frame 'base_link', not 'odom'."),
        (reach(joints=("elbow", "shoulder")), "The goal must have the joints shoulder, elbow, in this order."),
        (reach((0.1,)), "The goal must have the joints shoulder, elbow"),
        (reach((0.1, math.nan)), "The goal is not finite."),
        (reach(boxes=(box(center=(math.inf, 0, 0)),)), "The goal is not finite."),
        (reach(boxes=(box(half=(1, math.nan, 1)),)), "The goal is not finite."),
        (reach(boxes=(box(yaw=math.nan),)), "The goal is not finite."),
        (reach(held=((0, 0, math.nan, 0.1),)), "The goal is not finite."),
        (reach(boxes=(box(), box(half=(1, 0, 1)))), "must be above 0"),
        (reach(held=((0, 0, 0, 0.0),)), "must be above 0"),
        (reach((2.0, -1.0)), ""),
        (reach((2.1, 0.0)), "shoulder at 2.1 is outside -1..2."),
        (reach((0.0, -1.1)), "elbow at -1.1 is outside -1..2."),
    ],
)
def test_the_goal_of_a_planner(command, words):
    assert refusal(limits.check_reach, ARM, command, AT_REST).startswith(words) or words in refusal(
        limits.check_reach, ARM, command, AT_REST
    )
    assert bool(refusal(limits.check_reach, ARM, command, AT_REST)) is bool(words)


def test_the_goal_of_a_planner_keeps_the_hand_in_its_workspace():
    assert refusal(limits.check_reach, BOXED, reach((1.9, 0.0)), AT_REST) == (
        "The effector would leave its workspace at -0.65 1.89 0.00."
    )
    planless = ARM.model_copy(update={"reaching": None})
    assert "names no planner" in refusal(limits.check_reach, planless, reach(), AT_REST)


@pytest.mark.parametrize(
    ("positions", "speeds", "words"),
    [
        ({"shoulder": 2.05, "elbow": -1.05}, {"shoulder": 0.6, "elbow": -1.2}, ""),
        ({"shoulder": 2.06}, {}, "the robot's own planner moves shoulder to 2.06, outside its limits"),
        ({"elbow": -1.06}, {}, "moves elbow to -1.06, outside its limits"),
        ({}, {"shoulder": 0.61}, "the robot's own planner moves shoulder at 0.61, its limit is 0.5"),
        ({}, {"elbow": -1.21}, "moves elbow at -1.21, its limit is 1"),
        ({}, {"lift": 9.0}, ""),
    ],
)
def test_what_a_planner_does_is_watched(positions, speeds, words):
    refused = limits.check_reached(ARM, positions, speeds)
    assert refused.endswith(words) and bool(refused) is bool(words)


@pytest.mark.parametrize(("low", "high"), [(0.5, 2.0), (-2.0, -0.5), (-1.0, 1.0)])
def test_a_joint_of_a_planner_that_is_not_measured_is_not_outside_its_limits(low, high):
    joint = ARM.groups["lift"].joints[0].model_copy(update={"lower": low, "upper": high})
    lift = ARM.groups["lift"].model_copy(update={"joints": (joint,)})
    reaching = ARM.reaching.model_copy(update={"moves": ("lift",)})
    assert limits.check_reached(ARM.model_copy(update={"groups": {"lift": lift}, "reaching": reaching}), {}, {}) == ""


def test_a_joint_of_a_planner_that_is_measured_outside_its_limits():
    lifted = ARM.model_copy(update={"reaching": ARM.reaching.model_copy(update={"moves": ("lift",)})})
    assert limits.check_reached(lifted, {"lift": 0.0}, {}) != ""


def test_which_parts_a_command_has_to_itself():
    points = (Point(positions=(0.1,), time=1.0),)
    follow = Trajectory(id=1, group="lift", joints=("lift",), points=points, stamp=0.0)
    assert limits.parts_of(ARM, follow) == ("lift",)
    assert limits.parts_of(ARM, Navigate(id=1, x=0, y=0, yaw=0, frame="odom", stamp=0.0)) == (limits.BASE,)
    assert limits.parts_of(ARM, reach()) == ("arm", limits.BASE)
    planless = ARM.model_copy(update={"reaching": None})
    assert limits.parts_of(planless, reach()) == () == limits.parts_of(ARM, Heartbeat())


# ------------------------------------------------------------ the gripper


@pytest.mark.parametrize(
    ("width", "effort", "words"),
    [
        (0.0, 50, ""),
        (0.1, 51, ""),
        (0.102, 0.5, ""),
        (-0.001, 50, "The gap -0.001 m is outside 0..0.1."),
        (0.103, 50, "The gap 0.103 m is outside 0..0.1."),
        (0.05, 0, "The force 0 N is outside 0..50."),
        (0.05, -1, "The force -1 N is outside 0..50."),
        (0.05, 52, "The force 52 N is outside 0..50."),
        (math.nan, 50, "The grip is not finite."),
        (0.05, math.inf, "The grip is not finite."),
    ],
)
def test_a_grip(width, effort, words):
    assert refusal(limits.check_grip, ARM, Grip(id=1, width=width, effort=effort, stamp=0.0)) == words


def test_a_robot_without_a_gripper():
    handless = ARM.model_copy(update={"gripper": None})
    command = Grip(id=1, width=0.0, effort=1, stamp=0.0)
    assert refusal(limits.check_grip, handless, command) == "The robot two_links has no gripper."


# ------------------------------------------------------------ aims


def aim(*positions, group="arm"):
    return Aim(group=group, positions=positions, stamp=0.0)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (aim(2.0, -1.0), ""),
        (aim(2.0 + 5e-7, -1.0 - 5e-7), ""),
        (aim(2.01, 0.0), "shoulder at 2.01 is outside -1..2."),
        (aim(0.0, -1.01), "elbow at -1.01 is outside -1..2."),
        (aim(0.0), "The aim takes 2 positions, of shoulder and elbow; got 1."),
        (aim(0.0, math.inf), "The aim is not finite."),
        (aim(0.0, group="leg"), "The robot has no group 'leg': it has arm, lift."),
        (aim(0.0, group="lfit"), "The robot has no group 'lfit': did you mean 'lift'?"),
        (aim(1.0, group="lift"), "The profile two_links names no `stream` for 'lift'"),
    ],
)
def test_an_aim(command, words):
    refused = refusal(limits.check_aim, ARM, command, AT_REST)
    assert refused.startswith(words) and bool(refused) is bool(words)


def test_an_aim_needs_to_know_where_its_joints_are():
    assert refusal(limits.check_aim, ARM, aim(0.0, 0.0), {"shoulder": 0.0}) == (
        "The position of the joint 'elbow' has not been measured."
    )


def test_the_chain_has_to_be_measured_where_there_is_a_workspace():
    lifts = (Point(positions=(1.1,), time=9.0),)
    command = Trajectory(id=1, group="lift", joints=("lift",), points=lifts, stamp=0.0)
    assert refusal(limits.check_trajectory, ARM, command, {"lift": 1.0}) == ""
    assert "the joint 'shoulder' has not been measured" in refusal(
        limits.check_trajectory, BOXED, command, {"lift": 1.0}
    )


# ------------------------------------------------------------ trajectories


def follow(*points, joints=("shoulder", "elbow"), group="arm"):
    path = tuple(Point(positions=positions, time=time) for time, *positions in points)
    return Trajectory(id=1, group=group, joints=joints, points=path, stamp=0.0)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (follow((10.0, 0.5, 0.5)), ""),
        (follow((10.0, 0.5, 0.5), joints=("elbow", "shoulder")), ""),
        (follow((10.0, 0.5, 0.5), joints=("elbow", "elbow")), "must name the joints shoulder, elbow, each once."),
        (follow(), "The trajectory has no points."),
        (follow((1.0, 0.1)), "A point takes 2 positions, of shoulder and elbow; got 1."),
        (follow((10.0, math.nan, 0)), "The trajectory is not finite."),
        (follow((math.inf, 0.1, 0)), "The trajectory is not finite."),
        (follow((120.0, 0.5, 0)), ""),
        (follow((121.0, 0.5, 0)), "to at most 120 s."),
        (follow((0.0, 0, 0)), ""),
        (follow((0.0, 0, 0), (0.001, 0, 0), (0.0021, 0, 0)), ""),
        (follow((0.0005, 0, 0)), "must rise, by 0.001 s or more"),
        (follow((1.0, 0, 0), (1.0005, 0, 0)), "must rise, by 0.001 s or more"),
        (follow((1.0, 0, 0), (0.5, 0, 0)), "must rise"),
        (follow((0.0, 0.05, 0)), ""),
        (follow((0.0, 0.06, 0)), "The trajectory begins elsewhere than the joints are."),
        (follow((9.0, 2.1, 0)), "shoulder at 2.1 is outside -1..2."),
        (follow((9.0, 2.1, 0), (20.0, 2.5, 0), (30.0, 2.2, 0)), "shoulder at 2.5 is outside -1..2."),
        (follow((9.0, -1.1, 0), (20.0, -1.6, 0), (30.0, -1.2, 0)), "shoulder at -1.6 is outside -1..2."),
    ],
)
def test_the_form_of_a_trajectory(command, words):
    refused = refusal(limits.check_trajectory, ARM, command, AT_REST)
    assert words in refused and bool(refused) is bool(words)


def test_the_joints_of_a_trajectory_come_in_its_own_order():
    command = follow((1.0, 0.9, 0.0), joints=("elbow", "shoulder"))
    quick = ARM.groups["arm"].joints[1].model_copy(update={"acceleration": 100.0})
    group = ARM.groups["arm"].model_copy(update={"joints": (ARM.groups["arm"].joints[0], quick)})
    fast = ARM.model_copy(update={"groups": {"arm": group}})
    assert refusal(limits.check_trajectory, fast, command, AT_REST) == ""
    assert "speed of shoulder" in refusal(limits.check_trajectory, fast, follow((1.0, 0.9, 0.0)), AT_REST)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        # A way of 0.5 rad in a second is at the limit of 0.5 rad/s; it stands before and after.
        ([(1.0, 0.125, 0), (2.0, 0.375, 0), (3.0, 0.5, 0)], ""),
        ([(1.0, 0.25, 0), (2.0, 0.76, 0), (3.0, 1.0, 0)], ""),
        ([(1.0, 0.25, 0), (2.0, 0.77, 0), (3.0, 1.0, 0)], "The speed of shoulder would be 0.52, its limit is 0.5."),
        ([(1.0, -0.25, 0), (2.0, -0.77, 0), (3.0, -0.8, 0)], "The speed of shoulder would be 0.52"),
        ([(1.0, 0, 0.4), (2.0, 0, 1.3), (3.0, 0, 1.7)], ""),
        # 0.26 rad in half a second after standing: 0.52 rad/s in a quarter of a second.
        ([(0.5, 0.12, 0), (1.0, 0.24, 0), (2.0, 0.24, 0)], ""),
        ([(0.5, 0, 0.26), (2.0, 0, 0.5)], "The acceleration of elbow would be 2.08, its limit is 1."),
        ([(2.0, 0, 0.5), (2.5, 0, 0.8)], "The acceleration of elbow would be 2.4, its limit is 1."),
        ([(2.0, 0, 0.5), (2.5, 0, 0.9), (4.0, 0, 0.9)], ""),
    ],
)
def test_speeds_and_accelerations_between_the_points(points, words):
    assert refusal(limits.check_trajectory, ARM, follow(*points), AT_REST) == words or (
        words and refusal(limits.check_trajectory, ARM, follow(*points), AT_REST).startswith(words)
    )


def test_a_trajectory_that_begins_at_once_is_measured_from_its_first_point():
    begins = follow((0.0, 0.04, 0), (1.0, 0.29, 0), (2.0, 0.29, 0))
    assert refusal(limits.check_trajectory, ARM, begins, AT_REST) == ""
    quick = follow((0.0, 0.04, 0), (0.2, 0.29, 0), (2.0, 0.29, 0))
    assert "speed of shoulder would be 1.25" in refusal(limits.check_trajectory, ARM, quick, AT_REST)


# ------------------------------------------------------------ the workspace


SLOW = 30.0


def test_the_whole_way_is_looked_at():
    over_the_top = follow((SLOW, 1.0, 1.6), (2 * SLOW, -1.0, -0.9))
    assert refusal(limits.check_trajectory, BOXED, follow((SLOW, 0.5, 0.5)), AT_REST) == ""
    inside = {**AT_REST, "shoulder": 1.0, "elbow": 0.0}
    # From one side to the other by a place behind: both ends are inside.
    behind = follow((SLOW, 2.0, 2.0), (2 * SLOW, 1.0, 0.0))
    assert "The effector would leave its workspace" in refusal(limits.check_trajectory, BOXED, behind, inside)
    assert refusal(limits.check_trajectory, BOXED, over_the_top, AT_REST).startswith("The effector would leave")


def test_between_two_points_the_hand_is_looked_at_every_tenth_of_a_radian():
    low = BOXED.workspace.model_copy(update={"upper": (1.995, 3.0, 1.0)})
    narrow = BOXED.model_copy(update={"workspace": low})
    start = {**AT_REST, "shoulder": -0.8}
    through = follow((SLOW, 1.0, 0.0))
    assert "would leave its workspace at 2.0" in refusal(limits.check_trajectory, narrow, through, start)


def test_what_is_outside_may_come_back_and_not_stay():
    outside = {**AT_REST, "shoulder": 2.0, "elbow": 1.0}
    assert limits.outside(BOXED, outside) is not None
    assert refusal(limits.check_trajectory, BOXED, follow((SLOW, 0.0, 0.0)), outside) == ""
    stays = refusal(limits.check_trajectory, BOXED, follow((SLOW, 2.0, 1.1)), outside)
    assert stays == "The effector is outside its workspace, and this trajectory does not bring it back."
    assert refusal(limits.check_aim, BOXED, aim(0.0, 0.0), outside) == ""
    assert refusal(limits.check_aim, BOXED, aim(2.0, 1.1), outside) == stays


def test_joints_that_do_not_carry_the_hand_are_free_of_its_workspace():
    outside = {**AT_REST, "shoulder": 2.0, "elbow": 1.0}
    lifts = follow((SLOW, 1.1), joints=("lift",), group="lift")
    assert refusal(limits.check_trajectory, BOXED, lifts, outside) == ""


def test_where_the_hand_is_outside():
    assert limits.outside(ARM, {"shoulder": 2.0, "elbow": 2.0}) is None, "no workspace"
    assert limits.outside(BOXED, {"shoulder": 2.0}) is None, "not all is measured"
    assert limits.outside(BOXED, AT_REST) is None
    place = limits.outside(BOXED, {"shoulder": np.pi / 2 + 0.1, "elbow": 0.0})
    assert place == pytest.approx([2 * math.cos(np.pi / 2 + 0.1), 2 * math.sin(np.pi / 2 + 0.1), 0.0])


@pytest.mark.parametrize(("lower", "upper"), [((2, 0, 0), (3, 1, 1)), ((1, -1, -1), (2, 0, 0))])
def test_the_edge_of_a_workspace_is_inside(lower, upper):
    workspace = limits.Workspace(lower=lower, upper=upper)
    assert limits.outside(ARM.model_copy(update={"workspace": workspace}), AT_REST) is None
