"""Conversion of RT-1-X's tokens to motions of an embodiment.

google: Google's robot. Hand motions in metres and rotation vectors, the gripper as a change of its closedness, base
motions. widowx: the WidowX of BridgeData. Hand motions scaled by fixed factors, rotations as roll, pitch and yaw, the
gripper open or closed, no base. Source: reference implementations of both in SimplerEnv (Apache-2.0).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from homie.kernel.robot.conventions import HandConventions
from homie.kernel.types import Array
from skills.policies.motions import Motion, from_euler
from skills.policies.tokens import RT1X

TEXT = 512
"""Size of a text embedding."""
RATE = 3.0
"""Decisions per second in the training data."""

CONVENTIONS = HandConventions(position="delta", frame="base", rotation="rotation-vector", gripper="open-is-1")
"""Conventions of the motions made from its actions."""

STILL = 1e-2
"""Change of the gripper below which it does not move (google)."""

WIDOWX_TRANSLATION = (1.75, 0.05)
"""The network's output for the largest translation, and that translation (m)."""
WIDOWX_ROTATION = (1.4, 0.25)
"""The network's output for the largest rotation, and that rotation (rad)."""


class Embodiment(ABC):
    """Decodes actions and keeps the last commanded opening of the gripper."""

    name: ClassVar[str]

    def reset(self, opening: float) -> None:
        """Begin an attempt.

        Args:
            opening: The gripper's current opening, 0..1.
        """
        self.opening = opening

    def motion(self, tokens: ArrayLike) -> Motion:
        """Decode the motion in 11 tokens."""
        mode, values = RT1X.decode(tokens)
        self.opening = self._opening(float(values["gripper_closedness_action"][0]))
        translation, rotation, base = self._scale(values)
        return Motion(translation, rotation, self.opening, base, mode == "terminate")

    @abstractmethod
    def _opening(self, closedness: float) -> float:
        """Return the commanded opening (0..1) for a closedness in -1..1, where 1 closes."""

    @abstractmethod
    def _scale(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """Return translation (3,), rotation vector (3,) and base motion (3,)."""


class Google(Embodiment):
    """The network's values without scaling."""

    name = "google"

    def _opening(self, closedness: float) -> float:
        change = closedness if abs(closedness) >= STILL else 0.0
        return float(np.clip(self.opening - change, 0.0, 1.0))

    def _scale(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        base = np.append(values["base_displacement_vector"], values["base_displacement_vertical_rotation"])
        return values["world_vector"], values["rotation_delta"], base


class WidowX(Embodiment):
    """Values scaled down and clipped; the gripper is either open or closed."""

    name = "widowx"

    def _opening(self, closedness: float) -> float:
        return 1.0 if closedness < 0.0 else 0.0

    def _scale(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        translation = _rescale(values["world_vector"], *WIDOWX_TRANSLATION)
        return translation, from_euler(_rescale(values["rotation_delta"], *WIDOWX_ROTATION)), np.zeros(3)


def _rescale(values: Array, network_range: float, largest: float) -> Array:
    return np.asarray(np.clip(values * (largest / network_range), -largest, largest))


EMBODIMENTS: dict[str, type[Embodiment]] = {embodiment.name: embodiment for embodiment in (Google, WidowX)}
