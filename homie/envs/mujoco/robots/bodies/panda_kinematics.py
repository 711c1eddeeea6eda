"""Kinematics of a Panda mounted on a table: forward, Jacobian, inverse, and collision spheres.

`q` is (7,): the joints, shoulder to wrist. Poses are of the gripper in the base frame, whose origin is on the floor
under the foot; x of the gripper points out along the fingers, y is the direction in which they close. Results are
deterministic and independent of earlier calls.
"""

from __future__ import annotations

import mujoco
import numpy as np

from homie.envs.mujoco.robots.bodies.panda import FILE, SPEC
from homie.envs.mujoco.robots.bodies.panda_ik import SHOULDER, TOOL, solutions
from homie.envs.mujoco.robots.descent import Descent, is_near
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.interfaces import IkSolution
from homie.kernel.types import Array, Pose

GRIPPER_IN_TOOL: Array = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Axes of the gripper in the tool's frame, whose z points out along the fingers."""

_GRID = np.linspace(SPEC.chain.limits[6, 0] + 0.05, SPEC.chain.limits[6, 1] - 0.05, 73)
_LIMIT_MARGIN = 0.25
"""Distance (rad) to a joint limit within which a posture is penalised."""
_SELF_CLEARANCE = 0.01
"""Self-clearance (m) of a closed-form solution from the arm's own foot and upper arm."""

_SPHERES: tuple[tuple[int, tuple[float, float, float], tuple[float, float, float], int, float], ...] = (
    (1, (0.0, 0.0, -0.14), (0.0, 0.0, 0.0), 3, 0.065),
    (2, (0.0, -0.05, 0.0), (0.0, -0.19, 0.0), 3, 0.062),
    (3, (0.0, 0.0, -0.06), (0.0825, 0.0, 0.0), 3, 0.062),
    (4, (0.0, 0.0, 0.0), (-0.0825, 0.09, 0.0), 3, 0.060),
    (5, (0.0, 0.0, -0.24), (0.0, 0.05, -0.12), 3, 0.056),
    (5, (0.0, 0.05, -0.08), (0.0, 0.0, 0.0), 3, 0.052),
    (6, (0.0, 0.0, 0.0), (0.088, 0.0, 0.0), 3, 0.052),
    (7, (0.0, 0.0, 0.02), (0.0, 0.0, 0.09), 3, 0.047),
    (8, (0.0, -0.085, 0.030), (0.0, 0.085, 0.030), 5, 0.034),
)
"""Rows of spheres: frame (8 is the hand's), first and last centre, number, radius, m. Without the fingers, whose
opening is not known here."""


