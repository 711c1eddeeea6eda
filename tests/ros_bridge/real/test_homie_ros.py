"""The ament package: installed by pip, and started as its launch file starts it."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from tests.homes import one_room
from tests.waiting import until

TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.2, "y": 2.0, "yaw": 3.14159}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(place):
    """The Fetch in a room with a table."""
    folder, environment = place
    (folder / "scene.json").write_text(one_room([TABLE], robot=(1.0, 2.0, 0.0)).dump())
    words = ["serve", "ros", "--scene", "scene.json", "--camera-rate", "1", "--picture-size", "64"]
    command = [sys.executable, "-m", "homie", *words]
    with subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        while "is on the ROS 2 network" not in (line := process.stderr.readline()):
            assert line, "the served robot has ended"
        yield process
        process.terminate()


def test_what_ros_looks_for_is_where_it_looks(installed):
    share = installed / "share"
    assert (share / "ament_index/resource_index/packages/homie_ros").is_file()
    package = ElementTree.parse(share / "homie_ros/package.xml").getroot()
    assert package.findtext("name") == "homie_ros" and package.findtext("export/build_type") == "ament_python"
    assert (share / "homie_ros/launch/agent.launch.py").is_file()


@pytest.mark.skipif(importlib.util.find_spec("launch") is None, reason="no registry has wheels of `launch`")
def test_the_launch_file_declares_its_arguments(installed):
    from launch import LaunchContext
    from launch.launch_description_sources import get_launch_description_from_python_launch_file

    file = installed / "share/homie_ros/launch/agent.launch.py"
    declared = get_launch_description_from_python_launch_file(str(file)).get_launch_arguments()
    context = LaunchContext()
    defaults = {each.name: "".join(part.perform(context) for part in each.default_value) for each in declared}
    assert defaults["profile"] == "fetch" and defaults["arm"] == "false"


def test_the_guard_begins_before_the_agent_and_the_task_is_done(bringup, place, served):
    more = ["--options", "--no-video --no-frames --out run"]
    process = bringup("--arm", "true", "--task", "go to the table", "--rounds", "3", *more)
    said = process.communicate(timeout=300)[0].splitlines()
    assert process.returncode == 0, said
    listens = next(number for number, line in enumerate(said) if "listening at" in line)
    assert said[listens].startswith("[guard]") and "ARMED" in said[listens]
    assert all(line.startswith("[guard]") for line in said[:listens])
    assert any("1 of 1 subtask succeeded" in line for line in said if line.startswith("[agent]"))
    assert not list(place[0].glob("homie/*.sock")), "the guard has ended"


def test_without_arming_nothing_moves_and_the_exit_code_says_so(bringup, served):
    process = bringup("--task", "go to the table", "--options", "--no-video --no-frames --out other")
    said = process.communicate(timeout=300)[0]
    assert process.returncode == 4 and "is not armed, so nothing would move" in said


def test_without_a_task_the_agent_waits_for_instructions_and_ends_with_ctrl_c(bringup, place, served):
    process = bringup("--arm", "true")
    said = []
    until(lambda: said.append(process.stdout.readline()) or "waits for instructions on /homie/do" in said[-1], 120)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=120)[0]
    assert process.returncode == 0, rest
    assert "[agent] The agent has left the network." in rest and not list(place[0].glob("homie/*.sock"))
