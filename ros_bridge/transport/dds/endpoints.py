"""Writers and readers of Cyclone DDS, and on them the publishers, subscriptions, clients and services of ROS 2."""

from __future__ import annotations

import ctypes
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from cyclonedds.core import DDSException, Policy
from cyclonedds.core import Qos as DdsQos
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.dds.cdr_messages import MalformedMessage
from ros_bridge.transport.dds.cdr_topic_types import RawSample, RawTypes
from ros_bridge.transport.dds.receiver import Receiver
from ros_bridge.transport.dds.wire_names import call_names, topic_name
from ros_bridge.transport.interface import NEWEST, Handler, Message, Qos

BLOCKING = duration(milliseconds=100)
"""How long a reliable writer waits for a slow subscriber (stopped, or behind a full network)."""
HEADER = struct.Struct("<Qq")
"""Header before the body of a call in rmw_cyclonedds: the handle of the client's writer and the number of the call."""
ENCAPSULATION = 4
CALLS = Qos(depth=256)
"""Depth for bursts of calls: with the ten of other ROS 2 nodes the first of a burst are lost."""
SERVICE_MARK = b"serviceid="
"""Start of the user data by which rmw_cyclonedds recognizes the endpoints of a service."""
MOST_CALLS = 256
"""Most unanswered calls of one client: older ones are given up."""


class Wire:
    """State shared by the endpoints of one node."""

    def __init__(self, participant: DomainParticipant, types: RawTypes, receiver: Receiver) -> None:
        self.definitions = types.definitions
        self.receiver = receiver
        self._participant = participant
        self._types = types

    def writer(self, topic: str, kind: str, qos: Qos, call: bool = False, user_data: bytes = b"") -> Writer:
        """Create a writer on a DDS topic."""
        raw = self._types.raw(kind, call)
        topic_handle = _topic(self._participant, topic, raw)
        return Writer(self, raw, DataWriter(self._participant, topic_handle, qos=_policies(qos, user_data)), topic)

    def reader(
        self, topic: str, kind: str, qos: Qos, take: Callable[[bytes], None], call: bool = False, user_data: bytes = b""
    ) -> Reader:
        """Create a reader on a DDS topic that passes its samples to `take`."""
        topic_handle = _topic(self._participant, topic, self._types.raw(kind, call))
        reader = DataReader(self._participant, topic_handle, qos=_policies(qos, user_data))
        return Reader(self, reader, self.receiver.add(reader, topic, take))


class Writer:
    """Writes CDR bytes on one DDS topic, until it is closed."""

    def __init__(self, wire: Wire, raw: Any, writer: DataWriter[Any], topic: str) -> None:
        self.guid = writer.guid.bytes
        self.handle = writer.instance_handle & (1 << 64) - 1
        self._wire = wire
        self._raw = raw
        self._writer: DataWriter[Any] | None = writer
        self._topic = topic

    def write(self, data: bytes) -> None:
        """Send the bytes; a subscriber that does not keep up misses them."""
        writer = self._writer
        if writer is None:
            raise InfrastructureError(f"Cannot send on {self._topic}: it is closed.")
        try:
            writer.write(self._raw(data))
        except DDSException as error:
            if error.code != DDSException.DDS_RETCODE_TIMEOUT:
                raise InfrastructureError(f"Cannot send on {self._topic}: {error}") from error
            self._wire.receiver.refusals.add(self._topic, "a subscriber does not keep up and misses messages")

    def readers(self) -> Iterator[Any]:
        """Yield the discovered data of its readers (`cyclonedds.builtin.DcpsEndpoint`)."""
        writer = self._writer
        for handle in [] if writer is None else _matched(writer.get_matched_subscriptions):
            endpoint = None if writer is None else writer.get_matched_subscription_data(handle)
            if endpoint is not None:  # it has not left meanwhile
                yield endpoint

    def count_matched(self) -> int:
        """Return the number of readers."""
        writer = self._writer
        return len(_matched(writer.get_matched_subscriptions)) if writer is not None else 0

    def close(self) -> None:
        """Remove it from the network."""
        self._writer = None