class PandaKinematics:
    """Kinematics of a Panda whose foot is `height` m above the floor and `ahead` m in front of the base frame's origin.
    Not thread-safe."""

    def __init__(self, height: float = 0.0, ahead: float = 0.0) -> None:
        self.foot: Array = np.array([ahead, 0.0, height])
        spec = mujoco.MjSpec()
        FILE.add(spec, (ahead, 0.0, height))
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._qpos = [int(self._model.joint(PREFIX + name).qposadr[0]) for name in SPEC.chain.names]
        links = [*(f"panda_link{number}" for number in range(8)), "panda_hand"]
        self._links = [self._model.body(PREFIX + name).id for name in links]
        self.lower, self.upper = SPEC.chain.limits.T
        self._descent = Descent(lower=self.lower, upper=self.upper, step=0.3, damping=1e-6, close=0.1)
        rows = [(frame, np.linspace(a, b, count), radius) for frame, a, b, count, radius in _SPHERES]
        self._frame = np.concatenate([np.full(len(points), frame) for frame, points, _ in rows])
        self._local = np.concatenate([points for _, points, _ in rows])
        self._radii = np.concatenate([np.full(len(points), radius) for _, points, radius in rows])

    # ------------------------------------------------------------ forward

    def frames(self, q: Array) -> tuple[Array, Array]:
        """Return origins (9, 3) and axes (9, 3, 3) of the links 0 to 7 and of the hand, in the base frame."""
        self._data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.xpos[self._links], self._data.xmat[self._links].reshape(-1, 3, 3)

    def forward(self, q: Array) -> Pose:
        """Return the gripper pose in the base frame."""
        origins, axes = self.frames(q)
        return Pose(origins[8] + TOOL * axes[8][:, 2], axes[8] @ GRIPPER_IN_TOOL)

    def jacobian(self, q: Array) -> Array:
        """Return the Jacobian (6, 7): gripper velocity (m/s, then rad/s, in the base frame) per joint velocity."""
        origins, axes = self.frames(q)
        tip = origins[8] + TOOL * axes[8][:, 2]
        z = axes[1:8, :, 2]
        return np.concatenate([np.cross(z, tip - origins[1:8]), z], axis=1).T

    def link_points(self, q: Array) -> Array:
        """Return centres (n, 3), in the base frame, of spheres that fill the arm and the palm, but not the fingers."""
        return self._spheres(q)

    def _spheres(self, q: Array) -> Array:
        origins, axes = self.frames(q)
        return np.asarray(origins[self._frame] + np.einsum("nij,nj->ni", axes[self._frame], self._local))

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""
        return self._radii

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) of wrist and hand to the column and the upper arm; negative inside.

        Args:
            held: Spheres (n, 4) of the held object, also checked: centre in the gripper frame and radius, m.
        """
        points = self._spheres(q)
        moving = self._frame >= 5
        points, radii = points[moving], self._radii[moving]
        if held is not None and len(held):
            gripper = self.forward(q)
            points = np.vstack([points, gripper.position + held[:, :3] @ gripper.rotation.T])
            radii = np.append(radii, held[:, 3])
        shoulder = self.foot + SHOULDER
        elbow = self.frames(q)[0][4]
        column = _distance_to_segment(points, self.foot, shoulder) - 0.075
        upper = _distance_to_segment(points[6:], shoulder, elbow) - 0.062  # the forearm begins at the elbow
        return float(min((column - radii).min(), (upper - radii[6:]).min()))

    # ------------------------------------------------------------ inverse

    def solve(
        self,
        position: Array,
        rotation: Array | None,
        q0: Array,
        *,
        locked_torso: bool = False,
        tolerance: float = 1e-3,
    ) -> IkSolution:
        """Return joints that bring the gripper to a pose in the base frame, or the nearest found if there are none.

        position (3,); rotation (3, 3), or None for position only. A pose near that of q0 is approached from there by
        damped least squares, so that consecutive poses give consecutive joints; for others the closed-form solutions
        are ranked: short travel from q0 and postures away from the limits first. locked_torso has no effect.

        Args:
            tolerance: Allowed error, m and rad.
        """
        position = np.asarray(position, dtype=float)
        start = np.clip(np.asarray(q0, dtype=float), self.lower, self.upper)
        start_pose = self.forward(start)
        turn = np.zeros(3) if rotation is None else rotation_vector(np.asarray(rotation) @ start_pose.rotation.T)
        local: IkSolution | None = None
        if is_near(np.concatenate([position - start_pose.position, turn])):
            local = self._descend(position, rotation, start, tolerance)
            if local.ok:
                return local
        if rotation is not None:
            best = self._closed_form(position, np.asarray(rotation), start)
            if best is not None:
                return self._result(position, rotation, best, tolerance)
        return local or self._descend(position, rotation, start, tolerance)

    def _closed_form(self, position: Array, rotation: Array, start: Array) -> Array | None:
        """Return the best closed-form solution (7,) without self-collision."""
        tool = rotation @ GRIPPER_IN_TOOL.T
        candidates = solutions(position - self.foot, tool, np.append(_GRID, start[6]))
        travel = np.abs(candidates - start) / SPEC.chain.speeds
        margin = np.minimum(candidates - self.lower, self.upper - candidates)
        cost = travel.max(axis=1, initial=0.0) + 0.1 * travel.sum(axis=1)
        cost += 4.0 * (np.maximum(_LIMIT_MARGIN - margin, 0.0) / _LIMIT_MARGIN).sum(axis=1)
        for index in np.argsort(cost, kind="stable"):
            if self.self_distance(candidates[index]) >= _SELF_CLEARANCE:
                return np.asarray(candidates[index])
        return None

    def _descend(self, position: Array, rotation: Array | None, start: Array, tolerance: float) -> IkSolution:
        """Damped least squares from `start` (7,)."""

        def look(q: Array) -> tuple[Array, Array]:
            rows = self.jacobian(q)
            if rotation is None:
                rows[3:] = 0.0
            return self._error(position, rotation, q), rows

        q = self._descent(start, look, mobility=np.ones(7), steps=60, tolerance=tolerance)
        return self._result(position, rotation, q, tolerance)

    def _error(self, position: Array, rotation: Array | None, q: Array) -> Array:
        """Return the pose error (6,), as a translation (m) and a rotation vector (rad)."""
        pose = self.forward(q)
        turn = np.zeros(3) if rotation is None else rotation_vector(rotation @ pose.rotation.T)
        return np.concatenate([position - pose.position, turn])

    def _result(self, position: Array, rotation: Array | None, q: Array, tolerance: float) -> IkSolution:
        error = self._error(position, rotation, q)
        position_error, rotation_error = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
        is_clear = self.self_distance(q) >= 0
        return IkSolution(
            q, position_error <= tolerance and rotation_error <= tolerance and is_clear, position_error, rotation_error
        )


def _distance_to_segment(points: Array, start: Array, end: Array) -> Array:
    """Return distances (n,) of points (n, 3) from a line segment."""
    fraction = np.clip((points - start) @ (end - start) / np.sum((end - start) ** 2), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - fraction[:, None] * (end - start), axis=1))


def rotation_vector(rotation: Array) -> Array:
    """Return the rotation vector (3,), axis times angle, of a rotation matrix (3, 3)."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)) / 2, (float(np.trace(rotation)) - 1) / 2
    angle = float(np.arctan2(sine, cosine))
    if sine > 1e-7:
        return np.asarray(axis * (angle / (2 * sine)))
    if cosine > 0:
        return np.asarray(axis / 2)
    # Half a turn: the axis is the largest column of R + 1.
    column = (rotation + np.eye(3))[:, int(np.argmax(np.diag(rotation)))]
    return np.asarray(np.pi * column / np.linalg.norm(column))
