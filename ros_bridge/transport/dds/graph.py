"""The graph of the network: endpoints that DDS discovers, and the names of nodes in `ros_discovery_info`."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.core import InstanceState
from cyclonedds.domain import DomainParticipant

from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.dds.endpoints import Reader, Wire, Writer, answers, user_data
from ros_bridge.transport.dds.wire_names import REQUEST, TOPIC, kind_of, ros_name, topic_name
from ros_bridge.transport.interface import LATCHED, Graph, Message, Qos

DISCOVERY = "ros_discovery_info"
INFO = "rmw_dds_common/msg/ParticipantEntitiesInfo"
EVERYBODY = Qos(depth=1000, latched=True)
GUID = 16
"""Bytes of the DDS id of a participant or an endpoint."""
MOST_ENDPOINTS = 10_000
"""Most endpoints read: a network has hundreds."""
ACTION_GOAL, ACTION_SUFFIX = "/_action/send_goal", "_SendGoal"


TYPE_HASH = b"typehash="
"""Part of the user data of every topic of ROS 2 Iron and later."""


class Announcement:
    """Announces the name and the endpoints of this node: `ros2 node list` shows it."""

    def __init__(self, wire: Wire, participant: DomainParticipant, namespace: str, name: str) -> None:
        self._definitions = wire.definitions
        self._names = {"node_namespace": namespace, "node_name": name}
        self._participant = participant.guid.bytes
        self._writer = wire.writer(DISCOVERY, INFO, LATCHED)

    def publish(self, readers: Iterable[Reader], writers: Iterable[Writer]) -> None:
        """Announce the node with these endpoints."""
        node: dict[str, object] = {
            **self._names,
            "reader_gid_seq": [self._gid(reader.guid) for reader in readers],
            "writer_gid_seq": [self._gid(writer.guid) for writer in writers],
        }
        self._send([node])

    def newer(self) -> bool:
        """Return whether a node of ROS 2 Iron or later receives this: its discovery has another layout than earlier
        ones."""
        return any(TYPE_HASH in user_data(endpoint.qos) for endpoint in self._writer.readers())

    def close(self) -> None:
        """Announce that the node has left."""
        self._send([])
        self._writer.close()

    def _send(self, nodes: list[dict[str, object]]) -> None:
        message = self._definitions.message(INFO, gid=self._gid(self._participant), node_entities_info_seq=nodes)
        self._writer.write(self._definitions.write(INFO, message))

    def _gid(self, guid: bytes) -> dict[str, bytes]:
        """Pad the 16 bytes of DDS to the 24 of ROS 2 up to Humble."""
        (_, (_, (_, size))) = self._definitions.fields("rmw_dds_common/msg/Gid")[0]
        return {"data": guid.ljust(size, b"\0")}


class Watch:
    """Collects the visible graph from now on, with what exists already."""

    def __init__(self, wire: Wire, participant: DomainParticipant) -> None:
        self._definitions: Definitions = wire.definitions
        self._lock = threading.Lock()
        self._names: dict[bytes, frozenset[str]] = {}
        self._writers: dict[bytes, str] = {}
        """Names of nodes by the GIDs of their writers."""
        self._publications = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
        self._subscriptions = BuiltinDataReader(participant, BuiltinTopicDcpsSubscription)
        self.reader = wire.reader(DISCOVERY, INFO, EVERYBODY, self._take)

    def graph(self) -> Graph:
        """Return the graph discovered so far."""
        writers, readers = _alive(self._publications), _alive(self._subscriptions)
        publishers, _ = _by_name(writers)
        subscriptions, requests = _by_name(readers)
        _, answered = _by_name([endpoint for endpoint in readers if answers(endpoint.qos)])
        participant_keys = {endpoint.participant_key.bytes for endpoint in writers}
        with self._lock:
            self._names = {guid: names for guid, names in self._names.items() if guid in participant_keys}
            nodes = frozenset(name for names in self._names.values() for name in names)
        goals = {name for name in requests if name.endswith(ACTION_GOAL)}
        actions = {
            name.removesuffix(ACTION_GOAL): frozenset(kind.removesuffix(ACTION_SUFFIX) for kind in requests[name])
            for name in goals
        }
        services = {name: kinds for name, kinds in requests.items() if "/_action/" not in name}
        foreign = frozenset(name.removesuffix(ACTION_GOAL) for name in requests if name not in answered)
        return Graph(nodes, publishers, subscriptions, services, actions, foreign)

    def close(self) -> None:
        """Stop watching."""
        self.reader.close()

    def publishers_of(self, topic: str) -> tuple[str, ...]:
        """Return the publishers of a ROS 2 topic, by the name of the node or the GID of the writer."""
        name = topic_name(topic)
        gids = [endpoint.key.bytes for endpoint in _alive(self._publications) if endpoint.topic_name == name]
        with self._lock:
            return tuple(sorted(self._writers.get(gid, gid.hex()) for gid in gids))

    def _take(self, data: bytes) -> None:
        info: Message = self._definitions.read(INFO, data)
        writers = {
            bytes(gid.data)[:GUID]: f"{node.node_namespace.rstrip('/')}/{node.node_name}"
            for node in info.node_entities_info_seq
            for gid in node.writer_gid_seq
        }
        names = frozenset(f"{node.node_namespace.rstrip('/')}/{node.node_name}" for node in info.node_entities_info_seq)
        with self._lock:
            self._names[bytes(info.gid.data)[:GUID]] = names
            if len(self._writers) < MOST_ENDPOINTS:
                self._writers.update(writers)


def _by_name(endpoints: Iterable[Any]) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the topics and the services of endpoints, each with its types."""
    topics: dict[str, frozenset[str]] = {}
    services: dict[str, frozenset[str]] = {}
    for endpoint in endpoints:
        named = ros_name(endpoint.topic_name)
        if named is None:
            continue
        prefix, name = named
        kind = kind_of(endpoint.type_name)
        if prefix == TOPIC:
            topics[name] = topics.get(name, frozenset()) | {kind}
        elif prefix == REQUEST:
            services[name] = services.get(name, frozenset()) | {kind.removesuffix("_Request")}
    return topics, services


def _alive(reader: BuiltinDataReader) -> list[Any]:
    """Return the endpoints that are on the network now: DDS also keeps those that have left."""
    return [
        endpoint
        for endpoint in reader.read(MOST_ENDPOINTS)
        if endpoint.sample_info.valid_data and endpoint.sample_info.instance_state == InstanceState.Alive
    ]
