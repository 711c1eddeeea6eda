"""Conversion of Octo's normalised actions to motions, by the statistics and the gripper rule of a data set.

An action is (dx, dy, dz, droll, dpitch, dyaw, gripper), the gripper 1 open and 0 closed. The evaluations use the
gripper's number in two ways: BridgeData's robot opens above 0.5, Google's reverses only after a large change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.robot.conventions import HandConventions
from homie.kernel.types import Array
from skills.policies.motions import Motion, from_euler

TEXT = (16, 768)
"""Shape of a text embedding: that of T5-base."""
ACTION = 7
CONVENTIONS = HandConventions(position="delta", frame="base", rotation="rotation-vector", gripper="open-is-1")
"""Conventions of the motions made from its actions."""
STICKY = 15
"""Steps for which Google's gripper keeps moving once it has started."""
CHANGE = 0.5
"""Threshold of the gripper's number (BridgeData), and of its change (Google)."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """How the robot of a data set is controlled: motions per second, and whether its gripper is sticky."""

    rate: float
    sticky: bool


FRACTAL = "fractal20220817_data"
HABITS: Mapping[str, DataSet] = {FRACTAL: DataSet(3.0, True)}
OTHERWISE = DataSet(5.0, False)
"""Values of BridgeData, used for all data sets that are not listed."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Mean and deviation (7,) of a data set's actions; mask (7,) is False for numbers that were not normalised."""

    mean: Array
    std: Array
    mask: Array

    @classmethod
    def of(cls, statistics: object, name: str) -> Statistics:
        """Parse the statistics of one data set in `dataset_statistics.json`.

        Raises:
            BadInput: the file has no such data set, or its statistics are not 7 finite numbers each, std from 0 on.
        """
        if not isinstance(statistics, Mapping) or not statistics:
            raise BadInput("The release of Octo has no dataset_statistics.json: give the folder of the whole release.")
        entry = statistics.get(name)
        if entry is None:
            known = [str(values) for values in statistics]
            hint = suggestion(name, known, f"it has {', '.join(known[:5])}.")
            raise BadInput(f"dataset_statistics.json has no data set '{name}': {hint}")
        try:
            action = entry["action"]
            mask = action.get("mask", [True] * (ACTION - 1) + [False])
            parsed = cls(*(np.array(column, dtype=float) for column in (action["mean"], action["std"], mask)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"dataset_statistics.json: '{name}' has no mean and std of actions.") from error
        numbers = (parsed.mean, parsed.std, parsed.mask)
        if any(values.shape != (ACTION,) or not np.isfinite(values).all() for values in numbers):
            raise BadInput(f"dataset_statistics.json: mean, std and mask of '{name}' must be {ACTION} numbers each.")
        if (parsed.std < 0).any():
            raise BadInput(f"dataset_statistics.json: the std of '{name}' has a number below 0: it is a deviation.")
        if not np.isin(parsed.mask, (0, 1)).all():
            raise BadInput(f"dataset_statistics.json: the mask of '{name}' must be true or false, {ACTION} times.")
        return parsed

    def actions(self, normalised: Array) -> Array:
        """Convert normalised actions (..., 7) to the data set's units."""
        return np.where(self.mask > 0, normalised * self.std + self.mean, normalised)


@dataclass(slots=True)
class Gripper:
    """Converts the gripper's number.

    Attributes:
        opening: The last commanded opening, 0..1.
    """

    sticky: bool
    opening: float = 1.0
    _previous_number: float | None = field(default=None, init=False)
    _sticky_steps_left: int = field(default=0, init=False)

    def reset(self, opening: float) -> None:
        self.opening, self._previous_number, self._sticky_steps_left = opening, None, 0

    def step(self, number: float) -> float:
        """Return the commanded opening after the next number."""
        if not self.sticky:
            self.opening = float(number > CHANGE)
            return self.opening
        change = 0.0 if self._previous_number is None else number - self._previous_number
        self._previous_number = number
        if self._sticky_steps_left > 0:
            self._sticky_steps_left -= 1
        elif abs(change) > CHANGE:
            self.opening, self._sticky_steps_left = float(change > 0), STICKY - 1
        return self.opening


def motion(action: Array, gripper: Gripper) -> Motion:
    """Return the motion of one action (7,)."""
    return Motion(action[:3], from_euler(action[3:6]), gripper.step(float(action[6])), np.zeros(3))
