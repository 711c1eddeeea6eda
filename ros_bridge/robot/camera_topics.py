"""Camera images of a robot on the network: colour, depth and camera model of the same moment, placed by the transforms
of that moment. An image that is too old is an error, never an observation."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cached_property

from homie.kernel.errors import BadInput, RobotFault, suggestion
from homie.kernel.types import Array, CameraFrame, Pose
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.parts import Camera
from ros_bridge.profiles.simulation import LOOK, instances_topic
from ros_bridge.robot.image_decoding import depth_of, numbers_of, picture_of
from ros_bridge.robot.lenses import camera_of
from ros_bridge.transport.clocks import AHEAD, MachineClock, PublishedClock, RobotClock
from ros_bridge.transport.interface import SENSOR, Message, Node
from ros_bridge.transport.network import small_buffers
from ros_bridge.transport.stamps import seconds
from ros_bridge.transport.transforms import NoTransform

IMAGE, INFO = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"
TOGETHER = 0.03
"""Largest difference (s) between the stamps of an image and of its depth: most camera drivers give both the same."""
KEPT = 6
"""Messages of a topic kept until their partners arrive."""
PATIENCE, DRAWING = 10.0, 60.0
"""Timeout (s) for an image of a camera, and of a simulation that renders it without a graphics card on a busy
machine."""
ASK_AGAIN = 2.0
"""Seconds between two requests to a simulation: the first may have been sent before it was subscribed."""


OTHER_CLOCK = 3600.0
"""Error of a stamp (s) from which on it is attributed to another clock."""
_CLOCKS = (
    ": set the clocks of robot and machine (chrony); of a simulator that publishes /clock, set use_sim_time: true in "
    "the profile"
)


class Pictures:
    """Receives the images of a robot's cameras.

    Args:
        node: A node on its network.
        cameras: Cameras by name.
        placed: Returns the pose (4, 4) of a frame in the odometry frame at a time; raises NoTransform.
        names: Names of the objects in the instance images of a simulation; () on real robots, which have none.
        clock: The clock of the stamps; None: that of this machine.
    """

    def __init__(
        self,
        node: Node,
        cameras: Mapping[str, Camera],
        placed: Callable[[str, float], Array],
        names: tuple[str, ...] = (),
        clock: RobotClock | None = None,
    ) -> None:
        self._clock = clock or MachineClock()
        self._node, self._placed, self._names = node, placed, names
        self._changed = threading.Condition()
        self._cameras = dict(cameras)
        self._messages: dict[str, dict[str, deque[Message]]] = {}
        for name, camera in cameras.items():
            topics = {"rgb": camera.rgb, "depth": camera.depth, "info": camera.info}
            topics |= {"instances": instances_topic(name)} if names else {}
            self._messages[name] = {stream: deque(maxlen=KEPT) for stream, topic in topics.items() if topic}
            for stream, topic in topics.items():
                if topic:
                    kind = {"rgb": camera.kind, "info": INFO}.get(stream, IMAGE)
                    node.subscription(kind, topic, self._appender(self._messages[name][stream]), SENSOR)
        self._patience = DRAWING if names else PATIENCE
        self._request = node.publisher(TEXT, LOOK) if names else None
        if isinstance(self._clock, PublishedClock):
            self._clock.on_reset(self._forget)

    def frames(
        self, cameras: Collection[str], after: float | None = None, patience: float | None = None
    ) -> dict[str, CameraFrame]:
        """Return the newest images of cameras.

        Args:
            cameras: Their names.
            after: Earliest time (s of the clock of the stamps) at which an image was taken; None: limited by the age
                limit of the camera.
            patience: Timeout, s; None: the default of such cameras.

        Raises:
            BadInput: There is no such camera.
            RobotFault: A camera is silent, or its images cannot be decoded or placed.
        """
        for name in cameras:
            if name not in self._cameras:
                hint = suggestion(name, self._cameras, f"it has {', '.join(self._cameras)}.")
                raise BadInput(f"The robot has no camera '{name}': {hint}")
        deadline, requested_at, requested = (
            time.monotonic() + (self._patience if patience is None else patience),
            -math.inf,
            set[str](),
        )
        frames: dict[str, CameraFrame] = {}
        while missing := [name for name in cameras if name not in frames]:
            reason = ""
            for name in missing:
                frame, reason = self._newest(name, after)
                if frame is not None:
                    frames[name] = frame
            missing = [name for name in cameras if name not in frames]
            if missing and time.monotonic() > deadline:
                raise RobotFault(f"The camera '{missing[0]}' gives no picture to act on: {reason}.")
            if missing and (time.monotonic() - requested_at > ASK_AGAIN or not set(missing) <= requested):
                requested_at, requested = time.monotonic(), set(missing)
                self._ask(missing)
            if missing:
                with self._changed:
                    self._changed.wait(0.05)
        return {name: frames[name] for name in cameras}

    @cached_property
    def _loss(self) -> str:
        """Why images may be lost on this machine, computed once: `_newest` runs twenty times a second."""
        return small_buffers()

    def _ask(self, names: Collection[str]) -> None:
        if self._request is not None:
            self._request.publish(self._node.message(TEXT, data=" ".join(names)))

    def _newest(self, name: str, after: float | None) -> tuple[CameraFrame | None, str]:
        """Return the newest complete image, or None and the reason."""
        if stopped := self._clock.stop_reason():
            return None, stopped
        camera = self._cameras[name]
        with self._changed:
            messages_by_stream = {stream: list(messages) for stream, messages in self._messages[name].items()}
        if not messages_by_stream["rgb"]:
            return None, f"nothing has come on {camera.rgb}{self._loss}"
        if not messages_by_stream["info"]:
            return None, f"nothing has come on {camera.info}"
        now, reason = self._clock.now(), ""
        earliest = now - camera.oldest if after is None else max(after, now - camera.oldest)
        for rgb in reversed(messages_by_stream["rgb"]):
            at = seconds(rgb.header.stamp)
            if at > now + AHEAD:
                return None, f"its newest picture is stamped {at - now:.1f} s ahead of {self._clock.name}{_CLOCKS}"
            if at < earliest:
                if now - at <= camera.oldest:
                    return None, reason or "none has been taken since the robot moved"
                hint = _CLOCKS if now - at > OTHER_CLOCK else ""
                old = f"its newest picture is {now - at:.1f} s old, at most {camera.oldest:g} s are allowed{hint}"
                return None, reason or old
            depth = _nearest_message(messages_by_stream.get("depth"), at)
            instances = _nearest_message(messages_by_stream.get("instances"), at)
            if ("depth" in messages_by_stream and depth is None) or (
                "instances" in messages_by_stream and instances is None
            ):
                reason = f"its pictures come without depth of the same moment{self._loss}"
                continue
            try:
                pose = self._placed(camera.frame, at)
            except NoTransform as error:
                reason = str(error).rstrip(".")
                continue
            return self._frame(name, rgb, depth, instances, messages_by_stream["info"][-1], pose), ""
        return None, reason

    def _frame(
        self, name: str, rgb: Message, depth: Message | None, instances: Message | None, info: Message, pose: Array
    ) -> CameraFrame:
        model = camera_of(info, name, self._cameras[name].rgb)
        k = model.intrinsics
        size = (k.height, k.width)
        colours = picture_of(rgb)
        if colours.shape[:2] != size:
            height, width = colours.shape[:2]
            raise RobotFault(
                f"The pictures of the camera '{name}' have {width}x{height} pixels, its camera info says "
                f"{k.width}x{k.height}: choose the topics of one resolution in the profile."
            )
        depths = None if depth is None else depth_of(depth)
        if depths is not None and depths.shape != size:
            raise RobotFault(f"The depth of the camera '{name}' is not registered to its colours: other sizes.")
        place = Pose(pose[:3, 3].copy(), pose[:3, :3].copy())
        frame = model.frame(name, colours, depths, place)
        numbers = None if instances is None else numbers_of(instances)
        return replace(frame, instances=numbers, instance_names=self._names)

    def _forget(self) -> None:
        """Drop all images when a simulation restarts. Camera models stay valid."""
        with self._changed:
            for messages_by_stream in self._messages.values():
                for stream, messages in messages_by_stream.items():
                    if stream != "info":
                        messages.clear()

    def _appender(self, messages: deque[Message]) -> Callable[[Message], None]:
        def take(message: Message) -> None:
            with self._changed:
                messages.append(message)
                self._changed.notify_all()

        return take


def _nearest_message(messages: list[Message] | None, at: float) -> Message | None:
    """Return the message nearest to a time, if it is of the same moment."""
    nearest = min(messages or (), key=lambda message: abs(seconds(message.header.stamp) - at), default=None)
    return nearest if nearest is not None and abs(seconds(nearest.header.stamp) - at) <= TOGETHER else None
