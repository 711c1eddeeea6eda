"""Robot, guard and agent as processes: the robot stands whatever happens to the agent, and the guard lives on."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from homie.kernel.errors import CommandRefused, InfrastructureError, RobotFault
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.sockets import socket_path
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import read_profile
from ros_bridge.profiles.simulation import TOPIC, Simulation
from ros_bridge.robot.guarding import OwnGuard, has_guard
from ros_bridge.transport.interface import LATCHED
from ros_bridge.transport.network import Network
from tests.ros_bridge.guard.agent import FLOOD
from tests.ros_bridge.links import connected, drives, refusal
from tests.waiting import running, until

FETCH = read_profile("fetch")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def guard(start_guard, robot):
    """An armed guard whose parent is dead: the shell that started it, and the terminal with it."""
    path, _ = start_guard("--arm-robot", command=lambda words: ["/bin/sh", "-c", '"$@" & sleep 0.1', "sh", *words])
    number = int(
        subprocess.run(["pgrep", "-f", str(path)], capture_output=True, text=True, check=True).stdout.split()[-1]
    )
    yield path, number
    os.kill(number, signal.SIGTERM)


@pytest.fixture
def agent(environment, guard, robot):
    """An agent that drives and moves the arm, moving already."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.ros_bridge.guard.agent", str(guard[0]), "drive"]
        started.append(subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL))
        until(robot.moves)
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
    until(robot.stands)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_robot_stands_when_the_agent_is_killed_or_swapped_out(agent, robot, number):
    agent().send_signal(number)
    until(robot.stands)


def test_the_guard_that_a_run_began_stops_the_robot_and_ends_when_the_run_is_killed(environment, robot, tmp_path):
    socket = tmp_path / "homie" / f"guard-fetch-{environment['ROS_DOMAIN_ID']}.sock"
    words = [sys.executable, "-m", "tests.ros_bridge.guard.agent", str(socket), "own"]
    own = {**environment, "XDG_RUNTIME_DIR": str(tmp_path)}
    with running(words, env=own, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "guarded\n"
        number = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True, check=True).stdout
        guard = os.pidfd_open(int(number))
        until(robot.moves)
        run.kill()
    ended, _, _ = select.select([guard], [], [], 20.0)
    os.close(guard)
    assert ended, "the guard has ended"
    assert robot.stands()
    assert "The robot stands" in socket.with_suffix(".log").read_text()
    assert not socket.exists()


def test_the_robot_stands_when_the_agent_floods_the_guard(agent, robot):
    process = agent()
    process.send_signal(FLOOD)
    until(robot.stands)
    assert process.wait(60) != 0


def test_what_was_said_before_a_stop_is_not_done_after_it(agent, robot):
    process = agent()
    process.send_signal(signal.SIGSTOP)
    until(robot.stands)
    process.send_signal(signal.SIGCONT)
    assert process.wait(60) != 0, "its guard has left it"
    assert robot.stands()


@pytest.mark.slow
def test_a_guard_from_its_first_command_to_its_end(start_guard, robot, network):
    path, process = start_guard("--arm-robot")
    with connected(path, network) as link:
        until(lambda: drives(link, robot))
        assert link.stop(20).confirmed and robot.stands()
        assert link.follow("torso", {"torso_lift_joint": [0.1]}, times=[3.0]).result(20).outcome == "succeeded"
        with pytest.raises(CommandRefused, match="outside"):
            link.follow("torso", {"torso_lift_joint": [9.0]}, times=[3.0]).result(20)
        until(lambda: drives(link, robot))
        process.terminate()
        assert process.wait(20) == 0
        until(robot.stands)
        with pytest.raises(RobotFault):
            link.stop(20)


@pytest.mark.slow
def test_the_guard_of_another_robot_or_network_is_not_taken(guard, network):
    with pytest.raises(InfrastructureError, match="the profile fetch"):
        GuardLink(read_profile("franka"), guard[0], network=network)
    elsewhere = Network(network.domain + 1, network.interface)
    with pytest.raises(InfrastructureError, match=f"it has ROS_DOMAIN_ID={network.domain}, the agent ROS_DOMAIN_ID="):
        GuardLink(FETCH, guard[0], network=elsewhere)
    with pytest.raises(InfrastructureError, match="watches a real robot, the agent a simulated one"):
        GuardLink(FETCH, guard[0], network=network, simulated=True)


def test_a_robot_has_one_guard(start_guard, guard, environment):
    words = [sys.executable, "-m", "homie", "robot", "guard", "fetch", "--socket", str(guard[0])]
    second = subprocess.run(words, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert second.returncode == 4
    assert "Another guard listens" in second.stderr


def press(client, request):
    """Whether a call is answered: one that is made while two nodes find each other can be lost."""
    with contextlib.suppress(TimeoutError):
        return client.call(request).result(5).success
    return False


def test_an_emergency_stop_over_the_network_stays(guard, robot, node, network):
    with connected(guard[0], network) as link:
        until(lambda: drives(link, robot))
        client = node.client("std_srvs/srv/Trigger", "/homie/estop")
        until(client.ready)
        until(lambda: press(client, node.message("std_srvs/srv/Trigger_Request")))
        until(robot.stands)
        until(lambda: "Emergency stop (the service /homie/estop)" in refusal(link))


@pytest.fixture
def announced(node):
    """A simulated robot says what it is."""
    text = Simulation(robot="mujoco", options={}).model_dump_json()
    publisher = node.publisher(TEXT, TOPIC, LATCHED)
    publisher.publish(node.message(TEXT, data=text))
    yield
    publisher.close()


def test_the_socket_that_a_killed_guard_has_left_is_not_taken_for_that_of_the_next(
    tmp_path, monkeypatch, network, announced
):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("ROS_DOMAIN_ID", str(network.domain))
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", "1")
    path = socket_path(FETCH.name)
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as leftover:
        leftover.bind(str(path))
    assert not has_guard(FETCH), "nobody listens there"
    guard = OwnGuard("fetch", FETCH)
    try:
        assert has_guard(FETCH)
        monkeypatch.setenv("ROS_LOCALHOST_ONLY", "0")
        with pytest.raises(InfrastructureError, match="it has ROS_LOCALHOST_ONLY=1, the agent ROS_LOCALHOST_ONLY=0"):
            has_guard(FETCH)
    finally:
        guard.close()
    assert not path.exists()
