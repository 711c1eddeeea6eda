"""What passes between Homie and a node of rclpy over Fast DDS, both ways: the table of docs/ros.md is measured here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.ros_bridge.real.conftest import RealNode
from tests.waiting import until

DOCS = Path(__file__).parents[3] / "docs" / "ros.md"
TEXT, TRIGGER, COUNT = "std_msgs/msg/String", "std_srvs/srv/Trigger", "test_msgs/action/Fibonacci"
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
PATIENCE = {"rclpy": 20.0, "dds": 2.0}
"""Seconds in which what can be ready is."""


@pytest.fixture(scope="module")
def offering(real):
    """The node of rclpy, with a topic that it hears, a service and an action."""
    real.ask("subscribe", kind=TEXT, topic="/homie/words")
    real.ask("serve", kind=TRIGGER, name="/real/trigger", fields={"success": True, "message": "at once"})
    real.ask("act", kind=COUNT, name="/real/count")
    return real


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["rclpy", "dds"])
def test_what_passes_is_what_the_table_says(homie_in_ros, offering, transport):
    real, seconds = offering, PATIENCE[transport]
    homie = RealNode(homie_in_ros("tests.ros_bridge.real.homie_node", transport, **PIPES))
    before = real.ask("count", topic="/homie/words")

    def both_heard():
        real.ask("publish", kind=TEXT, topic="/real/words", fields={"data": "x"})
        return real.ask("count", topic="/homie/words") > before + 2 and homie.ask("heard")

    until(both_heard)
    request = {"kind": TRIGGER, "name": "/homie/trigger", "seconds": seconds}
    offered = real.ask("call", **request)["message"] if real.ask("ready", **request) else "never ready"
    called = homie.ask("call", seconds=seconds)
    goals = [{"order": 6, "cancel": False, "seconds": seconds}, {"order": 60, "cancel": True, "seconds": seconds}]
    served = [real.ask("send", kind=COUNT, name="/homie/count", **goal) for goal in goals]
    sent = [homie.ask("send", **goal) for goal in goals]
    yes = {"later": "yes", "at once": "yes", "SUCCEEDED 6 CANCELED 0": "yes", "never ready never ready": "never ready"}
    cells = [offered, called, " ".join(served), " ".join(sent)]
    row = " | ".join([f"`{transport}`", "yes", "yes", *(yes.get(cell, cell) for cell in cells)])
    assert f"\n| {row} |\n" in DOCS.read_text()
