"""Nodes on loopback, on a ROS domain that no other test process uses at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.own_network import own_domain
from tests.waiting import follow, running

try:
    from ros_bridge.transport.dds.node import DdsNode
    from ros_bridge.transport.interface import SENSOR
    from ros_bridge.transport.network import Network
except ModuleNotFoundError:  # the extra [ros] is not installed
    collect_ignore_glob = ["*"]

ROOT = Path(__file__).parents[2]
GUARD = "from homie.cli.main import main; import sys; main(sys.argv[1:])"
SPEED = 0.4
"""m/s at which agents of the tests drive, as in `guard/agent.py`."""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Loopback, with a domain of its own for each module."""
    with own_domain() as domain:
        yield Network(domain=domain, interface="lo")


@pytest.fixture
def nodes(network: Network) -> Iterator[Callable[[str], DdsNode]]:
    """Opens nodes that are closed at the end of the test."""
    opened: list[DdsNode] = []

    def open_one(name: str) -> DdsNode:
        opened.append(DdsNode(name, network))
        return opened[-1]

    yield open_one
    for node in opened:
        node.close()


class Robot:
    """What the robot measures of itself, as heard by the test."""

    def __init__(self, node: DdsNode) -> None:
        self.speed, self.joint_speed = 0.0, 0.0
        node.subscription("nav_msgs/msg/Odometry", "/odom", self.on_odometry, SENSOR)
        node.subscription("sensor_msgs/msg/JointState", "/joint_states", self.on_joints, SENSOR)

    def on_odometry(self, message):
        self.speed = abs(message.twist.twist.linear.x)

    def on_joints(self, message):
        self.joint_speed = max(abs(message.velocity))

    def moves(self) -> bool:
        return self.speed > SPEED / 2 and self.joint_speed > 0.1

    def stands(self) -> bool:
        return self.speed < 0.01 and self.joint_speed < 0.01


@pytest.fixture(scope="module")
def environment(network):
    variables = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    return {**os.environ, **variables}


@pytest.fixture(scope="module")
def node(network):
    with DdsNode("/test", network) as dds_node:
        yield dds_node


@pytest.fixture(scope="module")
def robot(environment, node, network):
    command = [sys.executable, "-m", "tests.ros_bridge.fake_robot", str(network.domain), "fetch"]
    with running(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        yield Robot(node)
        process.kill()


@pytest.fixture(scope="module")
def start_guard(environment, tmp_path_factory):
    """Starts guards; each socket, and the process."""
    processes: list[subprocess.Popen[str]] = []

    def start(*options: str, command: Callable[[list[str]], list[str]] = lambda words: words) -> tuple[Path, object]:
        path = tmp_path_factory.mktemp("guard") / "g.sock"
        words = [sys.executable, "-c", GUARD, "robot", "guard", "fetch", "--socket", str(path), *options]
        process = subprocess.Popen(
            command(words), env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        follow(process.stderr, "listening at")
        return path, process

    yield start
    for process in processes:
        process.terminate()
        process.wait(60)
