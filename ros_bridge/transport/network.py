"""The ROS 2 network of a process, from the environment variables of ROS 2."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput

MAX_DOMAIN = 232
"""With a higher number the ports of DDS would exceed 65535."""
SETTINGS = (
    "ROS_STATIC_PEERS",
    "ROS_DISCOVERY_SERVER",
    "CYCLONEDDS_URI",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
)
"""Variables that determine, beside domain and interface, whom a process can discover."""


ENOUGH = 4_194_304
"""Bytes of a receive buffer with which no image of 1280 x 720 was lost in 10 s at 15 Hz; with the 212,992 of most
systems two of three depth images were."""


def small_buffers(limit: Path = Path("/proc/sys/net/core/rmem_max")) -> str:
    """Return a clause on receive buffers of this machine that lose large images; "" if they are large enough.

    Args:
        limit: The file with the largest size that Linux allows.
    """
    try:
        size = int(limit.read_text())
    except (OSError, ValueError):  # another system
        return ""
    if size >= ENOUGH:
        return ""
    kib = size // 1024
    return f"; receive buffers of {kib} KiB lose parts of large pictures (sudo sysctl -w net.core.rmem_max={ENOUGH})"


@dataclass(frozen=True, slots=True)
class Network:
    """The network of a robot.

    Attributes:
        domain: The ROS domain id.
        interface: The network interface, as `eth0`; `lo` for this machine only; "" to let the middleware choose.
        distro: The ROS 2 distribution of the robot; "" if it is not given.
    """

    domain: int = 0
    interface: str = ""
    distro: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.domain <= MAX_DOMAIN:
            raise BadInput(f"The ROS domain id must be from 0 to {MAX_DOMAIN}, not {self.domain}.")

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> Network:
        """Read the variables of ROS 2: ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY and its successor, ROS_DISTRO."""
        domain = environment.get("ROS_DOMAIN_ID") or "0"
        if not domain.isdecimal():
            raise BadInput(f"ROS_DOMAIN_ID must be a number from 0 to {MAX_DOMAIN}, not '{domain}'.")
        local = environment.get("ROS_LOCALHOST_ONLY") == "1"
        local |= environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST"
        return Network(int(domain), "lo" if local else "", environment.get("ROS_DISTRO") or "")

    def settings(self, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the settings that two processes must share to be on the same network, by environment variable."""
        inherited = {name: environment[name] for name in SETTINGS if environment.get(name)}
        return {"ROS_DOMAIN_ID": str(self.domain), "ROS_LOCALHOST_ONLY": str(int(self.interface == "lo")), **inherited}
