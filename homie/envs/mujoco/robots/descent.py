"""Inverse kinematics from near by: damped least squares from one posture, for any arm.

`model_kinematics.py` does it from many postures in one go.

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
"""Metres that a radian of error counts for."""
NEAR_DISTANCE, NEAR_ANGLE = 0.12, 0.5
"""m and rad within which a pose is approached step by step from the posture before, as one does along a path."""
PATIENCE = 6
"""Steps without coming nearer after which a descent is given up."""
NEARER = 0.95
"""Share of the smallest error so far below which a step has come nearer."""
SLOWED = 0.02
"""Damping for every squared metre of weighted error: far away, where the Jacobian says little, steps are small."""
DRIFT, FADES = 0.05, 0.03
"""Share of the way to its rest that a step takes a free joint; metres of weighted error below which it takes less, or
the pose would never be met exactly."""
ROUNDS = 3
"""Times that joints at their limits are taken out of a step and it is made again without them."""

Look = Callable[[Array], tuple[Array, Array]]
"""From joints (n,) to what is missing (6,), as a translation (m) and a rotation vector (rad), and to how joints change
it: the rows (6, n) of the Jacobian."""
WEIGHT: Array = np.array([1.0, 1.0, 1.0, ROTATION_WEIGHT, ROTATION_WEIGHT, ROTATION_WEIGHT])
"""Of the six numbers that are missing, so that they can be compared (m)."""
_ROWS: Array = WEIGHT[:, None]
_EYE: Array = np.eye(len(WEIGHT))


def length(vector: Array) -> float:
    """Of a vector (n,): what `np.linalg.norm` gives, in a third of its time."""
    return math.sqrt(vector @ vector)


def is_near(missing: Array) -> bool:
    """Whether what is missing (6,), m and rad, is approached step by step."""
    return length(missing[:3]) < NEAR_DISTANCE and length(missing[3:]) < NEAR_ANGLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent:
    """How an arm comes down to a pose.

    Attributes:
        lower, upper: Limits (n,) of the joints.
        step: The largest change of a joint (m, rad) in one step.
        damping: Of a step at the target itself.
        close: Share of the tolerance within which it ends.
        rest: From joints (n,) to how far (n,) they are from where they drift when the pose leaves them free; None
            for nowhere.
    """

    lower: Array
    upper: Array
    step: float
    damping: float
    close: float
    rest: Callable[[Array], Array] | None = None

    def __call__(self, q: Array, look: Look, *, mobility: Array, steps: int, tolerance: float) -> Array:
        """The joints (n,) where a descent ends, near the pose or not.

        Args:
            q: Joints (n,) that it begins with, within the limits.
            look: What is missing, and what joints change of it.
            mobility: How readily (n,) each joint moves; 0 for those that stay.
            steps: It makes at most.
            tolerance: m and rad.
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
        """Of all joints, then without those that would leave their limits."""
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
