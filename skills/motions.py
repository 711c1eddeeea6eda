"""What policies of end-effector deltas give: motions of the hand, some of them with gripper and base.

        policy.step --> translation, rotation, gripper[, base][, terminate] --> skills.effector --> Command

Directions are those of the robot's base frame (x forward, y left, z up), which is what "aligned" means in SimplerEnv: a
rotation turns the hand where it is, about axes parallel to the base's.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from homie.types import Array
from skills.policy import Named


@dataclass(frozen=True, slots=True)
class Motions:
    """Motions one after the other, each for one period of the policy's rate.

    translations (n, 3) m. rotations (n, 3): rotation vectors, rad. grippers (n,): openings wanted, 0 closed, 1 open.
    bases (n, 3): m ahead, m to the left, rad to the left. terminate: the policy says that it is done.
    """

    translations: Array
    rotations: Array
    grippers: Array
    bases: Array
    terminate: bool = False

    def named(self) -> Named:
        """As a policy gives it."""
        return {
            "translation": self.translations,
            "rotation": self.rotations,
            "gripper": self.grippers,
            "base": self.bases,
            "terminate": self.terminate,
        }

    @classmethod
    def of(cls, given: Named) -> Motions:
        """From what a policy gave, here or over a wire."""
        rows = np.asarray(given["translation"], dtype=float).reshape(-1, 3)
        return cls(
            rows,
            np.asarray(given["rotation"], dtype=float).reshape(-1, 3),
            np.asarray(given["gripper"], dtype=float).reshape(-1),
            np.asarray(given["base"], dtype=float).reshape(-1, 3),
            bool(given["terminate"]),
        )

    def __len__(self) -> int:
        return len(self.translations)


def rotation_matrix(vector: Array) -> Array:
    """The rotation (3, 3) of a rotation vector (3,): its direction is the axis, its length the angle in rad."""
    return np.asarray(cv2.Rodrigues(np.asarray(vector, dtype=float))[0])


def rotation_vector(matrix: Array) -> Array:
    """The rotation vector (3,) of a rotation (3, 3), no longer than pi."""
    return np.asarray(cv2.Rodrigues(np.asarray(matrix, dtype=float))[0].reshape(3))


def from_euler(angles: Array) -> Array:
    """The rotation vector (3,) of roll, pitch and yaw (rad) about the fixed axes x, then y, then z."""
    roll, pitch, yaw = (rotation_matrix(axis * angle) for axis, angle in zip(np.eye(3), angles, strict=True))
    return rotation_vector(yaw @ pitch @ roll)
