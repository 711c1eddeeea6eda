"""Output of end-effector delta policies at each step: a motion of the hand, the gripper, perhaps the base.

        policy.step --> translation, rotation, opening, base, terminate --> skills.policies.effector --> Command

Directions are those of the robot's base frame (x forward, y left, z up), which is what "aligned" means in SimplerEnv: a
rotation turns the hand in place, about axes parallel to the base's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from homie.kernel.robot.conventions import HandConventions
from homie.kernel.types import Array
from skills.policies.policy import Named, cannot_go_on

CONVENTIONS = HandConventions(position="delta", frame="base", rotation="rotation-vector", gripper="open-is-1")
"""Conventions of the values of a `Motion`; a policy that returns motions declares the same in its facts."""

LARGEST = 1e6
"""Bound (m, rad) on the absolute values of an action, in any unit. Larger ones are invalid, like NaN."""


def plausible(numbers: Array) -> bool:
    """Whether all numbers are finite and below `LARGEST`."""
    return bool((np.abs(numbers) < LARGEST).all())


@dataclass(frozen=True, slots=True)
class Motion:
    """One motion, for one period of the policy's rate.

    translation (3,) m.

    Attributes:
        rotation (3,): Rotation vector, rad.
        opening: Commanded gripper opening, 0 closed, 1 open.
        base (3,): Base motion: m forward, m left, rad left.
        terminate: Whether the policy declares the attempt done.
    """

    translation: Array
    rotation: Array
    opening: float
    base: Array
    terminate: bool = False

    def to_dict(self) -> Named:
        """Return the motion as named values, in the form of a policy's output."""
        return {
            "translation": self.translation,
            "rotation": self.rotation,
            "opening": self.opening,
            "base": self.base,
            "terminate": self.terminate,
        }

    @classmethod
    def of(cls, values: Named) -> Motion:
        """Parse a motion from a policy's output, local or over a wire. Raises PolicyFailed for anything but a
        motion."""
        translation, rotation, base = (_numbers(values, name, 3) for name in ("translation", "rotation", "base"))
        return cls(translation, rotation, float(_numbers(values, "opening", 1)[0]), base, bool(values.get("terminate")))

    @staticmethod
    def stack(motions: Sequence[Motion]) -> Named:
        """Return successive motions in the form of a policy's output: the same names, each with an additional first
        axis."""
        named = [motion.to_dict() for motion in motions]
        return {name: np.stack([np.asarray(values[name]) for values in named]) for name in named[0]}

    @classmethod
    def several(cls, values: Named) -> list[Motion]:
        """Parse the output of a policy that returns several motions at a time. Raises PolicyFailed for anything but
        motions."""
        columns = {name: np.asarray(value).reshape(-1, *np.shape(value)[1:]) for name, value in values.items()}
        counts = {len(column) for column in columns.values()}
        if len(counts) != 1:
            raise cannot_go_on(f"its motions are {' and '.join(map(str, sorted(counts)))}")
        return [cls.of({name: column[k] for name, column in columns.items()}) for k in range(*counts)]

    def mean(self, newer: Motion) -> Motion:
        """Return the mean of this motion and a newer one for the same time; opening and termination are the newer
        one's."""
        translation, rotation = (self.translation + newer.translation) / 2, (self.rotation + newer.rotation) / 2
        return Motion(translation, rotation, newer.opening, (self.base + newer.base) / 2, newer.terminate)


def _numbers(values: Named, name: str, size: int) -> Array:
    """Return the numbers (size,) of a part of a motion. Raises PolicyFailed."""
    value = np.ravel(np.asarray(values.get(name, ())))
    if value.dtype.kind not in "fiub" or len(value) != size or not plausible(value):
        raise cannot_go_on(f"the {name} of its motion is {value.tolist()}, and {size} finite numbers are taken")
    return value.astype(float)


def rotation_matrix(vector: Array) -> Array:
    """Return the rotation (3, 3) of a rotation vector (3,): its direction is the axis, its length the angle in rad."""
    return np.asarray(cv2.Rodrigues(np.asarray(vector, dtype=float))[0])


def rotation_vector(matrix: Array) -> Array:
    """Return the rotation vector (3,) of a rotation (3, 3), no longer than pi."""
    return np.asarray(cv2.Rodrigues(np.asarray(matrix, dtype=float))[0].reshape(3))


def from_euler(angles: Array) -> Array:
    """Return the rotation vector (3,) of roll, pitch and yaw (rad) about the fixed axes x, then y, then z."""
    roll, pitch, yaw = (rotation_matrix(axis * angle) for axis, angle in zip(np.eye(3), angles, strict=True))
    return rotation_vector(yaw @ pitch @ roll)
