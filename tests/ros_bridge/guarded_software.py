"""An armed guard of a robot with software of its own, such as Nav2, each on the network, and a link to the guard."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ros_bridge.guard.commands_to_robot import RosOutlet
from ros_bridge.guard.guard import Guard
from ros_bridge.guard.link import GuardLink
from ros_bridge.guard.measured import Measurements
from ros_bridge.guard.process import _loop
from ros_bridge.guard.sockets import AgentSocket
from ros_bridge.profiles.model import read_profile
from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.network import Network
from tests.ros_bridge.fake_robot import FakeRobot
from tests.waiting import until

FETCH = read_profile("fetch")
Software = TypeVar("Software")


class Watched(Measurements):
    """Measurements that are never too old: that the machine of a test is busy does not stop the robot."""

    def silent(self) -> str:
        return ""


@contextmanager
def guarded_software(
    network: Network,
    path: Path,
    software: Callable[[DdsNode, FakeRobot], Software],
    ready: Callable[[RosOutlet], bool],
) -> Iterator[tuple[GuardLink, Software, Guard]]:
    """The link, the software and the guard, which runs in a thread.

    Args:
        path: Of the guard's socket.
        software: Puts the software on the network.
        ready: Whether the guard has found it.
    """
    over = threading.Event()
    with DdsNode("/robot", network) as body, DdsNode("/software", network) as brain, DdsNode("/guard", network) as node:
        played = software(brain, FakeRobot(body, FETCH))
        outlet = RosOutlet(node, FETCH)
        guard = Guard(FETCH, outlet, Watched(node, FETCH), armed=True, silence=30.0)
        agent = AgentSocket(path, guard, dry_run=False, network=network)
        thread = threading.Thread(target=_loop, args=(guard, agent, over.is_set))
        thread.start()
        until(lambda: ready(outlet))
        until(lambda: not Measurements.silent(guard._measured))
        with GuardLink(FETCH, path, network=network) as link:
            yield link, played, guard
        over.set()
        thread.join()
        agent.close()
