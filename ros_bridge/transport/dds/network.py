"""Joining a network with Cyclone DDS: domain, interface, and settings for large images."""

from __future__ import annotations

import os
import threading
from xml.sax.saxutils import quoteattr

from cyclonedds.core import DDSException, Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.network import Network

URI = "CYCLONEDDS_URI"
_domains: dict[int, tuple[str, Domain]] = {}
_lock = threading.Lock()


def configuration(interface: str) -> str:
    """Return the configuration of Cyclone DDS in XML.

    With the default receive buffer, fragments of a 1280x720 image are lost and sent again, 196 ms instead of 9. No
    minimum size is requested: most systems allow 208 KiB, and Cyclone DDS would not join with less than the minimum.
    A closed writer waits 200 ms, not 1 s, for readers that have not taken its last message.
    Loopback has no multicast: peers are searched on this machine, up to 60 of them.
    """
    general, discovery = "", ""
    if interface == "lo":
        general = '<Interfaces><NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces>'
        general += "<AllowMulticast>false</AllowMulticast>"
        discovery = (
            "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>"
            '<Peers><Peer Address="127.0.0.1"/></Peers></Discovery>'
        )
    elif interface:
        general = f"<Interfaces><NetworkInterface name={quoteattr(interface)}/></Interfaces>"
    general += "<MaxMessageSize>65500B</MaxMessageSize>"
    buffers = '<Internal><SocketReceiveBufferSize max="4MB"/>'
    buffers += "<WriterLingerDuration>200ms</WriterLingerDuration></Internal>"
    return f"<CycloneDDS><Domain><General>{general}</General>{buffers}{discovery}</Domain></CycloneDDS>"


def join(network: Network) -> DomainParticipant:
    """Create a participant of the network. A configuration of the user (CYCLONEDDS_URI) overrides Homie's.

    Raises:
        InfrastructureError: The interface does not exist, or the process has joined this domain over another one.
    """
    with _lock:
        existing = _domains.get(network.domain)
        if existing is not None and existing[0] != network.interface:
            raise InfrastructureError(
                f"This process is on ROS domain {network.domain} over '{existing[0] or 'any interface'}' already and "
                f"cannot be on it over '{network.interface or 'any interface'}' too."
            )
        try:
            if existing is None and URI not in os.environ:
                domain = Domain(network.domain, configuration(network.interface))
                _domains[network.domain] = (network.interface, domain)
            # Every ROS 2 node declares its security enclave; "/" is none.
            return DomainParticipant(network.domain, Qos(Policy.Userdata(b"enclave=/;")))
        except DDSException as error:
            raise InfrastructureError(
                f"Cannot join ROS domain {network.domain} over '{network.interface or 'any interface'}': {error} "
                f"Look at the name of the interface and at {URI}."
            ) from error
