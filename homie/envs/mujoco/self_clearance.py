"""How far the Fetch's arm keeps from its own body.

The physics leaves contacts of the robot with itself out, for speed, so whoever plans an arm posture asks here. The arm
is a string of spheres; the body is upright boxes and cylinders, a little leaner than what is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.fetch import FACTS, PREFIX
from homie.envs.mujoco.parts import Vec3
from homie.types import Array

_HEAD_AXIS = FACTS["head_pan_joint"].origin[0]

_ARM_RADIUS = 0.054

_SPHERES: tuple[tuple[str, float, float, int, float, float], ...] = (
    ("shoulder_lift_link", 0.16, 0.352, 4, 0.0, _ARM_RADIUS),
    ("elbow_flex_link", 0.05, 0.3215, 6, 0.0, 0.051),
    ("wrist_flex_link", 0.05, 0.13, 3, 0.0, 0.048),
    ("gripper_link", -0.13, -0.06, 3, 0.025, 0.040),
    ("gripper_link", -0.13, -0.06, 3, -0.025, 0.040),
    ("gripper_link", -0.02, 0.02, 2, 0.05, 0.015),
    ("gripper_link", -0.02, 0.02, 2, -0.05, 0.015),
)
"""Rows of spheres along the x of a link: link, first x, last x, how many, y, radius."""

_HAND_LINKS = ("wrist_flex_link", "gripper_link")


@dataclass(frozen=True, slots=True)
class _Solid:
    """An upright box (half sizes x, y, z) or, if `round`, a cylinder (radius, no bound, half height) on a link."""

    link: str
    center: Vec3
    half: Vec3
    round: bool = False


_BODY = (
    _Solid("base_link", (0.0, 0.0, 0.18), (0.28, math.inf, 0.18), round=True),
    _Solid("torso_lift_link", (_HEAD_AXIS, 0.0, 0.66), (0.23, math.inf, 0.06), round=True),
    _Solid("base_link", (-0.187, 0.0, 0.58), (0.068, 0.15, 0.22)),
    _Solid("torso_lift_link", (-0.074, 0.0, 0.30), (0.111, 0.171, 0.27)),
    _Solid("torso_lift_link", (0.09, 0.0, 0.238), (0.085, 0.056, 0.073)),
)
"""Cylinders first. The head is the disc that it sweeps when it turns."""

_CYLINDERS = sum(solid.round for solid in _BODY)


class SelfClearance:
    """Spheres of the arm and distances to the body, for states of a model of the robot alone, base at the origin."""

    def __init__(self, model: mujoco.MjModel) -> None:
        bodies: list[int] = []
        local: list[list[float]] = []
        radii: list[float] = []
        hand: list[bool] = []
        for link, first, last, count, y, radius in _SPHERES:
            for x in np.linspace(first, last, count):
                bodies.append(model.body(PREFIX + link).id)
                local.append([float(x), y, 0.0])
                radii.append(radius)
                hand.append(link in _HAND_LINKS)
        self.radii: Array = np.array(radii)
        self._bodies: NDArray[np.intp] = np.array(bodies)
        self._local = np.array(local)
        self._hand = np.array(hand)
        self._carriers: NDArray[np.intp] = np.array([model.body(PREFIX + solid.link).id for solid in _BODY])
        self._centers = np.array([solid.center for solid in _BODY])[:, None]
        self._halves = np.array([solid.half for solid in _BODY])[:, None]
        arm_ends = ("shoulder_lift_link", "elbow_flex_link")
        self._upper_arm = tuple(model.body(PREFIX + link).id for link in arm_ends)

    def points(self, data: mujoco.MjData) -> Array:
        """Sphere centres (n, 3) for a state with its kinematics computed."""
        turned = np.einsum("nij,nj->ni", data.xmat[self._bodies].reshape(-1, 3, 3), self._local)
        return np.asarray(data.xpos[self._bodies] + turned)

    def distance(self, data: mujoco.MjData) -> float:
        """Smallest distance (m) of the arm to the body and of the hand to the upper arm; negative inside."""
        points = self.points(data)
        away = np.abs(points - data.xpos[self._carriers][:, None] - self._centers)
        away[:_CYLINDERS, :, 0] = np.hypot(away[:_CYLINDERS, :, 0], away[:_CYLINDERS, :, 1])
        outside = away - self._halves
        beyond = np.maximum(outside, 0.0)
        apart = np.sqrt(np.einsum("mni,mni->mn", beyond, beyond)) + np.minimum(outside.max(axis=2), 0.0)
        nearest = float(np.min(apart - self.radii))
        start, end = (data.xpos[body] for body in self._upper_arm)
        hand, radii = points[self._hand], self.radii[self._hand]
        along = np.clip((hand - start) @ (end - start) / np.sum((end - start) ** 2), 0.0, 1.0)
        from_arm = np.linalg.norm(hand - start - along[:, None] * (end - start), axis=1) - radii - _ARM_RADIUS
        return min(nearest, float(np.min(from_arm)))
