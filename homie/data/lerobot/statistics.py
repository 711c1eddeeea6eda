"""The ten statistics that LeRobot keeps of every column: of an episode, and of a data set from those of its episodes.

LeRobot reads a data set whose episodes lack some of them, and cannot read it any more once it has added an episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Image

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
NAMES = ("min", "max", "mean", "std", "count", *QUANTILES)
Statistics: TypeAlias = Mapping[str, NDArray[Any]]
"""min, max, mean, std, count (1,) and the quantiles: (n,) of a vector, (channels, 1, 1) in 0..1 of pictures."""
_SIDE = 64
"""Pixels of a side that are counted, about: a mean of more of them differs by less than noise does."""


def is_whole(statistics: Statistics | None) -> bool:
    """Whether all ten are there, and finite."""
    return statistics is not None and all(
        name in statistics and np.isfinite(np.asarray(statistics[name], np.float64)).all() for name in NAMES
    )


def of_numbers(values: NDArray[Any]) -> Statistics:
    """Of a column: (n,) or (n, d)."""
    rows = values.reshape(len(values), -1)
    quantiles = np.quantile(rows.astype(np.float64), list(QUANTILES.values()), axis=0)
    return {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0, dtype=np.float64),
        "std": rows.std(axis=0, dtype=np.float64),
        "count": np.array([len(rows)]),
        **dict(zip(QUANTILES, quantiles, strict=True)),
    }


class PictureStatistics:
    """Counts the values of pictures, channel by channel: exact, in a memory that does not grow with them.

    Args:
        channels: Of the camera. Where it has one, its pictures are shown in grey: one of their three colours is
            counted.
    """

    def __init__(self, channels: int = 3) -> None:
        self._channels = min(channels, 3)
        self._counts = np.zeros((self._channels, 256), np.int64)
        self._pictures = 0

    def add(self, picture: Image) -> None:
        """One picture more, (H, W, 3)."""
        step = max(1, min(picture.shape[:2]) // _SIDE)
        small = picture[::step, ::step].reshape(-1, 3)
        self._counts += np.stack([np.bincount(small[:, channel], minlength=256) for channel in range(self._channels)])
        self._pictures += 1

    def result(self) -> Statistics:
        """Of all that were added; there must be one."""
        values = np.arange(256) / 255.0
        total = self._counts.sum(axis=1, keepdims=True)
        mean = (self._counts * values).sum(axis=1, keepdims=True) / total
        variance = (self._counts * (values - mean) ** 2).sum(axis=1) / total[:, 0]
        below = np.cumsum(self._counts, axis=1) / total
        there = self._counts > 0
        numbers = {
            "min": values[there.argmax(axis=1)],
            "max": values[255 - there[:, ::-1].argmax(axis=1)],
            "mean": mean[:, 0],
            "std": np.sqrt(variance),
            **{name: values[(below >= share).argmax(axis=1)] for name, share in QUANTILES.items()},
        }
        shaped = {name: value.reshape(-1, 1, 1) for name, value in numbers.items()}
        return {**shaped, "count": np.array([self._pictures])}


def together(parts: Sequence[Statistics]) -> Statistics:
    """Of several episodes. Quantiles are means by length, which is what LeRobot makes of them."""
    counts = np.array([part["count"][0] for part in parts], np.float64)
    weights = (counts / counts.sum()).reshape(-1, *[1] * np.ndim(parts[0]["mean"]))

    def mean(values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.asarray((np.stack(values) * weights).sum(axis=0))

    means = [part["mean"] for part in parts]
    middle = mean(means)
    spread = mean([part["std"] ** 2 + (part["mean"] - middle) ** 2 for part in parts])
    return {
        "min": np.min([part["min"] for part in parts], axis=0),
        "max": np.max([part["max"] for part in parts], axis=0),
        "mean": middle,
        "std": np.sqrt(spread),
        "count": np.array([int(counts.sum())]),
        **{name: mean([part[name] for part in parts]) for name in QUANTILES},
    }
