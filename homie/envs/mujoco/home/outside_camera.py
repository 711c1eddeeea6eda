"""The camera of the videos: it follows the robot and stands where robot, hand and target can be seen.

    robot, target  -->  points to see  -->  rays from 12 azimuths  -->  the azimuth that sees most, kept until it hides

It changes its azimuth by a cut, not by turning: a turn through a wall shows nothing for as long as it takes.
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
"""Seconds by which the camera lags behind the robot, so that the picture does not jerk."""
DISTANCE, ELEVATION, HEIGHT = 3.3, -0.7, 0.75
"""Metres from the camera to what it looks at, its elevation (rad), and the height (m) that it looks at."""
TOGETHER = 2.0
"""Metres from the robot within which the target is in the picture, too; a farther one would make both small."""
AZIMUTHS = 12
BESIDE = 0.9
"""Preferred angle (rad) between the view and the robot's heading: from behind its shoulder, where neither its back nor
its front covers what it does."""
HIDDEN = 1.0
"""Seconds of robot time that something has to be hidden before the camera cuts."""
SHOT = 5.0
"""Seconds of robot time between two cuts: a second and a quarter of video."""
GAIN = 0.9
"""By how much a new azimuth has to see more than the present one (see `WEIGHTS`) to be worth a cut."""
WEIGHTS = (1.0, 1.0, 1.2)
"""What it is worth to see the robot's body, its hand, and the target."""
NEAR = 0.15
"""Metres before a point within which a ray has met what is there."""
_SHOWN = np.array([1, 0, 1, 0, 0, 0], np.uint8)
"""Geom groups that the film shows: no upper walls (1), no collision shapes (3 and up)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What the robot is busy with: a point (3,) in the world (m), and the unit vector (2,) from it to whoever looks at
    its front, None where it can be seen from all sides."""

    point: Array
    outward: Array | None = None

    def metres(self, place: Array) -> float:
        """From a place (2,) on the floor."""
        return float(np.hypot(*(self.point[:2] - place)))


@dataclass(frozen=True, slots=True)
class _Shot:
    """Where the camera is: what it looks at (2,), its azimuth and distance, and the robot time of the last picture, the
    last cut, and of the last picture in which all could be seen."""

    at: Array
    azimuth: float
    distance: float
    now: float
    cut: float
    clear: float


class FilmCamera:
    """Chooses the camera of each picture of one episode after another. The kinematics in `data` must be computed."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._robot = np.array([model.body(body).name.startswith(PREFIX) for body in range(model.nbody)])
        self._hand = model.site(PREFIX + "gripper").id
        self._shot: _Shot | None = None

    def reset(self) -> None:
        """Begin anew: the robot may be elsewhere."""
        self._shot = None

    def aim(self, base: Pose2, target: Subject | None = None) -> FreeCamera:
        """The camera for now.

        Args:
            base: Where the robot is (m, rad, world).
            target: What the robot is busy with, None for nothing.
        """
        time, robot = float(self._data.time), np.array([base.x, base.y])
        seen = target if target is not None and target.metres(robot) < TOGETHER else None
        forward = np.array([math.cos(base.yaw), math.sin(base.yaw)])
        middle = robot + 0.4 * forward if seen is None else 0.5 * (robot + seen.point[:2])
        distance = DISTANCE if seen is None else DISTANCE + 0.4 * seen.metres(robot)
        shot = self._shot
        if shot is None or time < shot.now:  # a new episode
            shot = self._cut(_Shot(middle, base.yaw + BESIDE, distance, time, time, time), base, seen)
        share = 1.0 - math.exp((shot.now - time) / LAG)
        shot = replace(
            shot,
            at=shot.at + share * (middle - shot.at),
            distance=shot.distance + share * (distance - shot.distance),
            now=time,
        )
        if self._view_value(shot, shot.azimuth, base, seen) >= self._most(seen):
            shot = replace(shot, clear=time)
        elif time - shot.clear >= HIDDEN and time - shot.cut >= SHOT:
            shot = self._cut(replace(shot, clear=time), base, seen)
        self._shot = shot
        return self._camera(shot, shot.azimuth)

    def _cut(self, shot: _Shot, base: Pose2, target: Subject | None) -> _Shot:
        """The same from the azimuth that sees most; of equal ones, from behind the robot's shoulder."""
        angles = [shot.azimuth + math.tau * n / AZIMUTHS for n in range(AZIMUTHS)]
        values = {angle: self._view_value(shot, angle, base, target) for angle in angles}
        best = max(angles, key=lambda angle: values[angle] - 0.3 * _shoulder_offset(angle, base.yaw))
        if values[best] < values[shot.azimuth] + GAIN:
            return shot
        return replace(shot, azimuth=best, cut=shot.now)

    def _most(self, target: Subject | None) -> float:
        return sum(WEIGHTS if target is not None else WEIGHTS[:2])

    def _view_value(self, shot: _Shot, azimuth: float, base: Pose2, target: Subject | None) -> float:
        """What a camera sees of body, hand and target, by `WEIGHTS`."""
        eye = camera_pose(self._model, self._data, self._camera(shot, azimuth)).position
        body = np.array([base.x, base.y, 1.0])
        value = WEIGHTS[0] * self._sees(eye, body, through_robot=True)
        value += WEIGHTS[1] * self._sees(eye, np.array(self._data.site_xpos[self._hand]))
        if target is None or (target.outward is not None and (eye - target.point)[:2] @ target.outward < 0.0):
            return value
        return value + WEIGHTS[2] * self._sees(eye, target.point)

    def _sees(self, eye: Array, point: Array, *, through_robot: bool = False) -> bool:
        """Whether a ray from a camera to a point meets nothing on its way."""
        way = point - eye
        metres = float(np.linalg.norm(way))
        hit_geom = np.zeros(1, np.int32)
        hit = mujoco.mj_ray(self._model, self._data, eye, way / metres, _SHOWN, 1, -1, hit_geom)
        if hit < 0.0 or hit > metres - NEAR:
            return True
        return through_robot and bool(self._robot[self._model.geom_bodyid[hit_geom[0]]])

    def _camera(self, shot: _Shot, azimuth: float) -> FreeCamera:
        lookat = (float(shot.at[0]), float(shot.at[1]), HEIGHT)
        return FreeCamera(lookat=lookat, distance=shot.distance, azimuth=azimuth, elevation=ELEVATION)


def _shoulder_offset(azimuth: float, yaw: float) -> float:
    """How far (rad) a view is from one over either shoulder of a robot that looks to `yaw`."""
    return abs(abs(math.remainder(azimuth - yaw, math.tau)) - BESIDE)
