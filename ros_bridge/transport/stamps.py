"""Times and durations of ROS 2 as seconds and back."""

from __future__ import annotations

import time

from ros_bridge.transport.interface import Message

NANO = 1_000_000_000


def seconds(stamp: Message) -> float:
    """The seconds of a `builtin_interfaces/msg/Time` or `Duration`."""
    return int(stamp.sec) + int(stamp.nanosec) / NANO


def stamp(value: float) -> dict[str, int]:
    """The fields of a Time or Duration: nanoseconds are never negative, as ROS 2 has it."""
    whole_seconds, nanoseconds = divmod(round(value * NANO), NANO)
    return {"sec": whole_seconds, "nanosec": nanoseconds}


def now() -> float:
    """The time of this machine, as robots stamp their messages: seconds since 1970."""
    return time.time_ns() / NANO
