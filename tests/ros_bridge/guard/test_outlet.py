"""What the outlet says to a robot on the wire, field by field, and what it makes of the answers."""

from __future__ import annotations

import math
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from homie.kernel.errors import InfrastructureError
from ros_bridge.guard import commands_to_robot
from ros_bridge.guard.commands_to_robot import DryOutlet, RosOutlet
from ros_bridge.guard.messages import CommandEnded, Grip, Navigate, Obstacle, Point, Reach, Trajectory
from ros_bridge.profiles.homie_topics import FINGERS, FINGERS_KIND
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.profile_check import GRIPPER, MOVE_GROUP, NAVIGATE, TRAJECTORY
from ros_bridge.transport.actions import ActionServer, Outcome, Status
from ros_bridge.transport.interface import SENSOR
from ros_bridge.transport.stamps import now, seconds
from tests.waiting import until

FETCH = read_profile("fetch")
FINGER = FETCH.model_copy(update={"gripper": FETCH.gripper.model_copy(update={"position": "finger"})})
REACH = Reach(
    id=4,
    joints=("torso_lift_joint",),
    positions=(0.1,),
    boxes=(Obstacle(center=(1, 0, 0), half=(0.1, 0.1, 0.1), yaw=0.0),),
    frame="base_link",
    stamp=0.0,
)


class Robot:
    """Takes what comes, and ends goals on request."""

    def __init__(self, node):
        self.node, self.goals, self.heard, self.ends, self.takes = node, [], [], Outcome(Status.SUCCEEDED), True
        self.waits = False
        arm = FETCH.groups["arm"]
        kinds = {arm.action: TRAJECTORY, FETCH.gripper.action: GRIPPER}
        kinds |= {FETCH.navigation.action: NAVIGATE, FETCH.reaching.action: MOVE_GROUP}
        for name, kind in kinds.items():
            ActionServer(node, kind, name, self.execute, accept=lambda goal: self.takes)
        topics = {FETCH.base.command: "geometry_msgs/msg/Twist", arm.stream: arm.kind, FINGERS: FINGERS_KIND}
        for name, kind in topics.items():
            node.subscription(kind, name, lambda message, name=name: self.heard.append((name, message)), SENSOR)

    def execute(self, goal):
        self.goals.append(goal.message)
        while self.waits and not goal.cancelled.wait(0.01):
            pass
        return Outcome(Status.CANCELED) if goal.cancelled.is_set() else self.ends


@pytest.fixture(scope="module")
def wire(network):
    from ros_bridge.transport.dds.node import DdsNode

    with DdsNode("/robot", network) as body, DdsNode("/guard", network) as node:
        robot, outlet = Robot(body), RosOutlet(node, FETCH)
        clients = [outlet._groups["arm"], outlet._gripper, outlet._navigation, outlet._reaching]
        until(lambda: all(client.ready() for client in clients))
        until(lambda: outlet._base.subscribers() and outlet._streams["arm"].subscribers())
        until(lambda: outlet._fingers.subscribers())
        yield robot, outlet


@pytest.fixture
def robot(wire):
    wire[0].ends, wire[0].takes, wire[0].waits = Outcome(Status.SUCCEEDED), True, False
    wire[0].goals.clear()
    wire[0].heard.clear()
    return wire[0]


@pytest.fixture
def outlet(wire):
    return wire[1]


def outcome_of(send, command):
    """How a command ended."""
    ends = []
    send(command, ends.append)
    until(lambda: ends)
    return ends[0]


def follow(number=1, group="arm"):
    points = (Point(positions=(0.1,) * 7, time=1.5), Point(positions=(0.2,) * 7, time=3.25))
    joints = tuple(joint.name for joint in FETCH.groups["arm"].joints)
    return Trajectory(id=number, group=group, joints=joints, points=points, stamp=0.0)


def test_a_velocity(robot, outlet):
    outlet.velocity(0.25, -0.5)
    until(lambda: robot.heard)
    ((topic, message),) = robot.heard
    assert topic == "/cmd_vel" and (message.linear.x, message.angular.z) == (0.25, -0.5)
    assert (message.linear.y, message.linear.z, message.angular.x, message.angular.y) == (0, 0, 0, 0)


def test_velocities_with_a_stamp_and_to_the_side(robot, nodes):
    base = FETCH.base.model_copy(update={"stamped": True, "sideways": 0.3, "command": "/stamped/cmd_vel"})
    stamped = RosOutlet(nodes("/stamping"), FETCH.model_copy(update={"base": base}))
    robot.node.subscription(
        "geometry_msgs/msg/TwistStamped", base.command, lambda message: robot.heard.append(("", message)), SENSOR
    )
    until(stamped._base.subscribers)
    stamped.velocity(0.25, -0.5, 0.1)
    until(lambda: robot.heard)
    message = robot.heard[0][1]
    assert (message.twist.linear.x, message.twist.linear.y, message.twist.angular.z) == (0.25, 0.1, -0.5)
    assert message.header.frame_id == "base_link" and abs(seconds(message.header.stamp) - now()) < 10.0


