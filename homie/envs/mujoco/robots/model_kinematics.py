"""Kinematics of any arm that stands in a MuJoCo model, worked out from the model.

Forward kinematics and collision spheres come from the model's bodies and shapes. Inverse kinematics is damped least
squares (Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped least-squares
methods", 1986) from many postures at a time; of the solutions that keep out of the robot's body the one with the
shortest way is taken. It is slower than a closed form, and asks for nothing but the model.
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
"""Steps of the descent, and the largest change of a joint (rad) in one."""
_NEAR_STEPS = 20
"""Steps that a pose near that of q0 gets before others are tried."""
_STARTS = 24
"""Random postures that the descent begins from, in addition to the declared ones."""
_ENOUGH = 6
"""Solutions to choose from after which the rest is not waited for."""
_APART = 0.015
"""m that a posture chosen afresh keeps from the robot's own body, so that the arm can move on from there."""
_FAR = 0.5
"""m that stands for a distance of nothing to nothing."""


class ModelKinematics:
    """Of the chain of a spec in a model of the robot alone, whose root body is at the origin and does not move.

    The model has a site `gripper`. Spheres fill the shapes of the arm that touch; the rest of the robot counts as
    boxes around its shapes. The first link of the arm, which never comes near anything else, is left out.
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
        self._own = [geom for geom in range(model.ngeom) if model.geom_contype[geom] and _fixed(model, geom, bodies)]
        rng = np.random.default_rng(0)
        postures = [spec.chain.posture(posture) for posture in (*spec.ready, spec.carry, spec.rest) if posture]
        self._starts = np.vstack([*postures, rng.uniform(self._lower, self._upper, (_STARTS, len(joints)))])
        self._reach = self._longest()

    def _open_fingers(self, spec: RobotSpec) -> None:
        """Fingers are looked at as they are when the hand goes to take something, other arms at rest."""
        for joint in range(self._model.njnt):
            if joint not in self._column and self._model.jnt_limited[joint]:
                self._data.qpos[self._model.jnt_qposadr[joint]] = self._model.jnt_range[joint, 1]
        for arm in spec.of("arm"):
            for name, at in zip(arm.names, spec.rest.get(arm.name, ()), strict=False):
                self._data.joint(name).qpos = at

    # ------------------------------------------------------------ forward

    def forward(self, q: Array) -> Pose:
        """The gripper pose in the base frame."""
        self._place(q)
        return Pose(self._data.site_xpos[self._site].copy(), self._data.site_xmat[self._site].reshape(3, 3).copy())

    def link_points(self, q: Array) -> Array:
        """Centres (n, 3), in the base frame, of spheres that fill the arm and the hand."""
        self._place(q)
        offsets = np.einsum("nij,nj->ni", self._data.geom_xmat[self._geoms].reshape(-1, 3, 3), self._local)
        return np.asarray(self._data.geom_xpos[self._geoms] + offsets)

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Metres between the arm and the rest of the robot, negative inside; see `Kinematics`."""
        return self.from_body(q, self.link_points(q), self.point_radii, held)

    def from_body(self, q: Array, points: Array, radii: Array, held: Array | None) -> float:
        """Metres between spheres of the arm (n, 3), (n,), with the held object, and the rest of the robot."""
        if held is not None and len(held):
            gripper = self.forward(q)
            points = np.vstack([points, gripper.position + held[:, :3] @ gripper.rotation.T])
            radii = np.append(radii, held[:, 3])
        if not self._own:
            return _FAR
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
        """Joints that bring the gripper to a pose in the base frame; the nearest that was found if there are none.

        position (3,); rotation (3, 3), or None for position only. A pose near that of q0 is approached from there, so
        that consecutive poses give consecutive joints. locked_torso keeps the torso of q0.

        Args:
            tolerance: M and rad.
        """
        position = np.asarray(position, dtype=float)
        start = np.clip(np.asarray(q0, dtype=float), self._lower, self._upper)
        free_joints = np.ones(len(start))
        free_joints[: self._chain.torso if locked_torso else 0] = 0.0
        target = _Target(position, None if rotation is None else np.asarray(rotation), tolerance)
        tip, turn, _, _ = self._frames(start[None])
        missing = target.error(tip, turn)[0]
        nearest = self._result(target, start)
        if is_near(missing):
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
        # Seconds that the slowest joint takes, and a little for every other one that moves.
        for index in np.argsort(travel.max(axis=1) + 0.1 * travel.sum(axis=1), kind="stable"):
            result = self._result(target, solutions[index], _APART)
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
        """Damped least squares from postures (m, n) at a time, with joints at their limits taken out."""
        q = q.copy()
        for _ in range(steps):
            tip, turn, jacobian = self._jacobian(q)
            error = target.error(tip, turn)
            size = np.maximum(np.linalg.norm(error[:, :3], axis=1), np.linalg.norm(error[:, 3:], axis=1))
            going = size > 0.1 * target.tolerance
            if np.sum(~going) >= min(_ENOUGH, len(q)):
                break
            weighted = (error * WEIGHT)[going]
            rows = jacobian[going] * WEIGHT[:, None] * free_joints
            if target.rotation is None:
                rows[:, 3:] = 0.0
            damping = 1e-6 + SLOWED * np.einsum("mi,mi->m", weighted, weighted)
            current = q[going]
            for _ in range(2):  # with all joints, then without those that would leave their limits
                square = rows @ rows.transpose(0, 2, 1) + damping[:, None, None] * np.eye(6)
                step = np.einsum("mij,mi->mj", rows, np.linalg.solve(square, weighted[:, :, None])[:, :, 0])
                stuck = ((current <= self._lower) & (step < 0)) | ((current >= self._upper) & (step > 0))
                if not stuck.any():
                    break
                rows = np.where(stuck[:, None, :], 0.0, rows)
            longest = np.abs(step).max(axis=1, keepdims=True)
            step = np.where(stuck, 0.0, step) * np.minimum(1.0, _STEP / np.maximum(longest, 1e-9))
            q[going] = np.clip(current + step, self._lower, self._upper)
        return q

    # ------------------------------------------------------------ many postures at a time

    def _jacobian(self, q: Array) -> tuple[Array, Array, Array]:
        """Gripper positions (m, 3), axes (m, 3, 3) and Jacobians (m, 6, n) of postures (m, n)."""
        tip, turn, axes, anchors = self._frames(q)
        moves = np.where(self._sliding[:, None], axes, np.cross(axes, tip[:, None] - anchors))
        turns = np.where(self._sliding[:, None], 0.0, axes)
        return tip, turn, np.concatenate([moves, turns], axis=2).transpose(0, 2, 1)

    def _frames(self, q: Array) -> tuple[Array, Array, Array, Array]:
        """Gripper positions and axes of postures (m, n), and axis and anchor (m, n, 3) of every joint."""
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
                    turn = turn @ _turned(model.jnt_axis[joint], q[:, column])
                    place = anchor - turn @ model.jnt_pos[joint]
        place = place + turn @ model.site_pos[self._site]
        return place, turn @ _matrix(model.site_quat[self._site]), axes, anchors

    def _shoulder(self, q: Array) -> Array:
        """Where the first joint of the arm is, (3,)."""
        anchors = self._frames(q[None])[3]
        return np.asarray(anchors[0, self._chain.torso])

    def _longest(self) -> float:
        """Metres from the shoulder beyond which the gripper never is."""
        links = self._path[
            self._path.index(int(self._model.joint(self._chain.names[self._chain.torso]).bodyid[0])) + 1 :
        ]
        lengths = [float(np.linalg.norm(self._model.body_pos[body])) for body in links]
        slides = sum(float(high - low) for low, high in self._chain.limits[self._sliding])
        return sum(lengths) + float(np.linalg.norm(self._model.site_pos[self._site])) + slides


