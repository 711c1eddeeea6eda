"""Robots of Homie as robots of ROS 2: driven, moved and looked at over the wire."""

from __future__ import annotations

import math
import threading
import time
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.envs.mujoco.table.robot import open_table
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot
from homie.kernel.options import OpenOptions
from homie.kernel.robot.body import Group, Joint, RobotSpec
from homie.kernel.types import GripperState, Observation, Pose, Pose2, Proprioception, quaternion_rotation
from ros_bridge.guard.commands_to_robot import RosOutlet
from ros_bridge.profiles.chain import effector
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.profile_check import GRIPPER, TRAJECTORY, check_profile
from ros_bridge.served_description import describe, frames_of
from ros_bridge.served_messages import quaternion
from ros_bridge.served_pictures import Painter
from ros_bridge.served_robot import ServedRobot
from ros_bridge.transport.actions import ActionClient, Status
from ros_bridge.transport.clocks import MachineClock, PublishedClock
from ros_bridge.transport.interface import SENSOR
from ros_bridge.transport.stamps import seconds
from ros_bridge.transport.transforms import Transforms
from tests.ros_bridge.checking import check_until, good
from tests.waiting import until

FETCH = read_profile("fetch")


class Puppet(Robot):
    """A body with the joints of the Fetch that reaches its targets at once; its base rolls on."""

    over_limit = "refuse"

    def __init__(self, sideways: float | None = None) -> None:
        groups = tuple(
            Group(name, name, tuple(Joint(j.name, *j.limits, speed=100.0) for j in group.joints))
            for name, group in FETCH.groups.items()
        )
        rates = {"linear_acceleration": 100.0, "angular_acceleration": 100.0}
        base = Group.base(linear=1.0, angular=2.0, sideways=sideways, **rates)
        gripper = Group.gripper(opening=0.1, speed=100.0)
        self.spec = RobotSpec(name="puppet", groups=(base, *groups, gripper), period=0.02)
        self.kinematics = self
        self.x, self.velocity, self.opening, self.least = 0.0, (0.0, 0.0), 0.0, 0.0
        self.joints = {joint.name: 0.0 for group in FETCH.groups.values() for joint in group.joints}

    def forward(self, q) -> Pose:
        return Pose(np.array([float(q[0]), 0.0, 1.0]), np.eye(3))

    def measured(self) -> Proprioception:
        holding = self.least > 0.0 and self.opening == self.least
        grippers = {"gripper": GripperState(self.opening, (holding, holding), holding)}
        return Proprioception(Pose2(self.x, 0.0, 0.0), self.velocity, dict(self.joints), grippers)

    def observe(self, cameras=()) -> Observation:
        return Observation(0.0, self.measured())

    def _send(self, command) -> None:
        self.velocity = tuple(command.get("base"))
        self.x += self.velocity[0] * self.spec.period
        for group in self.spec.groups:
            values = command.get(group.name)
            if group.kind == "gripper" and values is not None:
                self.opening = max(values[0], self.least)  # with something between them
            elif group.kind != "base" and values is not None:
                self.joints.update(zip(group.names, values, strict=True))

    def _halt(self) -> None:
        self.velocity = (0.0, 0.0)

    def _restart(self, *, seed) -> None:
        self.x = 0.0

    def close(self) -> None:
        self._halt()


@pytest.fixture
def puppet(nodes, request):
    robot, over = Puppet(), threading.Event()
    simulated, secret, *speed = getattr(request, "param", (False, False))
    profile = FETCH.model_copy(update={"use_sim_time": simulated})
    served = ServedRobot(nodes("/robot"), robot, profile, secret=secret, speed=next(iter(speed), 1.0))
    thread = threading.Thread(target=served.run, args=(over.is_set,))
    thread.start()
    yield robot
    over.set()
    thread.join()


@pytest.mark.parametrize("puppet", [(False, False), (True, False), (True, True)], indirect=True)
def test_who_follows_a_simulators_clock_hears_one_that_fits_the_stamps(puppet, nodes):
    node, stamps = nodes("/agent"), []
    clock = PublishedClock(node)
    node.subscription("nav_msgs/msg/Odometry", "/odom", lambda message: stamps.append(seconds(message.header.stamp)))
    until(lambda: stamps and clock.elapsed() > 0.2)
    assert clock.stop_reason() == "" and abs(clock.now() - stamps[-1]) < 5.0


