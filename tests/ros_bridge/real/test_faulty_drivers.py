"""Drivers of a robot in rclpy as they are in reports: what Homie makes of their joint states, odometry and pictures."""

from __future__ import annotations

import os
import subprocess
import time

import numpy as np
import pytest

from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.kernel.errors import RobotFault
from homie.kernel.types import Pose2
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.profile_check import FOREIGN, measured_topics
from ros_bridge.robot.camera_topics import Pictures
from ros_bridge.robot.proprioception import BodySensors
from ros_bridge.transport.clocks import MachineClock, PublishedClock
from ros_bridge.transport.opening import open_node
from ros_bridge.transport.transforms import Transforms
from tests.ros_bridge.checking import check_until, problems_of
from tests.waiting import until

FETCH = read_profile("fetch")
BY_COLOUR = "tests.ros_bridge.real.by_colour:ByColour"
START = {"torso_lift_joint": 0.05, "shoulder_pan_joint": 1.32, "elbow_flex_joint": 1.72, "wrist_flex_joint": 1.66}
"""Where some joints of the Fetch are at first."""


@pytest.fixture(scope="module")
def node(environment):
    """A node over dds; over rclpy where `test_rclpy_transport` runs these tests in the environment of ROS 2."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ROS_DOMAIN_ID", "ROS_LOCALHOST_ONLY"):
            patch.setenv(name, environment[name])
        with open_node("/test", os.environ.get("HOMIE_TEST_TRANSPORT", "dds")) as opened:
            yield opened


def problems(node, profile, expected):
    """What a check finds, as soon as it is as expected."""
    return problems_of(check_until(node, profile, lambda findings: expected(problems_of(findings))))


def measure(measurements):
    """What is measured within a second; the sentence where something is not."""
    try:
        return measurements.body(1.0)
    except RobotFault as error:
        return str(error)


@pytest.mark.slow
def test_joint_states_in_parts_and_in_any_order_are_whole_and_what_is_no_number_is_named(start_fake, node):
    drivers = start_fake("fetch")
    drivers.set("parts", 5)
    measurements = BodySensors(node, FETCH, SPEC, Pose2(0.0, 0.0, 0.0))
    body = measurements.body(60.0)
    assert {name: body.joints[name] for name in START} == pytest.approx(START)
    assert body.gripper == pytest.approx(0.1)
    drivers.set("nan", "elbow_flex_joint")
    until(
        lambda: "the joint elbow_flex_joint comes on /joint_states: its position is nan" in str(measure(measurements))
    )
    drivers.set("nan", "odom")
    until(lambda: "Nothing usable comes on /odom" in str(measure(measurements)))
    parts = problems(node, FETCH, lambda wrong: "/joint_states" not in wrong and "finite" in wrong.get("/odom", ""))
    assert "not finite" in parts["/odom"] and "/joint_states" not in parts
    drivers.set("nan", "")
    until(lambda: not isinstance(measure(measurements), str))


@pytest.mark.slow
def test_pictures_of_every_usual_encoding_are_the_same_picture(start_fake, node):
    drivers = start_fake("fetch")
    clock = MachineClock()
    transforms = Transforms(node, clock)
    pictures = Pictures(node, FETCH.cameras, lambda frame, at: transforms.lookup("odom", frame, at=at), clock=clock)

    def frame():
        return pictures.frames(["head"], after=time.time() + 0.3, patience=60.0)["head"]

    first = frame()
    red = (first.rgb[..., 0] > 150) & (first.rgb[..., 1] < 60)
    assert red.sum() > 20 and np.median(first.depth[red]) == pytest.approx(1.26, abs=0.03)
    for encoding, channels in (("bgr8", (0, 1, 2)), ("rgba8", (0, 1, 2)), ("8UC3", (0, 1, 2)), ("mono8", (0, 0, 0))):
        drivers.set("colours", encoding)
        assert (frame().rgb == first.rgb[..., channels]).all(), encoding
    drivers.set("colours", "yuv422")
    off = np.abs(frame().rgb.astype(int) - first.rgb).max(axis=2)
    assert (off < 5).mean() > 0.98, "but for edges, where two pixels share a colour"
    drivers.set("depth", "16UC1")
    assert np.abs(frame().depth - first.depth).max() < 0.001
    drivers.set("depth", "32FC1")
    head = FETCH.cameras["head"]
    small = {"head": head.model_copy(update={"rgb": f"{head.rgb}/compressed"})}
    smaller = Pictures(node, small, lambda frame, at: transforms.lookup("odom", frame, at=at), clock=clock)
    assert (smaller.frames(["head"], patience=60.0)["head"].rgb == first.rgb).all(), "a PNG loses nothing"
    kinds = {part: kind for part, _, kind, _ in measured_topics(FETCH.model_copy(update={"cameras": small}))}
    assert kinds["head camera"] == "sensor_msgs/msg/CompressedImage"
    drivers.set("colours", "bayer_rggb8")
    with pytest.raises(RobotFault, match="encoded as 'bayer_rggb8'; Homie reads rgb8, bgr8"):
        frame()


@pytest.mark.slow
def test_bad_calibration_looping_and_jumping_frames_lost_messages_and_a_clock_that_leaps(start_fake, node, caplog):
    drivers = start_fake("fetch")
    clock = MachineClock()
    transforms = Transforms(node, clock)
    pictures = Pictures(node, FETCH.cameras, lambda frame, at: transforms.lookup("odom", frame, at=at), clock=clock)
    measurements = BodySensors(node, FETCH, SPEC, Pose2(0.0, 0.0, 0.0))

    def look(patience=0.3):
        """A picture of the present; the sentence where there is none."""
        try:
            return pictures.frames(["head"], after=time.time(), patience=patience)["head"]
        except RobotFault as error:
            return str(error)

    def good():
        return not isinstance(look(), str) and not isinstance(measure(measurements), str)

    until(good)
    first = measurements.body()
    for fault, value, usual, sentence in (
        ("info", "zeros", "", "The camera 'head' is not calibrated: K of its camera info has no focal lengths"),
        ("frames", "jumps", "", "The transform of 'base_link' leaps by 5.00 m"),
        ("leap", 100, 0.0, "s ahead of the clock of this machine: set the clocks of robot and machine"),
        ("leap", -100, 0.0, "s old, at most 0.5 s are allowed"),
    ):
        drivers.set(fault, value)
        until(lambda sentence=sentence: sentence in str(look()))
        drivers.set(fault, usual)
        until(good)
    drivers.set("frames", "loop")
    until(lambda: "it is in 'base_link', which is in 'odom': two nodes publish these frames" in caplog.text)
    until(good)
    drivers.set("frames", "")
    drivers.set("lost", 0.2)
    assert all(not isinstance(look(30.0), str) for _ in range(5))
    assert measurements.body(30.0).joints == pytest.approx(first.joints)


def test_a_clock_of_a_simulator_that_leaps_or_begins_again_is_followed(start_fake, node, caplog):
    drivers = start_fake("fetch", "1")
    profile = FETCH.model_copy(update={"use_sim_time": True})
    clock = PublishedClock(node)
    transforms = Transforms(node, clock)
    pictures = Pictures(node, FETCH.cameras, lambda frame, at: transforms.lookup("odom", frame, at=at), clock=clock)
    measurements = BodySensors(node, profile, SPEC, Pose2(0.0, 0.0, 0.0), simulated=clock)

    def good():
        """Whether a picture and all joints of the present come, by the clock of the simulator."""
        try:
            pictures.frames(["head"], after=clock.now(), patience=1.0)
        except RobotFault:
            return False
        return not isinstance(measure(measurements), str) and not clock.stop_reason()

    until(good)
    for leap, sentence in ((1000, "/clock leaps forward from"), (500, "/clock goes back from")):
        caplog.clear()
        lived, start = clock.elapsed(), time.monotonic()
        drivers.set("leap", leap)
        until(lambda sentence=sentence: sentence in caplog.text)
        until(good)
        assert clock.elapsed() - lived < time.monotonic() - start + 100, "nobody has lived through the leap"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "fault", "value", "sentence"),
    [
        ("dds", "nan", "elbow_flex_joint", "the joint elbow_flex_joint comes on /joint_states: its position is nan"),
        ("rclpy", "info", "zeros", "The camera 'head' is not calibrated: K of its camera info has no focal lengths"),
        ("dds", "leap", 100, "s ahead of the clock of this machine: set the clocks of robot and machine"),
    ],
)
def test_a_run_with_faulty_drivers_ends_with_exit_code_4_and_the_reason(
    start_fake, start_guarding, homie_in_ros, tmp_path, transport, fault, value, sentence
):
    start_fake("fetch").set(fault, value)
    start_guarding("fetch", transport, "--silence", "2")
    words = ["--robot", "ros:fetch", "--robot-option", f"transport={transport}"]
    words += ["--targets", "sensors", "--detector", BY_COLOUR]
    words += ["--rounds", "1", "--no-video", "--no-frames", "--out", str(tmp_path / "run")]
    run = homie_in_ros("homie", "run", "go to the apple", *words, stderr=subprocess.PIPE)
    log = run.communicate(timeout=300)[1]
    assert run.returncode == 4 and sentence in log.splitlines()[-1], log


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy"])
def test_a_run_whose_odometry_fails_on_the_way_is_stopped_and_ends_with_exit_code_4(
    start_fake, start_guarding, homie_in_ros, real, tmp_path, transport
):
    drivers = start_fake("fetch")
    start_guarding("fetch", transport, "--silence", "2")
    real.ask("subscribe", kind="geometry_msgs/msg/Twist", topic="/cmd_vel")
    words = ["--robot", "ros:fetch", "--robot-option", f"transport={transport}"]
    words += ["--targets", "sensors", "--detector", BY_COLOUR]
    words += ["--rounds", "1", "--no-video", "--no-frames", "--out", str(tmp_path / "run")]
    run = homie_in_ros("homie", "run", "go to the apple", *words, stderr=subprocess.PIPE)

    def commanded():
        last = real.ask("last", topic="/cmd_vel")
        return 0.0 if last is None else last["message"]["linear"]["x"]

    until(lambda: commanded() > 0.1, process=run)
    drivers.set("nan", "odom")
    until(lambda: commanded() == 0.0)
    log = run.communicate(timeout=300)[1]
    real.ask("unsubscribe", topic="/cmd_vel")
    assert run.returncode == 4 and "/odom" in log.splitlines()[-1], log


@pytest.mark.slow
def test_a_robot_in_a_namespace_is_found_by_a_profile_with_its_names(start_fake, node):
    start_fake("fetch", "--ros-args", "-r", "__ns:=/fetch1")
    profile_fields = FETCH.model_dump(mode="json", exclude={"navigation", "reaching"})
    profile = Profile.model_validate(in_namespace(profile_fields, "/fetch1"))
    actions = {group.action for group in profile.groups.values()} | {profile.gripper.action}
    silent = dict.fromkeys(actions, FOREIGN) if node.transport == "dds" else {}
    parts = problems(node, profile, lambda wrong: wrong == silent)
    assert parts == silent, "only what does not pass between middlewares"
    missing = {"/joint_states", "/odom", "/cmd_vel"}
    assert problems(node, FETCH, lambda wrong: wrong.keys() >= missing).keys() >= missing


def in_namespace(value, space):
    """All names of a profile in a namespace."""
    if isinstance(value, dict):
        return {key: in_namespace(value, space) for key, value in value.items()}
    if isinstance(value, list):
        return [in_namespace(value, space) for value in value]
    return space + value if isinstance(value, str) and value.startswith("/") else value
