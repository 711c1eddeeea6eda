"""The episodes of a bench: which tasks, how often, with which seeds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from homie.bench.episode import Episode
from homie.bench.options import BenchOptions
from homie.bench.suite.suite import Suite
from homie.kernel.options import MAX_SEED


def plan(run: Path, options: BenchOptions, suite: Suite) -> tuple[Episode, ...]:
    """All episodes of a bench: every selected task, every trial. Raises BadInput."""
    trials = options.trials or suite.protocol.trials
    tasks = suite.select(options.tasks, options.split)
    return tuple(
        Episode(task, trial, episode_seed(options.seed, task.id, trial), run / "episodes" / f"{task.id}-{trial}")
        for task in tasks
        for trial in range(trials)
    )


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """The seed of an episode. It depends on nothing but these three."""
    digest = hashlib.sha256(f"{seed}/{task_id}/{trial}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (MAX_SEED + 1)
