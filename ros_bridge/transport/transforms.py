"""Relative poses of frames, from `/tf` and `/tf_static`, with their age.

A pose is a 4x4 matrix that maps points in the frame `source` to the frame `target`. Metres.
"""

from __future__ import annotations

import math
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from homie.kernel.errors import InfrastructureError
from homie.kernel.types import Array
from ros_bridge.transport.clocks import PublishedClock, RobotClock
from ros_bridge.transport.interface import Message, MessageSource, Qos
from ros_bridge.transport.readings import UnreadableMessage, pose_of
from ros_bridge.transport.refusals import Faults
from ros_bridge.transport.stamps import now, seconds

TF = "tf2_msgs/msg/TFMessage"
HISTORY = 10.0
"""Seconds for which the transforms of a moving frame are kept, as in tf2."""
SET_BACK, SET_BACK_COUNT = 1.0, 10
"""A transform of a frame that is so many seconds older than its newest is late; as many of them in a row, with
increasing stamps, mean that a clock was set back, as when a bag is played again."""
MOST_FRAMES = 1000
"""Most frames kept: a robot has about fifty."""
KEPT = 2000
"""Most transforms kept of one frame: HISTORY at 200 Hz."""
LEAP, LEAP_SPEED = 0.5, 20.0
"""Distance (m) between two transforms of a frame, and the speed (m/s), above which it leaps: nothing on a robot in a
home moves so. A robot is put elsewhere in a simulator, or two nodes publish one frame."""
MANY, MANY_LATCHED = Qos(depth=100), Qos(depth=100, latched=True)
"""QoS of tf2: every component of a robot publishes its own frames."""


class NoTransform(InfrastructureError):
    """Two frames are not connected, or a transform between them is too old."""


