"""How long-running work reports its progress."""

from __future__ import annotations

from typing import Protocol


class StepOver(Protocol):
    """Called after each step of a training."""

    def __call__(self, step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
        """Report a step.

        Args:
            step: Its number, from 1.
            steps: How many there are.
            loss: The training loss of the step.
            speed: Tokens per second of this process so far; 0 where they are not counted.
        """
