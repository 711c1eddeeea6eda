"""Self-clearance of the Fetch: distance between its arm and its own body, for planning.

The arm is measured with the shapes and link pairs of the physics, so a posture that is clear here has no contacts
there; only the head, which may turn meanwhile, is the disc that it sweeps. For the held object, and for distances to
objects, the arm is a string of spheres and the body upright boxes and cylinders, slightly smaller than the visuals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.robots.bodies.fetch import FILE
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.types import Array

FAR = 0.08
"""Distance (m) at which the reported distance between arm and body saturates."""

_SWEEP = PREFIX + "head_sweep"
_SWEEP_RADIUS = 0.243
"""Radius of the head's corners about its pan axis, m."""

_HEAD = "head_pan_link"
_HEAD_AXIS = float(FILE.origin(_HEAD)[0])

_ARM_RADIUS = 0.054

_SPHERES: tuple[tuple[str, float, float, int, float, float], ...] = (
    ("shoulder_lift_link", 0.16, 0.352, 4, 0.0, _ARM_RADIUS),
    ("upperarm_roll_link", 0.133, 0.133, 1, 0.014, 0.053),
    ("upperarm_roll_link", 0.133, 0.133, 1, -0.014, 0.053),
    ("elbow_flex_link", 0.05, 0.3215, 6, 0.0, 0.051),
    ("forearm_roll_link", 0.1245, 0.1245, 1, 0.012, 0.050),
    ("forearm_roll_link", 0.1245, 0.1245, 1, -0.012, 0.050),
    ("wrist_flex_link", 0.05, 0.13, 3, 0.0, 0.048),
    ("gripper_link", -0.13, -0.06, 3, 0.025, 0.040),
    ("gripper_link", -0.13, -0.06, 3, -0.025, 0.040),
    ("gripper_link", -0.02, 0.02, 2, 0.05, 0.015),
    ("gripper_link", -0.02, 0.02, 2, -0.05, 0.015),
)
"""Rows of spheres along x of a link: link, first x, last x, number, y, radius, m."""


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
"""Solids of the body, cylinders first. The head is the disc that it sweeps when it turns."""

_CYLINDERS = sum(solid.round for solid in _BODY)


def add_head_sweep(spec: mujoco.MjSpec) -> None:
    """Add the disc that the head sweeps, and its contact pairs with the arm, to a world with a Fetch alone."""
    torso = spec.body(f"{PREFIX}torso_lift_link")
    disc = torso.add_geom(
        name=_SWEEP,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[_SWEEP_RADIUS, 0.06, 0.0],
        pos=[_HEAD_AXIS, 0.0, 0.66],
        mass=0.0,
    )
    disc.contype, disc.conaffinity = 0, 0
    for pair in [pair for pair in spec.pairs if pair.geomname1 == PREFIX + _HEAD]:
        spec.add_pair(name=f"{_SWEEP}|{pair.geomname2}", geomname1=_SWEEP, geomname2=pair.geomname2)


class SelfClearance:
    """Spheres of the arm and distances to the body, for a model of the robot alone with its base at the origin and with
    `add_head_sweep`. Several times as fast as `mj_geomDistance` over all pairs: about 30 microseconds."""

    def __init__(self, model: mujoco.MjModel) -> None:
        bodies: list[int] = []
        local: list[list[float]] = []
        radii: list[float] = []
        for link, first, last, count, y, radius in _SPHERES:
            for x in np.linspace(first, last, count):
                bodies.append(model.body(PREFIX + link).id)
                local.append([float(x), y, 0.0])
                radii.append(radius)
        self.radii: Array = np.array(radii)
        self._bodies: NDArray[np.intp] = np.array(bodies)
        self._local = np.array(local)
        self._carriers: NDArray[np.intp] = np.array([model.body(PREFIX + solid.link).id for solid in _BODY])
        self._centers = np.array([solid.center for solid in _BODY])[:, None]
        self._halves = np.array([solid.half for solid in _BODY])[:, None]
        self._model = model
        model.pair_margin[:] = FAR

    def points(self, data: mujoco.MjData) -> Array:
        """Return the sphere centres (n, 3) for a state with its kinematics computed."""
        offsets = np.einsum("nij,nj->ni", data.xmat[self._bodies].reshape(-1, 3, 3), self._local)
        return np.asarray(data.xpos[self._bodies] + offsets)

    def distance(self, data: mujoco.MjData) -> float:
        """Return the smallest distance (m) between links that can collide, negative inside; at most `FAR`."""
        mujoco.mj_collision(self._model, data)
        return min(FAR, float(data.contact.dist.min())) if data.ncon else FAR

    def from_body(self, data: mujoco.MjData, points: Array, radii: Array) -> float:
        """Return the smallest distance (m) of spheres (n, 3) to base, torso and head; negative inside."""
        offsets = np.abs(points - data.xpos[self._carriers][:, None] - self._centers)
        offsets[:_CYLINDERS, :, 0] = np.hypot(offsets[:_CYLINDERS, :, 0], offsets[:_CYLINDERS, :, 1])
        outside = offsets - self._halves
        excess = np.maximum(outside, 0.0)
        distances = np.sqrt(np.einsum("mni,mni->mn", excess, excess)) + np.minimum(outside.max(axis=2), 0.0)
        return float(np.min(distances - radii))
