"""Times and durations of ROS 2 as seconds and back."""

from __future__ import annotations

import time

from ros_bridge.transport.interface import Message

NANO = 1_000_000_000


def seconds(stamp: Message) -> float:
    """Return the seconds of a `builtin_interfaces/msg/Time` or `Duration`."""
    return int(stamp.sec) + int(stamp.nanosec) / NANO


def stamp(value: float) -> dict[str, int]:
    """Return the fields of a Time or Duration: nanoseconds are never negative, as in ROS 2."""
    whole_seconds, nanoseconds = divmod(round(value * NANO), NANO)
    return {"sec": whole_seconds, "nanosec": nanoseconds}


def now() -> float:
    """Return the time of this machine, as in message stamps: seconds since 1970."""
    return time.time_ns() / NANO
