"""Local inverse kinematics: damped least squares from one initial posture, for any arm.

`model_kinematics.py` does it from many initial postures in a batch.

Source of the method: C. W. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped
least-squares methods" (1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from homie.kernel.types import Array

ROTATION_WEIGHT = 0.3
"""Weight of rotation error relative to translation error, m/rad."""
NEAR_DISTANCE, NEAR_ANGLE = 0.12, 0.5
"""Error (m, rad) within which a pose is reached by local steps from the previous posture, as along a path."""
PATIENCE = 6
"""Number of steps without improvement after which a descent is aborted."""
NEARER = 0.95
"""A step is an improvement if it reduces the error below this fraction of the smallest error so far."""
SLOWED = 0.02
"""Damping per squared metre of weighted error: far from the target the linearisation is poor, so steps are small."""
DRIFT, FADES = 0.05, 0.03
"""Fraction of the difference to its rest that a free joint moves per step; weighted error (m) below which it moves
less, or the pose would never be reached exactly."""
ROUNDS = 3
"""Maximum number of times that a step is recomputed without joints that are blocked by their limits."""

Look = Callable[[Array], tuple[Array, Array]]
"""From joints (n,) to the pose error (6,), as a translation (m) and a rotation vector (rad), and to the Jacobian
(6, n)."""
WEIGHT: Array = np.array([1.0, 1.0, 1.0, ROTATION_WEIGHT, ROTATION_WEIGHT, ROTATION_WEIGHT])
"""Weights (6,) that convert a pose error to metres."""
_ROWS: Array = WEIGHT[:, None]
_EYE: Array = np.eye(len(WEIGHT))


def length(vector: Array) -> float:
    """Return the Euclidean norm of a vector (n,), in a third of the time of `np.linalg.norm`."""
    return math.sqrt(vector @ vector)


def is_near(missing: Array) -> bool:
    """Whether a pose error (6,), m and rad, is small enough for a local descent."""
    return length(missing[:3]) < NEAR_DISTANCE and length(missing[3:]) < NEAR_ANGLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """Damped least squares descent of an arm to a pose.

    Attributes:
        lower, upper: Limits (n,) of the joints.
        step: Maximum change of a joint (m, rad) in one step.
        damping: Damping of a step at the target itself.
        close: Fraction of the tolerance at which the descent ends.
        rest: From joints (n,) to their offsets (n,) to the rest posture, towards which joints drift that the pose
            leaves free; None for no drift.
    """

    lower: Array
    upper: Array
    step: float
    damping: float
    close: float
    rest: Callable[[Array], Array] | None = None

    def __call__(self, q: Array, look: Look, *, mobility: Array, steps: int, tolerance: float) -> Array:
        """Return the final joints (n,), whether or not they reach the pose.

        Args:
            q: Initial joints (n,), within the limits.
            look: Computes pose error and Jacobian.
            mobility: Weights (n,) of the joints in a step; 0 for locked joints.
            steps: Maximum number of steps.
            tolerance: Allowed error, m and rad.
        """
        nearest, stalled = np.inf, 0
        for _ in range(steps):
            error, jacobian = look(q)
            if max(length(error[:3]), length(error[3:])) < self.close * tolerance:
                break
            weighted = error * WEIGHT
            off = length(weighted)
            nearest, stalled = (off, 0) if off < NEARER * nearest else (nearest, stalled + 1)
            if stalled > PATIENCE:
                break
            step = self._step(q, weighted, jacobian * _ROWS, mobility)
            step = step * min(1.0, self.step / max(float(np.abs(step).max()), 1e-9))
            q = np.minimum(np.maximum(q + step, self.lower), self.upper)
        return q

    def _step(self, q: Array, error: Array, rows: Array, mobility: Array) -> Array:
        """Compute a step of all joints, then again without those that would leave their limits."""
        damping = self.damping + SLOWED * float(error @ error)
        pull = np.zeros_like(q)
        if self.rest is not None:
            pull = self.rest(q) * (DRIFT * min(1.0, length(error) / FADES))
        free_joints, regularisation = mobility.copy(), damping * _EYE
        at_lower, at_upper = q <= self.lower, q >= self.upper
        for _ in range(ROUNDS):
            moving = free_joints > 0
            weighted, pull = rows * free_joints, pull * moving
            gram = weighted @ rows.T + regularisation
            step: Array = pull + weighted.T @ np.linalg.solve(gram, error - rows @ pull)
            blocked = (at_lower & (step < 0)) | (at_upper & (step > 0))
            if not (blocked & moving).any():
                break
            free_joints[blocked] = 0.0
        return step
