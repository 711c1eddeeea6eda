"""Execution of action chunks: each chunk has actions for the current step and the next three."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

import numpy as np

from homie.kernel.types import Array


class Chunks(ABC):
    """Requests chunks (4, 7) when they are needed, and returns one action (7,) per step."""

    @abstractmethod
    def reset(self) -> None:
        """Discard all chunks."""

    @abstractmethod
    def step(self, predict: Callable[[], Array]) -> Array:
        """Return the next action."""


class RecedingHorizon(Chunks):
    """Receding horizon: the first `execute` actions of a chunk, then a new chunk."""

    def __init__(self, execute: int) -> None:
        self.execute = execute
        self.reset()

    def reset(self) -> None:
        self._queue: deque[Array] = deque()

    def step(self, predict: Callable[[], Array]) -> Array:
        if not self._queue:
            self._queue.extend(predict()[: self.execute])
        return self._queue.popleft()


class Ensemble(Chunks):
    """Temporal ensembling: a new chunk each step, and the weighted mean of the last four chunks' actions for this step.
    The weight of the i-th oldest is exp(-w i) (Zhao et al., 2023)."""

    def __init__(self, length: int, weight: float) -> None:
        self.weight = weight
        self._chunks: deque[Array] = deque(maxlen=length)

    def reset(self) -> None:
        self._chunks.clear()

    def step(self, predict: Callable[[], Array]) -> Array:
        self._chunks.append(predict())
        age = range(len(self._chunks) - 1, -1, -1)
        predicted = np.stack([chunk[position] for chunk, position in zip(self._chunks, age, strict=True)])
        weights = np.exp(-self.weight * np.arange(len(predicted)))
        mean: Array = weights @ predicted / weights.sum()
        return mean
