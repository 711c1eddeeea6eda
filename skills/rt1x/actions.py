"""From RT-1-X's tokens to motions, as the embodiment that an action is meant for has them.

google: Google's robot. Hand motions in m and as rotation vectors, the gripper as a change of how far it is closed, base
motions. widowx: the WidowX of BridgeData. Hand motions smaller by fixed factors, rotations as roll, pitch and yaw,
the gripper open or closed, no base. Source: reference implementations of both in SimplerEnv (Apache-2.0).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from homie.kernel.types import Array
from skills.policies.motions import Motion, from_euler
from skills.policies.tokens import RT1X

TEXT = 512
"""Numbers that a text is given as."""
RATE = 3.0
"""Decisions per second that RT-1-X was trained for."""

STILL = 1e-2
"""A smaller change of the gripper than this is none (google)."""

WIDOWX_TRANSLATION = (1.75, 0.05)
"""What the network gives for the largest motion, and that motion in m; there is no larger one."""
WIDOWX_ROTATION = (1.4, 0.25)
"""The same for a rotation, rad."""


class Embodiment(ABC):
    """Reads actions; remembers what the gripper was last told."""

    name: ClassVar[str]

    def reset(self, opening: float) -> None:
        """Begin an attempt. opening: how far the gripper is open now, 0..1."""
        self.opening = opening

    def motion(self, tokens: ArrayLike) -> Motion:
        """The motion that 11 tokens mean."""
        mode, values = RT1X.decode(tokens)
        self.opening = self._opening(float(values["gripper_closedness_action"][0]))
        translation, rotation, base = self._scaled(values)
        return Motion(translation, rotation, self.opening, base, mode == "terminate")

    @abstractmethod
    def _opening(self, closedness: float) -> float:
        """The opening wanted (0..1) by a closedness in -1..1, of which 1 closes."""

    @abstractmethod
    def _scaled(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """Translation (3,), rotation vector (3,) and base motion (3,)."""


class Google(Embodiment):
    """Everything as the network gives it."""

    name = "google"

    def _opening(self, closedness: float) -> float:
        change = closedness if abs(closedness) >= STILL else 0.0
        return float(np.clip(self.opening - change, 0.0, 1.0))

    def _scaled(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        base = np.append(values["base_displacement_vector"], values["base_displacement_vertical_rotation"])
        return values["world_vector"], values["rotation_delta"], base


class WidowX(Embodiment):
    """Scaled down and bounded; the gripper is open or closed."""

    name = "widowx"

    def _opening(self, closedness: float) -> float:
        return 1.0 if closedness < 0.0 else 0.0

    def _scaled(self, values: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        translation = _bounded(values["world_vector"], *WIDOWX_TRANSLATION)
        return translation, from_euler(_bounded(values["rotation_delta"], *WIDOWX_ROTATION)), np.zeros(3)


def _bounded(values: Array, given: float, largest: float) -> Array:
    return np.asarray(np.clip(values * (largest / given), -largest, largest))


EMBODIMENTS: dict[str, type[Embodiment]] = {made.name: made for made in (Google, WidowX)}
