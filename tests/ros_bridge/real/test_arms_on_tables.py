"""Arms without a base in rclpy over Fast DDS: a Panda with a camera at its hand; a UR5e, whose body is an MJCF model of
others, with a camera before its table."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.ros_bridge.profiles.ur5e import write_profile

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[3] / "docs" / "ros.md"
DETECTOR = "tests.ros_bridge.real.by_colour:ByColour"
PLAN = ["[Pick, apple]", "[Put, apple, table]"]


@pytest.mark.parametrize(
    ("robot", "row"), [("franka", "| yes | | yes | yes | yes |"), ("ur5e", "| yes | | yes | | yes |")]
)
def test_an_arm_on_a_table_takes_the_ball_and_puts_it_down(
    start_fake, start_guarding, homie_in_ros, tmp_path, robot, row
):
    profile = str(write_profile(tmp_path)) if robot == "ur5e" else robot
    start_fake(robot)
    start_guarding(profile, "rclpy", "--silence", "2")
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN))
    words = ["--robot", f"ros:{profile}", "--robot-option", "transport=rclpy", "--targets", "sensors"]
    words += ["--detector", DETECTOR, "--planner", f"scripted:{plan}", "--no-video", "--no-frames"]
    task = "take the apple and put it down again"
    run = homie_in_ros("homie", "run", task, *words, "--out", str(tmp_path / "run"), stderr=subprocess.PIPE)
    log = run.communicate(timeout=500)[1]
    assert run.returncode == 0 and "2 of 2 subtasks succeeded" in log, log
    assert f"| {robot}, `rclpy` {row}" in DOCS.read_text()
