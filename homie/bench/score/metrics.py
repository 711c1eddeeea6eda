"""The metrics of a run: TP, SR, PLWSR, SER and SRR (EMMOE, section 3.4), errors and skills (section 5.5); GP
(EmbodiedBench's goal progress).

Every metric is one sum over episodes divided by another; `TERMS` has what one episode adds to both. So one function
computes all metrics and their intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from homie.bench.score.errors import folded
from homie.bench.score.scores import Count, Results, Score
from homie.bench.statistics import RESAMPLES, Estimate, Term, bootstrap, clustered_wilson

TERMS: Mapping[str, Callable[[Score], tuple[float, float]]] = {
    "SR": lambda score: (float(bool(score.success)), 1.0),
    "PLWSR": lambda score: (score.weight or 0.0, 1.0),
    "TP": lambda score: (score.tp or 0.0, 1.0),
    "SRR": lambda score: (float(score.replans if score.success else 0), float(score.replans)),
    "SER": lambda score: (float(bool(score.success and score.ended)), float(score.ended)),
    "GP": lambda score: (score.progress or 0.0, float(score.progress is not None)),
    "world": lambda score: (float(bool(score.verdict)), float(score.verdict is not None)),
    "B": lambda score: _judged(score, score.verdict is True and score.claim is True),
    "FR": lambda score: _judged(score, score.claim is (not score.verdict)),
    "NR": lambda score: _judged(score, score.claim is None),
    "HN": lambda score: _judged(score, score.verdict is False and score.claim is False),
    "undone": lambda score: (
        float(score.verdict is False and score.held_first is not None),
        float(score.held_first is not None),
    ),
}
"""What an episode adds to the numerator and the denominator of each metric, in the order of table 2 of the paper; GP
and world are not in it, nor are the rates of reports, which are those of Vigil (docs/metrics.md)."""
SHARES = ("SR", "SER", "world", "B", "FR", "NR", "HN", "undone")
"""The metrics that are a share of episodes and have Wilson's interval; the others have a bootstrap interval."""
METRICS = ("SR", "PLWSR", "TP", "SRR", "SER", "GP")
"""What tables show, in percent: each is between 0 and 1. What is no share, such as seconds, is a column of its own in
`homie.bench.compare.summary`."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    "SR": ("success",),
    "PLWSR": ("success", "expert"),
    "TP": ("tp",),
    "SRR": ("replans_in_success",),
    "SER": ("success",),
    "GP": (),
}
"""The parts of a score that each of `METRICS` needs: if one of them raised in a profile, the metric has no value."""


def _judged(score: Score, counts: bool) -> tuple[float, float]:
    """What an episode adds to a share of those whose world can be judged."""
    judged = score.verdict is not None
    return float(judged and counts), float(judged)


class Ratio(NamedTuple):
    """A sum over a sum."""

    numerator: float
    denominator: float

    @property
    def value(self) -> float | None:
        """The quotient, None if the denominator is 0 (the official notebooks divide by zero there)."""
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Errors by code and the number of steps, for one class of trajectories (a row of the tables H5 and H6)."""

    codes: Mapping[str, int]
    steps: int

    @property
    def total(self) -> int:
        return sum(self.codes.values())


def ratio(results: Results, metric: str) -> Ratio:
    """One metric of a run; (0, 0) if the profile raised for a score that the metric needs."""
    if blocked(results, metric):
        return Ratio(0.0, 0.0)
    added = [TERMS[metric](score) for score in results.scores]
    return Ratio(sum(numerator for numerator, _ in added), sum(denominator for _, denominator in added))


def blocked(results: Results, metric: str) -> tuple[Score, ...]:
    """The episodes for which the profile could not compute a value that the metric needs."""
    return tuple(score for score in results.scores if any(part in score.raises for part in NEEDS.get(metric, ())))


def terms(results: Results, metric: str) -> tuple[Term, ...]:
    """What each episode adds to a metric, clustered by task; empty if an episode blocks it."""
    if blocked(results, metric):
        return ()
    return tuple(Term(score.task_id, *TERMS[metric](score)) for score in results.scores)


def estimate(
    results: Results, metric: str, *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Estimate:
    """One metric with its interval, clustered by task."""
    added = terms(results, metric)
    if metric in SHARES:
        return clustered_wilson(added, confidence)
    return bootstrap(added, seed=seed, resamples=resamples, confidence=confidence)


def srr_by_trial(results: Results, trials: Iterable[int]) -> dict[int, Ratio]:
    """SRR of each trial, as the official notebook computes it: over one pass through all tasks."""
    return {
        trial: ratio(Results(results.profile, tuple(score for score in results.scores if score.trial == trial)), "SRR")
        for trial in trials
    }


def error_counts(results: Results, *, success: bool) -> ErrorCounts:
    """Errors of the successful or the failed trajectories, with E3 counted as E2."""
    chosen = [score for score in results.scores if score.success is success]
    return ErrorCounts(folded(raw_errors(chosen)), sum(score.scored_steps for score in chosen))


def raw_errors(scores: Sequence[Score]) -> Counter[str]:
    """Errors by code of the profile (`strict-emmoe` has E3 as a code of its own)."""
    total: Counter[str] = Counter()
    for score in scores:
        total.update(score.errors)
    return total


def skill_counts(results: Results, *, attempts: bool) -> dict[str, Count]:
    """Successes and failures by action: of single attempts, or of subtasks (up to three attempts each)."""
    total: dict[str, Count] = {}
    for score in results.scores:
        for action, count in (score.attempts if attempts else score.executions).items():
            before = total.get(action, Count(0, 0))
            total[action] = Count(before.success + count.success, before.fail + count.fail)
    return total


def assumed_rate(count: Count, attempts: int) -> float | None:
    """Success per attempt as the paper estimates it: three attempts per failure, `attempts` per success (table H7)."""
    tried = 3 * count.fail + attempts * count.success
    return count.success / tried if tried else None
