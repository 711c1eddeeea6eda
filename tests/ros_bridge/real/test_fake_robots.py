"""A Fetch and a Franka in rclpy over Fast DDS that know nothing of Homie, driven over both transports."""

from __future__ import annotations

import contextlib
import json
import math
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from homie.kernel.errors import CommandRefused
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.sockets import socket_path
from ros_bridge.profiles.model import read_profile
from tests.ros_bridge.links import succeeded
from tests.ros_bridge.real.arm_program import NOBODY
from tests.ros_bridge.real.caller import EPISODE, TEXT
from tests.ros_bridge.real.conftest import problems_of
from tests.waiting import until

DOCS = Path(__file__).parents[3] / "docs" / "ros.md"
ODOMETRY = "nav_msgs/msg/Odometry"
VIEWS = ("front", "left", "back", "right")
ACTIONS = {
    "fetch": {
        "/torso_controller/follow_joint_trajectory",
        "/arm_controller/follow_joint_trajectory",
        "/head_controller/follow_joint_trajectory",
        "/gripper_controller/gripper_action",
    },
    "franka": {"/panda_arm_controller/follow_joint_trajectory", "/panda_gripper/gripper_action"},
}
DETECTOR = "tests.ros_bridge.real.by_colour:ByColour"
BALL = (1.45, 0.0)
"""Where the ball of the Fetch lies, m from where it starts."""
OVER_THE_BALL, AT_THE_BALL = (0.0, 0.2, 0.0, -2.35, 0.0, 2.55, 0.785), (0.0, 0.3503, 0.0, -2.5381, 0.0, 2.8884, 0.785)
"""Joints of the Franka."""


@pytest.fixture
def profile(tmp_path):
    """Writes the profile of a robot without Nav2 and MoveIt, whose four views have cameras of their own."""

    def write(name):
        profile_fields = read_profile(name).model_dump(
            mode="json", exclude={"navigation", "reaching"}, exclude_none=True
        )
        if name == "fetch":
            for view in VIEWS:
                topics = {"rgb": "image_raw", "depth": "depth", "info": "camera_info"}
                camera = {part: f"/{view}_camera/{topic}" for part, topic in topics.items()}
                profile_fields["cameras"][view] = camera | {"frame": f"{view}_camera_optical_frame", "oldest": 2.0}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(profile_fields))
        return str(tmp_path / f"{name}.yaml")

    return write


