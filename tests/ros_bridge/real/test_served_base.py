"""A served robot with an omnidirectional base, as a node of rclpy drives it to its left."""

from __future__ import annotations

import subprocess

import pytest
import yaml

from tests.ros_bridge.profiles.tiago import BODY, write_profile
from tests.waiting import follow, until


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_a_node_of_rclpy_drives_a_served_robot_to_its_left(homie_in_ros, ros_messages, real, tmp_path, transport):
    profile, body = write_profile(tmp_path), yaml.safe_load(BODY.read_text())
    fields = yaml.safe_load(profile.read_text())
    fields["base"]["sideways"] = body["base"]["sideways"] = 0.3
    profile.write_text(yaml.safe_dump(fields))
    (tmp_path / "body.yaml").write_text(yaml.safe_dump({**body, "mjcf": str(BODY.with_name(body["mjcf"]))}))
    words = ["--profile", str(profile), "--robot-option", f"body={tmp_path / 'body.yaml'}", "--seed", "7"]
    words += ["--camera-rate", "0", "--transport", transport]
    process = homie_in_ros("homie", "serve", "ros", *words, stderr=subprocess.PIPE)
    follow(process.stderr, "is on the ROS 2 network")
    real.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom", qos="sensor")

    def sideways():
        real.ask("publish", kind="geometry_msgs/msg/Twist", topic="/cmd_vel", fields={"linear": {"y": 0.2}})
        received = real.ask("last", topic="/odom")
        return received and received["message"]["twist"]["twist"]["linear"]

    until(lambda: (speed := sideways()) and speed["y"] == pytest.approx(0.2, abs=0.03))
    assert sideways()["x"] == pytest.approx(0.0, abs=0.03)
