"""Camera images of a served robot, rendered in a separate thread from a second robot in the same state, so that the
served one is not held up."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Mirrored, Robot
from homie.kernel.types import Array, CameraFrame
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.mounting import mounted
from ros_bridge.profiles.parts import Camera
from ros_bridge.profiles.simulation import LOOK, instances_topic
from ros_bridge.served_messages import camera_info, depth_picture, matrix, numbers_picture, picture, planar, transform
from ros_bridge.transport.interface import LATCHED, SENSOR, Message, Node, Publisher
from ros_bridge.transport.refusals import create_if_known

log = logging.getLogger("homie.ros_bridge")

IMAGE, INFO = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"
SHARE = 0.4
"""Largest fraction of the time for images that nobody requested: without a graphics card each takes long."""
PATIENCE = 0.02
"""Seconds between two checks for an image to render."""


@dataclass(slots=True)
class _CameraStream:
    """A camera on the network: its topics, and when its next image is due."""

    camera: Camera
    publishers: Mapping[str, Publisher]
    period: float = math.inf
    due: float = 0.0
    requested: bool = False


class Painter:
    """Publishes camera images of a robot: those of the profile's camera regularly, the others on request.

    Args:
        node: The node that publishes.
        open_robot: Opens a simulator of the served robot's scene, in the painter's thread, as OpenGL requires.
        profile: Defines the frames.
        cameras: Cameras by the robot's names.
        regular: The camera that is published `rate` times a second.

    Raises:
        HomieError: As `open_robot`, and BadInput for a robot whose state another cannot take over.
    """

    def __init__(
        self,
        node: Node,
        open_robot: Callable[[], Robot],
        profile: Profile,
        cameras: Mapping[str, Camera],
        *,
        regular: str,
        rate: float,
    ) -> None:
        self.cameras = dict(cameras)
        self._node, self._open, self._profile = node, open_robot, profile
        self._names: Future[tuple[str, ...]] = Future()
        self._regular = regular
        self._lock = threading.Lock()
        self._newest: tuple[Mapping[str, object], dict[str, Any]] | None = None
        self._closed = threading.Event()
        self._tf = create_if_known("/tf", lambda: node.publisher("tf2_msgs/msg/TFMessage", "/tf"))
        self._streams = {
            name: _CameraStream(camera, self._publishers(name, camera)) for name, camera in cameras.items()
        }
        self._streams[regular].period = 1.0 / rate
        node.subscription(TEXT, LOOK, self._on_look)
        self._thread = threading.Thread(target=self._run, name="painter", daemon=True)
        self._thread.start()
        self.names = self._names.result()
        """Names of the objects in instance images, by number."""

    def show(self, state: Mapping[str, object], header: dict[str, Any]) -> None:
        """Set the current state of the robot.

        Args:
            header: Message header with the stamp.
        """
        with self._lock:
            self._newest = state, header

    def close(self) -> None:
        """Stop rendering."""
        self._closed.set()
        self._thread.join(10.0)

    def _publishers(self, name: str, camera: Camera) -> dict[str, Publisher]:
        if camera.compressed:
            raise BadInput(f"A served robot does not compress pictures: name {camera.rgb} without /compressed.")
        topics = {"rgb": camera.rgb, "depth": camera.depth, "instances": instances_topic(name)}
        publishers = {key: self._node.publisher(IMAGE, topic, SENSOR) for key, topic in topics.items() if topic}
        return {**publishers, "info": self._node.publisher(INFO, camera.info, LATCHED)}

    def _on_look(self, message: Message) -> None:
        with self._lock:
            for name in str(message.data).split():
                if name in self._streams:
                    self._streams[name].requested = True

    def _run(self) -> None:
        try:
            with self._open() as robot:
                if not isinstance(robot, Mirrored):
                    raise BadInput(f"The state of the {robot.spec.name} cannot be drawn elsewhere: --camera-rate 0.")
                mounting_pose = np.eye(4)
                if self._profile.base is None:
                    mounting_pose = mounted(self._profile, robot.spec, robot.kinematics)
                self._names.set_result(robot.observe([self._regular]).frames[self._regular].instance_names)
                while not self._closed.is_set():
                    self._draw_next(robot, mounting_pose)
        except Exception as error:  # nothing else handles errors of this thread
            if not self._names.done():
                self._names.set_exception(error)
            else:
                log.error("No more pictures: %s", error)

    def _draw_next(self, robot: Robot, mounting_pose: Array) -> None:
        name = self._next()
        if name is None:
            self._closed.wait(PATIENCE)
            return
        start = time.monotonic()
        was_requested, self._streams[name].requested = self._streams[name].requested, False
        self._paint(robot, name, mounting_pose)
        took = time.monotonic() - start
        self._streams[name].due = start + max(self._streams[name].period, 0.0 if was_requested else took / SHARE)

    def _next(self) -> str | None:
        """Return the camera to render now: a requested one, else the one that is due."""
        with self._lock:
            if self._newest is None:
                return None
            requested_names = [name for name, shown_camera in self._streams.items() if shown_camera.requested]
        now = time.monotonic()
        due_names = [
            name
            for name, shown_camera in self._streams.items()
            if math.isfinite(shown_camera.period) and shown_camera.due <= now
        ]
        return next(iter(requested_names + due_names), None)

    def _paint(self, robot: Robot, name: str, mounting_pose: Array) -> None:
        """Publish an image. `mounting_pose` (4, 4) is that of the profile's base frame in the robot's base."""
        with self._lock:
            assert self._newest is not None
            state, at = self._newest
        assert isinstance(robot, Mirrored)
        robot.take_state(state)
        shown_camera, observation = self._streams[name], robot.observe([name])
        frame: CameraFrame = observation.frames[name]
        header = {**at, "frame_id": shown_camera.camera.frame}
        base = planar(observation.body.base) @ mounting_pose
        camera_pose = np.linalg.inv(base) @ matrix(frame.pose.position, frame.pose.rotation)
        camera_transform = transform(at, self._profile.frames.base, shown_camera.camera.frame, camera_pose)
        # The transform comes first: a receiver of the image may look up where it was taken.
        if self._tf is not None:
            self._tf.publish(self._node.message("tf2_msgs/msg/TFMessage", transforms=[camera_transform]))
        info = camera_info(frame.intrinsics)
        shown_camera.publishers["info"].publish(self._node.message(INFO, header=header, **info))
        if frame.instances is not None:
            self._send(shown_camera, "instances", header, numbers_picture(frame.instances))
        if frame.depth is not None:
            self._send(shown_camera, "depth", header, depth_picture(frame.depth))
        self._send(shown_camera, "rgb", header, picture(frame.rgb))

    def _send(self, shown_camera: _CameraStream, stream: str, header: dict[str, Any], fields: dict[str, Any]) -> None:
        publisher = shown_camera.publishers.get(stream)
        if publisher is not None:
            publisher.publish(self._node.message(IMAGE, header=header, **fields))
