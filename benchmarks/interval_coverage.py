"""Empirical coverage of the intervals of `homie.bench.intervals_and_tests`: `python benchmarks/interval_coverage.py`.

Tasks differ in difficulty (Beta distributed success probabilities); the trials of a task share its probability.
"""

from __future__ import annotations

import argparse

import numpy as np

from homie.bench.intervals_and_tests import Term, bootstrap, clustered_wilson, wilson

SHAPES = ((1.0, 2.0), (0.5, 0.5), (0.3, 6.0))
SIZES = ((100, 3), (20, 3), (10, 3))


def coverage(shape: tuple[float, float], tasks: int, trials: int, runs: int, seed: int) -> tuple[float, ...]:
    """Estimate the coverage of clustered Wilson, bootstrap, and Wilson intervals that assume independent trials."""
    chance = np.random.default_rng(seed)
    truth = shape[0] / sum(shape)
    hits = np.zeros(3)
    for _ in range(runs):
        difficulty = chance.beta(*shape, tasks)
        successes = chance.random((tasks, trials)) < difficulty[:, None]
        terms = [Term(task, float(outcome), 1.0) for task in range(tasks) for outcome in successes[task]]
        intervals = (
            clustered_wilson(terms).interval,
            bootstrap(terms, resamples=500).interval,
            wilson(float(successes.sum()), successes.size),
        )
        hits += [interval is not None and interval.low <= truth <= interval.high for interval in intervals]
    return tuple(float(share) for share in hits / runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(
        "| SR | tasks x trials | clustered Wilson | bootstrap | Wilson, trials as independent |\n|---|---|---|---|---|"
    )
    for shape in SHAPES:
        for tasks, trials in SIZES:
            shares = " | ".join(
                f"{100 * share:.1f}" for share in coverage(shape, tasks, trials, arguments.runs, arguments.seed)
            )
            print(f"| {100 * shape[0] / sum(shape):.0f} % | {tasks} x {trials} | {shares} |")


if __name__ == "__main__":
    main()
