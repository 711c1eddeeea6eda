"""Where frames are to each other: what `/tf` and `/tf_static` say, with its age.

A pose is a 4x4 matrix that takes points in the frame `source` to the frame `target`. Metres, x y z forward.
"""

from __future__ import annotations

import logging
import math
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from homie.kernel.errors import InfrastructureError
from homie.kernel.types import Array
from ros_bridge.transport.interface import Message, Node, Qos
from ros_bridge.transport.stamps import now, seconds

log = logging.getLogger("homie.ros_bridge")

TF = "tf2_msgs/msg/TFMessage"
HISTORY = 10.0
"""Seconds that a moving frame is remembered, as tf2 does."""
MOST_FRAMES = 1000
"""Frames that are kept: a robot has about fifty."""
KEPT = 2000
"""Transforms of one frame that are kept: HISTORY at 200 Hz."""
MANY, MANY_LATCHED = Qos(depth=100), Qos(depth=100, latched=True)
"""As tf2 listens: every part of a robot publishes its own frames."""
QUATERNION_TOLERANCE = 1e-3
"""How far from 1 the length of a quaternion may be: publishers round."""


class NoTransform(InfrastructureError):
    """Two frames are not connected, or what connects them is too old."""


class Transforms:
    """Listens to the transforms of a robot and answers where a frame is.

    Args:
        node: The node that listens.
        clock: The present, in the time of the robot's stamps; by default that of this machine.
    """

    def __init__(self, node: Node, clock: Callable[[], float] = now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._parents: dict[str, str] = {}
        self._static: dict[str, Array] = {}
        self._moving: dict[str, deque[tuple[float, Array]]] = {}
        self._subscriptions = [
            node.subscription(TF, "/tf", lambda message: self._take(message, False), MANY),
            node.subscription(TF, "/tf_static", lambda message: self._take(message, True), MANY_LATCHED),
        ]

    def lookup(self, target: str, source: str, at: float | None = None, oldest: float = math.inf) -> Array:
        """The pose of `source` in `target`.

        Args:
            target: A frame.
            source: A frame.
            at: The time of the question in seconds (between two transforms it is interpolated); None: the newest.
            oldest: How many seconds old the newest transform of a moving frame may be when `at` is None.

        Raises:
            NoTransform: A frame is not known, the two are not connected, or a transform is too old or not there yet.
        """
        with self._lock:
            up, down = self._path(source), self._path(target)
            common = next((frame for frame in up if frame in down), None)
            if common is None:
                missing = next((frame for frame in (source, target) if frame not in self._known()), None)
                why = f"there is no frame '{missing}'" if missing else "nothing connects them"
                raise NoTransform(f"Where '{source}' is in '{target}' is not known: {why} on /tf.")
            return np.linalg.inv(self._chain(down, common, at, oldest)) @ self._chain(up, common, at, oldest)

    def frames(self) -> dict[str, float]:
        """Every frame that has a parent, with the age of its newest transform in seconds, 0 for static ones."""
        with self._lock:
            present = self._clock()
            ages = {frame: present - poses[-1][0] for frame, poses in self._moving.items()}
            return {**dict.fromkeys(self._static, 0.0), **ages}

    def close(self) -> None:
        """No longer listen."""
        for subscription in self._subscriptions:
            subscription.close()

    def _known(self) -> set[str]:
        return {*self._parents, *self._parents.values()}

    def _path(self, frame: str) -> list[str]:
        """A frame and those above it; a loop ends where it closes."""
        path = [frame]
        while (parent := self._parents.get(path[-1])) is not None and parent not in path:
            path.append(parent)
        return path

    def _chain(self, path: list[str], top: str, at: float | None, oldest: float) -> Array:
        """The pose of the first frame of a path in one above it."""
        pose = np.eye(4)
        for frame in path[: path.index(top)]:
            pose = self._pose(frame, at, oldest) @ pose
        return pose

    def _pose(self, frame: str, at: float | None, oldest: float) -> Array:
        """The pose of a frame in its parent."""
        if frame in self._static:
            return self._static[frame]
        poses = self._moving[frame]
        last, pose = poses[-1]
        if at is None:
            age = self._clock() - last
            if age > oldest:
                raise NoTransform(f"The transform of '{frame}' is {age:.2f} s old, at most {oldest:g} s are allowed.")
            return pose
        index = bisect_left(poses, at, key=lambda entry: entry[0])
        if index == len(poses):
            raise NoTransform(f"The transform of '{frame}' ends {at - last:.3f} s before the time that is asked for.")
        after, later = poses[index]
        if after == at:
            return later
        if index == 0:
            raise NoTransform(f"The transform of '{frame}' begins {after - at:.3f} s after the time that is asked for.")
        before, earlier = poses[index - 1]
        return _between(earlier, later, (at - before) / (after - before))

    def _take(self, message: Message, static: bool) -> None:
        for transform in message.transforms:
            child, parent = transform.child_frame_id.lstrip("/"), transform.header.frame_id.lstrip("/")
            pose = _matrix(transform.transform)
            if pose is None or not child or not parent or child == parent:
                log.warning("Refused on /tf: the transform of '%s' in '%s' is none", child, parent)
                continue
            with self._lock:
                if child not in self._parents and len(self._parents) >= MOST_FRAMES:
                    log.warning("Refused on /tf: '%s' would be frame %d", child, MOST_FRAMES + 1)
                    continue
                self._keep(child, parent, pose, None if static else seconds(transform.header.stamp))

    def _keep(self, child: str, parent: str, pose: Array, at: float | None) -> None:
        if self._parents.get(child) != parent:
            self._moving.pop(child, None)
            self._static.pop(child, None)
            self._parents[child] = parent
        if at is None:
            self._static[child] = pose
            return
        poses = self._moving.setdefault(child, deque(maxlen=KEPT))
        if poses and at <= poses[-1][0]:  # late or twice: the newest is known already
            if poses[-1][0] - at < HISTORY:
                return
            poses.clear()  # the clock of the robot was set back: a simulation began again
        poses.append((at, pose))
        while poses[-1][0] - poses[0][0] > HISTORY:
            poses.popleft()


def _matrix(transform: Message) -> Array | None:
    """A `geometry_msgs/msg/Transform` as a matrix, None for one that is not finite or has no rotation."""
    move, turn = transform.translation, transform.rotation
    position = np.array([move.x, move.y, move.z], dtype=float)
    x, y, z, w = float(turn.x), float(turn.y), float(turn.z), float(turn.w)
    length = math.sqrt(x * x + y * y + z * z + w * w) if all(map(math.isfinite, (x, y, z, w))) else 0.0
    if not np.isfinite(position).all() or abs(length - 1) > QUATERNION_TOLERANCE:
        return None
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(np.array([w, x, y, z]) / length)
    matrix[:3, 3] = position
    return matrix


def rotation(quaternion: Array) -> Array:
    """The 3x3 matrix of a unit quaternion wxyz."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _between(earlier: Array, later: Array, share: float) -> Array:
    """The pose between two, moved and turned evenly."""
    pose = np.eye(4)
    pose[:3, 3] = (1 - share) * earlier[:3, 3] + share * later[:3, 3]
    relative = earlier[:3, :3].T @ later[:3, :3]
    angle = math.acos(float(np.clip((np.trace(relative) - 1) / 2, -1, 1)))
    if angle < 1e-9:
        pose[:3, :3] = earlier[:3, :3]
        return pose
    if angle > math.pi - 1e-6:  # half a turn in one step has no axis in its skew part
        pose[:3, :3] = later[:3, :3] if share >= 0.5 else earlier[:3, :3]
        return pose
    skew: Any = (relative - relative.T) / (2 * math.sin(angle))
    part = angle * share
    turned = np.eye(3) + math.sin(part) * skew + (1 - math.cos(part)) * (skew @ skew)
    pose[:3, :3] = earlier[:3, :3] @ turned
    return pose