@pytest.mark.parametrize("puppet", [(True, False, 0.5), (True, False, 3.0)], indirect=True)
def test_a_robot_with_a_time_of_its_own_moves_as_far_in_it_at_any_speed(puppet, nodes, request):
    node, received = nodes("/agent"), []
    clock = PublishedClock(node)
    node.subscription("nav_msgs/msg/Odometry", "/odom", lambda m: received.append((seconds(m.header.stamp), m)))
    velocities = node.publisher("geometry_msgs/msg/Twist", "/cmd_vel")
    until(lambda: received and velocities.subscribers() and clock.now() > 0.0)
    simulated = clock.now()
    velocities.publish(node.message("geometry_msgs/msg/Twist", linear={"x": 0.4}))
    until(lambda: clock.now() - simulated > 0.6 and puppet.velocity == (0.0, 0.0))

    def speed():
        start, simulated = time.monotonic(), clock.now()
        until(lambda: clock.now() - simulated > 0.6)
        return (clock.now() - simulated) / (time.monotonic() - start)

    # On a busy machine it is slower for some time.
    until(lambda: speed() == pytest.approx(request.node.callspec.params["puppet"][2], rel=0.3))
    assert puppet.x == pytest.approx(0.4 * 0.5, abs=0.02), "a velocity lives for half a second of its time"
    until(lambda: abs(received[-1][0] - clock.now()) < 0.1)


def test_only_a_robot_with_a_time_of_its_own_has_another_speed(nodes):
    with pytest.raises(BadInput, match=r"add `use_sim_time: true` to a copy of the profile fetch"):
        ServedRobot(nodes("/robot"), Puppet(), FETCH, speed=3.0)


@pytest.mark.parametrize("puppet", [(False, True)], indirect=True)
def test_a_rehearsal_has_no_clock_as_a_real_robot_has_none(puppet, nodes):
    node = nodes("/agent")
    until(lambda: "/odom" in node.graph().publishers)
    assert "/clock" not in node.graph().publishers


def test_the_frames_of_the_chain_lead_to_where_the_effector_is(puppet, nodes):
    node = nodes("/looks")
    transforms = Transforms(node, MachineClock())
    until(lambda: {"gripper_link", "torso_lift_link"} <= set(transforms.frames()))
    torso(node).send(goal([[0.2]], [0.1])).outcome.result(20)

    def led():
        expected = effector(FETCH.chain, puppet.joints)
        return np.allclose(transforms.lookup("base_link", "gripper_link"), expected, atol=1e-6)

    until(lambda: puppet.joints["torso_lift_joint"] == pytest.approx(0.2) and led())
    assert transforms.frames()["gripper_link"] == 0.0, "it does not move in the wrist"


def test_the_description_has_what_the_profile_knows():
    written = describe(FETCH)
    joints = {joint.get("name"): joint for joint in ElementTree.fromstring(written).iter("joint")}
    assert joints["upperarm_roll_joint"].get("type") == "continuous"
    assert joints["torso_lift_joint"].find("limit").attrib == {
        "lower": "0.0",
        "upper": "0.38615",
        "effort": "0",
        "velocity": "0.1",
    }
    links = [{"joint": "lift", "kind": "prismatic"}, {"joint": "wrist", "kind": "prismatic", "follows": "lift"}]
    profile = FETCH.model_dump() | {"chain": [*links, {"joint": "base_joint", "kind": "fixed"}], "reaching": None}
    profile["groups"] = {"torso": {**profile["groups"]["torso"]}}
    profile["groups"]["torso"]["joints"] = [{"name": "lift", "lower": 0, "upper": 1, "velocity": 1, "acceleration": 1}]
    shaped = Profile.model_validate({**profile, "workspace": None})
    assert [frame.name for frame in frames_of(shaped)] == ["lift_link", "wrist_link", "gripper_link"]
    mimic = next(ElementTree.fromstring(describe(shaped)).iter("mimic"))
    assert mimic.attrib == {"joint": "lift", "multiplier": "1.0", "offset": "0.0"}


