"""Camera frames from the vision sensors of a CoppeliaSim scene."""

from __future__ import annotations

import numpy as np

from homie.envs.coppelia.link import Link
from homie.envs.coppelia.panda import Panda, pose_of
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import CameraFrame, Intrinsics, Pose

FRONT, WRIST = "front", "wrist"
METRES = 1
"""Option of `sim.getVisionSensorDepth` for depth in metres."""
FAR = 0.999
"""Fraction of the far clipping distance at and beyond which a pixel has no return."""
OPTICAL = np.diag([-1.0, -1.0, 1.0])
"""Rotation of the optical frame (x right, y down) in a vision sensor's frame (x left, y up); both look along z."""


class Eyes:
    """The cameras of a scene by Homie's names.

    Args:
        link: Connection to CoppeliaSim.
        panda: The robot, whose subtree contains the wrist camera.
        paths: Sensor paths by camera name, "" for the first of the scene or, for the wrist, of the Panda.

    Raises:
        BadInput: There is no such sensor.
    """

    def __init__(self, link: Link, panda: Panda, paths: dict[str, str]) -> None:
        self._link = link
        own_sensors = link.tree(panda.root, "visionsensor")
        other_sensors = [
            sensor for sensor in link.tree(link.constant("handle_scene"), "visionsensor") if sensor not in own_sensors
        ]
        first = {FRONT: other_sensors, WRIST: own_sensors}
        self._sensors: dict[str, int] = {}
        for name, path in paths.items():
            sensor = link.find(path) if path else next(iter(first[name]), None)
            if sensor is not None:
                self._sensors[name] = sensor
            elif path or name == FRONT:
                sensor_name = path or "vision sensor beside the robot"
                raise BadInput(f"The scene has no {sensor_name}: add one, or name one by --robot-option {name}=PATH.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sensors)

    def frame(self, name: str) -> CameraFrame:
        """Return the RGB-D frame of a camera. Raises BadInput for an unknown camera."""
        if name not in self._sensors:
            hint = suggestion(name, self.names, f"it has {' and '.join(self.names)}.")
            raise BadInput(f"The Panda of CoppeliaSim has no camera '{name}': {hint}")
        link, sensor = self._link, self._sensors[name]
        colours, (width, height) = link("getVisionSensorImg", sensor)
        metres, _ = link("getVisionSensorDepth", sensor, METRES)
        rgb = np.frombuffer(colours, np.uint8).reshape(height, width, 3)[::-1]  # bottom row first
        depth = np.frombuffer(metres, np.float32).reshape(height, width)[::-1]
        far_clip = link.number(sensor, "visionfloatparam_far_clipping")
        angle = link.number(sensor, "visionfloatparam_perspective_angle")  # field of view along the longer side
        focal = max(width, height) / 2 / np.tan(angle / 2)
        pose = pose_of(link("getObjectPose", sensor))
        return CameraFrame(
            name=name,
            rgb=np.ascontiguousarray(rgb),
            depth=np.where(depth < FAR * far_clip, depth, np.float32(0.0)),
            intrinsics=Intrinsics(focal, focal, width / 2, height / 2, width, height),
            pose=Pose(pose.position, pose.rotation @ OPTICAL),
        )
