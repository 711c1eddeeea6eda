"""The clock of a robot's stamps: that of this machine, or the one that a simulator publishes on /clock."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from ros_bridge.transport.interface import SENSOR, Message, MessageSource
from ros_bridge.transport.refusals import CONTRADICT
from ros_bridge.transport.stamps import now, seconds

log = logging.getLogger("homie.ros_bridge")

CLOCK, CLOCK_TOPIC = "rosgraph_msgs/msg/Clock", "/clock"
PAUSED = 2.0
"""Seconds of this machine after which an unchanged /clock has stopped: a simulator at a tenth of real time that
publishes ten times per simulated second advances once a second."""
SET_BACK = 0.5
"""Seconds by which /clock has to go back to count as a reset; less is a late message."""
LEAP = 5.0
"""Largest step of /clock, s, that counts as elapsed time; a larger one is a leap."""
AHEAD = 2.0
"""Seconds by which a stamp may be ahead of the clock: clocks of two machines differ, and /clock comes at intervals."""


class RobotClock(ABC):
    """The time in which a robot stamps its messages, and in which their ages are measured."""

    name: str
    """Name for error messages."""

    @abstractmethod
    def now(self) -> float:
        """Return the current time (s), comparable with the stamps of the robot."""

    @abstractmethod
    def elapsed(self) -> float:
        """Return the seconds of the robot since the clock was opened; they never go back."""

    @abstractmethod
    def stop_reason(self, after: float = PAUSED) -> str:
        """Return why the clock has not advanced for so many seconds of this machine, a clause; "" if it has."""

    def wait(self, until: float, longest: float) -> None:
        """Wait until `elapsed` reaches a time, or for `longest` seconds of this machine."""
        end = time.monotonic() + longest
        while (remaining := min(until - self.elapsed(), end - time.monotonic())) > 0:
            time.sleep(min(remaining, 0.005))


class MachineClock(RobotClock):
    """The clock of this machine, with which that of the robot is synchronised (chrony, ntp)."""

    name = "the clock of this machine"

    def __init__(self) -> None:
        self._began = time.monotonic()

    def now(self) -> float:
        return now()

    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def stop_reason(self, after: float = PAUSED) -> str:
        return ""

    def wait(self, until: float, longest: float) -> None:
        time.sleep(max(0.0, min(until - self.elapsed(), longest)))


class PublishedClock(RobotClock):
    """Follows /clock, as ROS 2 nodes with `use_sim_time` do. It may run slower or faster than real time, stop, leap
    forward and restart.

    Args:
        node: Receives /clock.
        wall: Returns seconds of this machine, to detect that /clock has stopped.
    """

    name = CLOCK_TOPIC

    def __init__(self, node: MessageSource, wall: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._lock = threading.Lock()
        self._present: float | None = None
        self._elapsed = 0.0
        self._advanced_at = wall()
        self._contradicted_at = -PAUSED
        self._resets: list[Callable[[], None]] = []
        self._subscription = node.subscription(CLOCK, CLOCK_TOPIC, self._take, SENSOR)

    def on_reset(self, callback: Callable[[], None]) -> None:
        """Call back, in the thread of the node, when the clock is set back: earlier measurements are of another run."""
        self._resets.append(callback)

    def now(self) -> float:
        with self._lock:
            return self._present or 0.0

    def elapsed(self) -> float:
        with self._lock:
            return self._elapsed

    def stop_reason(self, after: float = PAUSED) -> str:
        with self._lock:
            current, stopped_seconds = self._present, self._wall() - self._advanced_at
            is_contradicted = self._wall() - self._contradicted_at < PAUSED
        if is_contradicted:
            return f"{self._subscription.publishers()} publishers of {CLOCK_TOPIC} {CONTRADICT}"
        if stopped_seconds <= after:
            return ""
        if current is None:
            return f"nothing comes on {CLOCK_TOPIC}, which use_sim_time follows: does the simulator run?"
        return f"{CLOCK_TOPIC} has stopped at {current:.2f} s: is the simulator paused?"

    def _take(self, message: Message) -> None:
        at, wall = seconds(message.clock), self._wall()
        with self._lock:
            previous = self._present
            step = 0.0 if previous is None else at - previous
            if previous is not None and -SET_BACK <= step <= 0:
                return
            self._present, self._advanced_at = at, wall
            self._elapsed += step if 0 < step <= LEAP else 0.0
            reset = step < 0
        if step > LEAP:
            log.warning("%s leaps forward from %.2f to %.2f s", CLOCK_TOPIC, previous, at)
        if not reset:
            return
        if self._subscription.publishers() > 1:
            with self._lock:
                self._contradicted_at = wall
        log.warning("%s goes back from %.2f to %.2f s: the simulator began again", CLOCK_TOPIC, previous, at)
        for callback in self._resets:
            callback()


def robot_clock(node: MessageSource, *, use_sim_time: bool) -> RobotClock:
    """Return the clock of a robot's stamps: /clock, or that of this machine."""
    return PublishedClock(node) if use_sim_time else MachineClock()