def goal(positions, seconds, joints=("torso_lift_joint",)):
    points = [
        {"positions": p, "time_from_start": {"sec": int(t), "nanosec": round(t % 1 * 1e9)}}
        for p, t in zip(positions, seconds, strict=True)
    ]
    return {"trajectory": {"joint_names": list(joints), "points": points}}


def torso(node):
    client = ActionClient(node, TRAJECTORY, FETCH.groups["torso"].action)
    until(client.ready)
    return client


def test_a_velocity_drives_and_is_forgotten(puppet, nodes):
    node, positions = nodes("/drives"), []
    node.subscription("nav_msgs/msg/Odometry", "/odom", lambda m: positions.append(m.pose.pose.position.x), SENSOR)
    command = node.publisher("geometry_msgs/msg/Twist", "/cmd_vel")
    until(lambda: command.subscribers() and positions)
    command.publish(node.message("geometry_msgs/msg/Twist", linear={"x": 0.5}))
    until(lambda: positions[-1] > 0.01)
    until(lambda: puppet.velocity == (0.0, 0.0))
    command.publish(node.message("geometry_msgs/msg/Twist", linear={"x": math.nan}))
    until(lambda: len(positions) > 20)
    assert math.isfinite(positions[-1])


@pytest.mark.slow
def test_controllers_of_ros2_control_that_take_stamped_velocities_and_positions(nodes):
    base = FETCH.base.model_copy(update={"stamped": True})
    forward = {"action": None, "stream": "/forward_position_controller/commands", "positions": True}
    head = FETCH.groups["head"].model_copy(update=forward)
    profile = FETCH.model_copy(update={"base": base, "groups": FETCH.groups | {"head": head}})
    robot, over = Puppet(), threading.Event()
    served = ServedRobot(nodes("/robot"), robot, profile)
    thread = threading.Thread(target=served.run, args=(over.is_set,))
    thread.start()
    try:
        node = nodes("/agent")
        outlet = RosOutlet(node, profile)
        until(lambda: outlet._base.subscribers() and outlet._streams["head"].subscribers())
        outlet.velocity(0.4, 0.0)
        outlet.aim("head", [0.3, 0.2])
        until(lambda: robot.x > 0.05 and robot.joints["head_pan_joint"] == pytest.approx(0.3))
        assert robot.joints["head_tilt_joint"] == pytest.approx(0.2)
        outlet.aim("head", [math.nan, 0.0])
        moved = {"base command", "head stream"}
        checked = check_until(node, profile, lambda findings: moved <= good(findings))
        findings = {finding.part: finding.problem for finding in checked}
        assert findings["base command"] == findings["head stream"] == "" and "head action" not in findings
        assert robot.joints["head_pan_joint"] == pytest.approx(0.3)
    finally:
        over.set()
        thread.join()


def test_an_omnidirectional_base_drives_to_its_left(nodes):
    profile = FETCH.model_copy(update={"base": FETCH.base.model_copy(update={"sideways": 0.5})})
    robot, over, speeds = Puppet(sideways=0.4), threading.Event(), []
    served = ServedRobot(nodes("/robot"), robot, profile)
    thread = threading.Thread(target=served.run, args=(over.is_set,))
    thread.start()
    try:
        node = nodes("/agent")
        node.subscription("nav_msgs/msg/Odometry", "/odom", lambda m: speeds.append(m.twist.twist.linear.y), SENSOR)
        outlet = RosOutlet(node, profile)
        until(lambda: outlet._base.subscribers() and speeds)

        def drives():
            outlet.velocity(0.1, 0.2, -0.3)
            return robot.velocity == (0.1, 0.2, -0.3) and speeds[-1] == pytest.approx(-0.3)

        until(drives)
        until(lambda: robot.velocity == (0.0, 0.0, 0.0))
    finally:
        over.set()
        thread.join()
    with pytest.raises(BadInput, match=r"The base of the puppet does not drive to the side.* take it out of a copy"):
        ServedRobot(nodes("/other"), Puppet(), profile)


def test_a_base_that_does_not_drive_to_the_side_says_so_and_goes_ahead(puppet, nodes, caplog):
    node = nodes("/drives")
    command = node.publisher("geometry_msgs/msg/Twist", "/cmd_vel")
    until(command.subscribers)
    aslant = node.message("geometry_msgs/msg/Twist", linear={"x": 0.5, "y": 0.5})
    until(lambda: command.publish(aslant) or puppet.velocity == (0.5, 0.0))
    assert "does not drive to the side" in caplog.text


