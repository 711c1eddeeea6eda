"""Measured motion of the robot: odometry and joint states with their arrival times."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.stop_button import StopButton
from ros_bridge.transport.clocks import PAUSED, PublishedClock
from ros_bridge.transport.interface import SENSOR, Message, Node
from ros_bridge.transport.joints import JointReading, JointStates
from ros_bridge.transport.readings import Order, UnreadableMessage, odometry_of
from ros_bridge.transport.refusals import Faults

FRESH = 0.5
"""Seconds after which a measurement is too old, on a robot that may hurt somebody."""
FAST_COUNT = 5
"""Measurements in a row after which a joint counts as too fast: a controller that catches up overshoots for one or
two."""
STANDING_COUNT = 3
"""Measurements in a row after which a robot counts as standing: one may fall between two motions."""


class Measurements:
    """Measurements of a robot. Times are arrival times of `clock`, also where the robot's stamps are those of a
    simulator; a measurement is valid for `oldest` s."""

    def __init__(
        self, node: Node, profile: Profile, clock: Callable[[], float] = time.monotonic, oldest: float = FRESH
    ) -> None:
        self._clock, self._oldest = clock, oldest
        self._profile = profile
        self._lock = threading.RLock()
        self._faults = Faults()
        self._speed = (0.0, 0.0)
        self._base_at = -math.inf
        self._base_order = Order()
        self._base_stood: list[float] = []
        self._names = [joint.name for group in profile.groups.values() for joint in group.joints]
        self._joints = JointStates(
            profile.joint_states,
            {name: profile.limits_of(name) for name in self._names},
            lambda: self._states.publishers(),
            clock,
        )
        self._speeds: dict[str, list[float]] = {}
        """The newest `FAST_COUNT` speeds of each joint."""
        self._stood: dict[str, list[float]] = {}
        """Times of the newest measurements in a row that show each joint standing."""
        self._simulated = PublishedClock(node, clock) if profile.use_sim_time else None
        if self._simulated is not None:
            self._simulated.on_reset(self._forget)
        stop = profile.emergency_stop
        self._stop_button = None if stop is None else StopButton(node, stop)
        if profile.base is not None:
            node.subscription("nav_msgs/msg/Odometry", profile.base.odometry, self._on_odometry, SENSOR)
        if self._names:
            self._states = node.subscription(
                "sensor_msgs/msg/JointState", profile.joint_states, self._on_joints, SENSOR
            )

    def positions(self) -> dict[str, float]:
        """Return the current joint positions of the groups, without joints whose newest state is too old."""
        with self._lock:
            now = self._clock()
            return {name: reading.position for name, reading in self._readings() if self._is_fresh(reading, now)}

    @property
    def stop_is_pressed(self) -> bool:
        """Whether the robot's own emergency stop is pressed."""
        return self._stop_button is not None and self._stop_button.pressed

    @property
    def speed(self) -> tuple[float, float]:
        """Measured speeds of the base, m/s and rad/s."""
        with self._lock:
            return self._speed

    @property
    def is_base_standing(self) -> bool:
        """Whether the newest odometry shows a standing base, or the robot has no base."""
        with self._lock:
            return self._profile.base is None or bool(self._base_stood)

    def joint_speeds(self) -> dict[str, float]:
        """Return the joint speeds of the groups, rad/s or m/s."""
        with self._lock:
            return {name: speeds[-1] for name, speeds in self._speeds.items()}

    def lasting_speeds(self) -> dict[str, float]:
        """Return the smallest absolute value of the newest `FAST_COUNT` speeds of each joint, rad/s or m/s."""
        with self._lock:
            return {name: min(map(abs, speeds)) for name, speeds in self._speeds.items()}

    def silent(self) -> str:
        """Return what is not measured now and why; "" if everything is."""
        silent = self._silent()
        if self._simulated is not None:
            return self._simulated.stop_reason(self._oldest if silent else PAUSED) or silent
        return silent

    def _silent(self) -> str:
        if self._stop_button is not None and (unknown := self._stop_button.unknown()):
            return unknown
        now = self._clock()
        with self._lock:
            if self._profile.base is not None and now - self._base_at > self._oldest:
                fault = self._faults.why(self._profile.base.odometry)
                return f"the odometry is refused, {fault}" if fault else "the odometry is silent"
            readings = dict(self._readings())
            late_joints = [name for name in self._names if not self._is_fresh(readings.get(name), now)]
            for name in late_joints:
                if fault := self._joints.wrong(name):
                    return f"the joint {name} is refused, {fault}"
        if not late_joints:
            return ""
        return (
            "the joint states are silent"
            if len(late_joints) == len(self._names)
            else f"the joint {late_joints[0]} is silent"
        )

    def has_stood_since(self, began: float) -> bool:
        """Return whether enough measurements of the base and of every joint since then show a standing robot."""
        with self._lock:
            standing_since = [*([] if self._profile.base is None else [self._base_stood])]
            standing_since += [self._stood.get(name, []) for name in self._names]
            return all(sum(at > began for at in times) >= STANDING_COUNT for times in standing_since)

    def motion(self) -> str:
        """Describe the motion of the robot."""
        silent = self.silent()
        with self._lock:
            joint, speed = max(
                ((name, speeds[-1]) for name, speeds in self._speeds.items()),
                key=lambda item: abs(item[1]),
                default=("", 0.0),
            )
            base = f"the base moves at {self._speed[0]:.2f} m/s and {self._speed[1]:.2f} rad/s"
        moving = f", {joint} at {speed:.2f}" if joint else ""
        return silent or (base if self._profile.base is not None else "the arm") + moving

    def _readings(self) -> list[tuple[str, JointReading]]:
        return [(name, reading) for name in self._names if (reading := self._joints.get(name)) is not None]

    def _is_fresh(self, reading: JointReading | None, now: float) -> bool:
        return reading is not None and now - reading.came <= self._oldest

    def _on_odometry(self, message: Message) -> None:
        base = self._profile.base
        assert base is not None
        with self._lock:
            try:
                reading = odometry_of(message)
            except UnreadableMessage as error:
                self._faults.add(base.odometry, error)
                return
            if not self._base_order.is_news(reading.at):
                return
            self._faults.clear(base.odometry)
            self._speed, self._base_at = (math.hypot(reading.forward, reading.sideways), reading.turning), self._clock()
            limits = self._profile.standing
            is_standing = abs(self._speed[0]) <= limits.linear and abs(self._speed[1]) <= limits.angular
            self._base_stood = [*self._base_stood[1 - STANDING_COUNT :], self._base_at] if is_standing else []

    def _on_joints(self, message: Message) -> None:
        with self._lock:
            for name in self._joints.take(message):
                reading = self._joints.get(name)
                assert reading is not None
                self._speeds[name] = [*self._speeds.get(name, [])[1 - FAST_COUNT :], reading.speed]
                is_standing = abs(reading.speed) <= self._profile.standing.joint
                self._stood[name] = (
                    [*self._stood.get(name, [])[1 - STANDING_COUNT :], reading.came] if is_standing else []
                )

    def _forget(self) -> None:
        """Drop all measurements when a simulation restarts."""
        with self._lock:
            self._base_at, self._base_order, self._base_stood = -math.inf, Order(), []
            self._joints.forget()
            self._speeds.clear()
            self._stood.clear()
