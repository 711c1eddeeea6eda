"""Episodes of a bench: tasks, trials and seeds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from homie.bench.episode import Episode
from homie.bench.options import BenchOptions
from homie.bench.suite.suite import Suite
from homie.kernel.options import MAX_SEED


def plan(run: Path, options: BenchOptions, suite: Suite) -> tuple[Episode, ...]:
    """Return all episodes of a bench: every trial of every selected task. Raises BadInput."""
    trials = options.trials or suite.protocol.trials
    tasks = suite.select(options.tasks, options.split)
    return tuple(
        Episode(task, trial, episode_seed(options.seed, task.id, trial), run / "episodes" / f"{task.id}-{trial}")
        for task in tasks
        for trial in range(trials)
    )


def episode_seed(seed: int, task_id: str, trial: int) -> int:
    """Return the seed of an episode, which depends only on these three arguments."""
    digest = hashlib.sha256(f"{seed}/{task_id}/{trial}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (MAX_SEED + 1)
