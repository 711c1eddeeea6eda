"""Discretised actions of the Robotics Transformers (RT-1: 256 bins, RT-1-X: 512).

A number in a range becomes the bin below it, of `bins` spread evenly from the range's lower to its upper end, both
included; numbers outside are clipped. The mode of an action (continue, terminate) is a token of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from homie.kernel.types import Array

Tokens = NDArray[np.int64]

_ROUNDING = 1e-6
"""Tolerance, in bins, below a bin's value within which a number still belongs to it: rounding would choose the bin
below."""


def encode(values: ArrayLike, low: float, high: float, bins: int) -> Tokens:
    """Return the bins 0..bins-1 of numbers in low..high. Raises ValueError for one that is not finite."""
    numbers = np.asarray(values, dtype=float)
    if not np.isfinite(numbers).all():
        raise ValueError(f"a value is not finite: {numbers.tolist()}")
    share = (np.clip(numbers, low, high) - low) / (high - low)
    return np.asarray(np.floor(share * (bins - 1) + _ROUNDING).astype(np.int64))


def decode(tokens: ArrayLike, low: float, high: float, bins: int) -> Array:
    """Return the numbers of bins. Raises ValueError for a token outside the bins."""
    values = np.asarray(tokens)
    if values.size and (values.min() < 0 or values.max() >= bins):
        raise ValueError(f"a token is outside 0..{bins - 1}: {values.tolist()}")
    return np.asarray(values / (bins - 1) * (high - low) + low)


@dataclass(frozen=True, slots=True)
class Field:
    """One part of an action: `size` numbers in low..high, a token each."""

    name: str
    size: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TokenCodec:
    """An action as tokens: one for its mode, then those of the fields in their order.

    Attributes:
        modes: Names of the modes in the order of their numbers.
    """

    bins: int
    modes: tuple[str, ...]
    fields: tuple[Field, ...]

    @property
    def length(self) -> int:
        """Number of tokens of one action."""
        return 1 + sum(field.size for field in self.fields)

    def encode(self, mode: str, values: Mapping[str, ArrayLike]) -> Tokens:
        """Return the tokens (length,) of an action. Raises ValueError for an unknown mode, KeyError for a missing
        field."""
        parts = [np.array([self.modes.index(mode)])]
        for field in self.fields:
            numbers = np.asarray(values[field.name], dtype=float)
            if numbers.shape != (field.size,):
                raise ValueError(f"{field.name} takes {field.size} number(s), got {numbers.tolist()}")
            parts.append(encode(numbers, field.low, field.high, self.bins))
        return np.concatenate(parts)

    def decode(self, tokens: ArrayLike) -> tuple[str, dict[str, Array]]:
        """Return mode and fields of tokens (length,). A first token that is not a mode means the last mode, as in
        RT-1."""
        token_array = np.asarray(tokens)
        if token_array.shape != (self.length,):
            raise ValueError(f"an action has {self.length} tokens, got {token_array.shape}")
        mode = self.modes[min(int(token_array[0]), len(self.modes) - 1)]
        values, start = {}, 1
        for field in self.fields:
            values[field.name] = decode(token_array[start : start + field.size], field.low, field.high, self.bins)
            start += field.size
        return mode, values


RT1X = TokenCodec(
    512,
    ("terminate", "continue", "other"),
    (
        Field("world_vector", 3, -2.0, 2.0),
        Field("rotation_delta", 3, -np.pi / 2, np.pi / 2),
        Field("gripper_closedness_action", 1, -1.0, 1.0),
        Field("base_displacement_vertical_rotation", 1, -np.pi, np.pi),
        Field("base_displacement_vector", 2, -1.0, 1.0),
    ),
)
"""Open X-Embodiment, models/rt1.py: hand motion, gripper (1 closes), base motion; units are the embodiment's."""
