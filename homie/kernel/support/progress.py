"""Progress reports of long-running work."""

from __future__ import annotations

from typing import Protocol


class StepOver(Protocol):
    """Called after each step of a training."""

    def __call__(self, step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
        """Report a step.

        Args:
            step: Number of the step, from 1.
            steps: Total number of steps.
            loss: The training loss of the step.
            speed: Tokens per second of this process so far; 0 if they are not counted.
        """
