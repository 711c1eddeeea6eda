"""From Octo's normalised actions to motions, by the statistics and the habits of a data set.

An action is (dx, dy, dz, droll, dpitch, dyaw, gripper), the gripper 1 open and 0 closed. What became of the gripper's
number in evaluations differs: BridgeData's robot opens above a half, Google's turns only at a large change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import Array
from skills.policies.motions import Motion, from_euler

TEXT = (16, 768)
"""The shape that a text is given in: that of T5-base."""
ACTION = 7
STICKY = 15
"""Steps for which Google's gripper keeps turning once it has begun to."""
CHANGE = 0.5


@dataclass(frozen=True, slots=True)
class DataSet:
    """How a data set's robot is driven: motions per second, whether the gripper is sticky."""

    rate: float
    sticky: bool


FRACTAL = "fractal20220817_data"
HABITS: Mapping[str, DataSet] = {FRACTAL: DataSet(3.0, True)}
OTHERWISE = DataSet(5.0, False)
"""Of BridgeData, and of those that nothing else is known of."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Mean and deviation of a data set's actions (7,); mask is False for numbers that were not normalised."""

    mean: Array
    std: Array
    mask: Array

    @classmethod
    def of(cls, statistics: object, name: str) -> Statistics:
        """Of one data set in `dataset_statistics.json`. Raises BadInput, which names the data sets there are."""
        if not isinstance(statistics, Mapping) or not statistics:
            raise BadInput("The release of Octo has no dataset_statistics.json: give the folder of the whole release.")
        found = statistics.get(name)
        if found is None:
            known = [str(one) for one in statistics]
            hint = suggestion(name, known, f"it has {', '.join(known[:5])}.")
            raise BadInput(f"dataset_statistics.json has no data set '{name}': {hint}")
        try:
            action = found["action"]
            mask = action.get("mask", [True] * (ACTION - 1) + [False])
            made = cls(*(np.array(values, dtype=float) for values in (action["mean"], action["std"], mask)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"dataset_statistics.json: '{name}' has no mean and std of actions.") from error
        numbers = (made.mean, made.std, made.mask)
        if any(one.shape != (ACTION,) or not np.isfinite(one).all() for one in numbers):
            raise BadInput(f"dataset_statistics.json: mean, std and mask of '{name}' must be {ACTION} numbers each.")
        return made

    def actions(self, normalised: Array) -> Array:
        """Actions (..., 7) in the data set's units."""
        return np.where(self.mask > 0, normalised * self.std + self.mean, normalised)


@dataclass(slots=True)
class Gripper:
    """What becomes of the gripper's number. opening: what it was told last, 0..1."""

    sticky: bool
    opening: float = 1.0
    _before: float | None = field(default=None, init=False)
    _left: int = field(default=0, init=False)

    def reset(self, opening: float) -> None:
        self.opening, self._before, self._left = opening, None, 0

    def step(self, number: float) -> float:
        """The opening wanted after the next number."""
        if not self.sticky:
            self.opening = float(number > CHANGE)
            return self.opening
        change = 0.0 if self._before is None else number - self._before
        self._before = number
        if self._left > 0:
            self._left -= 1
        elif abs(change) > CHANGE:
            self.opening, self._left = float(change > 0), STICKY - 1
        return self.opening


def motion(action: Array, gripper: Gripper) -> Motion:
    """The motion of one action (7,)."""
    return Motion(action[:3], from_euler(action[3:6]), gripper.step(float(action[6])), np.zeros(3))
