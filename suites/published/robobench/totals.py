"""Aggregates several runs of the release of August 2026: mean, population deviation, smallest and largest value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from statistics import fmean, pstdev
from typing import NamedTuple

from homie.kernel.errors import BadInput


class Spread(NamedTuple):
    """The scores of one task over runs, with their mean, population deviation, minimum and maximum."""

    scores: tuple[float, ...]
    mean: float
    std: float
    low: float
    high: float


class Overall(NamedTuple):
    """The mean of the tasks' means and their population deviation; 0 without tasks."""

    mean: float
    std: float


def spreads(runs: Sequence[Mapping[str, object] | None]) -> dict[str, Spread]:
    """Aggregate runs.

    Args:
        runs: per run, a score per task: a number, or an object with `accuracy`. Planning reports have no such score, so
            they are never included, as released; None is a run without a result.

    Returns:
        A spread per task, sorted by name.
    """
    names = sorted({name for run in runs if run for name in run})
    scores = {name: [score for run in runs if run and (score := _score(run.get(name))) is not None] for name in names}
    return {
        name: Spread(tuple(values), fmean(values), pstdev(values), min(values), max(values))
        for name, values in scores.items()
        if values
    }


def overall(tasks: Mapping[str, Spread]) -> Overall:
    """The mean over tasks of their means."""
    means = [task.mean for task in tasks.values()]
    return Overall(fmean(means), pstdev(means)) if means else Overall(0.0, 0.0)


def collect_accuracies(files: Mapping[str, float]) -> list[dict[str, object]]:
    """Collect files of accuracies as the released pipeline does: by run and *model*, so that only the last task of a
    model remains.

    Args:
        files: accuracies by path, `run_<n>/<model>/<task>/evaluated.json`.

    Raises:
        BadInput: a path has another form.
    """
    runs: dict[str, dict[str, object]] = {}
    for name, accuracy in files.items():
        parts = PurePosixPath(name).parts
        if len(parts) < 3:
            raise BadInput(f"{name!r} is not a path of the form run/model/task/file")
        runs.setdefault(parts[0], {})[parts[1]] = accuracy
    return [runs[run] for run in sorted(runs)]


def _score(value: object) -> float | None:
    if isinstance(value, Mapping):
        value = value.get("accuracy")
    return float(value) if isinstance(value, (int, float)) else None
