"""The ten statistics that LeRobot stores for every column, of an episode and aggregated over a data set.

LeRobot can read a data set in which episodes lack some of them, but not after adding an episode to it.
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
"""min, max, mean, std, count (1,) and quantiles: (n,) for a vector, (channels, 1, 1) in 0..1 for pictures."""
_SIDE = 64
"""Approximate number of sampled pixels per side: with more, the mean changes by less than the noise."""


def is_whole(statistics: Statistics | None) -> bool:
    """Return whether all ten statistics are present and finite."""
    return statistics is not None and all(
        name in statistics and np.isfinite(np.asarray(statistics[name], np.float64)).all() for name in NAMES
    )


def of_numbers(values: NDArray[Any]) -> Statistics:
    """Compute the statistics of a column: (n,) or (n, d)."""
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
    """Streaming statistics of pictures by channel: exact for the sampled pixels, in constant memory.

    Args:
        channels: Channels of the camera. If it has one, pictures are grey in three equal channels, of which one is
            counted.
    """

    def __init__(self, channels: int = 3) -> None:
        self._channels = min(channels, 3)
        self._counts = np.zeros((self._channels, 256), np.int64)
        self._pictures = 0

    def add(self, picture: Image) -> None:
        """Add a picture (H, W, 3)."""
        step = max(1, min(picture.shape[:2]) // _SIDE)
        small = picture[::step, ::step].reshape(-1, 3)
        self._counts += np.stack([np.bincount(small[:, channel], minlength=256) for channel in range(self._channels)])
        self._pictures += 1

    def result(self) -> Statistics:
        """Return the statistics of all pictures added; at least one is required."""
        values = np.arange(256) / 255.0
        total = self._counts.sum(axis=1, keepdims=True)
        mean = (self._counts * values).sum(axis=1, keepdims=True) / total
        variance = (self._counts * (values - mean) ** 2).sum(axis=1) / total[:, 0]
        cumulative = np.cumsum(self._counts, axis=1) / total
        occurs = self._counts > 0
        numbers = {
            "min": values[occurs.argmax(axis=1)],
            "max": values[255 - occurs[:, ::-1].argmax(axis=1)],
            "mean": mean[:, 0],
            "std": np.sqrt(variance),
            **{name: values[(cumulative >= share).argmax(axis=1)] for name, share in QUANTILES.items()},
        }
        shaped = {name: value.reshape(-1, 1, 1) for name, value in numbers.items()}
        return {**shaped, "count": np.array([self._pictures])}


def together(parts: Sequence[Statistics]) -> Statistics:
    """Aggregate the statistics of several episodes. Quantiles are averaged weighted by length, as LeRobot does."""
    counts = np.array([part["count"][0] for part in parts], np.float64)
    weights = (counts / counts.sum()).reshape(-1, *[1] * np.ndim(parts[0]["mean"]))

    def mean(values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.asarray((np.stack(values) * weights).sum(axis=0))

    means = [part["mean"] for part in parts]
    overall_mean = mean(means)
    pooled = mean([part["std"] ** 2 + (part["mean"] - overall_mean) ** 2 for part in parts])
    return {
        "min": np.min([part["min"] for part in parts], axis=0),
        "max": np.max([part["max"] for part in parts], axis=0),
        "mean": overall_mean,
        "std": np.sqrt(pooled),
        "count": np.array([int(counts.sum())]),
        **{name: mean([part[name] for part in parts]) for name in QUANTILES},
    }
