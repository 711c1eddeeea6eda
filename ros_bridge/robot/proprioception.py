"""Proprioception of a robot on the network: current odometry, joint states and fingers as one `Proprioception`."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from homie.kernel.errors import RobotFault
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import GripperState, Pose2, Proprioception
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.clocks import AHEAD, PublishedClock, RobotClock
from ros_bridge.transport.interface import SENSOR, Message, MessageSource
from ros_bridge.transport.joints import JointReading, JointStates
from ros_bridge.transport.readings import OdometryReading, Order, UnreadableMessage, odometry_of
from ros_bridge.transport.refusals import Faults

FRESH = 0.5
"""Seconds after which a measurement is too old, as for the guard."""
PATIENCE = 10.0
"""Seconds to wait for a missing measurement: a busy machine has its pauses. The guard, which waits less, has stopped
the robot meanwhile."""
GREETING = 20.0
"""Seconds to wait for the first measurements: the network has to discover the robot."""


class BodySensors:
    """Measurements of a robot.

    Args:
        node: A node on its network.
        profile: Its topics.
        spec: Its groups.
        foot: Pose of its base if it does not drive.
        clock: Monotonic seconds; in a bag those of its messages.
        simulated: The clock of a simulator, whose stamps give the ages; None: arrival times do.
    """

    def __init__(
        self,
        node: MessageSource,
        profile: Profile,
        spec: RobotSpec,
        foot: Pose2,
        clock: Callable[[], float] = time.monotonic,
        simulated: RobotClock | None = None,
    ) -> None:
        self._clock, self._simulated = clock, simulated
        self._profile, self._foot = profile, foot
        self._gripper, drives = spec.first("gripper"), spec.first("base")
        self._velocity_count = 2 if drives is None else len(drives.joints)
        self._needed = [name for group in spec.groups if group.kind not in ("base", "gripper") for name in group.names]
        self._fingers = profile.gripper.joints if profile.gripper is not None else ()
        self._changed = threading.Condition()
        self._faults = Faults()
        self._base: OdometryReading | None = None
        self._base_came = -math.inf
        self._base_order = Order()
        self._stalled_at: float | None = None
        self._joints = JointStates(
            profile.joint_states,
            {name: profile.limits_of(name) for name in (*self._needed, *self._fingers)},
            lambda: self.robots,
            clock,
        )
        if profile.base is not None:
            node.subscription("nav_msgs/msg/Odometry", profile.base.odometry, self._on_odometry, SENSOR)
        self._states = node.subscription("sensor_msgs/msg/JointState", profile.joint_states, self._on_joints, SENSOR)
        if isinstance(simulated, PublishedClock):
            simulated.on_reset(self._forget)

    @property
    def robots(self) -> int:
        """Number of publishers of joint states: several robots with the same joint names are a danger."""
        return self._states.publishers()

    def set_stalled(self, opening: float | None) -> None:
        """Set the opening (m) at which the fingers met an object; None: they are free, or moving."""
        with self._changed:
            self._stalled_at = opening

    def body(self, patience: float = PATIENCE) -> Proprioception:
        """Return the current proprioception.

        Raises:
            RobotFault: A measurement has been missing, or refused, for too long, or its clock has stopped.
        """
        deadline = self._clock() + patience
        with self._changed:
            while missing := self._missing(self._clock()):
                if self._simulated is not None and (stopped := self._simulated.stop_reason()):
                    self._faults.mention("The robot waits", stopped)
                if self._clock() >= deadline:
                    raise RobotFault(
                        f"{missing}. Compare the network with the profile: `homie robot check {self._profile.name}`."
                    )
                self._changed.wait(min(0.1, max(0.0, deadline - self._clock())))
            return self._body()

    def _missing(self, now: float) -> str:
        """Return what is not measured now and why; "" if everything is."""
        if self._simulated is not None and (stopped := self._simulated.stop_reason()):
            return f"The robot stands still: {stopped}"
        if self._profile.base is not None:
            topic = self._profile.base.odometry
            late_text = self._late(None if self._base is None else self._base.at, self._base_came, now)
            if late_text:
                return self._sentence(f"comes on {topic}", late_text, self._faults.why(topic))
        for name in (*self._needed, *self._fingers):
            reading = self._joints.get(name)
            at, arrival = (None, -math.inf) if reading is None else (reading.at, reading.came)
            late_text = self._late(at, arrival, now)
            if late_text:
                words = f"of the joint {name} comes on {self._profile.joint_states}"
                return self._sentence(words, late_text, self._joints.wrong(name))
        return ""

    def _late(self, at: float | None, arrival: float, now: float) -> str:
        """Return why a measurement with this stamp and arrival time is not current; "" if it is."""
        if at is None:
            return "silent"
        if self._simulated is None:
            return "silent" if now - arrival > FRESH else ""
        robot_time = self._simulated.now()
        if -AHEAD <= robot_time - at <= FRESH:
            return ""
        if now - arrival > FRESH + AHEAD:
            return "silent"
        return f"it is stamped {at:.2f} s where {self._simulated.name} says {robot_time:.2f} s: its node must follow it"

    def _sentence(self, words: str, late_text: str, fault: str) -> str:
        if fault:
            return f"Nothing usable {words}: {fault}"
        return f"Nothing new {words}" + ("" if late_text == "silent" else f": {late_text}")

    def _body(self) -> Proprioception:
        base = self._base
        pose = self._foot if base is None else Pose2(base.x, base.y, base.yaw)
        current_readings = {name: self._reading(name) for name in self._needed}
        return Proprioception(
            base=pose,
            base_velocity=(0.0, 0.0)
            if base is None
            else (base.forward, base.turning, base.sideways)[: self._velocity_count],
            joints={name: reading.position for name, reading in current_readings.items()},
            grippers={} if self._gripper is None else {self._gripper.name: self._grip()},
            velocities={
                name: reading.velocity for name, reading in current_readings.items() if reading.velocity is not None
            },
        )

    def _reading(self, name: str) -> JointReading:
        reading = self._joints.get(name)
        assert reading is not None  # `_missing` has looked
        return reading

    def _grip(self) -> GripperState:
        """Return the state of the fingers, from the positions of their joints (`Gripper.measured`)."""
        gripper = self._profile.gripper
        if gripper is None or not self._fingers:
            return GripperState(0.0)
        states = [self._reading(name) for name in self._fingers]
        opening = gripper.measured([state.position for state in states])
        speed = gripper.rate([state.velocity or 0.0 for state in states])
        holding = self._stalled_at is not None and abs(opening - self._stalled_at) < SLIPPED and opening > EMPTY
        return GripperState(opening, (holding, holding), holding, speed)

    def _on_odometry(self, message: Message) -> None:
        base = self._profile.base
        assert base is not None
        with self._changed:
            try:
                reading = odometry_of(message)
            except UnreadableMessage as error:
                self._faults.add(base.odometry, error)
                return
            if self._base_order.is_news(reading.at):
                self._faults.clear(base.odometry)
                expected = self._profile.frames.odometry
                if reading.frame not in ("", expected):
                    self._faults.mention(base.odometry, f"is in the frame '{reading.frame}', not in '{expected}'")
                self._base, self._base_came = reading, self._clock()
                self._changed.notify_all()

    def _on_joints(self, message: Message) -> None:
        with self._changed:
            if self._joints.take(message):
                self._changed.notify_all()

    def _forget(self) -> None:
        """Drop all measurements when a simulation restarts."""
        with self._changed:
            self._base, self._base_came, self._base_order = None, -math.inf, Order()
            self._joints.forget()


SLIPPED = 0.01
"""m by which the fingers may close after contact and still hold the object: a soft one gives way a little."""
EMPTY = 0.003
"""Opening (m) up to which closed fingers are empty."""
