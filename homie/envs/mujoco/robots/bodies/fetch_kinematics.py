"""Kinematics of the Fetch's torso and arm: forward, Jacobian, inverse, and self-collision.

`q` is always (8,): torso lift (m), then the seven arm joints (rad), shoulder to wrist. Poses are of the gripper, in the
base frame; x of the gripper points out along the fingers, y is the direction in which they close.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import FILE, HAND, SPEC
from homie.envs.mujoco.robots.bodies.fetch_closed_form import all_solutions, elbow_height, out_of_reach, wrist_point
from homie.envs.mujoco.robots.bodies.fetch_self_clearance import SelfClearance, add_head_sweep
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.descent import Descent, is_near
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.kernel.interfaces import IkSolution
from homie.kernel.types import Array, Pose, wrap_angles

COMFORT: Array = np.array([0.25, 0.0, -0.2, 0.0, 1.2, 0.0, 0.6, 0.0])
"""Posture towards which joints drift that the task leaves free: elbow high, hand in front."""

_MOBILITY = np.array([0.2, 1, 1, 1, 1, 1, 1, 1])
"""Weight of each joint in a step: the torso is slow."""

_TRIES = 30
_SELF_CLEARANCE = 0.015
"""Self-clearance (m) of a closed-form solution, so that the arm can move on from there."""

_CACHE_SIZE = 4096
"""Cache capacity: planning repeats the same queries on many paths, for each clearance that it tries."""

_PATH_FRACTIONS = (0.2, 0.4, 0.6, 0.8)
"""Fractions of the straight joint motion from q0 at which it is checked for collision."""

_LOWER, _UPPER = SPEC.chain.limits.T
_TORSO_GRID = np.linspace(_LOWER[0], _UPPER[0], 9)
_PAN_GRID = np.linspace(_LOWER[1], _UPPER[1], 15)
_SPEEDS = SPEC.chain.speeds


@dataclass(frozen=True, slots=True)
class _Target:
    """Target of the gripper: a position (3,), and a rotation, its x axis only, or None."""

    position: Array
    rotation: Array | None
    axis_only: bool

    @property
    def key(self) -> tuple[object, ...]:
        """Cache key of the target."""
        rotation = None if self.rotation is None else self.rotation.astype(float).tobytes()
        return self.position.astype(float).tobytes(), rotation, self.axis_only

    def error(self, position: Array, rotation: Array) -> Array:
        """Return the pose error (6,), as a translation (m) and a rotation vector (rad)."""
        if self.rotation is None:
            turn = np.zeros(3)
        elif self.axis_only:
            turn = _rotation_between(rotation[:, 0], self.rotation[:, 0])
        else:
            turn = _rotation_vector(self.rotation @ rotation.T)
        return np.concatenate([self.position - position, turn])

    def rows(self, jacobian: Array, rotation: Array) -> Array:
        """Return the negated Jacobian (6, 8) of `error`, zero for motions that the target leaves free."""
        if self.rotation is None:
            return np.asarray(jacobian * np.array([[1], [1], [1], [0], [0], [0]]))
        if self.axis_only:
            x = rotation[:, 0]
            return np.concatenate([jacobian[:3], jacobian[3:] - np.outer(x, x @ jacobian[3:])])
        return jacobian

    def rotations(self, current: Array) -> Iterator[Array]:
        """Yield full rotations that satisfy the target, the likeliest first."""
        if self.rotation is None:
            yield current
            bearing = float(np.arctan2(self.position[1], self.position[0]))
            for pitch in (0.0, 0.5, 1.0, 1.5):
                for offset in (0.0, 0.6, -0.6):
                    yield _euler(bearing + offset, pitch, 0.0)
        elif self.axis_only:
            for turn in np.arange(12) * np.pi / 6:
                yield self.rotation @ _euler(0.0, 0.0, float(turn))
        else:
            yield self.rotation


class ArmKinematics:
    """Kinematics on a model of the robot alone. Not thread-safe."""

    def __init__(self) -> None:
        spec = mujoco.MjSpec()
        FILE.add(spec)
        add_head_sweep(spec)
        self.model = spec.compile()
        self._data = mujoco.MjData(self.model)
        self._positions = self._data.qpos  # a view, kept because MuJoCo creates a new one per access
        joints = [self.model.joint(PREFIX + name) for name in SPEC.chain.names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        self._dofs = np.array([joint.dofadr[0] for joint in joints])
        self._site = self.model.site(PREFIX + "gripper").id
        self._full_jacobian = np.zeros((6, self.model.nv))
        self._clearance = SelfClearance(self.model)
        self._solutions: dict[tuple[object, ...], IkSolution] = {}
        self._distances: dict[tuple[bytes, bytes], float] = {}
        self.lower, self.upper = _LOWER, _UPPER
        self._continuous = np.isinf(self.upper)
        self._descent = Descent(
            lower=self.lower, upper=self.upper, step=0.35, damping=1e-5, close=0.3, rest=self._comfort_step
        )

    def __deepcopy__(self, memo: object) -> ArmKinematics:
        """Return a new instance with its own data, for another thread: a copied view would reference no data."""
        return type(self)()

    # ------------------------------------------------------------ forward

    def forward(self, q: Array) -> Pose:
        """Return the gripper pose in the base frame."""
        self._place(q)
        return self._gripper()

    def jacobian(self, q: Array) -> Array:
        """Return the Jacobian (6, 8): gripper velocity (m/s, then rad/s, in the base frame) per joint velocity."""
        self._place(q)
        return self._site_jacobian()

    def link_points(self, q: Array) -> Array:
        """Return centres (n, 3), in the base frame, of spheres that fill arm and hand; radii in `point_radii`."""
        self._place(q)
        return self._clearance.points(self._data)

    @property
    def point_radii(self) -> Array:
        """Radii (n,) of the spheres of `link_points`, m."""
        return self._clearance.radii

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) between the arm and the robot's own base, torso, head and upper arm; negative inside.

        Args:
            held: Spheres (n, 4) of the held object, also checked against the body: centre in the gripper frame and
                radius, m.
        """
        cache_key = np.asarray(q, dtype=float).tobytes(), b"" if held is None else held.tobytes()
        if cache_key not in self._distances:
            _clear_if_full(self._distances)
            self._distances[cache_key] = self._self_distance(q, held)
        return self._distances[cache_key]

    def _self_distance(self, q: Array, held: Array | None) -> float:
        self._place(q)
        distance_to_self = self._clearance.distance(self._data)
        if held is None or not len(held):
            return distance_to_self
        gripper = self._gripper()
        points = gripper.position + held[:, :3] @ gripper.rotation.T
        return min(distance_to_self, self._clearance.from_body(self._data, points, held[:, 3]))

    # ------------------------------------------------------------ inverse

    def out_of_reach(self, position: Array, rotation: Array) -> bool:
        """Whether a pose is provably out of reach; see `ReachBound`."""
        return out_of_reach(position, rotation)

    def solve(
        self,
        position: Array,
        rotation: Array | None,
        q0: Array,
        *,
        axis_only: bool = False,
        locked_torso: bool = False,
        max_iterations: int = 60,
        tolerance: float = 1e-3,
    ) -> IkSolution:
        """Return joints that bring the gripper to a pose in the base frame, or the nearest found if there are none.

        position (3,); rotation (3, 3), or None for position only; axis_only leaves the roll about the fingers free. A
        pose near that of q0 is approached from there by damped least squares, so that consecutive poses give
        consecutive joints. For others the closed-form solutions are ranked: short travel from q0 and high elbows first.
        Continuous joints are returned on the turn nearest to q0. locked_torso keeps the torso of q0.

        Args:
            tolerance: Allowed error, m and rad.
        """
        q0 = np.asarray(q0, dtype=float)
        target = _Target(np.asarray(position), None if rotation is None else np.asarray(rotation), axis_only)
        cache_key = target.key, q0.tobytes(), locked_torso, max_iterations, tolerance
        if cache_key not in self._solutions:
            _clear_if_full(self._solutions)
            self._solutions[cache_key] = self._solution(target, q0, locked_torso, max_iterations, tolerance)
        solution = self._solutions[cache_key]
        return replace(solution, q=solution.q.copy())  # callers may write into it

    def _solution(
        self, target: _Target, q0: Array, locked_torso: bool, max_iterations: int, tolerance: float
    ) -> IkSolution:
        """Like `solve`, without the cache."""
        start = np.clip(q0, self.lower, self.upper)
        start_pose = self.forward(start)
        pose_error = target.error(start_pose.position, start_pose.rotation)
        local: IkSolution | None = None
        if is_near(pose_error):
            local = self._descend(target, start, q0, locked_torso, max_iterations, tolerance)
            if local.ok:
                return local
        for candidate in target.rotations(start_pose.rotation):
            solution = self._closed_form(target.position, candidate, start, locked_torso)
            if solution is not None:
                return self._result(target, solution, q0, tolerance)
        return local or self._descend(target, start, q0, locked_torso, max_iterations, tolerance)

    def _closed_form(self, position: Array, rotation: Array, start: Array, locked_torso: bool) -> Array | None:
        """Return the best closed-form solution without self-collision, if possible also on the way from start."""
        torso = start[:1] if locked_torso else np.append(_TORSO_GRID, start[0])
        q = all_solutions(position, rotation, torso, np.append(_PAN_GRID, start[1]))
        if not len(q):
            return None
        travel = q - start
        travel[:, self._continuous] = wrap_angles(travel[:, self._continuous])
        seconds = np.abs(travel) / _SPEEDS
        wrist = wrist_point(position, rotation)
        pan_error = np.abs(wrap_angles(q[:, 1] - np.arctan2(wrist[1], wrist[0])))
        low = np.maximum(wrist[2] - elbow_height(q), 0.0)
        cost = 0.35 * seconds.max(axis=1) + 0.05 * seconds.sum(axis=1) + 4.0 * low + 0.5 * pan_error
        cost += 0.4 * np.abs(q[:, 2] - COMFORT[2]) + 0.15 * np.abs(wrap_angles(q[:, 3]))
        second_best: Array | None = None
        for index in np.argsort(cost, kind="stable")[:_TRIES]:
            if self.self_distance(q[index]) < _SELF_CLEARANCE:
                continue
            if all(self.self_distance(start + part * travel[index]) >= 0.0 for part in _PATH_FRACTIONS):
                return np.asarray(start + travel[index])
            if second_best is None:
                second_best = start + travel[index]
        return second_best

    def _descend(
        self, target: _Target, start: Array, q0: Array, locked_torso: bool, max_iterations: int, tolerance: float
    ) -> IkSolution:
        """Damped least squares from `start`, drifting towards COMFORT."""

        def look(q: Array) -> tuple[Array, Array]:
            pose = self.forward(q)
            error = target.error(pose.position, pose.rotation)
            return error, target.rows(self._site_jacobian(), pose.rotation)

        mobility = _MOBILITY * (0.0 if locked_torso else 1.0) ** np.array([1, 0, 0, 0, 0, 0, 0, 0])
        q = self._descent(start, look, mobility=mobility, steps=max_iterations, tolerance=tolerance)
        return self._result(target, q, q0, tolerance)

    def _comfort_step(self, q: Array) -> Array:
        pull = COMFORT - q
        pull[self._continuous] = wrap_angles(pull[self._continuous])
        return pull

    def _result(self, target: _Target, q: Array, q0: Array, tolerance: float) -> IkSolution:
        pose = self.forward(q)
        error = target.error(pose.position, pose.rotation)
        position_error, rotation_error = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
        clipped = q.copy()
        clipped[self._continuous] = q0[self._continuous] + wrap_angles((q - q0)[self._continuous])
        ok = position_error <= tolerance and rotation_error <= tolerance and self._clearance.distance(self._data) >= 0.0
        return IkSolution(clipped, ok, position_error, rotation_error)

    # ------------------------------------------------------------ MuJoCo

    def _place(self, q: Array) -> None:
        self._positions[self._qpos] = q
        mujoco.mj_kinematics(self.model, self._data)

    def _gripper(self) -> Pose:
        data = self._data
        return Pose(data.site_xpos[self._site].copy(), data.site_xmat[self._site].reshape(3, 3).copy())

    def _site_jacobian(self) -> Array:
        mujoco.mj_comPos(self.model, self._data)
        mujoco.mj_jacSite(self.model, self._data, self._full_jacobian[:3], self._full_jacobian[3:], self._site)
        return self._full_jacobian[:, self._dofs]


