"""Nodes on loopback, on a ROS domain that no other test process uses at the same time."""

from __future__ import annotations

import fcntl
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

try:
    from ros_bridge.transport.dds.node import DdsNode
    from ros_bridge.transport.network import Network
except ModuleNotFoundError:  # the extra [ros] is not installed
    collect_ignore_glob = ["*"]

DOMAINS = 120
"""Domains above 100 for which every system has ports."""
_NUMBERS = itertools.count(os.getpid() * 8)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Loopback, with a domain of its own for each module: what a killed process had is seen for another ten seconds.
    The domain is locked, since other tests may run on this machine."""
    for number in itertools.islice(_NUMBERS, 10 * DOMAINS):
        domain = 101 + number % DOMAINS
        with (Path(tempfile.gettempdir()) / f"homie-tests-domain-{domain}").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield Network(domain=domain, interface="lo")
            return


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