class Reader:
    """Reads one DDS topic, until it is closed."""

    def __init__(self, wire: Wire, reader: DataReader[Any], number: int) -> None:
        self.guid = reader.guid.bytes
        self._wire = wire
        self._reader: DataReader[Any] | None = reader
        self._number = number

    def count_matched(self) -> int:
        """Return the number of writers."""
        reader = self._reader
        return len(_matched(reader.get_matched_publications)) if reader is not None else 0

    def close(self) -> None:
        """Remove it from the network."""
        self._wire.receiver.remove(self._number)
        self._reader = None


class DdsPublisher:
    """A publisher of ROS 2."""

    def __init__(self, wire: Wire, kind: str, topic: str, qos: Qos) -> None:
        self._wire = wire
        self._kind = kind
        self.readers: tuple[Reader, ...] = ()
        self.writers = (wire.writer(topic_name(topic), kind, qos),)

    def publish(self, message: Message) -> None:
        self.writers[0].write(self._wire.definitions.write(self._kind, message))

    def subscribers(self) -> int:
        return self.writers[0].count_matched()

    def close(self) -> None:
        self.writers[0].close()


class DdsSubscription:
    """A subscription of ROS 2, which passes the CDR bytes of its messages to `take`."""

    def __init__(self, wire: Wire, kind: str, topic: str, take: Callable[[bytes], None], qos: Qos) -> None:
        self.writers: tuple[Writer, ...] = ()
        self.readers = (wire.reader(topic_name(topic), kind, qos, take),)

    def publishers(self) -> int:
        return self.readers[0].count_matched()

    def close(self) -> None:
        self.readers[0].close()


class DdsClient:
    """The client of a service, with the protocol of rmw_cyclonedds."""

    def __init__(self, wire: Wire, kind: str, name: str) -> None:
        self._wire = wire
        self._request, self._response = f"{kind}_Request", f"{kind}_Response"
        self._name = name
        requests, replies = call_names(name)
        mark = _mark("client")
        self._lock = threading.Lock()
        self._calls: dict[int, Future[Message]] = {}
        self._last = 0
        self.writers = (wire.writer(requests, self._request, CALLS, call=True, user_data=mark),)
        self.readers = (wire.reader(replies, self._response, CALLS, self._take, call=True, user_data=mark),)

    def ready(self) -> bool:
        return any(answers(reader.qos) for reader in self.writers[0].readers()) and self.readers[0].count_matched() > 0

    def call(self, request: Message) -> Future[Message]:
        future: Future[Message] = Future()
        body = self._wire.definitions.write(self._request, request)
        with self._lock:
            self._last += 1
            number = self._last
            self._calls[number] = future
            forgotten = [self._calls.pop(next(iter(self._calls)))] if len(self._calls) > MOST_CALLS else []
        for old in forgotten:
            _settle(old, error=InfrastructureError(f"The service {self._name} did not answer {MOST_CALLS} calls."))
        self.writers[0].write(_insert_header(HEADER.pack(self.writers[0].handle, number), body))
        return future

    def _take(self, data: bytes) -> None:
        header, body = _split_header(data)
        handle, number = HEADER.unpack(header)
        if handle != self.writers[0].handle:  # every client of a service hears all answers
            return
        with self._lock:
            future = self._calls.pop(number, None)
        if future is not None:
            _settle(future, self._wire.definitions.read(self._response, body))

    def close(self) -> None:
        self.readers[0].close()
        self.writers[0].close()
        with self._lock:
            calls, self._calls = list(self._calls.values()), {}
        for future in calls:
            _settle(future, error=InfrastructureError(f"The call of {self._name} has no answer: the node is closed."))


