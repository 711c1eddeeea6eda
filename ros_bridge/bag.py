"""Writer of a rosbag2 with MCAP storage; a kill at any moment loses at most the last second."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, cast

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import writing
from homie.kernel.support.packages import missing_part
from ros_bridge.transport.interface import Qos as Delivery

try:
    from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.rosbag2.storage_mcap import McapWriter

    from ros_bridge.transport.dds.cdr_messages import Definitions
except ModuleNotFoundError as missing:
    raise missing_part("Recording a bag", (missing.name or "rosbags").partition(".")[0], "ros") from missing

VERSION = 8
"""Version of the bag metadata: rosbag2 reads it from Humble on; version 9 writes the QoS in a form unknown to
Humble."""
FOREVER = QosTime(0x7FFFFFFF, 0x7FFFFFFF)
"""An infinite duration (no deadline), as ROS 2 writes it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A recorded topic: its name, its message type such as `sensor_msgs/msg/Image`, and the QoS of the subscription."""

    name: str
    kind: str
    qos: Delivery


class Bag:
    """Writer of a new bag in its own folder. Messages may come from any thread.

    Args:
        folder: Created; receives `<name>.mcap` and, on close, `metadata.yaml`.
        topics: All topics of the bag.
        definitions: Message definitions of the robot's ROS 2 distribution.

    Raises:
        BadInput: The folder exists already, or cannot be created.
    """

    def __init__(self, folder: Path, topics: Sequence[Topic], definitions: Definitions) -> None:
        if folder.exists():
            raise BadInput(f"{folder} is there already, and a bag is never overwritten: choose another folder.")
        self.folder = folder
        self._lock = threading.Lock()
        self._failure: OSError | None = None
        self._writer = Writer(folder, version=VERSION, storage_plugin=StoragePlugin.MCAP)
        with writing(folder, "the bag"):
            self._writer.open()
        self._storage = cast(McapWriter, self._writer.storage)
        self._connections = {}
        for topic in topics:
            text, digest = definitions.text(topic.kind)
            self._connections[topic.name] = self._writer.add_connection(
                topic.name, topic.kind, msgdef=text, rihs01=digest, offered_qos_profiles=[_offered(topic.qos)]
            )

    @property
    def counts(self) -> dict[str, int]:
        """Number of messages by topic."""
        with self._lock:
            return {name: self._writer.counts[connection.id] for name, connection in self._connections.items()}

    def add(self, topic: str, at: int, data: bytes) -> None:
        """Append a message: arrival time (ns since 1970) and CDR bytes. A write error is raised by the next `keep`."""
        with self._lock:
            if self._failure is None:
                try:
                    self._writer.write(self._connections[topic], at, data)
                except OSError as error:
                    self._failure = error

    def keep(self) -> None:
        """Flush all messages to the disk. Raises InfrastructureError where it cannot be written."""
        with self._lock, self._writing_bag():
            if self._failure is not None:
                raise self._failure
            if self._storage.chunk.msgs:
                self._storage.close_chunk()
            self._storage.bio.flush()
        with self._writing_bag():
            os.fsync(self._storage.bio.fileno())  # without the lock: others may add meanwhile

    def close(self) -> None:
        """Finish the bag, or delete it if it is empty. Raises InfrastructureError."""
        with self._lock, self._writing_bag():
            if any(self._writer.counts.values()):
                self._writer.close()
            else:
                self._writer.abort()
                shutil.rmtree(self.folder)

    def _writing_bag(self) -> AbstractContextManager[None]:
        return writing(self.folder, "the bag", raises=InfrastructureError)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _offered(qos: Delivery) -> Qos:
    """Return the QoS with which a player offers the topic: reliable, which every subscription accepts; latched if it
    was."""
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=qos.depth,
        reliability=QosReliability.RELIABLE,
        durability=QosDurability.TRANSIENT_LOCAL if qos.latched else QosDurability.VOLATILE,
        deadline=FOREVER,
        lifespan=FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=FOREVER,
        avoid_ros_namespace_conventions=False,
    )