class Transforms:
    """Subscribes to the transforms of a robot, and answers where a frame is.

    Args:
        node: The node that listens.
        clock: The current time of the robot's stamps; by default that of this machine.
    """

    def __init__(self, node: MessageSource, clock: Callable[[], float] | RobotClock = now) -> None:
        self._clock = clock.now if isinstance(clock, RobotClock) else clock
        self._lock = threading.Lock()
        self._faults = Faults()
        self._parents: dict[str, str] = {}
        self._static: dict[str, Array] = {}
        self._moving: dict[str, deque[tuple[float, Array]]] = {}
        self._late: dict[str, list[tuple[float, Array]]] = {}
        """Transforms of a frame that are late by `SET_BACK` or more, the newest in a row with increasing stamps."""
        if isinstance(clock, PublishedClock):
            clock.on_reset(self._forget)
        self._subscriptions = [
            node.subscription(TF, "/tf", lambda message: self._take(message, False), MANY),
            node.subscription(TF, "/tf_static", lambda message: self._take(message, True), MANY_LATCHED),
        ]

    def lookup(self, target: str, source: str, at: float | None = None, oldest: float = math.inf) -> Array:
        """Return the pose of `source` in `target`.

        Args:
            target: A frame.
            source: A frame.
            at: Time of the query in seconds (between two transforms it is interpolated); None: the newest.
            oldest: Largest age (s) of the newest transform of a moving frame when `at` is None.

        Raises:
            NoTransform: A frame is unknown, the two are not connected, or a transform is too old or has not arrived.
        """
        with self._lock:
            source_path, target_path = self._path(source), self._path(target)
            common = next((frame for frame in source_path if frame in target_path), None)
            if common is None:
                missing = next((frame for frame in (source, target) if frame not in self._known_frames()), None)
                reason = f"there is no frame '{missing}' on /tf" if missing else "nothing connects them on /tf"
                for frame in (missing, *source_path, *target_path):
                    if frame is not None and (fault := self._faults.why(_subject(frame))):
                        reason = f"{_subject(frame)} is refused, {fault}"
                        break
                raise NoTransform(f"Where '{source}' is in '{target}' is not known: {reason}.")
            return np.linalg.inv(self._chain(target_path, common, at, oldest)) @ self._chain(
                source_path, common, at, oldest
            )

    def frames(self) -> dict[str, float]:
        """Return every frame that has a parent, with the age of its newest transform in seconds, 0 for static ones."""
        with self._lock:
            now = self._clock()
            ages = {frame: now - poses[-1][0] for frame, poses in self._moving.items()}
            return {**dict.fromkeys(self._static, 0.0), **ages}

    def close(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            subscription.close()

    def _known_frames(self) -> set[str]:
        return {*self._parents, *self._parents.values()}

    def _path(self, frame: str) -> list[str]:
        """Return a frame and its ancestors; a loop ends where it closes."""
        path = [frame]
        while (parent := self._parents.get(path[-1])) is not None and parent not in path:
            path.append(parent)
        return path

    def _chain(self, path: list[str], top: str, at: float | None, oldest: float) -> Array:
        """Return the pose of the first frame of a path in one of its ancestors."""
        pose = np.eye(4)
        for frame in path[: path.index(top)]:
            pose = self._pose(frame, at, oldest) @ pose
        return pose

    def _pose(self, frame: str, at: float | None, oldest: float) -> Array:
        """Return the pose of a frame in its parent."""
        if frame in self._static:
            return self._static[frame]
        poses = self._moving[frame]
        last, pose = poses[-1]
        if at is None:
            age = self._clock() - last
            if age > oldest:
                stamped = "" if last else ": its stamp is 0, which is none"
                raise NoTransform(
                    f"The transform of '{frame}' is {age:.2f} s old, at most {oldest:g} s are allowed{stamped}."
                )
            return pose
        index = bisect_left(poses, at, key=lambda entry: entry[0])
        if index == len(poses):
            raise NoTransform(f"The transform of '{frame}' ends {at - last:.3f} s before the time that is asked for.")
        next_stamp, next_pose = poses[index]
        for number in (index, index + 1):
            _check_leap(frame, poses, number)
        if next_stamp == at:
            return next_pose
        if index == 0:
            raise NoTransform(
                f"The transform of '{frame}' begins {next_stamp - at:.3f} s after the time that is asked for."
            )
        previous_stamp, previous_pose = poses[index - 1]
        return _interpolate(previous_pose, next_pose, (at - previous_stamp) / (next_stamp - previous_stamp))

    def _take(self, message: Message, static: bool) -> None:
        for transform in message.transforms:
            child, parent = transform.child_frame_id.lstrip("/"), transform.header.frame_id.lstrip("/")
            try:
                if not child or not parent or child == parent:
                    raise UnreadableMessage("a frame needs a name, and a parent of another name")
                pose = pose_of(transform.transform.translation, transform.transform.rotation)
            except UnreadableMessage as error:
                with self._lock:
                    self._faults.add(_subject(child), error)
                continue
            with self._lock:
                if child not in self._parents and len(self._parents) >= MOST_FRAMES:
                    self._faults.add("/tf", f"there are {MOST_FRAMES} frames already, '{child}' is left out")
                    continue
                self._keep(child, parent, pose, None if static else seconds(transform.header.stamp))

    def _keep(self, child: str, parent: str, pose: Array, at: float | None) -> None:
        if child in self._path(parent):
            conflict = "two nodes publish these frames, each the other way round"
            self._faults.add(_subject(child), f"it is in '{parent}', which is in '{child}': {conflict}")
            return
        self._faults.clear(_subject(child))
        if self._parents.get(child, parent) != parent:
            self._faults.mention(
                f"the frame '{child}'", f"its parent was '{self._parents[child]}' and is '{parent}' now"
            )
            self._drop(child)
        self._parents[child] = parent
        if at is None:
            self._keep_static(child, pose)
        elif at == 0 and self._moving.get(child) and self._moving[child][-1][0] > HISTORY:
            self._faults.add(_subject(child), "its stamp is 0, which is none")
        else:
            if self._static.pop(child, None) is not None:
                self._faults.mention(f"the frame '{child}'", "it was on /tf_static and is on /tf now: taken as moving")
            self._keep_moving(child, pose, at)

    def _keep_static(self, child: str, pose: Array) -> None:
        """Keep the newest message. A static frame that moves is worth a warning."""
        previous = self._static.get(child)
        if previous is not None and not np.allclose(previous, pose, atol=1e-9):
            self._faults.mention(f"the frame '{child}'", "it is static, and has been said to be elsewhere before")
        if self._moving.pop(child, None) is not None:
            self._faults.mention(f"the frame '{child}'", "it was on /tf and is on /tf_static now: taken as static")
        self._static[child] = pose

    def _keep_moving(self, child: str, pose: Array, at: float) -> None:
        """Insert a transform in the order of the stamps; of two with one stamp the later message counts."""
        poses = self._moving.setdefault(child, deque(maxlen=KEPT))
        delay = poses[-1][0] - at if poses else 0.0
        late_stamps = self._late.setdefault(child, [])
        if delay < SET_BACK or (late_stamps and at <= late_stamps[-1][0]):
            late_stamps.clear()
        if delay >= SET_BACK:
            late_stamps.append((at, pose))
        if delay >= HISTORY or len(late_stamps) >= SET_BACK_COUNT:
            self._faults.mention("/tf", f"the stamps of '{child}' went back by {delay:.2f} s: a clock was set back")
            poses.clear()
            poses.extend(late_stamps)
            late_stamps.clear()
            return
        index = bisect_left(poses, at, key=lambda entry: entry[0])
        if index == len(poses):
            poses.append((at, pose))
        elif poses[index][0] == at:
            poses[index] = (at, pose)
        elif len(poses) < KEPT:
            poses.insert(index, (at, pose))
        while poses[-1][0] - poses[0][0] > HISTORY:
            poses.popleft()

    def _drop(self, child: str) -> None:
        self._moving.pop(child, None)
        self._static.pop(child, None)
        self._late.pop(child, None)

    def _forget(self) -> None:
        """Drop all moving transforms when a simulation restarts; static ones stay."""
        with self._lock:
            self._moving.clear()
            self._late.clear()
            self._parents = {child: parent for child, parent in self._parents.items() if child in self._static}


def _subject(frame: str) -> str:
    return f"the transform of '{frame}' on /tf"


def _check_leap(frame: str, poses: Sequence[tuple[float, Array]], index: int) -> None:
    """Raise NoTransform if a frame leaps between the previous transform and this one."""
    if not 0 < index < len(poses):
        return
    (start, previous_pose), (end, next_pose) = poses[index - 1], poses[index]
    distance = float(np.linalg.norm(next_pose[:3, 3] - previous_pose[:3, 3]))
    if distance > max(LEAP, LEAP_SPEED * (end - start)):
        raise NoTransform(
            f"The transform of '{frame}' leaps by {distance:.2f} m in {end - start:.3f} s: if it goes on, two nodes "
            "publish it, so end one of them."
        )


def _interpolate(earlier: Array, later: Array, share: float) -> Array:
    """Interpolate between two poses, evenly in position and in angle."""
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
    rotation = np.eye(3) + math.sin(part) * skew + (1 - math.cos(part)) * (skew @ skew)
    pose[:3, :3] = earlier[:3, :3] @ rotation
    return pose
