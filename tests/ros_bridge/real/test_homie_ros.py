"""The ament package: installed by pip, and started as its launch file starts it."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
import yaml

from tests.homes import one_room
from tests.ros_bridge.links import succeeded
from tests.waiting import follow, running, until

TABLE = {"name": "table_1", "kind": "table", "colour": "white", "x": 3.2, "y": 2.0, "yaw": 3.14159}

IMAGE, INFO, TEXT = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo", "std_msgs/msg/String"
ODOMETRY, TRANSFORMS = "nav_msgs/msg/Odometry", "tf2_msgs/msg/TFMessage"
SHOWS = {"RobotModel": TEXT, "Odometry": ODOMETRY, "Image": IMAGE}
"""The types that displays of RViz show."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(place):
    """The Fetch in a room with a table."""
    folder, environment = place
    (folder / "scene.json").write_text(one_room([TABLE], robot=(1.0, 2.0, 0.0)).dump())
    words = ["serve", "ros", "--scene", "scene.json", "--camera-rate", "1", "--picture-size", "64"]
    command = [sys.executable, "-m", "homie", *words]
    with running(command, env=environment, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        follow(process.stderr, "is on the ROS 2 network")
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
    output = process.communicate(timeout=300)[0].splitlines()
    assert process.returncode == 0, output
    listens = next(number for number, line in enumerate(output) if "listening at" in line)
    assert output[listens].startswith("[guard]") and "ARMED" in output[listens]
    assert all(line.startswith("[guard]") for line in output[:listens])
    assert any(succeeded(line, 1) for line in output if line.startswith("[agent]"))
    assert not list(place[0].glob("homie/*.sock")), "the guard has ended"


def test_without_arming_nothing_moves_and_the_exit_code_says_so(bringup, served):
    process = bringup("--task", "go to the table", "--options", "--no-video --no-frames --out other")
    output = process.communicate(timeout=300)[0]
    assert process.returncode == 4 and "is not armed, so nothing would move" in output


def shown_by_rviz(share):
    """Topics and types of the RViz configuration."""
    manager = yaml.safe_load((share / "homie_ros/rviz/homie.rviz").read_text())["Visualization Manager"]
    for display in manager["Displays"]:
        topic = display.get("Topic") or display.get("Description Topic")
        if topic is not None:
            yield topic["Value"], SHOWS[display["Class"].removeprefix("rviz_default_plugins/")]
    yield from (("/tf", TRANSFORMS), ("/tf_static", TRANSFORMS))


def shown_by_foxglove(share):
    """Topics and types of the Foxglove layout, all of whose panels have a place."""
    layout = json.loads((share / "homie_ros/foxglove/homie.json").read_text())
    assert sorted(panels(layout["layout"])) == sorted(layout["configById"])
    for name, panel in layout["configById"].items():
        match name.partition("!")[0]:
            case "3D":
                yield from zip(panel["topics"], (TEXT, ODOMETRY), strict=True)
            case "Image":
                yield panel["imageMode"]["imageTopic"], IMAGE
                yield panel["imageMode"]["calibrationTopic"], INFO
            case "DiagnosticSummary":
                yield panel["topicToRender"], "diagnostic_msgs/msg/DiagnosticArray"
            case "RawMessages":
                yield panel["topicPath"].removesuffix(".data"), TEXT


def panels(layout):
    return [layout] if isinstance(layout, str) else panels(layout["first"]) + panels(layout["second"])


@pytest.mark.parametrize("transport", ["dds", "rclpy"])
def test_an_agent_without_a_task_is_on_the_network_as_rviz_and_foxglove_show_it_and_ends_with_ctrl_c(
    bringup, place, installed, served, real, over, transport
):
    process = bringup("--arm", "true", *over[transport])
    printed = follow(process.stdout, "waits for instructions on /homie/do")
    for topics_shown, count in ((shown_by_rviz, 5), (shown_by_foxglove, 9)):
        topics = list(topics_shown(installed / "share"))
        assert len(topics) == count
        until(lambda topics=topics: all(real.ask("graph")["topics"].get(topic) == [kind] for topic, kind in topics))
        until(lambda topics=topics: all(real.ask("publishing", topic=topic) for topic, _ in topics))
    process.send_signal(signal.SIGINT)
    assert process.wait(150) == 0, printed
    until(lambda: any("[agent] The agent has left the network." in line for line in printed), 20)
    assert not list(place[0].glob("homie/*.sock"))
