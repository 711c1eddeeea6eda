"""Choosing tokens for several answers at once, each with its own grammar, seed and limit.

The engine decodes greedily; all choice is made here, in the scores. So an answer depends on its own request only,
whatever it shares a batch with: noise for sampling (Gumbel-max) comes from the generator of its row.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from planners.llm.local.grammar import Grammar


@dataclass
class Row:
    """How one answer is decoded.

    Attributes:
        limit: Tokens it may take.
        temperature: 0 for the best token always.
        seed: Of this answer alone.
        grammar: None for free text.
        cancelled: Nobody waits for it any more.
    """

    limit: int
    temperature: float = 0.0
    seed: int = 0
    grammar: Grammar | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._generator = torch.Generator().manual_seed(self.seed)

    def noise(self, size: int) -> torch.Tensor:
        """Gumbel noise (size,): the largest of scores + noise is a sample of their softmax."""
        drawn = torch.empty(size).exponential_(generator=self._generator)
        return -drawn.clamp_min(torch.finfo(torch.float32).tiny).log()


class Steering:
    """A logits processor of transformers for a batch of rows. `ends`: the tokens that end an answer."""

    def __init__(self, rows: Sequence[Row], ends: Sequence[int]) -> None:
        self._rows = rows
        self._ends = list(ends)
        self._prompt = -1
        self._done = [False] * len(rows)

    def __call__(self, tokens: Any, scores: torch.Tensor) -> torch.Tensor:
        """The scores (batch, vocabulary) with what is not allowed at minus infinity.

        Args:
            tokens: (batch, so far).
        """
        if self._prompt < 0:
            self._prompt = tokens.shape[1]
        written = tokens.shape[1] - self._prompt
        last = tokens[:, -1].tolist() if written else [None] * len(self._rows)
        allowed = np.stack([self._allowed(i, written, last[i], scores.shape[1]) for i in range(len(self._rows))])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
        for i, row in enumerate(self._rows):
            if row.temperature > 0 and not self._done[i]:
                noise = row.noise(scores.shape[1]).to(scores.device)
                scores[i] = scores[i].float() / row.temperature + noise
        return scores

    def _allowed(self, i: int, written: int, last: int | None, size: int) -> Any:
        row = self._rows[i]
        self._done[i] |= last in self._ends or written >= row.limit or row.cancelled.is_set()
        if self._done[i]:
            mask = np.zeros(size, np.bool_)
            mask[self._ends] = True
            return mask
        if row.grammar is None:
            return np.ones(size, np.bool_)
        if last is not None:
            row.grammar.take(last)
        return row.grammar.allowed(size, row.limit - written)
