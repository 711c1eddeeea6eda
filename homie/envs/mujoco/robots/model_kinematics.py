"""Kinematics of any arm in a MuJoCo model, derived from the model.

Forward kinematics and collision spheres come from the model's bodies and geoms. Inverse kinematics is damped least
squares (Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped least-squares
methods", 1986) from a batch of initial postures; among the solutions without self-collision it returns the one with the
shortest travel. It is slower than a closed form but needs only the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.robots.descent import SLOWED, WEIGHT, is_near
from homie.envs.mujoco.robots.spheres import filling
from homie.kernel.interfaces import IkSolution
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Pose

_STEPS, _STEP = 50, 0.4
"""Number of steps of the descent, and maximum change of a joint (rad) per step."""
_NEAR_STEPS = 20
"""Steps from q0 towards a pose near it before other initial postures are tried."""
_STARTS = 24
"""Number of random initial postures, in addition to the declared ones."""
_ENOUGH_SOLUTIONS = 6
"""Number of converged solutions after which the descent stops."""
_SELF_CLEARANCE = 0.015
"""Self-clearance (m) of a posture not reached from q0, so that the arm can move on from there."""
_NO_OBSTACLE = 0.5
"""Distance (m) returned if there is nothing to collide with."""


class ModelKinematics:
    """Kinematics of a spec's chain in a model of the robot alone, with a fixed root body at the origin.

    The model has a site `gripper`. Spheres fill the collision geoms of the arm; the rest of the robot is represented by
    the bounding boxes of its geoms. The first link of the arm, which never comes near anything else, is ignored.
    """

    def __init__(self, model: mujoco.MjModel, spec: RobotSpec) -> None:
        self._model, self._data, self._chain = model, mujoco.MjData(model), spec.chain
        joints = [model.joint(name) for name in spec.chain.names]
        self._qpos = np.array([int(joint.qposadr[0]) for joint in joints])
        self._sliding = np.array([int(joint.type[0]) == int(mujoco.mjtJoint.mjJNT_SLIDE) for joint in joints])
        self._site = model.site("gripper").id
        self._path = _path(model, int(model.site_bodyid[self._site]))
        self._column = {int(joint.id): number for number, joint in enumerate(joints)}
        self._lower, self._upper = np.clip(spec.chain.limits, -np.pi, np.pi).T
        self._open_fingers(spec)
        self._arm = arm = int(joints[spec.chain.torso].bodyid[0])
        bodies = {body for body in range(model.nbody) if arm in _path(model, body)}
        mujoco.mj_kinematics(model, self._data)
        self._geoms, self._local, self.point_radii = filling(model, bodies - {arm})
        self._own = [geom for geom in range(model.ngeom) if model.geom_contype[geom] and _is_fixed(model, geom, bodies)]
        rng = np.random.default_rng(0)
        postures = [spec.chain.posture(posture) for posture in (*spec.ready, spec.carry, spec.rest) if posture]
        self._starts = np.vstack([*postures, rng.uniform(self._lower, self._upper, (_STARTS, len(joints)))])
        self._reach = self._max_reach()

    def _open_fingers(self, spec: RobotSpec) -> None:
        """Set fingers open, as when approaching a grasp, and other arms to rest."""
        for joint in range(self._model.njnt):
            if joint not in self._column and self._model.jnt_limited[joint]:
                self._data.qpos[self._model.jnt_qposadr[joint]] = self._model.jnt_range[joint, 1]
        for arm in spec.of("arm"):
            for name, at in zip(arm.names, spec.rest.get(arm.name, ()), strict=False):
                self._data.joint(name).qpos = at

    # ------------------------------------------------------------ forward

    def forward(self, q: Array) -> Pose:
        """Return the gripper pose in the base frame."""
        self._place(q)
        return Pose(self._data.site_xpos[self._site].copy(), self._data.site_xmat[self._site].reshape(3, 3).copy())

    def link_points(self, q: Array) -> Array:
        """Return centres (n, 3), in the base frame, of spheres that fill the arm and the hand."""
        self._place(q)
        offsets = np.einsum("nij,nj->ni", self._data.geom_xmat[self._geoms].reshape(-1, 3, 3), self._local)
        return np.asarray(self._data.geom_xpos[self._geoms] + offsets)

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) between the arm and the rest of the robot, negative inside; see `Kinematics`."""
        return self.from_body(q, self.link_points(q), self.point_radii, held)

    def from_body(self, q: Array, points: Array, radii: Array, held: Array | None) -> float:
        """Return the distance (m) between spheres (n, 3), (n,) plus the held object and the rest of the robot."""
        if held is not None and len(held):
            gripper = self.forward(q)
            points = np.vstack([points, gripper.position + held[:, :3] @ gripper.rotation.T])
            radii = np.append(radii, held[:, 3])
        if not self._own:
            return _NO_OBSTACLE
        offsets = points - self._data.geom_xpos[self._own][:, None]
        axes = self._data.geom_xmat[self._own].reshape(-1, 3, 3)
        outside = np.abs(np.einsum("mnj,mjk->mnk", offsets, axes)) - _halves(self._model, self._own)[:, None]
        distances = np.linalg.norm(np.maximum(outside, 0.0), axis=2) + np.minimum(outside.max(axis=2), 0.0)
        return float(np.min(distances - radii))

    def _place(self, q: Array) -> None:
        self._data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)

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

        position (3,); rotation (3, 3), or None for position only. A pose near that of q0 is approached from there, so
        that consecutive poses give consecutive joints. locked_torso keeps the torso of q0.

        Args:
            tolerance: Allowed error, m and rad.
        """
        position = np.asarray(position, dtype=float)
        start = np.clip(np.asarray(q0, dtype=float), self._lower, self._upper)
        free_joints = np.ones(len(start))
        free_joints[: self._chain.torso if locked_torso else 0] = 0.0
        target = _Target(position, None if rotation is None else np.asarray(rotation), tolerance)
        tip, turn, _, _ = self._frames(start[None])
        start_error = target.error(tip, turn)[0]
        nearest = self._result(target, start)
        if is_near(start_error):
            nearest = self._result(target, self._descend(target, start[None], free_joints, _NEAR_STEPS)[0])
            if nearest.ok:
                return nearest
        if float(np.linalg.norm(position - self._shoulder(start))) > self._reach:
            return nearest
        starts = np.vstack([start, self._starts])
        starts[:, free_joints == 0.0] = start[free_joints == 0.0]
        solutions = self._descend(target, starts, free_joints, _STEPS)
        solutions = self._chain.nearest(solutions, start)
        travel = np.abs(solutions - start) / self._chain.speeds
        # Travel time (s) of the slowest joint, plus a small cost for every other joint that moves.
        for index in np.argsort(travel.max(axis=1) + 0.1 * travel.sum(axis=1), kind="stable"):
            result = self._result(target, solutions[index], _SELF_CLEARANCE)
            if result.ok:
                return result
            if result.position_error + result.rotation_error < nearest.position_error + nearest.rotation_error:
                nearest = result
        return nearest

    def _result(self, target: _Target, q: Array, clearance: float = 0.0) -> IkSolution:
        tip, turn, _, _ = self._frames(q[None])
        error = target.error(tip, turn)[0]
        position_error, rotation_error = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
        is_reached = position_error <= target.tolerance and rotation_error <= target.tolerance
        return IkSolution(q, is_reached and self.self_distance(q) >= clearance, position_error, rotation_error)

    def _descend(self, target: _Target, q: Array, free_joints: Array, steps: int) -> Array:
        """Damped least squares from a batch of postures (m, n), without joints blocked by their limits."""
        q = q.copy()
        for _ in range(steps):
            tip, turn, jacobian = self._jacobian(q)
            error = target.error(tip, turn)
            size = np.maximum(np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1))
            active = size > 0.1 * target.tolerance
            if np.sum(~active) >= min(_ENOUGH_SOLUTIONS, len(q)):
                break
            weighted = (error * WEIGHT)[active]
            rows = jacobian[active] * WEIGHT[:, None] * free_joints
            if target.rotation is None:
                rows[:, 3:] = 0.0
            damping = 1e-6 + SLOWED * np.einsum("mi,mi->m", weighted, weighted)
            current = q[active]
            for _ in range(2):  # with all joints, then without those that would leave their limits
                square = rows @ rows.transpose(0, 2, 1) + damping[:, None, None] * np.eye(6)
                step = np.einsum("mij,mi->mj", rows, np.linalg.solve(square, weighted[:, :, None])[:, :, 0])
                blocked = ((current <= self._lower) & (step < 0)) | ((current >= self._upper) & (step > 0))
                if not blocked.any():
                    break
                rows = np.where(blocked[:, None, :], 0.0, rows)
            longest = np.abs(step).max(axis=1, keepdims=True)
            step = np.where(blocked, 0.0, step) * np.minimum(1.0, _STEP / np.maximum(longest, 1e-9))
            q[active] = np.clip(current + step, self._lower, self._upper)
        return q

    # ------------------------------------------------------------ batches of postures

    def _jacobian(self, q: Array) -> tuple[Array, Array, Array]:
        """Return gripper positions (m, 3), axes (m, 3, 3) and Jacobians (m, 6, n) of postures (m, n)."""
        tip, turn, axes, anchors = self._frames(q)
        moves = np.where(self._sliding[:, None], axes, np.cross(axes, tip[:, None] - anchors))
        turns = np.where(self._sliding[:, None], 0.0, axes)
        return tip, turn, np.concatenate([moves, turns], axis=2).transpose(0, 2, 1)

    def _frames(self, q: Array) -> tuple[Array, Array, Array, Array]:
        """Return gripper positions and axes of postures (m, n), and axis and anchor (m, n, 3) of every joint."""
        model, count = self._model, len(q)
        place, turn = np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1))
        axes, anchors = np.zeros((count, q.shape[1], 3)), np.zeros((count, q.shape[1], 3))
        for body in self._path:
            place = place + turn @ model.body_pos[body]
            turn = turn @ _matrix(model.body_quat[body])
            for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
                column = self._column.get(joint)
                if column is None:
                    continue
                axis, anchor = turn @ model.jnt_axis[joint], place + turn @ model.jnt_pos[joint]
                axes[:, column], anchors[:, column] = axis, anchor
                if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE:
                    place = place + axis * q[:, column, None]
                else:
                    turn = turn @ _rotations_about(model.jnt_axis[joint], q[:, column])
                    place = anchor - turn @ model.jnt_pos[joint]
        place = place + turn @ model.site_pos[self._site]
        return place, turn @ _matrix(model.site_quat[self._site]), axes, anchors

    def _shoulder(self, q: Array) -> Array:
        """Return the position (3,) of the first joint of the arm."""
        anchors = self._frames(q[None])[3]
        return np.asarray(anchors[0, self._chain.torso])

    def _max_reach(self) -> float:
        """Return an upper bound of the distance (m) between shoulder and gripper."""
        links = self._path[
            self._path.index(int(self._model.joint(self._chain.names[self._chain.torso]).bodyid[0])) + 1 :
        ]
        lengths = [float(np.linalg.norm(self._model.body_pos[body])) for body in links]
        slides = sum(float(high - low) for low, high in self._chain.limits[self._sliding])
        return sum(lengths) + float(np.linalg.norm(self._model.site_pos[self._site])) + slides


@dataclass(frozen=True, slots=True)
class _Target:
    """Target of the gripper: a position (3,), and a rotation (3, 3) or None."""

    position: Array
    rotation: Array | None
    tolerance: float

    def error(self, tip: Array, turn: Array) -> Array:
        """Return the pose errors (m, 6), as translations (m) and rotation vectors (rad)."""
        if self.rotation is None:
            return np.hstack([self.position - tip, np.zeros_like(tip)])
        return np.hstack([self.position - tip, _vectors(self.rotation @ turn.transpose(0, 2, 1))])


def _path(model: mujoco.MjModel, body: int) -> list[int]:
    """Return the bodies from the root to a body."""
    path = []
    while body > 0:
        path.append(body)
        body = int(model.body_parentid[body])
    return path[::-1]


def _is_fixed(model: mujoco.MjModel, geom: int, moving: set[int]) -> bool:
    return int(model.geom_bodyid[geom]) not in moving


def _halves(model: mujoco.MjModel, geoms: list[int]) -> Array:
    """Return half sizes (n, 3) of the bounding boxes of geoms, along their own axes."""
    return np.asarray(model.geom_aabb[geoms][:, 3:])


def _matrix(quat: Array) -> Array:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def _rotations_about(axis: Array, angles: Array) -> Array:
    """Return rotations (m, 3, 3) about an axis by angles (m,)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross))


def _vectors(rotations: Array) -> Array:
    """Return rotation vectors (m, 3) of rotations (m, 3, 3); for half a turn an arbitrary axis, enough to leave it."""
    skew = np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        axis=1,
    )
    sine = np.linalg.norm(skew, axis=1) / 2
    angle = np.arctan2(sine, (np.trace(rotations, axis1=1, axis2=2) - 1) / 2)
    scale = np.where(sine > 1e-7, angle / np.maximum(2 * sine, 1e-12), 0.5)
    flipped = (sine <= 1e-7) & (angle > 1.0)
    return np.asarray(skew * scale[:, None] + np.where(flipped, np.pi, 0.0)[:, None] * np.eye(3)[0])
