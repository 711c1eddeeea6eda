"""Pose and opening of the robot's hand, in the state formats of the dialects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array
from skills.policies.motions import rotation_matrix, rotation_vector
from skills.policies.policy import Named, cannot_go_on

TOOL: Array = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Rotation from Homie's gripper (x along the fingers) to the end effector of robosuite (z along them)."""
BEHIND = 0.0069
"""Distance (m) from Homie's gripper back to the end effector of robosuite, along the fingers."""
SHORTEST = 1e-6
"""Minimum length of a quaternion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """Pose and opening of the hand.

    position (3,) m and rotation (3, 3) of Homie's gripper in the base or the world frame, z above the floor.

    Attributes:
        fingers: Distance between the fingers, m.
        opening: The same as a fraction of the maximum, 0 to 1.
    """

    position: Array
    rotation: Array
    fingers: float
    opening: float

    @classmethod
    def of(cls, values: Named, *, in_world: bool = False) -> Hand:
        """Build from the inputs of a policy: `position`, `rotation`, `fingers`, `opening`, and `base`, the base pose
        (x, y, yaw)."""
        position, rotation = (np.asarray(values[name], dtype=float) for name in ("position", "rotation"))
        if in_world:
            x, y, yaw = np.asarray(values["base"], dtype=float)
            turn = rotation_matrix(np.array([0.0, 0.0, yaw]))
            position, rotation = turn @ position + (x, y, 0.0), turn @ rotation
        return cls(
            position=position,
            rotation=rotation,
            fingers=float(np.asarray(values["fingers"])),
            opening=float(np.asarray(values["opening"])),
        )

    @property
    def end(self) -> Array:
        """Position (3,) of the end effector."""
        return self.position - BEHIND * self.rotation[:, 0]

    def libero(self) -> NDArray[np.float32]:
        """Return the state (8,) of LIBERO: end effector (m), its rotation vector, both fingers (m).

        The vector is that of robosuite, about an axis that points ahead: for a hand that points down, half a turn about
        x, it does not jump where the turn exceeds a half.
        """
        rotation = rotation_vector(self.rotation @ TOOL)
        angle = float(np.linalg.norm(rotation))
        if rotation[0] < 0.0:
            rotation = rotation * (1.0 - 2.0 * np.pi / angle)
        return np.array([*self.end, *rotation, self.fingers / 2, -self.fingers / 2], np.float32)

    def pose(self) -> NDArray[np.float32]:
        """Return the end effector pose (7,): position (m) and quaternion w, x, y, z."""
        vector = rotation_vector(self.rotation @ TOOL)
        angle = float(np.linalg.norm(vector))
        axis = vector / angle if angle else vector
        return np.array([*self.end, np.cos(angle / 2), *(np.sin(angle / 2) * axis)], np.float32)


def vector_of_quaternion(numbers: Array) -> Array:
    """Return the rotation vector of the quaternion w, x, y, z. Raises PolicyFailed for one of zero length."""
    length = float(np.linalg.norm(numbers))
    if length < SHORTEST:
        raise cannot_go_on("a quaternion of its actions is zero")
    real, axis = numbers[0] / length, numbers[1:] / length
    if real < 0.0:
        real, axis = -real, -axis
    sine = float(np.linalg.norm(axis))
    return axis * (2.0 * np.arctan2(sine, real) / sine) if sine else np.zeros(3)