def test_a_trajectory_goes_through_its_points(puppet, nodes):
    outcome = torso(nodes("/moves")).send(goal([[0.1], [0.05]], [0.2, 0.4])).outcome.result(20)
    assert (outcome.status, outcome.result.error_code) == (Status.SUCCEEDED, 0)
    assert puppet.joints["torso_lift_joint"] == pytest.approx(0.05, abs=0.02)


def test_a_trajectory_is_cancelled_where_it_is(puppet, nodes):
    client = torso(nodes("/moves"))
    sent = client.send(goal([[0.3]], [60.0]))
    until(lambda: puppet.joints["torso_lift_joint"] > 0)
    client.cancel(sent)
    assert sent.outcome.result(20).status is Status.CANCELED
    assert puppet.joints["torso_lift_joint"] < 0.3


def test_a_newer_trajectory_takes_the_place_of_an_older(puppet, nodes):
    client = torso(nodes("/moves"))
    for _ in range(20):  # the threads of two goals begin in any order
        older, newer = client.send(goal([[0.3]], [60.0])), client.send(goal([[0.02]], [0.02]))
        assert older.outcome.result(20).result.error_string == "another trajectory came"
        assert newer.outcome.result(20).status is Status.SUCCEEDED


def test_a_trajectory_that_is_none_is_aborted(puppet, nodes):
    client = torso(nodes("/moves"))
    wrong = {
        "other joints": (goal([[0.1]], [1.0], ["elbow"]), -2),
        "no points": (goal([], []), -1),
        "too many joints": (goal([[0.1, 0.2]], [1.0]), -1),
        "not finite": (goal([[math.nan]], [1.0]), -1),
        "times that stand still": (goal([[0.1], [0.2]], [1.0, 1.0]), -1),
    }
    outcomes = {name: client.send(each).outcome.result(20) for name, (each, _) in wrong.items()}
    assert {outcome.status for outcome in outcomes.values()} == {Status.ABORTED}
    assert {name: outcome.result.error_code for name, outcome in outcomes.items()} == {
        name: code for name, (_, code) in wrong.items()
    }
    assert puppet.joints["torso_lift_joint"] == 0.0


def test_the_fingers_open(puppet, nodes):
    client = ActionClient(nodes("/grips"), GRIPPER, FETCH.gripper.action)
    until(client.ready)
    outcome = client.send({"command": {"position": 0.06, "max_effort": 10.0}}).outcome.result(20)
    assert outcome.result.reached_goal and puppet.opening == pytest.approx(0.06)


def test_a_profile_of_another_robot_is_refused(nodes):
    with pytest.raises(BadInput, match="not that of the puppet"):
        ServedRobot(nodes("/robot"), Puppet(), read_profile("franka"))


def test_the_panda_of_the_table_has_all_that_its_profile_says(nodes):
    profile, over, node = read_profile("franka"), threading.Event(), nodes("/homie_check")
    findings = []

    def look():
        until(
            lambda: profile.joint_states in node.graph().publishers and profile.gripper.action in node.graph().actions
        )
        findings.extend(check_profile(node, profile, length=2.0))
        over.set()

    options, serving = OpenOptions.build(robot="franka:pick", seed=1, picture_size="64"), nodes("/robot")
    cameras = {"wrist": profile.cameras["hand"]}
    painter = Painter(serving, lambda: open_table(options, "pick"), profile, cameras, regular="wrist", rate=5.0)
    with open_table(options, "pick") as robot:
        served = ServedRobot(serving, robot, profile, painter)
        thread = threading.Thread(target=look)
        thread.start()
        served.run(over.is_set)
        thread.join()
    painter.close()
    problems = [finding.problem for finding in findings if finding.problem]
    assert len(findings) == 11
    assert all(" old" in problem for problem in problems), problems  # on a busy machine pictures come late


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_a_rotation_goes_there_and_back(q):
    matrix = quaternion_rotation(np.array(q) / np.linalg.norm(q))
    fields = quaternion(matrix)
    again = quaternion_rotation(np.array([fields["w"], fields["x"], fields["y"], fields["z"]]))
    assert np.allclose(matrix, again, atol=1e-6)