class DdsService:
    """The server of a service, as rmw_cyclonedds clients call it.

    Fast DDS sends the number of a call outside of its body, where it cannot be read here: its clients would wait for
    ever. A second reader of the requests keeps them from calling, since for them a service is ready when it has as many
    readers of requests as writers of replies. rmw_cyclonedds goes by the user data instead. `foreign` is called for a
    call that arrives nevertheless.
    """

    def __init__(
        self, wire: Wire, kind: str, name: str, handler: Handler, foreign: Callable[[], None] | None = None
    ) -> None:
        self._wire = wire
        self._request, self._response = f"{kind}_Request", f"{kind}_Response"
        self._handler = handler
        requests, replies = call_names(name)
        mark = _mark("service")
        qos = CALLS if foreign is not None else NEWEST
        on_foreign = foreign or (lambda: None)
        self.writers = (wire.writer(replies, self._response, CALLS, call=True, user_data=mark),)
        self.readers = (
            wire.reader(requests, self._request, CALLS, self._take, call=True, user_data=mark),
            wire.reader(requests, self._request, qos, lambda data: on_foreign()),
        )

    def _take(self, data: bytes) -> None:
        header, body = _split_header(data)

        def answer(response: Message) -> None:
            self.writers[0].write(_insert_header(header, self._wire.definitions.write(self._response, response)))

        response = self._handler(self._wire.definitions.read(self._request, body))
        if isinstance(response, Future):
            response.add_done_callback(lambda future: answer(future.result()))
        else:
            answer(response)

    def close(self) -> None:
        for reader in self.readers:
            reader.close()
        self.writers[0].close()


def _topic(participant: DomainParticipant, name: str, raw: type[RawSample]) -> Topic[RawSample]:
    """Create a topic whose type Cyclone DDS keeps until the process ends.

    All samples without a key are one instance to it, that of the first type. cyclonedds 11.0.1 frees that type with its
    last endpoint but continues to read it for endpoints of other types (`serdata_eqkey`), which sometimes crashed the
    process. A type that is used again is the same one, so that none is kept twice.
    """
    topic = Topic(participant, name, raw)
    library, sertype = topic._dll_handle, ctypes.c_void_p()
    if library.dds_get_entity_sertype(ctypes.c_int32(topic._ref), ctypes.byref(sertype)) == 0:
        library.ddsi_sertype_ref(sertype)
    return topic


def _matched(handles: Callable[[], list[int]]) -> list[int]:
    """Return the handles of the matches of an endpoint. cyclonedds 11 asks for their number first and fails if it has
    grown meanwhile: then retry."""
    while True:
        try:
            return handles()
        except IndexError:
            continue


def user_data(qos: DdsQos) -> bytes:
    """Return the user data of an endpoint with these policies."""
    data = qos[Policy.Userdata]
    return b"" if data is None else bytes(data.data)


def answers(qos: DdsQos) -> bool:
    """Return whether a reader of requests with these policies is that of a service that rmw_cyclonedds can call."""
    return SERVICE_MARK in user_data(qos)


def _settle(future: Future[Message], result: Message = None, error: Exception | None = None) -> None:
    """Settle a call, unless its caller gave it up."""
    if not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)


def _insert_header(header: bytes, body: bytes) -> bytes:
    """Insert 16 bytes between the encapsulation and the fields: the alignment of eight stays as it was."""
    return body[:ENCAPSULATION] + header + body[ENCAPSULATION:]


def _split_header(data: bytes) -> tuple[bytes, bytes]:
    start = ENCAPSULATION + HEADER.size
    if len(data) < start:
        raise MalformedMessage(f"{len(data)} bytes are too few for a call")
    return data[ENCAPSULATION:start], data[:ENCAPSULATION] + data[start:]


def _mark(role: str) -> bytes:
    """Return the user data by which rmw_cyclonedds recognizes the writer and the reader of one client or service."""
    return f"{role}id={'.'.join(f'{byte:x}' for byte in uuid.uuid4().bytes)};".encode()


def _policies(qos: Qos, user_data: bytes) -> DdsQos:
    """Return the policies that rmw_cyclonedds sets for this QoS."""
    policies = [
        Policy.Reliability.Reliable(BLOCKING) if qos.reliable else Policy.Reliability.BestEffort,
        Policy.History.KeepLast(qos.depth),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.Durability.TransientLocal if qos.latched else Policy.Durability.Volatile,
        Policy.WriterDataLifecycle(False),
    ]
    if qos.latched:
        policies.append(Policy.DurabilityService(0, Policy.History.KeepLast(qos.depth), -1, -1, -1))
    if user_data:
        policies.append(Policy.Userdata(user_data))
    return DdsQos(*policies)
