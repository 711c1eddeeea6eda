"""A profile is compared with a robot on the wire."""

from __future__ import annotations

import threading

import pytest

from ros_bridge.profiles.diagnostics import DIAGNOSTIC_ARRAY
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.parts import EmergencyStop
from ros_bridge.profiles.profile_check import check_profile
from ros_bridge.transport.interface import LATCHED, SENSOR
from ros_bridge.transport.refusals import CONTRADICT
from tests.ros_bridge.checking import check_until, good
from tests.ros_bridge.fake_robot import FakeRobot
from tests.waiting import until


@pytest.fixture(autouse=True)
def no_latched_message_comes_late(monkeypatch):
    """Nothing more is waited for: each node here has known the others before the check."""
    monkeypatch.setattr("ros_bridge.profiles.profile_check.MISSED", 0.0)


def diagnostics(findings):
    """What the robot says of its health."""
    return [finding for finding in findings if finding.part == "diagnostics"]


def test_the_check_says_what_is_there_and_what_is_not(nodes):
    profile = read_profile("fetch")
    FakeRobot(nodes("/robot"), profile, camera_rate=20.0)
    node = nodes("/homie_check")
    until(lambda: profile.joint_states in node.graph().publishers and profile.gripper.action in node.graph().actions)
    there = {
        *("clock", "base command", "joint states", "odometry", "head camera"),
        *("torso action", "arm action", "head action", "gripper action"),
        *("effector frame", "odometry frame"),
    }
    checked = check_until(node, profile, lambda findings: good(findings) == there)
    assert good(checked) == there
    findings = {finding.part: finding for finding in checked}
    assert findings["joint states"].rate > 1 and findings["odometry"].age < 1
    assert findings["head depth"].problem == "no publisher"
    assert "there is no frame 'head_camera_rgb_optical_frame'" in findings["head frame"].problem


def test_another_robot_than_that_of_the_profile_is_seen(nodes):
    FakeRobot(nodes("/robot"), read_profile("franka"))
    node, profile = nodes("/homie_check"), read_profile("fetch")
    node.publisher("std_msgs/msg/String", "/odom")
    until(lambda: profile.joint_states in node.graph().publishers and "/odom" in node.graph().publishers)
    incomplete = "without elbow_flex_joint, forearm_roll_joint"
    checked = check_until(node, profile, lambda findings: incomplete in str(findings))
    findings = {finding.part: finding for finding in checked}
    assert findings["joint states"].problem.startswith(incomplete)
    assert findings["odometry"].problem == "is a std_msgs/msg/String, not a nav_msgs/msg/Odometry"
    assert findings["arm action"].problem == "no server"
    assert findings["base command"].problem == "nobody listens"


def test_two_robots_that_publish_the_same_joints_are_named(nodes):
    profile = read_profile("fetch")
    FakeRobot(nodes("/robot"), profile)
    other, node = FakeRobot(nodes("/other_robot"), profile), nodes("/homie_check")
    other.joints = {name: position + 0.3 for name, position in other.joints.items()}
    until(lambda: node.publishers_of(profile.joint_states) == ("/other_robot", "/robot"))
    checked = check_until(node, profile, lambda findings: CONTRADICT in str(findings))
    (states,) = [finding for finding in checked if finding.part == "joint states"]
    assert "2 publishers of /joint_states contradict each other" in states.problem
    assert states.problem.endswith("they are /other_robot and /robot")
    assert node.publishers_of("/nobody") == ()


def test_two_robots_are_named_although_their_last_messages_agree(nodes):
    profile = read_profile("fetch")
    robot, other = FakeRobot(nodes("/robot"), profile), FakeRobot(nodes("/other_robot"), profile)
    other.joints = {name: position + 0.3 for name, position in robot.joints.items()}
    node = nodes("/homie_check")
    until(lambda: node.publishers_of(profile.joint_states) == ("/other_robot", "/robot"))
    agree = threading.Timer(1.0, lambda: setattr(other, "joints", dict(robot.joints)))
    agree.start()
    (states,) = [f for f in check_profile(node, profile, length=2.0) if f.part == "joint states"]
    agree.join()
    assert "2 publishers of /joint_states contradict each other" in states.problem


