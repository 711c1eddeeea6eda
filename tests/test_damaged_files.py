"""Files of others with some bytes changed: what can be read of them is read, the rest is one sentence."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent / "data"))
from demonstrations import LAYOUT, demonstration

from homie.data.recording import topics
from homie.data.recording.mcapfile import Entry, McapFile, repair
from homie.data.recording.reader import read_recording
from homie.data.recording.recorder import RECORDING
from homie.envs.mujoco.meshes.meshed import mesh_plan
from homie.kernel.errors import BadInput
from homie.kernel.types import Intrinsics

ENDS = 1500
"""Bytes at the end of a file in which parquet and MCAP have their tables of contents."""
BLACK = np.zeros((8, 8, 3), np.uint8)
MESSAGES = {
    topics.STATE: topics.scalars({"lift.pos": 1.0, "base.x": 2.0}),
    topics.EVENTS: topics.event("begin", 0.0, 1.5, {"fps": "10"}),
    topics.image_topic("head"): topics.image("head", 0.1, cv2.imencode(".jpg", BLACK)[1].tobytes()),
    topics.depth_topic("head"): topics.depth_image(
        "head", 0.1, cv2.imencode(".png", BLACK[..., 0].astype(np.uint16))[1].tobytes(), Intrinsics(9, 9, 4, 4, 8, 8)
    ),
}
STRANGE = (b"null", b"[]", b"{}", b'"x"', b'""', b"1e400", b"9" * 400, b"-1", b"true", b"[" * 3000)


def accidents(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """A file cut off, with bytes missing, and with bytes changed, most of them at its ends."""
    rng = random.Random(seed)
    for number in range(count):
        at = rng.randrange(len(data))
        if number % 4 == 0:
            yield data[:at]
        elif number % 4 == 1:
            yield data[:at] + data[at + 1 + rng.randrange(20) :]
        else:
            changed = bytearray(data)
            for _ in range(1 if number % 4 == 2 else 8):
                last = len(data) - 1 - rng.randrange(min(len(data), ENDS))
                changed[rng.choice((at, rng.randrange(min(len(data), 64)), last))] ^= 1 << rng.randrange(8)
                at = rng.randrange(len(data))
            yield bytes(changed)


def refusal(read: Callable[[], object]) -> str:
    """The sentence with which a file is refused, "" where it is read. A traceback fails here."""
    try:
        read()
    except BadInput as error:
        return str(error)
    return ""


def check(path: Path, damaged: Iterator[bytes], read: Callable[[], object], named: Path) -> None:
    """Read a file after each accident: some are noticed, in one line that names it."""
    sentences = set()
    for data in damaged:
        path.write_bytes(data)
        sentences.add(refusal(read))
    assert sentences - {""}
    assert all("\n" not in sentence and str(named) in sentence for sentence in sentences - {""})


@pytest.mark.parametrize("name", ["data/chunk-000/file-000", "meta/episodes/chunk-000/file-000", "meta/tasks"])
def test_a_table_of_a_data_set(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    from homie.data.lerobot.reader import LeRobotReader
    from homie.data.lerobot.task_tables import read_tasks
    from homie.data.lerobot.writer import LeRobotWriter

    with LeRobotWriter(tmp_path, LAYOUT, "columns") as writer:
        writer.add(demonstration(0))
        writer.commit()
    path = tmp_path / f"{name}.parquet"

    def read() -> None:
        read_tasks(tmp_path)
        for episode in LeRobotReader(tmp_path):
            assert episode.digest

    check(path, accidents(path.read_bytes(), 40, seed=1), read, tmp_path)


def write_recording(path: Path, topic: str, data: bytes) -> None:
    """A recording of one sound message of each kind and another one."""
    path.unlink(missing_ok=True)
    file = McapFile(path)
    for stamp, entry in enumerate((*MESSAGES.items(), (topic, data))):
        file.add(Entry(entry[0], 1e9 + stamp, stamp / 10, entry[1]))
    file.close()


def read_all(folder: Path) -> None:
    recording = read_recording(folder)
    assert recording.seconds >= 0.0 and (recording.fps or 1.0) > 0.0
    assert all(picture.shape[2] == 3 for _, picture in recording.frames("head"))
    assert all(picture.ndim == 2 for _, picture, _ in recording.distances("head"))


def test_a_recording_is_read_up_to_where_it_is_damaged(tmp_path: Path) -> None:
    pytest.importorskip("mcap")
    path = tmp_path / RECORDING
    write_recording(path, topics.STATE, MESSAGES[topics.STATE])
    for data in accidents(path.read_bytes(), 40, seed=2):
        path.write_bytes(data)
        read_all(tmp_path)
        repair(path)
        assert read_recording(tmp_path).whole


@pytest.mark.parametrize("chunks", [False, True])
def test_a_bag_is_read_up_to_where_it_is_damaged(tmp_path: Path, chunks: bool) -> None:
    pytest.importorskip("rosbags")
    from mcap.writer import Writer

    from ros_bridge.bag_reading import BagReading

    path = tmp_path / "bag.mcap"
    times = [0, 5 * 10**9, 2**64 - 1]  # the last is what one changed bit makes of a time
    with path.open("wb") as file:
        writer = Writer(file, use_chunking=chunks)
        writer.start()
        schema = writer.register_schema("geometry_msgs/msg/Twist", "ros2msg", b"")
        channel = writer.register_channel("/cmd_vel", "cdr", schema)
        for at in times:
            writer.add_message(channel_id=channel, log_time=at, publish_time=at, data=bytes(52))
        writer.finish()
    intact = path.read_bytes()
    assert [message.at for message in BagReading(path)] == [at / 1e9 for at in times]
    for data in accidents(intact, 60, seed=5):
        path.write_bytes(data)
        assert len(list(BagReading(path))) <= len(times)


@pytest.mark.parametrize("topic", MESSAGES)
def test_a_message_that_homie_does_not_write(tmp_path: Path, topic: str) -> None:
    pytest.importorskip("mcap")
    intact, path = MESSAGES[topic], tmp_path / RECORDING
    values = [part for part in intact.replace(b"[", b" ").replace(b"]", b" ").split() if not part.endswith(b":")]
    strange = [intact.replace(value.strip(b",}"), other, 1) for value in values[:8] for other in STRANGE]
    sentences = set()
    for data in (*strange, *accidents(intact, 20, seed=3)):
        write_recording(path, topic, data)
        sentences.add(refusal(partial(read_all, tmp_path)))
    assert sentences - {""}
    assert all("\n" not in sentence and str(path) in sentence for sentence in sentences - {""})


@pytest.mark.parametrize("kind", ["obj", "glb"])
def test_a_mesh(tmp_path: Path, kind: str) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / f"apple.{kind}"
    trimesh.creation.box((1, 1, 1)).export(path)

    def read() -> None:
        mesh_plan.cache_clear()
        assert mesh_plan("apple", "red", str(path), "")

    check(path, accidents(path.read_bytes(), 60, seed=4), read, path)
