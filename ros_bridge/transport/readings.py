"""Measurements of a robot, parsed from messages of ROS 2 by one rule: a value that is not finite, has another form than
its message declares, or is not a rotation, is refused with a sentence and never guessed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Array, quaternion_rotation
from ros_bridge.transport.interface import Message
from ros_bridge.transport.stamps import seconds

QUATERNION_TOLERANCE = 0.01
"""Tolerance of the squared length of a quaternion, as in tf2: publishers round, and people type 0.71."""
LATE_IN_A_ROW = 5
"""Messages in a row, with increasing stamps, older than the newest before: then the sender's clock was set back, and
nothing is late. Messages that overtake each other on a network are fewer, or their stamps decrease."""


AT_REST = (0.0, 0.0, 0.0)
"""The velocity of a standing base, in the order of `velocity_of`."""


class UnreadableMessage(ValueError):
    """A message that does not satisfy its type; the sentence says how."""


@dataclass(frozen=True, slots=True)
class OdometryReading:
    """Pose of a base (m, m, rad), its speeds forward, sideways (m/s) and about z (rad/s), the stamp (s), and the frame
    ("" if not given)."""

    x: float
    y: float
    yaw: float
    forward: float
    sideways: float
    turning: float
    at: float
    frame: str = ""


def velocity_of(message: Message) -> tuple[float, float, float]:
    """Return the commanded speeds of a `geometry_msgs/msg/Twist` or `TwistStamped`: forward (m/s), turning (rad/s) and
    to the left (m/s), in the order of a command."""
    twist: Message = getattr(message, "twist", message)
    return float(twist.linear.x), float(twist.angular.z), float(twist.linear.y)


def quaternion_of(turn: Message) -> Array:
    """Return the unit quaternion wxyz (4,) of a `geometry_msgs/msg/Quaternion`.

    Raises:
        Unreadable: It is not finite, or so far from unit length that it is not a rotation.
    """
    x, y, z, w = float(turn.x), float(turn.y), float(turn.z), float(turn.w)
    quaternion_text = f"its quaternion x={x:.4g} y={y:.4g} z={z:.4g} w={w:.4g}"
    if not all(map(math.isfinite, (x, y, z, w))):
        raise UnreadableMessage(f"{quaternion_text} is not finite")
    squared = x * x + y * y + z * z + w * w
    if not abs(squared - 1) <= QUATERNION_TOLERANCE:
        hint = " (nothing is filled in)" if squared == 0 else " (is w filled in?)" if w == 0 and squared < 1 else ""
        raise UnreadableMessage(
            f"{quaternion_text} has the length {math.sqrt(squared):.3g} and not 1, so it is not a rotation{hint}"
        )
    return np.array([w, x, y, z]) / math.sqrt(squared)


def heading_of(turn: Message) -> float:
    """Return the yaw (rad) of a `geometry_msgs/msg/Quaternion`. Raises Unreadable."""
    w, x, y, z = quaternion_of(turn).tolist()
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def position_of(place: Message) -> Array:
    """Return the position (3,) of a `geometry_msgs/msg/Point` or `Vector3`. Raises Unreadable where it is not
    finite."""
    position = np.array([place.x, place.y, place.z], dtype=float)
    if not np.isfinite(position).all():
        raise UnreadableMessage(
            f"its position x={position[0]:.4g} y={position[1]:.4g} z={position[2]:.4g} is not finite"
        )
    return position


def pose_of(place: Message, turn: Message) -> Array:
    """Combine a position and a quaternion in a matrix (4, 4). Raises Unreadable."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = quaternion_rotation(quaternion_of(turn)), position_of(place)
    return pose


def odometry_of(message: Message) -> OdometryReading:
    """Read the state of a base on the floor from a `nav_msgs/msg/Odometry`. Raises Unreadable."""
    x, y, _ = position_of(message.pose.pose.position).tolist()
    yaw = heading_of(message.pose.pose.orientation)
    twist = message.twist.twist
    speeds = (float(twist.linear.x), float(twist.linear.y), float(twist.angular.z))
    if not all(map(math.isfinite, speeds)):
        raise UnreadableMessage(
            f"its speeds {speeds[0]:.4g} and {speeds[1]:.4g} m/s, {speeds[2]:.4g} rad/s are not finite"
        )
    frame = str(getattr(getattr(message, "header", None), "frame_id", "")).lstrip("/")
    return OdometryReading(x, y, yaw, *speeds, stamp_of(message), frame)


def stamp_of(message: Message) -> float:
    """Return the stamp (s) of a message, 0 without one. Raises Unreadable for an invalid time."""
    header = getattr(message, "header", None)
    if header is None:
        return 0.0
    stamp = header.stamp
    if not 0 <= int(stamp.nanosec) < 1_000_000_000 or int(stamp.sec) < 0:
        raise UnreadableMessage(f"its stamp of {stamp.sec} s and {stamp.nanosec} ns is not a time")
    return seconds(stamp)


class Order:
    """Selects the messages of one topic that are news, by their stamps.

    A message that is older than the newest is late and dropped. `LATE_IN_A_ROW` of them mean that the sender's clock
    was set back (a simulator was reset, a bag is played again): then the last of these is the newest. A message without
    a stamp is news.
    """

    def __init__(self) -> None:
        self._newest = self._last_late = -math.inf
        self._late = 0

    def is_news(self, at: float) -> bool:
        """Return whether to accept a message with this stamp (s)."""
        if 0 < at < self._newest:
            self._late = self._late + 1 if at > self._last_late else 1
            self._last_late = at
            if self._late < LATE_IN_A_ROW:
                return False
        self._late, self._last_late = 0, -math.inf
        if at > 0:
            self._newest = at
        return True
