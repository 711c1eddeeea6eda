"""A node of rclpy that uses Homie as a component: it tells it what to do, hears how it goes, and stops it."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.homes import one_room
from tests.ros_bridge.real.caller import BOOL, EPISODE, FEEDBACK, RESULT, STOP, TRIGGER, Caller
from tests.waiting import follow, until

ROOT = Path(__file__).parents[3]
TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 6.2, "y": 2.0, "yaw": 3.14159}
SOFA = {"name": "sofa_1", "kind": "sofa", "colour": "gray", "x": 0.6, "y": 2.0}
MIDDLE = 1.6
"""m ahead of where the robot begins, between the two."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(network, tmp_path_factory):
    """A folder with the socket of the guard, and the variables of the network."""
    folder = tmp_path_factory.mktemp("r")
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    return folder, {**os.environ, **variables, "XDG_RUNTIME_DIR": str(folder)}


@contextlib.contextmanager
def homie(place, words, ready):
    """A command of Homie, as soon as it says that it is ready. It ends well."""
    folder, environment = place
    command = [sys.executable, "-m", "homie", *words]
    with subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            follow(process.stderr, ready)
            yield
        finally:
            process.terminate()
        assert process.wait(60) == 0


@pytest.fixture(scope="module")
def home(place):
    """A served Fetch in a room, and an agent at it that waits for instructions. Between table and sofa it is so far
    that stops come in the middle of the way on a busy machine, too."""
    scene = place[0] / "scene.json"
    scene.write_text(one_room([TABLE, SOFA], robot=(1.8, 2.0, 0.0), size=(7.0, 4.0)).dump())
    serving = ["serve", "ros", "--scene", str(scene), "--camera-rate", "1", "--picture-size", "64"]
    acting = ["serve", "agent", "--robot", "ros:fetch", "--rounds", "3"]
    with homie(place, serving, "is on the ROS 2 network"), homie(place, acting, "waits for instructions"):
        yield


@pytest.fixture(scope="module")
def caller(home, real):
    real.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom", qos="sensor")
    until(lambda: real.ask("last", topic="/odom"))
    return Caller(real)


def odometry(caller):
    return caller.node.ask("last", topic="/odom")["message"]


def speed(caller):
    twist = odometry(caller)["twist"]["twist"]
    return abs(twist["linear"]["x"]) + abs(twist["angular"]["z"])


def test_an_instruction_is_carried_out_round_by_round_and_its_sender_finds_the_result(caller):
    number = caller.tell("go to the table")
    other = caller.tell("go to the moon")
    refused = caller.last(RESULT)
    assert (refused["id"], refused["status"]) == (other, "rejected") and "is under way" in refused["reason"]
    until(lambda: caller.ended(number), 300)
    result = caller.last(RESULT)
    assert (result["status"], result["outcome"]) == ("finished", "not checked"), result
    assert re.fullmatch(r"1 of \d subtasks? succeeded", result["subtasks"]), "a late command may cost a round"
    # What was sent before on another topic may come after it.
    until(lambda: caller.last(FEEDBACK)["round"] == result["rounds"])
    assert caller.last(FEEDBACK)["id"] == number and caller.last(FEEDBACK)["subtasks"][0]["ok"]
    until(lambda: caller.last(EPISODE)["event"] == "ended")
    assert caller.last(EPISODE)["about"]["task"] == "go to the table", "events are heard as of a run"


def on_its_way(caller):
    """The id of an instruction that drives to the farther end; given again where a stop that came late, of the test
    before, has ended it."""
    at_the_table = odometry(caller)["pose"]["pose"]["position"]["x"] > MIDDLE
    number = caller.tell("go to the sofa" if at_the_table else "go to the table")
    until(lambda: speed(caller) > 0.05 or caller.ended(number))
    return on_its_way(caller) if caller.ended(number) else number


@pytest.mark.parametrize("method", ["service", "topic"])
def test_a_stop_in_the_middle_ends_the_instruction_and_the_robot_stands(caller, method):
    number = on_its_way(caller)
    assert caller.last(FEEDBACK)["id"] == number

    def stopped():
        if method == "topic":
            caller.node.ask("publish", kind=BOOL, topic=STOP, fields={"data": True})
        else:  # over dds the service cannot answer this middleware, and a call is a stop all the same
            assert caller.node.ask("call", kind=TRIGGER, name=STOP, seconds=1) is None
        with contextlib.suppress(AssertionError):
            until(lambda: caller.ended(number), 0.3)
        return caller.ended(number)

    until(stopped)
    assert caller.last(RESULT)["status"] == "stopped"
    until(lambda: speed(caller) < 0.01)


@pytest.mark.parametrize(
    ("text", "why"), [("", "empty"), ("{", "neither an instruction nor JSON"), ('{"task": "x"}', '"instruction"')]
)
def test_what_is_no_instruction_is_rejected_in_a_sentence(caller, text, why):
    caller.is_rejected(text, why)
