"""Closed-form inverse kinematics of a telescoping arm on a lift that turns about a mast, with a spherical wrist: lift,
turn and length determine the position of the wrist, and the wrist's three joints the orientation of the hand.

`q` is (9,): lift (m), turn about the mast (rad), four segments (m), then yaw, pitch and roll of the wrist (rad).
"""

from __future__ import annotations

import mujoco
import numpy as np

from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.kernel.interfaces import IkSolution
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Array, Pose, wrap_angles

_VERTICAL = 1e-3
"""Cosine of the hand's pitch below which it counts as vertical: yaw and roll then turn it about the same axis."""
_YAWS = np.linspace(-np.pi, np.pi, 13)[:-1]
"""Yaws of the hand (rad) that are tried for a position-only target."""


class TelescopeKinematics(ModelKinematics):
    """Kinematics of the arm of the stretch-like robot. Not thread-safe."""

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
        self._hand_length = float(model.site("gripper").pos[0])
        self._wrist_spheres = self._geom_bodies_beyond("wrist_yaw_link")

    def _geom_bodies_beyond(self, name: str) -> Array:
        """Return a mask (n,) of the spheres of the body `name` and those after it: wrist, hand and fingers."""
        first = self._model.body(name).id
        return np.array([int(self._model.geom_bodyid[geom]) >= first for geom in self._geoms])

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        """Return the distance (m) of wrist and hand to the rest of the robot: the arm itself is next to its mast."""
        points, radii = self.link_points(q)[self._wrist_spheres], self.point_radii[self._wrist_spheres]
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
        """Return joints that bring the gripper to a pose in the base frame, or the nearest within limits if none do.

        position (3,); rotation (3, 3), or None for position only. locked_torso has no effect.

        Args:
            tolerance: Allowed error, m and rad.
        """
        position, start = np.asarray(position, dtype=float), np.asarray(q0, dtype=float)
        turns = [np.asarray(rotation)] if rotation is not None else [_level(yaw) for yaw in _YAWS]
        solutions = [
            self._evaluate(q, position, rotation, tolerance)
            for turn in turns
            for q in self._candidates(position, turn, start)
        ]

        def cost(solution: IkSolution) -> tuple[bool, float, float]:
            deviation = solution.position_error + solution.rotation_error
            travel = np.abs(solution.q - start) / self._chain.speeds
            return not solution.ok, 0.0 if solution.ok else deviation, float(travel.max() + 0.1 * travel.sum())

        return min(solutions, key=cost)

    def _candidates(self, position: Array, rotation: Array, start: Array) -> list[Array]:
        """Return the solutions, clipped to the limits, with the wrist bent forwards and, unless vertical, flipped."""
        wrist_offset = position - self._hand_length * rotation[:, 0] - self._mast
        turn = float(wrap_angles(np.arctan2(wrist_offset[1], wrist_offset[0]) - self._bearing))
        length = float(np.hypot(wrist_offset[0], wrist_offset[1])) - self._shortest
        arm = self._bearing + turn
        level = float(np.hypot(rotation[0, 0], rotation[1, 0]))
        pitch = float(np.arctan2(-rotation[2, 0], level))
        if level < _VERTICAL:  # straight down or up: only the difference of yaw and roll matters
            yaw, side = float(start[6]), rotation[:, 1]
            arm_yaw = arm + yaw
            cosine = -np.sin(arm_yaw) * side[0] + np.cos(arm_yaw) * side[1]
            sine = (np.cos(arm_yaw) * side[0] + np.sin(arm_yaw) * side[1]) * np.sign(pitch)
            roll = float(np.arctan2(sine, cosine))
            wrists = [(yaw, pitch, roll)]
        else:
            yaw = float(wrap_angles(np.arctan2(rotation[1, 0], rotation[0, 0]) - arm))
            roll = float(np.arctan2(rotation[2, 1], rotation[2, 2]))
            wrists = [
                (yaw, pitch, roll),
                (float(wrap_angles(yaw + np.pi)), np.pi - pitch, float(wrap_angles(roll + np.pi))),
            ]
        candidates = []
        for wrist in wrists:
            q = np.array([wrist_offset[2], turn, *np.full(4, length / 4), *wrist])
            candidates.append(np.clip(q, self._low, self._high))
        return candidates

    def _evaluate(self, q: Array, position: Array, rotation: Array | None, tolerance: float) -> IkSolution:
        pose: Pose = self.forward(q)
        deviation = float(np.linalg.norm(pose.position - position))
        rotation_error = 0.0
        if rotation is not None:
            cosine = (float(np.trace(pose.rotation.T @ rotation)) - 1.0) / 2.0
            rotation_error = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        return IkSolution(
            q,
            deviation <= tolerance and rotation_error <= tolerance and self.self_distance(q) >= 0.0,
            deviation,
            rotation_error,
        )


def _level(yaw: float) -> Array:
    """Return the rotation (3, 3) of a level hand whose fingers point along a yaw."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
