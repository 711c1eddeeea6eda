"""Which ROS 2 network a process is on, as the variables of ROS 2 say it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput

MAX_DOMAIN = 232
"""With a higher number the ports of DDS would be over 65535."""
SETTINGS = (
    "ROS_STATIC_PEERS",
    "ROS_DISCOVERY_SERVER",
    "CYCLONEDDS_URI",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
)
"""Variables that say, beside domain and interface, whom a process can find."""


ENOUGH = 4_194_304
"""Bytes of a receive buffer with which no picture of 1280 x 720 was lost in 10 s at 15 Hz; with the 212,992 of most
systems two of three depth pictures were."""


def small_buffers(limit: Path = Path("/proc/sys/net/core/rmem_max")) -> str:
    """A sentence's part on receive buffers of this machine that lose large pictures, "" where they do not.

    Args:
        limit: The file in which Linux says how large they may be.
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
    """Where the robot is.

    Attributes:
        domain: The ROS domain id.
        interface: The network interface, as `eth0`; `lo` for this machine only; "" where the middleware shall choose.
        distro: The ROS 2 distribution of the robot; "" where nobody has said it.
    """

    domain: int = 0
    interface: str = ""
    distro: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.domain <= MAX_DOMAIN:
            raise BadInput(f"The ROS domain id must be from 0 to {MAX_DOMAIN}, not {self.domain}.")

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> Network:
        """What the variables of ROS 2 say: ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY and its successor, ROS_DISTRO."""
        domain = environment.get("ROS_DOMAIN_ID") or "0"
        if not domain.isdecimal():
            raise BadInput(f"ROS_DOMAIN_ID must be a number from 0 to {MAX_DOMAIN}, not '{domain}'.")
        local = environment.get("ROS_LOCALHOST_ONLY") == "1"
        local |= environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST"
        return Network(int(domain), "lo" if local else "", environment.get("ROS_DISTRO") or "")

    def settings(self, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What two processes must share to be on the same network, by the variable that a person would set."""
        inherited = {name: environment[name] for name in SETTINGS if environment.get(name)}
        return {"ROS_DOMAIN_ID": str(self.domain), "ROS_LOCALHOST_ONLY": str(int(self.interface == "lo")), **inherited}
