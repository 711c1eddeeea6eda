"""How those who work for long tell how far they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

StepOver: TypeAlias = Callable[[int, int, float], None]
"""Called after each step of a training with the number of the step, the number of steps, and the loss."""
