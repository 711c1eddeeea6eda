"""The camera of the videos: it follows the robot from viewpoints where robot, hand and target are visible.

    robot, target  -->  points to see  -->  rays from 12 azimuths  -->  the best azimuth, kept until points are occluded

It changes its azimuth by a cut, not by turning: during a turn through a wall nothing would be visible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_pose
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.types import Array, Pose2

LAG = 0.7
"""Time constant (s) with which the camera follows the robot, so that the video is smooth."""
DISTANCE, ELEVATION, HEIGHT = 3.3, -0.7, 0.75
"""Distance (m) from the camera to its look-at point, its elevation (rad), and the height (m) of that point."""
TOGETHER = 2.0
"""Maximum distance (m) from the robot to a target that is kept in view; with a farther one both would be small."""
AZIMUTHS = 12
BESIDE = 0.9
"""Preferred angle (rad) between the view and the robot's heading: over its shoulder, where its body does not occlude
the action."""
HIDDEN = 1.0
"""Seconds of robot time for which something has to be occluded before the camera cuts."""
SHOT = 5.0
"""Minimum robot time (s) between two cuts: 1.25 s of video."""
GAIN = 0.9
"""Minimum gain in view value (see `WEIGHTS`) of a new azimuth for a cut."""
WEIGHTS = (1.0, 1.0, 1.2)
"""Values of seeing the robot's body, its hand, and the target."""
NEAR = 0.15
"""Metres in front of a point within which a ray hit counts as the point itself."""
_SHOWN = np.array([1, 0, 1, 0, 0, 0], np.uint8)
"""Geom groups that the film shows: no upper walls (1), no collision shapes (3 and up)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The target of the robot's action: a point (3,) in the world frame (m), and the unit vector (2,) from it towards
    viewers of its front, None if it is visible from all sides."""

    point: Array
    outward: Array | None = None

    def metres(self, place: Array) -> float:
        """Return the horizontal distance (m) from a place (2,)."""
        return float(np.hypot(*(self.point[:2] - place)))


@dataclass(frozen=True, slots=True)
class _Shot:
    """State of the camera: its look-at point (2,), azimuth and distance, and the robot times (s) of the last frame, the
    last cut, and the last frame in which everything was visible."""

    at: Array
    azimuth: float
    distance: float
    now: float
    cut: float
    clear: float


class FilmCamera:
    """Chooses the camera of each video frame. The kinematics in `data` must be up to date."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._robot = np.array([model.body(body).name.startswith(PREFIX) for body in range(model.nbody)])
        self._hand = model.site(PREFIX + "gripper").id
        self._shot: _Shot | None = None

    def reset(self) -> None:
        """Start a new shot: the robot may have been moved."""
        self._shot = None

    def aim(self, base: Pose2, target: Subject | None = None) -> FreeCamera:
        """Return the camera for the current time.

        Args:
            base: Pose of the robot in the world frame (m, rad).
            target: The target of the robot's action, None if it has none.
        """
        time, robot = float(self._data.time), np.array([base.x, base.y])
        visible_target = target if target is not None and target.metres(robot) < TOGETHER else None
        forward = np.array([math.cos(base.yaw), math.sin(base.yaw)])
        middle = robot + 0.4 * forward if visible_target is None else 0.5 * (robot + visible_target.point[:2])
        distance = DISTANCE if visible_target is None else DISTANCE + 0.4 * visible_target.metres(robot)
        shot = self._shot
        if shot is None or time < shot.now:  # a new episode
            shot = self._cut(_Shot(middle, base.yaw + BESIDE, distance, time, time, time), base, visible_target)
        share = 1.0 - math.exp((shot.now - time) / LAG)
        shot = replace(
            shot,
            at=shot.at + share * (middle - shot.at),
            distance=shot.distance + share * (distance - shot.distance),
            now=time,
        )
        if self._view_value(shot, shot.azimuth, base, visible_target) >= self._maximum_value(visible_target):
            shot = replace(shot, clear=time)
        elif time - shot.clear >= HIDDEN and time - shot.cut >= SHOT:
            shot = self._cut(replace(shot, clear=time), base, visible_target)
        self._shot = shot
        return self._camera(shot, shot.azimuth)

    def _cut(self, shot: _Shot, base: Pose2, target: Subject | None) -> _Shot:
        """Return the shot from the best azimuth; among equals the one nearest to the over-the-shoulder view."""
        angles = [shot.azimuth + math.tau * n / AZIMUTHS for n in range(AZIMUTHS)]
        values = {angle: self._view_value(shot, angle, base, target) for angle in angles}
        best = max(angles, key=lambda angle: values[angle] - 0.3 * _shoulder_offset(angle, base.yaw))
        if values[best] < values[shot.azimuth] + GAIN:
            return shot
        return replace(shot, azimuth=best, cut=shot.now)

    def _maximum_value(self, target: Subject | None) -> float:
        return sum(WEIGHTS if target is not None else WEIGHTS[:2])

    def _view_value(self, shot: _Shot, azimuth: float, base: Pose2, target: Subject | None) -> float:
        """Return the sum of `WEIGHTS` of body, hand and target that are visible from a camera."""
        eye = camera_pose(self._model, self._data, self._camera(shot, azimuth)).position
        body = np.array([base.x, base.y, 1.0])
        value = WEIGHTS[0] * self._is_visible(eye, body, through_robot=True)
        value += WEIGHTS[1] * self._is_visible(eye, np.array(self._data.site_xpos[self._hand]))
        if target is None or (target.outward is not None and (eye - target.point)[:2] @ target.outward < 0.0):
            return value
        return value + WEIGHTS[2] * self._is_visible(eye, target.point)

    def _is_visible(self, eye: Array, point: Array, *, through_robot: bool = False) -> bool:
        """Whether a point is visible from a camera, by a ray cast."""
        to_point = point - eye
        metres = float(np.linalg.norm(to_point))
        hit_geom = np.zeros(1, np.int32)
        hit = mujoco.mj_ray(self._model, self._data, eye, to_point / metres, _SHOWN, 1, -1, hit_geom)
        if hit < 0.0 or hit > metres - NEAR:
            return True
        return through_robot and bool(self._robot[self._model.geom_bodyid[hit_geom[0]]])

    def _camera(self, shot: _Shot, azimuth: float) -> FreeCamera:
        lookat = (float(shot.at[0]), float(shot.at[1]), HEIGHT)
        return FreeCamera(lookat=lookat, distance=shot.distance, azimuth=azimuth, elevation=ELEVATION)


def _shoulder_offset(azimuth: float, yaw: float) -> float:
    """Return the angle (rad) between a view and the nearest over-the-shoulder view of a robot with heading `yaw`."""
    return abs(abs(math.remainder(azimuth - yaw, math.tau)) - BESIDE)
