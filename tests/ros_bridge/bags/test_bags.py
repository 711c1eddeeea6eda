"""Bags: what was said on the wire is read back by rosbags, a kill costs a second, nothing is overwritten."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from mcap.exceptions import EndOfFile
from mcap.records import Channel
from mcap.records import Message as Record
from mcap.stream_reader import StreamReader
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability
from rosbags.typesys import Stores, get_typestore

from homie.kernel.errors import BadInput
from ros_bridge.bag import Bag
from ros_bridge.bag_reading import BagReading
from ros_bridge.bag_recording import listen, recorded_topics
from ros_bridge.profiles.model import read_profile
from ros_bridge.served_messages import picture, transform
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.interface import LATCHED, SENSOR
from tests.ros_bridge.fake_robot import FakeRobot
from tests.waiting import until

ROOT = Path(__file__).parents[3]
FETCH = read_profile("fetch")
JOINTS, TWIST, IMAGE, TF = (
    "sensor_msgs/msg/JointState",
    "geometry_msgs/msg/Twist",
    "sensor_msgs/msg/Image",
    "tf2_msgs/msg/TFMessage",
)


def test_the_messages_of_a_bag_are_those_that_were_said(nodes, tmp_path):
    folder, says = tmp_path / "bag", nodes("/robot")
    topics = {topic.name: topic for topic in recorded_topics(FETCH)}
    published = {
        "/joint_states": [says.message(JOINTS, name=["a", "b"], position=[0.1 * n, -n]) for n in range(20)],
        "/cmd_vel": [says.message(TWIST, linear={"x": 0.1 * n}) for n in range(5)],
        "/head_camera/rgb/image_raw": [
            says.message(IMAGE, **picture(np.random.default_rng(n).integers(0, 255, (480, 640, 3), np.uint8)))
            for n in range(3)
        ],
        "/tf_static": [says.message(TF, transforms=[transform({}, "base_link", "camera", np.eye(4))])],
    }
    publishers = {}
    for name in published:
        qos = {"/tf_static": LATCHED, "/cmd_vel": topics["/tf"].qos}.get(name, SENSOR)
        publishers[name] = says.publisher(topics[name].kind, name, qos)
    publishers["/tf_static"].publish(published["/tf_static"][0])  # before anybody listens
    with Bag(folder, list(topics.values()), Definitions()) as bag:
        listen(nodes("/record"), bag, list(topics.values()))
        until(lambda: all(publisher.subscribers() for publisher in publishers.values()))
        for name in set(published) - {"/tf_static"}:
            for count, message in enumerate(published[name], 1):
                publishers[name].publish(message)
                until(lambda name=name, count=count: bag.counts[name] == count)
        until(lambda: bag.counts["/tf_static"] == 1)
        bag.keep()
    with AnyReader([folder]) as reader:
        own = get_typestore(Stores.ROS2_HUMBLE)
        read = {}
        for connection, at, data in reader.messages():
            assert abs(at / 1e9 - time.time()) < 600
            read.setdefault(connection.topic, []).append((connection.msgtype, data))
            reader.deserialize(data, connection.msgtype)  # by the definitions in the bag alone
        assert {connection.topic for connection in reader.connections} == set(topics)
        (static,) = [each for each in reader.connections if each.topic == "/tf_static"]
        assert static.ext.offered_qos_profiles[0].durability == QosDurability.TRANSIENT_LOCAL
    for name, messages in published.items():
        assert [kind for kind, _ in read[name]] == [topics[name].kind] * len(messages)
        assert [bytes(data) for _, data in read[name]] == [
            bytes(own.serialize_cdr(message, topics[name].kind)) for message in messages
        ]


def shuffled_bag(folder, times, seed):
    """A bag of velocities in several chunks; what came at a time (s) says so, and the order of the file is drawn."""
    definitions = Definitions()
    order = np.random.default_rng(seed).permutation(times).tolist()
    with Bag(folder, recorded_topics(FETCH), definitions) as bag:
        for number, at in enumerate(order):
            message = definitions.message(TWIST, linear={"x": at})
            bag.add("/cmd_vel", round(at * 1e9), definitions.write(TWIST, message))
            if number % 5 == 4:
                bag.keep()
    return definitions


def test_messages_come_by_their_times_whatever_their_order_in_the_files(tmp_path, monkeypatch):
    times = np.arange(1.0, 41.0)
    definitions = shuffled_bag(tmp_path / "bag", times[::2], seed=1)
    shuffled_bag(tmp_path / "other", times[1::2], seed=2)
    (tmp_path / "other" / "other.mcap").rename(tmp_path / "bag" / "bag_1.mcap")
    for unpacked in (1 << 28, 0):  # with all chunks at hand, and with one at a time
        monkeypatch.setattr("ros_bridge.bag_reading.UNPACKED", unpacked)
        bag = BagReading(tmp_path / "bag")
        for _ in range(2):
            messages = list(bag)
            assert [message.at for message in messages] == times.tolist()
            assert [definitions.read(TWIST, message.data).linear.x for message in messages] == times.tolist()
            assert bag.cut == []


def test_messages_of_one_time_come_in_the_order_of_the_file(tmp_path):
    definitions = Definitions()
    with Bag(tmp_path / "bag", recorded_topics(FETCH), definitions) as bag:
        for x in (3.0, 1.0, 2.0):
            bag.add("/cmd_vel", 10**9, definitions.write(TWIST, definitions.message(TWIST, linear={"x": x})))
    messages = [definitions.read(TWIST, message.data).linear.x for message in BagReading(tmp_path / "bag")]
    assert messages == [3.0, 1.0, 2.0]


def test_a_bag_is_not_overwritten_and_an_empty_one_is_not_left(tmp_path):
    with Bag(tmp_path / "empty", recorded_topics(FETCH), Definitions()):
        pass
    assert not (tmp_path / "empty").exists()
    (tmp_path / "full").mkdir()
    with pytest.raises(BadInput, match="full is there already, and a bag is never overwritten"):
        Bag(tmp_path / "full", recorded_topics(FETCH), Definitions())


@pytest.fixture
def recorder(network, nodes, tmp_path):
    """Starts `homie robot record fetch` beside a robot that talks fifty times a second."""
    FakeRobot(nodes("/robot"), FETCH)
    network_of = {"ROS_DOMAIN_ID": str(network.domain), "ROS_LOCALHOST_ONLY": "1", "PYTHONPATH": str(ROOT)}
    processes = []

    def start():
        words = [sys.executable, "-m", "homie", "robot", "record", "fetch", "--out", str(tmp_path / "bag")]
        process = subprocess.Popen(
            words,
            env={**os.environ, **network_of},
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        assert "Recording" in (line := process.stderr.readline()), line
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def size(folder):
    return next(folder.glob("*.mcap")).stat().st_size


def test_the_recorder_ends_with_a_whole_bag_and_a_table(recorder, tmp_path):
    process = recorder()
    until(lambda: size(tmp_path / "bag") > 20_000)
    process.terminate()
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    with AnyReader([tmp_path / "bag"]) as reader:
        counts = {topic: info.msgcount for topic, info in reader.topics.items()}
    assert counts["/joint_states"] > 10 and counts["/odom"] > 10 and counts["/tf"] > 10
    assert dict(line.split() for line in output.splitlines()[1:]) == {name: str(n) for name, n in counts.items()}


def test_a_kill_costs_the_last_second_at_most(recorder, tmp_path):
    process = recorder()
    until(lambda: size(tmp_path / "bag") > 20_000)
    size_before = size(tmp_path / "bag")
    until(lambda: size(tmp_path / "bag") > size_before)
    process.kill()
    process.wait()
    changed = next((tmp_path / "bag").glob("*.mcap")).stat().st_mtime
    topics, last = {}, 0
    with next((tmp_path / "bag").glob("*.mcap")).open("rb") as file:
        records = StreamReader(file).records
        with contextlib.suppress(EndOfFile):  # the end is missing
            for record in records:
                if isinstance(record, Channel):
                    topics[record.id] = record.topic
                elif isinstance(record, Record) and topics[record.channel_id] == "/joint_states":
                    last = max(last, record.log_time)
    assert last / 1e9 == pytest.approx(changed, abs=1.0), "all that came before the last chunk is there"
