"""An agent of the tests: a link to a guard that is a process, what it says, and how a run has ended."""

from __future__ import annotations

import re
from pathlib import Path

from homie.kernel.errors import CommandRefused, InfrastructureError
from ros_bridge.guard.link import EmergencyStop, GuardLink
from ros_bridge.profiles.model import read_profile
from ros_bridge.transport.network import Network
from tests.ros_bridge.guard.agent import SPEED
from tests.waiting import until

FETCH = read_profile("fetch")


def connected(path: Path, network: Network) -> GuardLink:
    """A link, as soon as the guard is free for one."""
    links = []

    def connect() -> bool:
        try:
            links.append(GuardLink(FETCH, path, network=network))
        except InfrastructureError:
            return False
        return True

    until(connect)
    return links[-1]


def drives(link, robot):
    """Drive; whether the robot does."""
    refusal(link)
    return robot.speed > SPEED / 2


def refusal(link):
    """Drive; why the velocity before was refused."""
    try:
        link.velocity(SPEED, 0.0)
    except (CommandRefused, EmergencyStop) as error:
        return str(error)
    return ""


def succeeded(log: str, subtasks: int) -> bool:
    """Whether so many subtasks of a run have; on a busy machine a late command may cost another one."""
    return re.search(rf"\b{subtasks} of \d subtasks? succeeded", log) is not None