def test_positions_for_a_controller_that_forwards_them(robot, nodes):
    forward = "/forward_position_controller/commands"
    head = FETCH.groups["head"].model_copy(update={"action": None, "stream": forward, "positions": True})
    outlet = RosOutlet(nodes("/forwarding"), FETCH.model_copy(update={"groups": {"head": head}}))
    robot.node.subscription(
        "std_msgs/msg/Float64MultiArray", forward, lambda message: robot.heard.append(("", message)), SENSOR
    )
    until(outlet._streams["head"].subscribers)
    outlet.aim("head", [0.5, -0.25])
    until(lambda: robot.heard)
    assert list(robot.heard[0][1].data) == [0.5, -0.25]
    outlet.cancel_all()


def test_a_set_point(robot, outlet):
    outlet.aim("arm", [0.1 * number for number in range(7)])
    until(lambda: robot.heard)
    ((topic, message),) = robot.heard
    assert topic == "/arm_controller/joint_trajectory"
    assert list(message.joint_names) == [joint.name for joint in FETCH.groups["arm"].joints]
    (point,) = message.points
    assert list(point.positions) == pytest.approx([0.1 * number for number in range(7)])
    assert seconds(point.time_from_start) == pytest.approx(0.06)


def test_a_trajectory(robot, outlet):
    end = outcome_of(outlet.follow, follow())
    assert (end.id, end.outcome, end.code, end.text) == (1, "succeeded", 0, "")
    (goal,) = robot.goals
    assert list(goal.trajectory.joint_names) == list(follow().joints)
    assert [seconds(point.time_from_start) for point in goal.trajectory.points] == [1.5, 3.25]
    assert [list(point.positions) for point in goal.trajectory.points] == [[0.1] * 7, [0.2] * 7]
    assert seconds(goal.goal_time_tolerance) == 1.0


def test_a_trajectory_that_the_controller_gives_up(robot, outlet):
    robot.ends = Outcome(Status.ABORTED, {"error_code": -4, "error_string": "in the way"})
    end = outcome_of(outlet.follow, follow(2))
    assert (end.id, end.outcome, end.code, end.text) == (2, "aborted", -4, "in the way")


def test_what_is_not_taken_or_has_no_server_is_rejected(robot, outlet):
    robot.takes = False
    end = outcome_of(outlet.follow, follow())
    assert (end.outcome, end.text) == ("rejected", "the controller did not accept it")
    end = outcome_of(outlet.follow, follow(group="torso"))
    assert (end.id, end.outcome, end.text) == (1, "rejected", "there is no controller for it on the network")


def test_a_grip_and_what_others_hear_of_it(robot, outlet):
    robot.ends = Outcome(Status.SUCCEEDED, {"position": 0.04, "stalled": True})
    end = outcome_of(outlet.grip, Grip(id=3, width=0.08, effort=20, stamp=0.0))
    assert (end.outcome, end.position, end.stalled) == ("succeeded", 0.04, True)
    (goal,) = robot.goals
    assert (goal.command.position, goal.command.max_effort) == (0.08, 20)
    until(lambda: robot.heard)
    ((topic, message),) = robot.heard
    assert topic == FINGERS and (message.position, message.max_effort) == (0.08, 20)


def test_a_gripper_whose_command_counts_one_finger(robot, nodes):
    outlet = RosOutlet(nodes("/other_guard"), FINGER)
    until(outlet._gripper.ready)
    outcome_of(outlet.grip, Grip(id=3, width=0.08, effort=20, stamp=0.0))
    assert robot.goals[0].command.position == 0.04


def test_a_drive(robot, outlet):
    outcome_of(outlet.navigate, Navigate(id=4, x=1.5, y=-2.0, yaw=0.5, frame="odom", stamp=0.0))
    (goal,) = robot.goals
    assert goal.pose.header.frame_id == "odom" and seconds(goal.pose.header.stamp) == 0
    place, turn = goal.pose.pose.position, goal.pose.pose.orientation
    assert (place.x, place.y, place.z) == (1.5, -2.0, 0.0)
    assert (turn.x, turn.y, turn.z, turn.w) == pytest.approx((0, 0, math.sin(0.25), math.cos(0.25)))


