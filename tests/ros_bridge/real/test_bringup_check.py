"""What `bringup` makes of a robot in rclpy whose drivers are not all there: no agent begins."""

from __future__ import annotations

import time

import pytest
import yaml

from ros_bridge.profiles.model import read_profile
from tests.waiting import until

pytestmark = pytest.mark.slow

HEAD = "/head_camera/rgb/image_raw"


def test_a_robot_without_a_camera_is_named_before_the_agent_starts(bringup, place, start_fake):
    start_fake("fetch", "--ros-args", "-r", f"{HEAD}:=/elsewhere")
    profile = read_profile("fetch").model_dump(mode="json", exclude_none=True)
    profile["emergency_stop"] = {"topic": "/runstop", "pressed": True}
    (place[0] / "fetch.yaml").write_text(yaml.safe_dump(profile))
    process = bringup(
        "--profile", "fetch.yaml", "--task", "go to the table", "--wait", "20"
    )  # all others are heard by then
    printed = process.communicate(timeout=300)[0].splitlines()
    assert process.returncode == 4, printed
    assert [line.partition("]")[0] for line in printed if line.startswith(("[check", "[agent"))] == ["[check"] * 2
    assert printed[0].startswith("[guard]"), "the guard listens first"
    (sentence,) = [line for line in printed if "No agent is started" in line]
    assert f"No agent is started: head camera on {HEAD} (no publisher), emergency stop on /runstop" in sentence
    assert not list(place[0].glob("homie/*.sock")), "the guard has ended"


@pytest.mark.parametrize("transport", ["rclpy"])
def test_the_agent_starts_when_slow_drivers_have_come(bringup, start_fake, over, transport):
    words = ["--task", "go to the table", "--wait", "120", "--options", f"--no-video --no-frames --out {transport}"]
    process = bringup(*words, *over[transport])
    printed = []
    until(lambda: printed.append(process.stdout.readline()) or printed[-1].startswith("[check] Waiting"))
    time.sleep(1.0)
    start_fake("fetch")
    printed += process.communicate(timeout=300)[0].splitlines()
    there = next((number for number, line in enumerate(printed) if "transforms are there" in line), len(printed))
    assert there < len(printed), printed
    assert all(not line.startswith("[agent]") for line in printed[:there])
    assert any("is not armed, so nothing would move" in line for line in printed[there:]), printed


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [(("--profile", "nosuch"), 2, "There is no robot profile 'nosuch'"), (("--wait", "nan"), 2, "")],
)
def test_what_cannot_be_brought_up_ends_at_once(bringup, words, code, sentence):
    process = bringup(*words)
    assert sentence in process.communicate(timeout=150)[0] and process.returncode == code