@dataclass(frozen=True, slots=True)
class _Target:
    """What the gripper should reach: a position (3,), and a rotation (3, 3) or none."""

    position: Array
    rotation: Array | None
    tolerance: float

    def error(self, tip: Array, turn: Array) -> Array:
        """(m, 6): what is missing, as translations (m) and rotation vectors (rad)."""
        if self.rotation is None:
            return np.hstack([self.position - tip, np.zeros_like(tip)])
        return np.hstack([self.position - tip, _vectors(self.rotation @ turn.transpose(0, 2, 1))])


def _path(model: mujoco.MjModel, body: int) -> list[int]:
    """The bodies from the root to a body."""
    path = []
    while body > 0:
        path.append(body)
        body = int(model.body_parentid[body])
    return path[::-1]


def _fixed(model: mujoco.MjModel, geom: int, moving: set[int]) -> bool:
    return int(model.geom_bodyid[geom]) not in moving


def _halves(model: mujoco.MjModel, geoms: list[int]) -> Array:
    """Half sizes (n, 3) of the boxes around shapes, along their own axes."""
    return np.asarray(model.geom_aabb[geoms][:, 3:])


def _matrix(quat: Array) -> Array:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def _turned(axis: Array, angles: Array) -> Array:
    """Rotations (m, 3, 3) about an axis by angles (m,)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross))


def _vectors(rotations: Array) -> Array:
    """Rotation vectors (m, 3) of rotations (m, 3, 3); of half a turn any axis will do to get away from it."""
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