def test_a_planned_motion_and_its_codes(robot, outlet):
    robot.ends = Outcome(Status.ABORTED, {"error_code": {"val": -1}})
    end = outcome_of(outlet.reach, REACH)
    assert (end.outcome, end.code, end.text) == ("aborted", -1, "no way was found")
    assert robot.goals[0].request.group_name == "arm_with_torso"
    robot.ends = Outcome(Status.SUCCEEDED, {"error_code": {"val": 1}})
    end = outcome_of(outlet.reach, REACH)
    assert (end.outcome, end.code, end.text) == ("succeeded", 1, "")


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({}, 0, ""),
        ({"error_code": 103, "error_msg": "no way"}, 103, "no way"),
        ({"error_code": -4, "error_string": "in the way"}, -4, "in the way"),
        ({"error_code": -4, "error_string": "", "error_msg": "in the way"}, -4, "in the way"),
    ],
)
def test_results_say_why_in_different_fields(fields, code, text):
    """FollowJointTrajectory has `error_string`; NavigateToPose `error_msg`, and nothing up to Iron."""
    future = Future()
    future.set_result(Outcome(Status.ABORTED, SimpleNamespace(**fields)))
    end = commands_to_robot._ended(9, future)
    assert (end.id, end.outcome, end.code, end.text) == (9, "aborted", code, text)
    assert end.position is None and end.stalled is None


def test_what_never_answers_is_lost():
    future = Future()
    future.set_exception(InfrastructureError("the node is closed"))
    assert commands_to_robot._ended(9, future) == CommandEnded(id=9, outcome="lost", text="the node is closed")
    future = Future()
    future.set_result(Outcome(Status.EXECUTING, SimpleNamespace()))
    assert commands_to_robot._ended(9, future).outcome == "lost"


def test_one_is_cancelled_and_the_others_are_not(robot, outlet):
    robot.waits = True
    ends = []
    outlet.follow(follow(11), ends.append)
    outlet.grip(Grip(id=12, width=0.08, effort=20, stamp=0.0), ends.append)
    until(lambda: len(robot.goals) == 2)
    outlet.cancel(99)
    outlet.cancel(11)
    until(lambda: ends)
    assert [(end.id, end.outcome) for end in ends] == [(11, "cancelled")]
    outlet.cancel(12)
    until(lambda: len(ends) == 2)
    assert (ends[1].id, ends[1].outcome) == (12, "cancelled")
    assert not outlet._goals


def test_everything_that_moves_is_cancelled(robot, outlet):
    robot.waits = True
    ends = []
    outlet.follow(follow(21), ends.append)
    outlet.navigate(Navigate(id=22, x=1, y=0, yaw=0, frame="odom", stamp=0.0), ends.append)
    outlet.reach(REACH.model_copy(update={"id": 23}), ends.append)
    until(lambda: len(robot.goals) == 3)
    outlet.cancel_all()
    until(lambda: len(ends) == 3)
    assert {(end.id, end.outcome) for end in ends} == {(number, "cancelled") for number in (21, 22, 23)}


def test_an_arm_on_a_table_has_no_velocity_and_no_navigation(nodes):
    outlet = RosOutlet(nodes("/table"), read_profile("franka"))
    outlet.velocity(0.1, 0.0)
    outlet.cancel_all()


def test_a_group_may_have_any_name_and_is_cancelled(robot, nodes):
    groups = {"navigation": FETCH.groups["arm"]}
    profile = FETCH.model_copy(update={"groups": groups, "reaching": None})
    outlet, ends = RosOutlet(nodes("/third_guard"), profile), []
    until(outlet._groups["navigation"].ready)
    robot.waits = True
    outlet.follow(follow(31, group="navigation"), ends.append)
    until(lambda: robot.goals)
    outlet.cancel_all()
    until(lambda: ends)
    assert (ends[0].id, ends[0].outcome) == (31, "cancelled")


def test_a_dry_run_shows_a_place_once_and_a_velocity_as_often_as_it_is_said():
    commands, ends = [], []
    outlet = DryOutlet(commands.append)
    for position in (0.1, 0.2, 0.201, 0.2):
        outlet.aim("torso", [position])
    outlet.velocity(0.0, 0.5)
    outlet.velocity(0.0, 0.0)
    outlet.velocity(0.0, 0.0)
    outlet.navigate(Navigate(id=4, x=1.5, y=-2.0, yaw=0.5, frame="odom", stamp=0.0), ends.append)
    outlet.reach(REACH, ends.append)
    outlet.grip(Grip(id=7, width=0.05, effort=10, stamp=0.0), ends.append)
    outlet.follow(follow(8), ends.append)
    outlet.cancel(8)
    assert commands == [
        "would send: torso to 0.10",
        "would send: torso to 0.20",
        "would send: velocity 0.000 m/s 0.500 rad/s",
        "would send: velocity 0.000 m/s 0.000 rad/s",
        "would send: navigation to 1.50 -2.00, facing 0.50 rad",
        "would send: planned motion of the arm to 0.100, around 1 boxes",
        "would send: gripper to 0.050 m with 10 N",
        "would send: arm through 2 points to 0.200 0.200 0.200 0.200 0.200 0.200 0.200 in 3.25 s",
        "would send: cancel 8",
    ]
    assert [(end.id, end.outcome, end.text) for end in ends] == [
        (number, "succeeded", "dry run") for number in (4, 4, 7, 8)
    ]
    assert ends[2].position == 0.05
