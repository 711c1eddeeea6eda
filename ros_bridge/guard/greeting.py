"""Handshake of agent and guard before any command: both must mean the same robot on the same network."""

from __future__ import annotations

import hashlib

from ros_bridge.guard.messages import VERSION, Hello
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.network import Network

LONGEST = 200
"""Longest environment variable, in characters, that is sent in full."""


def greeting(profile: Profile, network: Network, simulated: bool | None) -> Hello:
    """Build the first message of an agent; a guard describes itself in the same way.

    Args:
        profile: The robot.
        network: The robot's network.
        simulated: Whether the robot reports that it is simulated; None if not checked.
    """
    return Hello(
        version=VERSION,
        profile=profile.name,
        digest=_digest(profile.model_dump_json()),
        network={name: _short(value) for name, value in network.settings().items()},
        simulated=simulated,
    )


def difference(guard: Hello, agent: Hello) -> str:
    """Return why an agent and a guard do not match, as a sentence; "" if they do."""
    if (guard.version, guard.profile) != (agent.version, agent.profile):
        return (
            f"This guard has version {guard.version} and the profile {guard.profile}, the agent {agent.version} and "
            f"{agent.profile}."
        )
    for name in sorted({*guard.network, *agent.network}):
        at_guard, at_agent = guard.network.get(name, ""), agent.network.get(name, "")
        if at_guard != at_agent:
            return (
                f"This guard is on another network than the agent: it has {name}={at_guard}, the agent "
                f"{name}={at_agent}. Start both with the same."
            )
    if guard.digest != agent.digest:
        return (
            f"This guard has read another profile {guard.profile} than the agent: start the guard again, both with the "
            "same file."
        )
    if agent.simulated is not None and guard.simulated != agent.simulated:
        at_guard, at_agent = ("a simulated", "a real") if guard.simulated else ("a real", "a simulated")
        return (
            f"This guard watches {at_guard} robot, the agent {at_agent} one: set ROS_DOMAIN_ID so that they never "
            "share a network, and end the guard of the other."
        )
    return ""


def _short(value: str) -> str:
    """Return a short value unchanged, and a long one, such as an inline configuration, as its digest."""
    return value if len(value) <= LONGEST else f"({len(value)} characters, {_digest(value)})"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
