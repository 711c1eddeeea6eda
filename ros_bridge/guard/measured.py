"""What the robot measures of its own motion: odometry and joint states, with the moment at which they came."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

import numpy as np

from ros_bridge.profiles.model import Profile
from ros_bridge.transport.interface import SENSOR, Message, Node
from ros_bridge.transport.stamps import seconds

log = logging.getLogger("homie.ros_bridge")

FRESH = 0.5
"""Seconds after which a measurement is no longer one, on a robot that may hurt somebody."""
FAST_COUNT = 5
"""Measurements in a row that must be of a joint that is too fast: a controller that catches up overshoots for one or
two."""
STANDING_COUNT = 3
"""Measurements in a row that must be of a robot that stands: one may be between two motions."""


class Measured:
    """Listens to a robot. Times are those of `clock` when a message came; it counts for `oldest` s."""

    def __init__(
        self, node: Node, profile: Profile, clock: Callable[[], float] = time.monotonic, oldest: float = FRESH
    ) -> None:
        self._clock, self._oldest = clock, oldest
        self._profile = profile
        self._lock = threading.Lock()
        self._speed = (0.0, 0.0)
        self._base_at = -math.inf
        self._base_stood: list[float] = []
        self._positions: dict[str, float] = {}
        self._last: dict[str, tuple[float, float]] = {}
        self._speeds: dict[str, list[float]] = {}
        """Of each joint the newest, as many as `FAST_COUNT`."""
        self._fastest = ("", 0.0)
        self._joints_at = -math.inf
        self._joints_stood: list[float] = []
        self._names = {joint.name for group in profile.groups.values() for joint in group.joints}
        if profile.base is not None:
            node.subscription("nav_msgs/msg/Odometry", profile.base.odometry, self._on_odometry, SENSOR)
        if self._names:
            node.subscription("sensor_msgs/msg/JointState", profile.joint_states, self._on_joints, SENSOR)

    def positions(self) -> dict[str, float]:
        """The joints of the groups; empty when the newest joint states are too old."""
        with self._lock:
            return dict(self._positions) if self._clock() - self._joints_at <= self._oldest else {}

    @property
    def speed(self) -> tuple[float, float]:
        """The measured speeds of the base, m/s and rad/s."""
        with self._lock:
            return self._speed

    @property
    def base_stands(self) -> bool:
        """Whether the newest odometry is of a base that stands, or there is none."""
        with self._lock:
            return self._profile.base is None or bool(self._base_stood)

    def joint_speeds(self) -> dict[str, float]:
        """How fast the joints of the groups move, rad/s or m/s."""
        with self._lock:
            return {name: speeds[-1] for name, speeds in self._speeds.items()}

    def lasting_speeds(self) -> dict[str, float]:
        """The slowest of the newest `FAST_COUNT` speeds of each joint, rad/s or m/s, without a sign."""
        with self._lock:
            return {name: min(map(abs, speeds)) for name, speeds in self._speeds.items()}

    def silent(self) -> str:
        """What is not measured just now, "" if all is."""
        present = self._clock()
        with self._lock:
            if self._profile.base is not None and present - self._base_at > self._oldest:
                return "the odometry is silent"
            return "the joint states are silent" if self._names and present - self._joints_at > self._oldest else ""

    def stood_since(self, began: float) -> bool:
        """Whether enough measurements since then were of a robot that stands."""
        with self._lock:
            base = self._profile.base is None or sum(at > began for at in self._base_stood) >= STANDING_COUNT
            joints = not self._names or sum(at > began for at in self._joints_stood) >= STANDING_COUNT
        return base and joints

    def motion(self) -> str:
        """How the robot moves, in words."""
        silent = self.silent()
        with self._lock:
            joint, speed = self._fastest
            base = f"the base moves at {self._speed[0]:.2f} m/s and {self._speed[1]:.2f} rad/s"
        moving = f", {joint} at {speed:.2f}" if joint else ""
        return silent or (base if self._profile.base is not None else "the arm") + moving

    def _on_odometry(self, message: Message) -> None:
        twist = message.twist.twist
        speeds = (math.hypot(twist.linear.x, twist.linear.y), twist.angular.z)
        if not all(map(math.isfinite, speeds)):
            log.warning("Refused: odometry that is not finite")
            return
        standing = self._profile.standing
        with self._lock:
            self._speed, self._base_at = speeds, self._clock()
            stands = abs(speeds[0]) <= standing.linear and abs(speeds[1]) <= standing.angular
            self._base_stood = [*self._base_stood[1 - STANDING_COUNT :], self._base_at] if stands else []

    def _on_joints(self, message: Message) -> None:
        positions = np.asarray(message.position, dtype=float)
        velocities = np.asarray(message.velocity, dtype=float)
        if len(positions) != len(message.name) or not np.isfinite(positions).all():
            log.warning("Refused: joint states that are not finite or do not fit their names")
            return
        at = seconds(message.header.stamp)
        complete = len(velocities) == len(positions) and bool(np.isfinite(velocities).all())
        with self._lock:
            speeds = {}
            for index, name in enumerate(message.name):
                if name not in self._names:
                    continue
                position = float(positions[index])
                before, then = self._last.get(name, (position, at - 1.0))
                # Some drivers publish no velocities: then they are those between two messages.
                speeds[name] = float(velocities[index]) if complete else (position - before) / max(at - then, 1e-3)
                self._last[name] = (position, at)
                self._positions[name] = position
            if not speeds:  # the fingers, for example, come in messages of their own
                return
            for name, speed in speeds.items():
                self._speeds[name] = [*self._speeds.get(name, [])[1 - FAST_COUNT :], speed]
            name, speed = max(speeds.items(), key=lambda item: abs(item[1]))
            self._fastest, self._joints_at = (name, speed), self._clock()
            stands = abs(speed) <= self._profile.standing.joint
            self._joints_stood = [*self._joints_stood[1 - STANDING_COUNT :], self._joints_at] if stands else []
