"""A rosbag2 with MCAP storage that a kill at any moment costs its last second at most."""

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
"""Of the metadata: what rosbag2 from Humble on reads; 9 writes the QoS as Humble does not know it."""
FOREVER = QosTime(0x7FFFFFFF, 0x7FFFFFFF)
"""No deadline, as ROS 2 writes it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that is recorded: its name, its kind as `sensor_msgs/msg/Image`, and how it is listened to."""

    name: str
    kind: str
    qos: Delivery


class Bag:
    """A new bag in a folder of its own. Messages may come from any thread.

    Args:
        folder: Made here; `<name>.mcap` and, at the end, `metadata.yaml` are in it.
        topics: All that it will hold.
        definitions: Of the ROS 2 distribution of the robot.

    Raises:
        BadInput: The folder is there already, or cannot be made.
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
        """How many messages there are, by topic."""
        with self._lock:
            return {name: self._writer.counts[connection.id] for name, connection in self._connections.items()}

    def add(self, topic: str, at: int, data: bytes) -> None:
        """Append a message: when it came (ns since 1970), its CDR bytes. `keep` says what the disk did not take."""
        with self._lock:
            if self._failure is None:
                try:
                    self._writer.write(self._connections[topic], at, data)
                except OSError as error:
                    self._failure = error

    def keep(self) -> None:
        """Hand what has come to the disk. Raises InfrastructureError where it cannot be written."""
        with self._lock, self._written():
            if self._failure is not None:
                raise self._failure
            if self._storage.chunk.msgs:
                self._storage.close_chunk()
            self._storage.bio.flush()
        with self._written():
            os.fsync(self._storage.bio.fileno())  # others may add meanwhile

    def close(self) -> None:
        """Write the end, or leave nothing where nothing has come. Raises InfrastructureError."""
        with self._lock, self._written():
            if any(self._writer.counts.values()):
                self._writer.close()
            else:
                self._writer.abort()
                shutil.rmtree(self.folder)

    def _written(self) -> AbstractContextManager[None]:
        return writing(self.folder, "the bag", raises=InfrastructureError)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _offered(qos: Delivery) -> Qos:
    """As a player offers the topic: reliably, which every subscription takes; latched where it is."""
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
