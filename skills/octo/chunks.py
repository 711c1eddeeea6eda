"""Which action of the chunks to execute: each chunk has actions for the step it was made at and the three after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

import numpy as np

from homie.kernel.types import Array


class Chunks(ABC):
    """Asks for chunks (4, 7) when they are needed, and gives one action (7,) a step."""

    @abstractmethod
    def reset(self) -> None:
        """Forget all chunks."""

    @abstractmethod
    def step(self, predict: Callable[[], Array]) -> Array:
        """The next action."""


class Receding(Chunks):
    """The first `execute` actions of a chunk, then a new chunk."""

    def __init__(self, execute: int) -> None:
        self.execute = execute
        self.reset()

    def reset(self) -> None:
        self._left: deque[Array] = deque()

    def step(self, predict: Callable[[], Array]) -> Array:
        if not self._left:
            self._left.extend(predict()[: self.execute])
        return self._left.popleft()


class Ensemble(Chunks):
    """A new chunk each step; the mean of what the last four say for this step, the i-th oldest weighted exp(-w i)."""

    def __init__(self, length: int, weight: float) -> None:
        self.weight = weight
        self._chunks: deque[Array] = deque(maxlen=length)

    def reset(self) -> None:
        self._chunks.clear()

    def step(self, predict: Callable[[], Array]) -> Array:
        self._chunks.append(predict())
        age = range(len(self._chunks) - 1, -1, -1)
        said = np.stack([chunk[old] for chunk, old in zip(self._chunks, age, strict=True)])
        weights = np.exp(-self.weight * np.arange(len(said)))
        mean: Array = weights @ said / weights.sum()
        return mean
