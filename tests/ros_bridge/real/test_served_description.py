"""What a served robot says once and for all, as a node of rclpy hears it that comes late."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from tests.waiting import follow, until

TF = "tf2_msgs/msg/TFMessage"
CHAIN = [
    "base_link",
    "torso_lift_link",
    "shoulder_pan_link",
    "shoulder_lift_link",
    "upperarm_roll_link",
    "elbow_flex_link",
    "forearm_roll_link",
    "wrist_flex_link",
    "wrist_roll_link",
    "gripper_link",
]


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_who_comes_late_gets_description_fixed_frames_and_a_clock(homie_in_ros, ros_messages, start_real, transport):
    words = ["serve", "ros", "--seed", "7", "--camera-rate", "0", "--transport", transport]
    process = homie_in_ros("homie", *words, stderr=subprocess.PIPE)
    follow(process.stderr, "is on the ROS 2 network")
    late = start_real(f"late_{transport}")
    late.ask("subscribe", kind="std_msgs/msg/String", topic="/robot_description", qos="latched")
    late.ask("subscribe", kind=TF, topic="/tf_static", qos="latched")
    late.ask("subscribe", kind=TF, topic="/tf")
    late.ask("subscribe", kind="rosgraph_msgs/msg/Clock", topic="/clock", qos="sensor")
    late.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom", qos="sensor")
    topics = ("/robot_description", "/tf_static", "/tf", "/clock", "/odom")
    until(lambda: all(late.ask("count", topic=topic) for topic in topics))
    last = {topic: late.ask("last", topic=topic)["message"] for topic in topics}

    (fixed,) = last["/tf_static"]["transforms"]
    assert (fixed["header"]["frame_id"], fixed["child_frame_id"]) == ("wrist_roll_link", "gripper_link")
    assert fixed["transform"]["translation"]["x"] == pytest.approx(0.16645)
    edges = {each["child_frame_id"]: each["header"]["frame_id"] for each in last["/tf"]["transforms"]}
    assert edges == {"base_link": "odom", **dict(zip(CHAIN[1:-1], CHAIN, strict=False))}
    robot = ElementTree.fromstring(last["/robot_description"]["data"])
    assert [link.get("name") for link in robot.iter("link")] == CHAIN
    limits = {
        joint.get("name"): joint.find("limit").attrib for joint in robot.iter("joint") if joint.get("type") != "fixed"
    }
    assert limits["torso_lift_joint"]["upper"] == "0.38615"
    seconds = [stamp["sec"] for stamp in (last["/clock"]["clock"], last["/odom"]["header"]["stamp"])]
    assert abs(seconds[0] - seconds[1]) <= 2
