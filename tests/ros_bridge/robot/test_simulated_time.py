"""A robot whose time is that of a simulator, slower or faster than real time: simulator and guard are processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.options import OpenOptions
from homie.kernel.types import Command
from ros_bridge.profiles.model import read_profile
from ros_bridge.robot.opening import open_ros
from tests.ros_bridge.checking import check_until, good
from tests.waiting import follow, running, until

ROOT = Path(__file__).parents[3]
FETCH = ROOT / "ros_bridge/profiles/fetch.yaml"


class Simulation:
    """The process of the simulator."""

    def __init__(self, process):
        self.process = process

    def __call__(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"


@pytest.fixture(scope="module")
def place(network, tmp_path_factory):
    """A folder with the profile and the socket of the guard, and the variables of the network, set for this module."""
    folder = tmp_path_factory.mktemp("s")
    profile = folder / "simulated.yaml"
    profile.write_text(FETCH.read_text().replace("name: fetch", "name: simulated\nuse_sim_time: true"))
    (folder / "wall.yaml").write_text(FETCH.read_text())
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**variables, "XDG_RUNTIME_DIR": str(folder)}.items():
            patch.setenv(name, value)
        yield profile


@pytest.fixture(scope="module")
def simulation(place, network):
    words = [sys.executable, "-m", "tests.ros_bridge.simulator", str(network.domain), str(place)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(words, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout.readline() == "up\n"
        yield Simulation(process)
        process.kill()


@pytest.fixture(scope="module")
def guard(place, simulation):
    """What the guard says, line by line."""
    words = [sys.executable, "-m", "homie", "robot", "guard", str(place), "--arm-robot", "--silence", "1"]
    with running(words, env=dict(os.environ), cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        yield follow(process.stderr, "listening at")
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module")
def opened(place, simulation, guard):
    simulation("rate", 1)
    robot = open_ros(OpenOptions.build(robot=f"ros:{place}"), str(place))
    yield robot
    simulation("rate", 1)
    robot.close()


@pytest.fixture
def robot(opened, simulation):
    simulation("rate", 1)
    until(lambda: measure(opened) is not None)
    return opened


def measure(robot):
    try:
        return robot.measured()
    except RobotFault:
        return None


def drives(robot, speed=0.3):
    """Command a velocity for one period; whether the base moves."""
    try:
        robot.act(robot.spec.drive(speed, 0.0))
    except (CommandRefused, RobotFault):
        return False
    return abs(robot.measured().base_velocity[0]) > 0.1


def drive_on(robot):
    while True:
        robot.act(robot.spec.drive(0.3, 0.0))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0])
def test_it_drives_and_sees_at_any_speed_of_the_simulator(robot, simulation, rate):
    simulation("rate", rate)
    until(lambda: drives(robot))
    before = robot.observe(["head"])

    def has_moved():
        robot.act(robot.spec.drive(0.3, 0.0))
        after = robot.observe(["head"])
        moved = after.body.base.x > before.body.base.x and after.stamp > before.stamp  # /clock ticks every fifth period
        return moved and (after.frames["head"].rgb != before.frames["head"].rgb).any()

    until(has_moved)
    robot.stop()


@pytest.mark.slow
def test_it_stops_with_the_clock_and_goes_on_with_it(robot, simulation, guard, monkeypatch):
    monkeypatch.setattr("ros_bridge.robot.proprioception.BodySensors.body.__defaults__", (3.0,))
    until(lambda: drives(robot))
    simulation("frozen", 0)
    with pytest.raises((RobotFault, CommandRefused), match=r"/clock has stopped at .* is the simulator paused"):
        drive_on(robot)
    until(lambda: any("Stop: /clock has stopped" in line for line in guard))
    simulation("rate", 1)
    until(lambda: drives(robot))
    robot.stop()


@pytest.mark.parametrize("change", [("reset",), ("leap", 1000)])
def test_it_goes_on_after_a_reset_and_a_leap(robot, simulation, change):
    until(lambda: drives(robot))
    before = robot.observe(["head"])
    simulation(*change)
    until(lambda: drives(robot) and robot.observe().stamp > before.stamp + 0.5)
    after = robot.observe(["head"])
    assert after.stamp < before.stamp + 60, "time that nobody lived through does not count"
    robot.act(Command())
    robot.stop()
    assert robot.observe(["head"]).frames["head"].rgb.shape == (12, 16, 3)


@pytest.mark.slow
def test_the_check_says_which_clock_and_when_it_is_the_wrong_one(place, simulation, nodes):
    simulation("rate", 1)
    node = nodes("/homie_check")
    until(lambda: "/clock" in node.graph().publishers)
    parts = ("joint states", "odometry", "head camera", "odometry frame", "head frame")
    there = check_until(node, read_profile(str(place)), lambda findings: good(findings) >= {"clock", *parts})
    right = {finding.part: finding for finding in there}
    assert re.fullmatch(r"/clock \([01]\.\d\d x real time\)", right["clock"].name) and right["clock"].problem == ""
    for part in parts:
        assert right[part].problem == "", part
    wall = read_profile(str(place.parent / "wall.yaml"))
    hint = "set use_sim_time: true in the profile"
    stamped = check_until(node, wall, lambda findings: sum(hint in each.problem for each in findings) >= 4)
    wrong = {finding.part: finding for finding in stamped}
    assert wrong["clock"].name == "the clock of this machine"
    for part in ("joint states", "odometry", "head camera", "odometry frame"):
        assert hint in wrong[part].problem, part
    simulation("frozen", 0)
    paused = "is the simulator paused?"
    stands = check_until(node, read_profile(str(place)), lambda findings: paused in str(findings))
    (clock,) = (finding for finding in stands if finding.part == "clock")
    assert paused in clock.problem


def test_a_picture_of_another_clock_says_what_to_set(place, simulation, nodes):
    from ros_bridge.robot.camera_topics import Pictures

    simulation("rate", 1)
    profile = read_profile(str(place))
    pictures = Pictures(nodes("/agent"), profile.cameras, lambda frame, at: None)

    def refused():
        with pytest.raises(RobotFault) as error:
            pictures.frames(["head"], patience=2.0)
        return "set use_sim_time: true in the profile" in str(error.value)

    until(refused)
