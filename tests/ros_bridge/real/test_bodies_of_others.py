"""A TIAGo in rclpy over Fast DDS: its profile is made from its URDF, and its body is an MJCF model of others."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest

from tests.ros_bridge.links import succeeded
from tests.ros_bridge.profiles.tiago import write_profile

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[3] / "docs" / "ros.md"
DETECTOR = "tests.ros_bridge.real.by_colour:ByColour"
ODOMETRY = "nav_msgs/msg/Odometry"
BALL = (1.45, 0.0)
"""m from where the robot starts."""


@pytest.fixture
def profile(tmp_path):
    return str(write_profile(tmp_path))


@pytest.mark.parametrize(
    ("transport", "task", "subtasks", "row"),
    [
        ("rclpy", "pick up the apple", 2, "| yes | yes | yes | | yes |"),
        ("dds", "go to the apple", 1, "| yes | yes | | | |"),
    ],
)
def test_a_tiago_finds_the_ball_with_its_head_and_drives_there_and_grasps_it(
    start_fake, start_guarding, homie_in_ros, real, profile, tmp_path, transport, task, subtasks, row
):
    start_fake("tiago")
    start_guarding(profile, transport, "--silence", "2")
    real.ask("subscribe", kind=ODOMETRY, topic="/odom")
    words = ["--robot", f"ros:{profile}", "--robot-option", f"transport={transport}", "--targets", "sensors"]
    words += ["--detector", DETECTOR, "--rounds", str(subtasks + 2), "--no-video", "--no-frames"]
    run = homie_in_ros("homie", "run", task, *words, "--out", str(tmp_path / "run"), stderr=subprocess.PIPE)
    log = run.communicate(timeout=400)[1]
    assert run.returncode == 0 and succeeded(log, subtasks), log
    place = real.ask("last", topic="/odom")["message"]["pose"]["pose"]["position"]
    assert place["x"] > 0.2 and math.hypot(place["x"] - BALL[0], place["y"] - BALL[1]) < 1.2
    assert ("inventory apple" in log) is (task == "pick up the apple"), log
    assert f"| tiago, `{transport}` {row}" in DOCS.read_text()
