"""Closes the endpoints of the type that came first and goes on with those of another, again and again."""

from __future__ import annotations

import sys

from ros_bridge.transport.dds.cdr_topic_types import types_of
from ros_bridge.transport.dds.endpoints import Wire, Writer
from ros_bridge.transport.dds.network import join
from ros_bridge.transport.dds.receiver import Receiver
from ros_bridge.transport.interface import LATCHED
from ros_bridge.transport.network import Network
from tests.waiting import until

FIRST, SECOND = "std_msgs/msg/String", "std_msgs/msg/Bool"
OTHERS = ("geometry_msgs/msg/Twist", "sensor_msgs/msg/JointState", "nav_msgs/msg/Odometry", "sensor_msgs/msg/Image")


def writing(wire: Wire, kind: str) -> Writer:
    """A writer that has written a message."""
    writer = wire.writer(kind, kind, LATCHED)
    writer.write(wire.definitions.write(kind, wire.definitions.message(kind)))
    return writer


def main(domain: int, times: int) -> None:
    types = types_of("humble")
    for _ in range(times):
        participant, received = join(Network(domain, "lo")), []
        receiver = Receiver(participant, "closing")
        wire = Wire(participant, types, receiver)
        first, second = writing(wire, FIRST), writing(wire, SECOND)
        reader = wire.reader(SECOND, SECOND, LATCHED, received.append)
        until(lambda received=received: received)
        first.close()
        later = [writing(wire, kind) for kind in (FIRST, *OTHERS, SECOND)]
        for endpoint in (reader, second, *later):
            endpoint.close()
        receiver.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
