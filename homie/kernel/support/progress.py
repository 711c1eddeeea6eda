"""How those who work for long tell how far they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

StepOver: TypeAlias = Callable[[int, int, float], None]
"""Told of each step of a training, how many there are, and the loss in it."""