def checked_over_both(checked, profile, silent):
    """Exit codes and findings of checks at the same time, by their transports; silent: the actions that never answer
    there."""

    def check(transport):
        return checked(profile, transport, lambda findings: problems_of(findings).keys() == silent[transport])

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(silent, pool.map(check, silent), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parts"), [("fetch", 33), ("franka", 10)])
def test_the_check_finds_every_part_and_over_dds_says_which_actions_never_answer(
    start_fake, checked, profile, name, parts
):
    start_fake(name)
    silent = {"dds": ACTIONS[name], "rclpy": set()}
    for transport, (code, printed) in checked_over_both(checked, profile(name), silent).items():
        findings, problems = printed["findings"], problems_of(printed["findings"])
        assert len(findings) == parts and problems.keys() == silent[transport], problems
        assert all("never answers over this middleware" in problem for problem in problems.values())
        assert code == (4 if problems else 0)


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_it_finds_the_ball_drives_there_and_moves_its_arm_and_its_gripper_where_actions_pass(
    start_fake, start_guarding, homie_in_ros, real, profile, tmp_path, transport
):
    start_fake("fetch")
    written = profile("fetch")
    start_guarding(written, transport, "--silence", "2")
    real.ask("subscribe", kind=ODOMETRY, topic="/odom")
    real.ask("subscribe", kind=TEXT, topic=EPISODE)
    words = ["--robot", f"ros:{written}", "--robot-option", f"transport={transport}", "--targets", "sensors"]
    words += ["--detector", DETECTOR, "--rounds", "3", "--no-video", "--no-frames", "--out", str(tmp_path / "run")]
    run = homie_in_ros("homie", "run", "go to the apple", *words, stderr=subprocess.PIPE)
    log = run.communicate(timeout=400)[1]
    assert run.returncode == 0 and succeeded(log, 1), log
    place = real.ask("last", topic="/odom")["message"]["pose"]["pose"]["position"]
    assert place["x"] > 0.3 and math.hypot(place["x"] - BALL[0], place["y"] - BALL[1]) < 1.0
    assert json.loads(real.ask("last", topic=EPISODE)["message"]["data"])["event"] == "ended"
    program = homie_in_ros("tests.ros_bridge.real.arm_program", written, transport, stdout=subprocess.PIPE)
    after = json.loads(program.communicate(timeout=300)[0])
    joints = [after["joints"][joint] for joint in ("torso_lift_joint", "shoulder_pan_joint", "wrist_flex_joint")]
    assert joints == pytest.approx([0.15, 1.0, 1.4], abs=0.02)
    gripper = "yes" if after["gripper"] == pytest.approx(0.04, abs=0.006) else "no"
    assert (NOBODY in after["refused"]) is (gripper == "no")
    assert f"| fetch, `{transport}` | yes | yes | yes | | {gripper} |" in DOCS.read_text()


PARTS = ("send_goal", "get_result", "cancel_goal", "feedback", "status")
"""The names that an action has on the network."""


@pytest.mark.slow
def test_a_robot_with_other_names_throughout_is_checked_and_driven_by_a_profile_with_these_names(
    start_fake, start_guarding, homie_in_ros, checked, profile, tmp_path
):
    written = Path(profile("fetch"))
    text = written.read_text()
    names = sorted(set(re.findall(r"(?<=: )/\S+", text)), key=len, reverse=True)
    new = {name: f"/lab/part_{number}/data" for number, name in enumerate(names)}
    actions = {name for name in names if name.endswith(("follow_joint_trajectory", "gripper_action"))}
    assert len(names) == 25 and len(actions) == 4
    rules = [(name, to) for name, to in new.items() if name not in actions]
    rules += [(f"{name}/_action/{part}", f"{new[name]}/_action/{part}") for name in sorted(actions) for part in PARTS]
    start_fake("fetch", "--ros-args", *(word for name, to in rules for word in ("-r", f"{name}:={to}")))
    written.write_text(re.sub(r"(?<=: )/\S+", lambda match: new[match.group()], text))

    silent = {"dds": {new[name] for name in actions}, "rclpy": set()}
    for transport, (_, printed) in checked_over_both(checked, str(written), silent).items():
        assert problems_of(printed["findings"]).keys() == silent[transport], printed
    start_guarding(str(written), "rclpy", "--silence", "2")
    words = ["--robot", f"ros:{written}", "--robot-option", "transport=rclpy", "--targets", "sensors"]
    words += ["--detector", DETECTOR, "--rounds", "3", "--no-video", "--no-frames", "--out", str(tmp_path / "run")]
    run = homie_in_ros("homie", "run", "go to the apple", *words, stderr=subprocess.PIPE)
    log = run.communicate(timeout=400)[1]
    assert run.returncode == 0 and succeeded(log, 1), log


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_a_program_moves_the_arm_of_a_franka_and_grasps_where_actions_pass(
    start_fake, start_guarding, real, network, runtime_folder, transport
):
    start_fake("franka")
    start_guarding("franka", transport, "--silence", "2")
    real.ask("subscribe", kind="sensor_msgs/msg/JointState", topic="/joint_states")
    franka = read_profile("franka")
    names = [joint.name for joint in franka.groups["arm"].joints]
    path = runtime_folder / "homie" / socket_path(franka.name, network).name
    with GuardLink(franka, path, network=network) as link:

        def arrived():
            with contextlib.suppress(CommandRefused):  # before the guard has heard all joints
                link.aim("arm", OVER_THE_BALL)
            at = joints_of(real, "panda_joint2")
            return max(abs(at[name] - to) for name, to in zip(names, OVER_THE_BALL, strict=True)) < 0.02

        until(arrived)
        assert link.stop(20).confirmed
        lowered = {name: [to] for name, to in zip(names, AT_THE_BALL, strict=True)}
        moved = link.follow("arm", lowered, times=[1.5]).result(60)
        gripped = link.grip(0.0, 20.0).result(60)
    outcomes = {(each.outcome, each.text) for each in (moved, gripped)}
    assert outcomes == {("succeeded", "")} or outcomes == {("rejected", NOBODY)}
    assert gripped.stalled is (True if gripped.outcome == "succeeded" else None), "it holds the ball"
    yes = "yes" if outcomes == {("succeeded", "")} else "no"
    assert re.search(rf"\| franka, `{transport}` \|( yes)? \| \| yes \| {yes} \| {yes} \|", DOCS.read_text())


def joints_of(real, name):
    """The joints of a publisher that has this one."""
    received = []

    def has_arrived():
        received[:] = [real.ask("last", topic="/joint_states")]
        return received[0] and name in received[0]["message"]["name"]

    until(has_arrived)
    message = received[0]["message"]
    return dict(zip(message["name"], message["position"], strict=True))
