"""Inverse kinematics of an arm on a lift that turns about a mast and slides out, with a wrist whose axes meet: in
closed form, since the lift, the turn and the length place the wrist, and the wrist's three joints turn the hand.

`q` is (9,): lift (m), turn about the mast (rad), four segments (m), then yaw, pitch and roll of the wrist (rad).
"""

from __future__ import annotations

import mujoco
import numpy as np

from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.kernel.interfaces import IkSolution
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Pose, wrapped

_UPRIGHT = 1e-3
"""Cosine of the hand's pitch below which it points straight down: yaw and roll turn it about the same axis then."""
_TOWARDS = np.linspace(-np.pi, np.pi, 13)[:-1]
"""Yaws of the hand (rad) that are tried where only its place is asked for."""


class TelescopeKinematics(ModelKinematics):
    """Of the arm in the file of the stretch-like robot. Not for several threads at once."""

    def __init__(self, model: mujoco.MjModel, spec: RobotSpec) -> None:
        super().__init__(model, spec)
        self._low, self._high = spec.chain.limits.T
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        wrist, mast = data.body("wrist_yaw_link"), data.body("arm_link")
        self._mast: Array = mast.xpos.copy()
        wrist_offset = wrist.xpos - self._mast
        self._bearing = float(np.arctan2(wrist_offset[1], wrist_offset[0]))
        self._shortest = float(np.hypot(wrist_offset[0], wrist_offset[1]))
        self._hand = float(model.site("gripper").pos[0])
        self._hands = self._geom_bodies_beyond("wrist_yaw_link")

    def _geom_bodies_beyond(self, name: str) -> Array:
        """Which spheres (n,) are of the wrist, the hand and the fingers."""
        first = self._model.body(name).id
        return np.array([int(self._model.geom_bodyid[geom]) >= first for geom in self._geoms])

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Metres between wrist and hand and the rest of the robot: the arm itself is beside its mast by design."""
        points, radii = self.link_points(q)[self._hands], self.point_radii[self._hands]
        return self.from_body(q, points, radii, held)

    def solve(
        self,
        position: Array,
        rotation: Array | None,
        q0: Array,
        *,
        locked_torso: bool = False,
        tolerance: float = 1e-3,
    ) -> IkSolution:
        """Joints that bring the gripper to a pose in the base frame; the nearest within the limits if there are none.

        position (3,); rotation (3, 3), or None for position only. There is no torso to be locked.

        Args:
            tolerance: M and rad.
        """
        position, start = np.asarray(position, dtype=float), np.asarray(q0, dtype=float)
        turns = [np.asarray(rotation)] if rotation is not None else [_level(yaw) for yaw in _TOWARDS]
        solutions = [
            self._judged(q, position, rotation, tolerance) for turn in turns for q in self._ways(position, turn, start)
        ]

        def far(solution: IkSolution) -> tuple[bool, float, float]:
            off = solution.position_error + solution.rotation_error
            travel = np.abs(solution.q - start) / self._chain.speeds
            return not solution.ok, 0.0 if solution.ok else off, float(travel.max() + 0.1 * travel.sum())

        return min(solutions, key=far)

    def _ways(self, position: Array, rotation: Array, start: Array) -> list[Array]:
        """Both ways of the wrist to hold the hand so, within the limits: bent forwards and, if it can, over itself."""
        wrist_offset = position - self._hand * rotation[:, 0] - self._mast
        turn = float(wrapped(np.arctan2(wrist_offset[1], wrist_offset[0]) - self._bearing))
        length = float(np.hypot(wrist_offset[0], wrist_offset[1])) - self._shortest
        arm = self._bearing + turn
        level = float(np.hypot(rotation[0, 0], rotation[1, 0]))
        pitch = float(np.arctan2(-rotation[2, 0], level))
        if level < _UPRIGHT:  # straight down or up: of yaw and roll only the difference counts
            yaw, side = float(start[6]), rotation[:, 1]
            arm_yaw = arm + yaw
            cosine = -np.sin(arm_yaw) * side[0] + np.cos(arm_yaw) * side[1]
            sine = (np.cos(arm_yaw) * side[0] + np.sin(arm_yaw) * side[1]) * np.sign(pitch)
            roll = float(np.arctan2(sine, cosine))
            wrists = [(yaw, pitch, roll)]
        else:
            yaw = float(wrapped(np.arctan2(rotation[1, 0], rotation[0, 0]) - arm))
            roll = float(np.arctan2(rotation[2, 1], rotation[2, 2]))
            wrists = [(yaw, pitch, roll), (float(wrapped(yaw + np.pi)), np.pi - pitch, float(wrapped(roll + np.pi)))]
        ways = []
        for wrist in wrists:
            q = np.array([wrist_offset[2], turn, *np.full(4, length / 4), *wrist])
            ways.append(np.clip(q, self._low, self._high))
        return ways

    def _judged(self, q: Array, position: Array, rotation: Array | None, tolerance: float) -> IkSolution:
        pose: Pose = self.forward(q)
        off = float(np.linalg.norm(pose.position - position))
        rotation_error = 0.0
        if rotation is not None:
            cosine = (float(np.trace(pose.rotation.T @ rotation)) - 1.0) / 2.0
            rotation_error = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        return IkSolution(
            q, off <= tolerance and rotation_error <= tolerance and self.self_distance(q) >= 0.0, off, rotation_error
        )


def _level(yaw: float) -> Array:
    """A level hand whose fingers point along a yaw, (3, 3)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
