"""A node of rclpy that uses Homie as a component: it tells it what to do, hears how it goes, and stops it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.homes import one_room
from tests.waiting import until

ROOT = Path(__file__).parents[3]
TEXT, TRIGGER, BOOL = "std_msgs/msg/String", "std_srvs/srv/Trigger", "std_msgs/msg/Bool"
FEEDBACK, RESULT, EPISODE = "/homie/do/feedback", "/homie/do/result", "/homie/episode"
TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 6.2, "y": 2.0, "yaw": 3.14159}
SOFA = {"name": "sofa_1", "kind": "sofa", "colour": "gray", "x": 0.6, "y": 2.0}
NUMBERS = itertools.count(1)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(network, tmp_path_factory):
    """A folder with the socket of the guard, and the variables of the network."""
    folder = tmp_path_factory.mktemp("r")
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    return folder, {**os.environ, **variables, "XDG_RUNTIME_DIR": str(folder)}


def homie(place, words, ready):
    """A command of Homie, as soon as it says that it is ready."""
    folder, environment = place
    command = [sys.executable, "-m", "homie", *words]
    process = subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)
    said = []
    while ready not in (line := process.stderr.readline()):
        said.append(line)
        assert line, said
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process


@pytest.fixture(scope="module")
def home(place):
    """A served Fetch in a room, and an agent at it that waits for instructions. From the table the sofa is so far away
    that stops come in the middle of the way on a busy machine, too."""
    scene = place[0] / "scene.json"
    scene.write_text(one_room([TABLE, SOFA], robot=(1.8, 2.0, 0.0), size=(7.0, 4.0)).dump())
    begun = [
        homie(place, ["serve", "ros", "--scene", str(scene), "--camera-rate", "1", "--picture-size", "64"], "is on")
    ]
    begun.append(homie(place, ["serve", "agent", "--robot", "ros:fetch", "--rounds", "3"], "waits for instructions"))
    yield begun
    for process in reversed(begun):
        process.terminate()
        assert process.wait(60) == 0


@pytest.fixture(scope="module")
def caller(home, real):
    """The node, which has heard nothing yet."""
    for topic, qos in ((FEEDBACK, "default"), (RESULT, "latched"), (EPISODE, "default")):
        real.ask("subscribe", kind=TEXT, topic=topic, qos=qos)
    real.ask("subscribe", kind="nav_msgs/msg/Odometry", topic="/odom", qos="sensor")
    return real


def last(caller, topic):
    heard = caller.ask("last", topic=topic)
    return {} if heard is None else json.loads(heard["message"]["data"])


def speed(caller):
    heard = caller.ask("last", topic="/odom")
    if heard is None:
        return 0.0
    twist = heard["message"]["twist"]["twist"]
    return abs(twist["linear"]["x"]) + abs(twist["angular"]["z"])


def tell(caller, text):
    """Tell it until it is heard, since what is sent when two nodes have just found each other may be lost."""
    words = json.dumps({"instruction": text, "id": str(next(NUMBERS))})

    def heard():
        caller.ask("publish", kind=TEXT, topic="/homie/do", fields={"data": words})
        return json.loads(words)["id"] in (last(caller, FEEDBACK).get("id"), last(caller, RESULT).get("id"))

    until(heard)
    return json.loads(words)["id"]


def test_an_instruction_is_carried_out_round_by_round_and_its_sender_finds_the_result(caller):
    number = tell(caller, "go to the table")
    other = tell(caller, "go to the moon")
    refused = last(caller, RESULT)
    assert (refused["id"], refused["status"]) == (other, "rejected") and "is under way" in refused["reason"]
    until(lambda: last(caller, RESULT).get("id") == number, 120)
    result = last(caller, RESULT)
    assert (result["status"], result["outcome"]) == ("finished", "not checked"), result
    assert re.fullmatch(r"1 of \d subtasks? succeeded", result["subtasks"]), "a late command may cost a round"
    # What was sent before on another topic may come after it.
    until(lambda: last(caller, FEEDBACK)["round"] == result["rounds"])
    assert last(caller, FEEDBACK)["id"] == number and last(caller, FEEDBACK)["subtasks"][0]["ok"]
    until(lambda: last(caller, EPISODE)["event"] == "ended")
    assert last(caller, EPISODE)["about"]["task"] == "go to the table", "events are heard as of a run"


@pytest.mark.parametrize("how", ["service", "topic"])
def test_a_stop_in_the_middle_ends_the_instruction_and_the_robot_stands(caller, how):
    number = tell(caller, "go to the sofa")
    assert last(caller, FEEDBACK)["id"] == number and last(caller, FEEDBACK)["round"] == 0
    until(lambda: speed(caller) > 0.05)

    def ended():
        return last(caller, RESULT).get("id") == number

    def stopped():  # asked again, since what is sent when two nodes have just found each other may be lost
        if how == "topic":
            caller.ask("publish", kind=BOOL, topic="/homie/stop", fields={"data": True})
        else:  # over dds the service cannot answer this middleware, and a call is a stop all the same
            assert caller.ask("call", kind=TRIGGER, name="/homie/stop", seconds=1) is None
        with contextlib.suppress(AssertionError):
            until(ended, 5)
        return ended()

    until(stopped)
    assert last(caller, RESULT)["status"] == "stopped"
    until(lambda: speed(caller) < 0.01)


@pytest.mark.parametrize(
    ("text", "why"), [("", "empty"), ("{", "neither an instruction nor JSON"), ('{"task": "x"}', '"instruction"')]
)
def test_what_is_no_instruction_is_rejected_in_a_sentence(caller, text, why):
    before = last(caller, RESULT).get("number", 0)
    caller.ask("publish", kind=TEXT, topic="/homie/do", fields={"data": text})
    until(lambda: last(caller, RESULT).get("number", 0) > before)
    assert last(caller, RESULT)["status"] == "rejected" and why in last(caller, RESULT)["reason"]