def _clear_if_full(cache: dict[Any, Any]) -> None:
    """Clear a full cache."""
    if len(cache) >= _CACHE_SIZE:
        cache.clear()


def _rotation_vector(rotation: Array) -> Array:
    """Return the rotation vector (3,), axis times angle, of a rotation matrix (3, 3)."""
    quat, vector = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(quat, rotation.ravel())
    mujoco.mju_quat2Vel(vector, quat, 1.0)
    return vector


def _rotation_between(a: Array, b: Array) -> Array:
    """Return the rotation vector (3,) of the shortest rotation that takes unit vector a (3,) onto b (3,)."""
    axis = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(axis)), float(a @ b)
    if sine > 1e-9:
        return np.asarray(axis * (np.arctan2(sine, cosine) / sine))
    if cosine > 0:
        return np.zeros(3)
    side = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    return np.asarray(np.pi * side / np.linalg.norm(side))


def _euler(yaw: float, pitch: float, roll: float) -> Array:
    """Return the rotation (3, 3) whose x axis points along `yaw`, `pitch` below the horizon, rolled about it."""
    quat, matrix = np.zeros(4), np.zeros(9)
    mujoco.mju_euler2Quat(quat, np.array([yaw, pitch, roll]), "zyx")
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


FETCH = SimulatedBody.of_mjcf(FILE, SPEC, HAND, start=FILE.keyframe("rest"), kinematics=ArmKinematics)
"""The Fetch as a body of a simulated world."""
