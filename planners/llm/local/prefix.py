"""The keys and values of the last prompt, so that the next one is read from where it differs.

From round to round most of a prompt stays the same, and on a CPU reading it is most of the time of a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

SHORTEST = 32
"""Tokens in common below which the prompt is read anew: cropping would take as long."""


class Prefix:
    """What a model has read and written last, for one thread at a time. Of the attention of the last prompt only: two
    conversations in turn share what they begin with."""

    def __init__(self, config: Any) -> None:
        """Make an empty cache.

        Args:
            config: Configuration of the text model.
        """
        self._config = config
        self._tokens: Sequence[int] = ()
        self._cache: DynamicCache | None = None

    def take(self, tokens: Sequence[int]) -> tuple[DynamicCache, int]:
        """A cache for a prompt, and how many of its tokens are in it: all but the last at most.

        Args:
            tokens: Ids of the whole prompt.
        """
        cache, before = self._cache, self._tokens
        self._cache, self._tokens = None, ()  # whoever fails in between leaves nothing half read
        pairs = zip(before, tokens[:-1], strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if cache is None or common < SHORTEST:
            return DynamicCache(config=self._config), 0
        if surplus := cache.get_seq_length() - common:
            cache.crop(-surplus)
        return cache, common

    def keep(self, cache: DynamicCache, tokens: Sequence[int]) -> None:
        """Keep what was read and written.

        Args:
            cache: As `take` gave it, after `generate`.
            tokens: Ids of the prompt and of the answer.
        """
        if all(type(layer) is DynamicLayer for layer in cache.layers):  # others forget, and cannot be cropped
            self._cache, self._tokens = cache, tokens[: cache.get_seq_length()]
