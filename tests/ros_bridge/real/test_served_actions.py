"""The arm and the gripper of a served robot, moved by a node of rclpy where answers pass."""

from __future__ import annotations

import subprocess

import pytest
import yaml

from ros_bridge.profiles.model import read_profile
from tests.ros_bridge.real.conftest import problems_of
from tests.waiting import follow, until

FOLLOW, GRIP = "control_msgs/action/FollowJointTrajectory", "control_msgs/action/GripperCommand"
TORSO, GRIPPER = "/torso_controller/follow_joint_trajectory", "/gripper_controller/gripper_action"


@pytest.fixture
def served(homie_in_ros, ros_messages, real, request):
    """The node, which hears the joints of a Fetch, served over rclpy where nothing else is said."""
    transport = getattr(request, "param", "rclpy")
    words = ["--seed", "7", "--camera-rate", "2", "--picture-size", "64", "--transport", transport]
    process = homie_in_ros("homie", "serve", "ros", *words, stderr=subprocess.PIPE)
    printed = "".join(follow(process.stderr, "is on the ROS 2 network"))
    assert f"over {transport}" in printed and "control_msgs" not in printed
    real.ask("subscribe", kind="sensor_msgs/msg/JointState", topic="/joint_states", qos="sensor")
    until(lambda: real.ask("count", topic="/joint_states"))
    return real


def torso(real):
    states = real.ask("last", topic="/joint_states")["message"]
    return states["position"][states["name"].index("torso_lift_joint")]


def goal(position, seconds, joint="torso_lift_joint"):
    point = {"positions": [position], "time_from_start": {"sec": seconds}}
    return {"trajectory": {"joint_names": [joint], "points": [point]}}


@pytest.mark.slow
def test_trajectories_end_are_cancelled_and_refused_and_the_gripper_moves(served):
    real = served
    ended = real.ask("do", kind=FOLLOW, name=TORSO, fields=goal(0.2, 3))
    assert (ended["status"], ended["error_code"]) == ("SUCCEEDED", 0), ended
    until(lambda: torso(real) == pytest.approx(0.2, abs=0.02))
    assert real.ask("do", kind=FOLLOW, name=TORSO, fields=goal(0.0, 60), cancel_after=1.0)["status"] == "CANCELED"
    assert torso(real) > 0.1
    wrong = real.ask("do", kind=FOLLOW, name=TORSO, fields=goal(0.1, 1, "elbow"))
    assert (wrong["status"], wrong["error_code"]) == ("ABORTED", -2)
    opened = real.ask("do", kind=GRIP, name=GRIPPER, fields={"command": {"position": 0.08, "max_effort": 20.0}})
    assert (opened["status"], opened["reached_goal"]) == ("SUCCEEDED", True)


@pytest.mark.slow
@pytest.mark.parametrize("served", ["dds"], indirect=True)
def test_over_dds_the_actions_are_never_ready_for_a_node_that_they_cannot_answer(served):
    assert served.ask("do", kind=FOLLOW, name=TORSO, fields=goal(0.2, 3), seconds=2) == "never ready"
    grip = {"command": {"position": 0.08, "max_effort": 20.0}}
    assert served.ask("do", kind=GRIP, name=GRIPPER, fields=grip, seconds=1) == "never ready"


@pytest.mark.slow
@pytest.mark.parametrize(("transport", "exit_code"), [("rclpy", 0), ("dds", 4)])
def test_the_check_of_a_profile_finds_all_of_it_and_over_dds_all_but_answers(
    served, checked, tmp_path, transport, exit_code
):
    profile = read_profile("fetch").model_dump(mode="json", exclude={"navigation", "reaching"}, exclude_none=True)
    (tmp_path / "plain.yaml").write_text(yaml.safe_dump(profile))
    actions = {group["action"] for group in profile["groups"].values()} | {profile["gripper"]["action"]}
    silent = actions if transport == "dds" else set()
    plain = str(tmp_path / "plain.yaml")
    code, printed = checked(plain, transport, lambda findings: problems_of(findings).keys() == silent)
    findings = printed["findings"]
    assert len(findings) == 17 and actions <= {finding["name"] for finding in findings}
    assert problems_of(findings).keys() == silent, problems_of(findings)
    assert code == exit_code == printed.get("exit_code", 0) and ("error" in printed) is bool(exit_code)
