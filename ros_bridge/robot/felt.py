"""What a robot on the network feels: odometry, joint states and fingers as one `Proprioception`, none of it old."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

import numpy as np

from homie.kernel.errors import RobotFault
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import GripperState, Pose2, Proprioception
from ros_bridge.profiles.model import Profile
from ros_bridge.transport.interface import SENSOR, Hears, Message

log = logging.getLogger("homie.ros_bridge")

FRESH = 0.5
"""Seconds after which a measurement is no longer one, as for the guard."""
PATIENCE = 10.0
"""Seconds in which a measurement that is missing may still come: a busy machine has its pauses. The guard, which does
not wait for so long, has stopped the robot meanwhile."""
GREETING = 20.0
"""Seconds in which the first measurements come: the network has to find the robot."""


class Felt:
    """Listens to a robot.

    Args:
        node: A node on its network.
        profile: Its topics.
        spec: Its groups.
        foot: Where its base is if it does not drive.
        clock: Seconds that go on; in a bag those of its messages.
    """

    def __init__(
        self,
        node: Hears,
        profile: Profile,
        spec: RobotSpec,
        foot: Pose2,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._profile, self._foot = profile, foot
        self._gripper = spec.first("gripper")
        self._needed = [name for group in spec.groups if group.kind not in ("base", "gripper") for name in group.names]
        self._fingers = profile.gripper.joints if profile.gripper is not None else ()
        self._changed = threading.Condition()
        self._base: tuple[Pose2, tuple[float, float]] | None = None
        self._base_at = -math.inf
        self._joints: dict[str, tuple[float, float | None, float]] = {}
        self._stalled_at: float | None = None
        if profile.base is not None:
            node.subscription("nav_msgs/msg/Odometry", profile.base.odometry, self._on_odometry, SENSOR)
        self._states = node.subscription("sensor_msgs/msg/JointState", profile.joint_states, self._on_joints, SENSOR)

    @property
    def robots(self) -> int:
        """How many publishers of joint states there are: more than one robot with the same names is a danger."""
        return self._states.publishers()

    def stalled(self, opening: float | None) -> None:
        """The fingers met something at an opening (m); None: they are free, or on their way."""
        with self._changed:
            self._stalled_at = opening

    def body(self, patience: float = PATIENCE) -> Proprioception:
        """What it feels now.

        Raises:
            RobotFault: Something that it measures has been silent for too long.
        """
        until = self._clock() + patience
        with self._changed:
            while silent := self._silent(self._clock()):
                if not self._changed.wait(max(0.0, until - self._clock())) and self._clock() >= until:
                    raise RobotFault(
                        f"{silent} on the ROS 2 network: compare it by `homie robot check {self._profile.name}`."
                    )
            return self._body()

    def _silent(self, now: float) -> str:
        if self._profile.base is not None and now - self._base_at > FRESH:
            return f"Nothing new comes on {self._profile.base.odometry}"
        late = [name for name in (*self._needed, *self._fingers) if now - self._joints.get(name, _NEVER)[2] > FRESH]
        return f"Nothing new of the joint {late[0]} comes on {self._profile.joint_states}" if late else ""

    def _body(self) -> Proprioception:
        pose, velocity = self._base or (self._foot, (0.0, 0.0))
        known = {name: self._joints[name] for name in self._needed}
        return Proprioception(
            base=pose,
            base_velocity=velocity,
            joints={name: position for name, (position, _, _) in known.items()},
            grippers={} if self._gripper is None else {self._gripper.name: self._grip()},
            velocities={name: speed for name, (_, speed, _) in known.items() if speed is not None},
        )

    def _grip(self) -> GripperState:
        """The fingers: each joint counts the way of its own finger, or a single one the gap (`Gripper.position`)."""
        gripper = self._profile.gripper
        if gripper is None or not self._fingers:
            return GripperState(0.0)
        states = [self._joints[name] for name in self._fingers]
        one_for_two = 2.0 if len(states) == 1 and gripper.position == "finger" else 1.0
        opening = one_for_two * sum(position for position, _, _ in states)
        speed = one_for_two * sum(speed or 0.0 for _, speed, _ in states)
        holding = self._stalled_at is not None and abs(opening - self._stalled_at) < SLIPPED and opening > EMPTY
        return GripperState(opening, (holding, holding), holding, speed)

    def _on_odometry(self, message: Message) -> None:
        place, turn = message.pose.pose.position, message.pose.pose.orientation
        twist = message.twist.twist
        yaw = math.atan2(2 * (turn.w * turn.z + turn.x * turn.y), 1 - 2 * (turn.y**2 + turn.z**2))
        numbers = (float(place.x), float(place.y), yaw, float(twist.linear.x), float(twist.angular.z))
        if not all(map(math.isfinite, numbers)):
            log.warning("Refused: odometry that is not finite")
            return
        with self._changed:
            self._base = Pose2(*numbers[:3]), (numbers[3], numbers[4])
            self._base_at = self._clock()
            self._changed.notify_all()

    def _on_joints(self, message: Message) -> None:
        positions, velocities = (np.asarray(values, dtype=float) for values in (message.position, message.velocity))
        if len(positions) != len(message.name) or not np.isfinite(positions).all():
            log.warning("Refused: joint states that are not finite or do not fit their names")
            return
        complete = len(velocities) == len(positions) and bool(np.isfinite(velocities).all())
        at = self._clock()
        with self._changed:
            for index, name in enumerate(message.name):
                speed = float(velocities[index]) if complete else None
                self._joints[name] = float(positions[index]), speed, at
            self._changed.notify_all()


_NEVER = (0.0, None, -math.inf)
SLIPPED = 0.01
"""m by which the fingers may close after they have met something and still hold it: what is soft gives way a little."""
EMPTY = 0.003
"""m of opening up to which closed fingers hold nothing."""
