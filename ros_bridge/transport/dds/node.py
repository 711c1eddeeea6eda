"""A ROS 2 node from pip packages alone: messages by rosbags, transport by Cyclone DDS.

Topics work with every DDS implementation of ROS 2. Services and actions need
`RMW_IMPLEMENTATION=rmw_cyclonedds_cpp` on the robot: Cyclone DDS puts the number of a call into the body, Fast DDS
beside it. For clients of Fast DDS they are never ready, see `ros_bridge.transport.dds.endpoints.DdsService`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.dds.cdr_topic_types import types_of
from ros_bridge.transport.dds.endpoints import DdsClient, DdsPublisher, DdsService, DdsSubscription, Wire
from ros_bridge.transport.dds.graph import Announcement, Watch
from ros_bridge.transport.dds.network import join
from ros_bridge.transport.dds.receiver import Receiver
from ros_bridge.transport.dds.wire_names import check_ros_name
from ros_bridge.transport.interface import DEFAULT, Closable, Graph, Handler, Message, Node, Qos
from ros_bridge.transport.network import Network

log = logging.getLogger("homie.ros_bridge")
OLDEST, NEWER = "humble", "jazzy"
"""Distributions with the old and the new layout of discovery."""
LOOKING = 0.5
"""Seconds between two checks for newer nodes on the network."""
Endpoint = DdsPublisher | DdsSubscription | DdsClient | DdsService
E = TypeVar("E", bound=Endpoint)


class DdsNode(Node):
    """A node on a DDS network.

    Args:
        name: Full name, as `/homie`; two nodes of one name are possible, and confusing.
        network: The robot's network; by default from the environment variables of ROS 2.

    Raises:
        BadInput: The name is not a name of ROS 2.
        InfrastructureError: The network cannot be joined.
    """

    transport = "dds"

    def __init__(self, name: str, network: Network | None = None) -> None:
        network = network or Network.from_environment()
        self.name = check_ros_name(name)
        types = types_of(network.distro or OLDEST)
        self._definitions = types.definitions
        self._participant = join(network)
        self._receiver = Receiver(self._participant, name)
        self._refusals = self._receiver.refusals
        self._wire = Wire(self._participant, types, self._receiver)
        self._lock = threading.Lock()
        self._endpoints: list[Endpoint] = []
        self._watch: Watch | None = None
        self._closed = False
        self._discovery = self._wire
        """The wire with the layout of discovery that the nodes of this network use."""
        self._announcement = self._create_announcement()
        self._announcement.publish((), ())
        if not network.distro:
            self._look_timer = self._receiver.timer(LOOKING, self._look)

    @property
    def refused(self) -> dict[str, int]:
        """Number of refused messages by DDS topic."""
        return dict(self._refusals.counts)

    def message(self, kind: str, **fields: Any) -> Message:
        return self._definitions.message(kind, **fields)

    def publisher(self, kind: str, topic: str, qos: Qos = DEFAULT) -> DdsPublisher:
        return self._register(DdsPublisher(self._open_wire(), kind, topic, qos))

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> DdsSubscription:
        read = self._definitions.read
        return self.raw_subscription(kind, topic, lambda data: callback(read(kind, data)), qos)

    def raw_subscription(
        self, kind: str, topic: str, callback: Callable[[bytes], None], qos: Qos = DEFAULT
    ) -> DdsSubscription:
        return self._register(DdsSubscription(self._open_wire(), kind, topic, callback, qos))

    def client(self, kind: str, name: str) -> DdsClient:
        self._prepare(kind)
        return self._register(DdsClient(self._open_wire(), kind, name))

    def service(self, kind: str, name: str, handler: Handler, foreign: Callable[[], None] | None = None) -> DdsService:
        self._prepare(kind)
        return self._register(DdsService(self._open_wire(), kind, name, handler, foreign))

    def timer(self, period: float, callback: Callable[[], None]) -> Closable:
        return self._open_wire().receiver.timer(period, callback)

    def graph(self) -> Graph:
        return self._open_watch().graph()

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        return self._open_watch().publishers_of(topic)

    def _open_watch(self) -> Watch:
        with self._lock:
            self._refuse_closed()
            if self._watch is None:
                self._watch = Watch(self._discovery, self._participant)
            return self._watch

    def _open_wire(self) -> Wire:
        """Return the wire for new endpoints. Raises InfrastructureError on a closed node."""
        with self._lock:
            self._refuse_closed()
            return self._wire

    def _refuse_closed(self) -> None:
        if self._closed:
            raise InfrastructureError(f"The node {self.name} is closed.")

    def _create_announcement(self) -> Announcement:
        namespace, _, last = self.name.rpartition("/")
        return Announcement(self._discovery, self._participant, namespace or "/", last)

    def _look(self) -> None:
        """Switch to the newer layout of discovery once a node with it appears: then both know each other's names."""
        with self._lock:
            if self._closed or not self._announcement.newer():
                return
            self._look_timer.close()
            self._announcement.close()
            self._discovery = Wire(self._participant, types_of(NEWER), self._receiver)
            self._announcement = self._create_announcement()
            self._announce()
            if self._watch is not None:
                self._watch.close()
                self._watch = Watch(self._discovery, self._participant)

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        try:
            self._announcement.close()
        except InfrastructureError as error:
            log.warning("%s could not say goodbye: %s", self.name, error)
        self._receiver.close()
        for endpoint in self._endpoints:
            endpoint.close()
        # Cyclone DDS removes a participant from the network with the last reference to it.
        del self._watch, self._wire, self._discovery, self._announcement
        del self._receiver, self._participant
        self._endpoints.clear()

    def _prepare(self, service: str) -> None:
        for part in ("Request", "Response"):
            self._definitions.prepare(f"{service}_{part}")

    def _register(self, endpoint: E) -> E:
        with self._lock:
            if self._closed:
                endpoint.close()
            self._refuse_closed()
            self._endpoints.append(endpoint)
            self._announce()
        return endpoint

    def _announce(self) -> None:
        readers = [reader for endpoint in self._endpoints for reader in endpoint.readers]
        writers = [writer for endpoint in self._endpoints for writer in endpoint.writers]
        self._announcement.publish(readers, writers)