def test_what_a_robot_says_of_its_health_is_in_the_check(nodes):
    profile = read_profile("fetch").model_copy(update={"diagnostics": "/diagnostics"})
    robot, node = nodes("/robot"), nodes("/homie_check")
    publisher = robot.publisher(DIAGNOSTIC_ARRAY, "/diagnostics")

    def say():
        levels = {"motor: arm": (2, "too hot"), "battery": (1, "low\nlow"), "laser": (0, ""), "camera": (3, "")}
        levels["homie_guard: fetch"] = (1, "Not armed: nothing moves")
        status = [{"name": name, "level": level, "message": text} for name, (level, text) in levels.items()]
        status = [robot.message("diagnostic_msgs/msg/DiagnosticStatus", **each) for each in status]
        publisher.publish(robot.message(DIAGNOSTIC_ARRAY, status=status))

    robot.timer(0.1, say)
    until(lambda: "/diagnostics" in node.graph().publishers)

    def is_reported(findings):
        return len(diagnostics(findings)) > 1 and diagnostics(findings)[0].rate > 1

    findings = diagnostics(check_until(node, profile, is_reported))
    assert [(finding.name, finding.problem, finding.note) for finding in findings] == [
        ("/diagnostics", "", ""),
        ("motor: arm", "error: too hot", ""),
        ("battery", "", "warning: low low"),
        ("camera", "", "stale"),
    ]
    assert findings[0].rate > 1


def test_diagnostics_that_nobody_publishes_are_a_problem(nodes):
    profile = read_profile("fetch").model_copy(update={"diagnostics": "/diagnostics"})
    findings = {finding.part: finding for finding in check_profile(nodes("/homie_check"), profile, length=0.5)}
    assert findings["diagnostics"].problem == "no publisher"


@pytest.mark.parametrize("qos", [LATCHED, SENSOR])
def test_the_robots_own_emergency_stop_is_in_the_check(nodes, qos):
    stop = EmergencyStop(topic="/may_move", pressed=False)
    profile, robot, node = read_profile("fetch"), nodes("/robot"), nodes("/homie_check")
    profile = profile.model_copy(update={"emergency_stop": stop})
    publisher, moves = robot.publisher("std_msgs/msg/Bool", "/may_move", qos), [True]

    def emergency_stop():
        (finding,) = (each for each in check_profile(node, profile, length=0.7) if each.part == "emergency stop")
        return finding.problem, finding.note

    robot.timer(0.1, lambda: publisher.publish(robot.message("std_msgs/msg/Bool", data=moves[0])))
    until(lambda: "/may_move" in node.graph().publishers)
    until(lambda: emergency_stop() == ("", "not pressed"))
    moves[0] = False
    until(lambda: emergency_stop() == ("it is pressed", ""))
    publisher.close()
    until(lambda: emergency_stop()[0] == "no publisher")


def test_a_latched_message_that_comes_after_the_check_has_listened_is_waited_for(nodes, monkeypatch):
    monkeypatch.setattr("ros_bridge.profiles.profile_check.MISSED", 60.0)
    profile = read_profile("fetch")
    FakeRobot(nodes("/robot"), profile)
    stop, robot, node = EmergencyStop(topic="/runstop", pressed=True), nodes("/button"), nodes("/homie_check")
    profile = profile.model_copy(update={"emergency_stop": stop, "cameras": {}})
    publisher = robot.publisher("std_msgs/msg/Bool", "/runstop", LATCHED)
    until(lambda: {"/runstop", profile.joint_states} <= node.graph().publishers.keys())
    late = threading.Timer(1.5, lambda: publisher.publish(robot.message("std_msgs/msg/Bool", data=False)))
    late.start()
    (finding,) = (each for each in check_profile(node, profile, length=0.5) if each.part == "emergency stop")
    late.join()
    assert (finding.problem, finding.note) == ("", "not pressed")
