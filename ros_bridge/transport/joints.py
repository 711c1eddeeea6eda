"""Joint states as robots publish them: in any order, by several publishers, with further joints and missing values.
Each joint is read by itself, so that a fault of one never affects the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ros_bridge.transport.interface import Message
from ros_bridge.transport.readings import Order, UnreadableMessage, stamp_of
from ros_bridge.transport.refusals import CONTRADICT, Faults

FAR = 0.5
"""rad or m by which a joint may be measured outside its limits: calibrations differ; degrees are further off."""
JUMP = 0.1
"""rad or m that a joint may jump between two messages, in addition to what twice its speed allows."""
LATE = 0.5
"""Longest time (s) between two stamps in which a joint may have moved though its messages arrived together."""
REPEATED = 2.0
"""Seconds for which a stamp may be repeated: some drivers count whole seconds; one that repeats it for longer has no
news."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a joint: positions (rad, m), infinite for a continuous one, and speed (rad/s, m/s)."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf


@dataclass(frozen=True, slots=True)
class JointReading:
    """The newest reading of a joint: position (rad, m), reported velocity (None without one), speed (that velocity, or
    else from the previous message; rad/s, m/s), stamp (s) and arrival time (s of the listener's clock)."""

    position: float
    velocity: float | None
    speed: float
    at: float
    came: float


class JointStates:
    """The joints of a profile in `sensor_msgs/msg/JointState` messages.

    Args:
        topic: Their topic, for error messages.
        limits: Limits of every joint that matters; other joints are ignored.
        publishers: Returns the number of publishers of the topic.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        topic: str,
        limits: Mapping[str, Limits],
        publishers: Callable[[], int],
        clock: Callable[[], float],
    ) -> None:
        self._topic, self._limits, self._publishers = topic, dict(limits), publishers
        self._clock, self._faults = clock, Faults()
        self._readings: dict[str, JointReading] = {}
        self._orders = {name: Order() for name in limits}
        self._last: dict[str, tuple[float, float, float]] = {}
        """Position, stamp and arrival time of the last message about each joint, accepted or not."""
        self._stamped: dict[str, tuple[float, float]] = {}
        """The newest stamp of each joint and when it was first seen."""

    def get(self, name: str) -> JointReading | None:
        """Return the newest reading of a joint, None before the first."""
        return self._readings.get(name)

    def wrong(self, name: str) -> str:
        """Return why the newest message about a joint was refused; "" if it was not."""
        return self._faults.why(self._subject(name))

    def forget(self) -> None:
        """Drop all readings, as when a simulation restarts."""
        self._readings.clear()
        self._last.clear()
        self._stamped.clear()
        self._orders = {name: Order() for name in self._limits}

    def take(self, message: Message) -> tuple[str, ...]:
        """Read a message, and return the names of the joints with news."""
        names = list(message.name)
        places: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            if name in self._limits:
                places.setdefault(name, []).append(place)
        if not places:  # the fingers, for example, come in messages of their own
            if not names and len(message.position):
                self._faults.mention(self._topic, f"{len(message.position)} positions come without names")
            return ()
        positions, velocities = (np.asarray(values, dtype=float) for values in (message.position, message.velocity))
        try:
            at = stamp_of(message)
            if len(positions) != len(names):
                raise UnreadableMessage(
                    f"{len(names)} names come with {len(positions)} positions"
                    if len(positions)
                    else "it comes without a position"
                )
        except UnreadableMessage as error:
            for name in places:
                self._faults.add(self._subject(name), error)
            return ()
        if len(velocities) not in (0, len(names)):
            self._faults.mention(self._topic, f"{len(names)} names come with {len(velocities)} velocities: left out")
        reported = velocities if len(velocities) == len(names) else np.full(len(names), math.nan)
        values, speeds = positions.tolist(), reported.tolist()
        return tuple(
            name
            for name, index in places.items()
            if self._take(name, [values[place] for place in index], speeds[index[0]], at)
        )

    def _subject(self, name: str) -> str:
        return f"the joint {name} on {self._topic}"

    def _take(self, name: str, positions: list[float], velocity: float, at: float) -> bool:
        """Read the positions of one joint in a message, as a rule a single one; return whether it is news."""
        position, arrival, order = positions[0], self._clock(), self._orders[name]
        reason = self._wrong(name, positions)
        if not reason and not order.is_news(at):
            return False
        stamp, last_arrival = self._stamped.get(name, (math.nan, arrival))
        self._stamped[name] = (at, last_arrival if at == stamp else arrival)
        if not reason and at > 0 and at == stamp and arrival - last_arrival > REPEATED:
            reason = f"its stamp has been the same for {arrival - last_arrival:.1f} s"
        if not reason and self._jumps(name, position, at, arrival) and self._publishers() > 1:
            reason = f"{self._publishers()} publishers of {self._topic} {CONTRADICT}: end all but one"
        if math.isfinite(position):
            self._last[name] = (position, at, arrival)
        if reason:
            self._faults.add(self._subject(name), reason)
            return False
        self._faults.clear(self._subject(name))
        reported_velocity = velocity if math.isfinite(velocity) else None
        previous = self._readings.get(name)
        speed = (
            reported_velocity
            if reported_velocity is not None
            else 0.0
            if previous is None
            else _speed(previous, position, at, arrival)
        )
        self._readings[name] = JointReading(position, reported_velocity, speed, at, arrival)
        return True

    def _wrong(self, name: str, positions: list[float]) -> str:
        """Return the fault of the positions that a message has for one joint; "" if there is none."""
        limits = self._limits[name]
        for position in positions:
            if not math.isfinite(position):
                return f"its position is {position}"
        lowest, highest = min(positions), max(positions)
        if lowest != highest:
            return f"one message has it {len(positions)} times, at {lowest:.4g} and {highest:.4g}"
        if not limits.lower - FAR <= positions[0] <= limits.upper + FAR:
            return f"it is measured at {positions[0]:.4g}, far outside its limits {limits.lower:g}..{limits.upper:g}"
        return ""

    def _jumps(self, name: str, position: float, at: float, arrival: float) -> bool:
        """Return whether a joint cannot have moved here from its last position."""
        if name not in self._last:
            return False
        last_position, stamp, last_arrival = self._last[name]
        limits, way = self._limits[name], abs(position - last_position)
        if math.isinf(limits.upper):
            way = abs(math.remainder(way, math.tau))
        return way > 2 * limits.velocity * max(arrival - last_arrival, min(at - stamp, LATE)) + JUMP


def _speed(previous: JointReading, position: float, at: float, arrival: float) -> float:
    """Return the speed between two messages, for drivers without velocities: by their stamps if these advance, else by
    their arrival times."""
    elapsed = at - previous.at if previous.at > 0 and at > previous.at else arrival - previous.came
    return (position - previous.position) / max(elapsed, 1e-3)
