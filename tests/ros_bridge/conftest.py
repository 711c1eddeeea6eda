"""Nodes on loopback, on a ROS domain that no other test process uses at the same time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator

import pytest

try:
    from ros_bridge.transport.dds.network import Network
    from ros_bridge.transport.dds.node import DdsNode
except ModuleNotFoundError:  # the extra [ros] is not installed
    collect_ignore_glob = ["*"]

_DOMAINS = itertools.count(os.getpid() * 8)


@pytest.fixture(scope="module")
def network() -> Network:
    """Loopback, with a domain of its own for each module: what a killed process had is seen for another ten seconds."""
    return Network(domain=101 + next(_DOMAINS) % 120, interface="lo")


@pytest.fixture
def nodes(network: Network) -> Iterator[Callable[[str], DdsNode]]:
    """Opens nodes that are closed at the end of the test."""
    opened: list[DdsNode] = []

    def open_one(name: str) -> DdsNode:
        opened.append(DdsNode(name, network))
        return opened[-1]

    yield open_one
    for node in opened:
        node.close()
