"""Nodes on loopback, on a ROS domain that no other test process uses at the same time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("cyclonedds", reason="the extra [ros] is not installed", exc_type=ImportError)

from ros_bridge.transport.dds.network import Network
from ros_bridge.transport.dds.node import DdsNode


@pytest.fixture(scope="session")
def network() -> Network:
    """Loopback, with a domain from the number of this process: domains over 100 have no robot by default."""
    return Network(domain=101 + os.getpid() % 120, interface="lo")


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


def until(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until something holds; a busy machine has its time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)
