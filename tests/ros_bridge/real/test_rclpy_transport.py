"""Homie over a real rclpy: its own tests of the transport, and a robot that it serves, seen by nodes of rclpy."""

from __future__ import annotations

import math
import subprocess

import pytest

from tests.waiting import follow, until

ODOMETRY, JOINTS, TWIST = "nav_msgs/msg/Odometry", "sensor_msgs/msg/JointState", "geometry_msgs/msg/Twist"


@pytest.mark.slow
def test_the_tests_of_the_transport_pass(homie_in_ros):
    process = homie_in_ros("pytest", "-q", "-p", "no:cacheprovider", "tests/ros_bridge/transport/test_rclpy.py")
    assert process.wait(500) == 0


@pytest.mark.slow
def test_faults_of_drivers_are_seen_over_rclpy_as_over_dds(homie_in_ros, ros_messages, monkeypatch):
    monkeypatch.setenv("HOMIE_TEST_TRANSPORT", "rclpy")
    words = ["-p", "no:cacheprovider", "-k", "in_parts or bad_calibration or in_a_namespace"]
    words += ["tests/ros_bridge/real/test_faulty_drivers.py"]
    process = homie_in_ros("pytest", *words, stdout=subprocess.PIPE)
    printed = process.communicate(timeout=550)[0]
    assert process.returncode == 0 and "3 passed" in printed, printed


@pytest.mark.slow
def test_a_robot_is_served_without_the_messages_of_moveit_and_nav2(homie_in_ros, real):
    process = homie_in_ros("homie", "serve", "ros", "--seed", "7", "--camera-rate", "0", stderr=subprocess.PIPE)
    printed = "".join(follow(process.stderr, "is on the ROS 2 network"))
    assert "over rclpy (rmw_fastrtps_cpp)" in printed
    assert "Left out: /move_action. 'moveit_msgs/action/" in printed
    assert "Left out: /navigate_to_pose. 'nav2_msgs/action/" in printed
    real.ask("subscribe", kind=ODOMETRY, topic="/odom", qos="default")
    real.ask("subscribe", kind=JOINTS, topic="/joint_states", qos="sensor")
    until(lambda: real.ask("count", topic="/odom") and real.ask("count", topic="/joint_states"))
    until(lambda: "/homie_robot" in real.ask("graph")["nodes"])  # names may come later than messages
    assert "torso_lift_joint" in real.ask("last", topic="/joint_states")["message"]["name"]

    def turned():
        real.ask("publish", kind=TWIST, topic="/cmd_vel", fields={"angular": {"z": 0.5}})
        pose = real.ask("last", topic="/odom")["message"]["pose"]["pose"]["orientation"]
        return abs(2 * math.atan2(pose["z"], pose["w"])) > 0.2

    until(turned)


def test_nodes_know_each_others_names_though_nobody_has_said_the_distribution(nodes, real):
    node = nodes("/test")
    until(lambda: "/test" in real.ask("graph")["nodes"])
    node.publisher("std_msgs/msg/String", "/words")
    real.ask("subscribe", kind="std_msgs/msg/String", topic="/words")
    real.ask("publish", kind="std_msgs/msg/String", topic="/heard", fields={"data": "x"}, wait=0.0)
    until(lambda: "/real" in node.graph().nodes and node.publishers_of("/heard") == ("/real",))
    until(lambda: real.ask("publishing", topic="/words") == ["/test"])
    node.close()
    until(lambda: "/test" not in real.ask("graph")["nodes"])
