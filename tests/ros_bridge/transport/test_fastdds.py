"""Another implementation of DDS on the same wire: a program in C++ against Debian's Fast DDS.

Needs `apt install libfastrtps-dev libfastcdr-dev fastddsgen g++`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ros_bridge.transport.interface import SENSOR
from tests.waiting import running, until

SOURCES = Path(__file__).parent / "fastdds"
TWIST, JOINTS, IMAGE = "geometry_msgs/msg/Twist", "sensor_msgs/msg/JointState", "sensor_msgs/msg/Image"
NEEDED = ("fastddsgen", "g++")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (all(map(shutil.which, NEEDED)) and Path("/usr/include/fastdds").exists()),
        reason="needs Debian's libfastrtps-dev, libfastcdr-dev, fastddsgen and g++",
    ),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built."""
    folder = tmp_path_factory.mktemp("fastdds")
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    subprocess.run(["fastddsgen", "-cs", "messages.idl"], cwd=folder, check=True, capture_output=True, timeout=120)
    files = ["echo.cpp", "messages.cxx", "messagesPubSubTypes.cxx"]
    libraries = ["-lfastrtps", "-lfastcdr", "-lpthread"]
    command = ["g++", "-std=c++17", "-o", "echo", *files, *libraries]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    return folder / "echo"


@pytest.fixture
def other(program, network) -> Iterator[None]:
    """The program, running."""
    with running([program, str(network.domain)], stdin=subprocess.PIPE) as process:
        yield
        assert process.poll() is None
        process.stdin.close()


def sent_and_heard(node, kind, topic, answers, **fields):
    """The bytes of a message as they went, and as they came back on some topics."""
    received = {name: [] for name in answers}
    for name, messages in received.items():
        subscription = node.raw_subscription(kind, name, messages.append, SENSOR)
        until(subscription.publishers)
    publisher = node.publisher(kind, topic)
    until(publisher.subscribers)
    message = node.message(kind, **fields)
    publisher.publish(message)
    until(lambda: all(received.values()))
    return message, {name: messages[0] for name, messages in received.items()}


def test_what_another_implementation_writes_is_byte_for_byte_what_we_wrote(other, nodes):
    node = nodes("/homie")
    pixels = np.random.default_rng(0).integers(0, 256, 120 * 160 * 3, np.uint8)
    stamp = node.message("builtin_interfaces/msg/Time", sec=12, nanosec=345)
    header = node.message("std_msgs/msg/Header", stamp=stamp, frame_id="base_link")
    names = ["torso_lift_joint", "a", "elbow_flex_joint"]
    numbers = np.array([0.1, -2.5, 1e-9])
    cases = [
        (TWIST, "/twist", {"linear": node.message("geometry_msgs/msg/Vector3", x=0.25)}),
        (JOINTS, "/joint_states", {"header": header, "name": names, "position": numbers, "velocity": numbers[:2]}),
        (
            IMAGE,
            "/image",
            {"header": header, "height": 120, "width": 160, "encoding": "rgb8", "step": 480, "data": pixels},
        ),
    ]
    for kind, topic, fields in cases:
        message, received = sent_and_heard(node, kind, topic, [f"{topic}_again"], **fields)
        own_bytes = node._definitions.write(kind, message)
        assert bytes(received[f"{topic}_again"])[4:] == bytes(own_bytes)[4:], kind  # after the four bytes that say how


def test_fields_mean_the_same_to_both(other, nodes):
    node = nodes("/homie")
    linear = node.message("geometry_msgs/msg/Vector3", x=0.25, y=1.0)
    angular = node.message("geometry_msgs/msg/Vector3", z=-0.5)
    _, received = sent_and_heard(node, TWIST, "/twist", ["/twist_doubled"], linear=linear, angular=angular)
    doubled = node._definitions.read(TWIST, received["/twist_doubled"])
    assert (doubled.linear.x, doubled.linear.y, doubled.angular.z) == (0.5, 1.0, -1.0)
