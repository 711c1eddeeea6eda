"""Metrics of a run: TP, SR, PLWSR, SER and SRR (EMMOE, section 3.4), errors and skills (section 5.5); GP
(EmbodiedBench's goal progress).

Every metric is the sum of one quantity over episodes divided by the sum of another; a row of `BUILT_IN` defines both
for one episode, so that one function computes all metrics and their intervals. Other packages add metrics by entry
points of the group `homie.metrics`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from homie.bench.intervals_and_tests import RESAMPLES, Estimate, Term, clustered_mean, clustered_wilson
from homie.bench.score.error_code_of_feedback import merge_e3
from homie.bench.score.scores import Count, Results, Score
from homie.kernel import registry
from homie.kernel.errors import BadInput

Added: TypeAlias = Callable[[Score], tuple[float, float]]
"""Contribution of one episode to numerator and denominator of a metric."""
Shown: TypeAlias = Literal["", "metrics", "reports"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: the sum of one quantity over episodes divided by the sum of another, from 0 to 1.

    Attributes:
        name: Name, used as column heading.
        meaning: Description for the report page.
        added: Contribution of an episode to numerator and denominator.
        needs: Parts of a score that it needs; if a profile raised an exception for one of them, the metric has no
            value.
        share: Whether it is a share of episodes, with Wilson's interval; others are means (`clustered_mean`).
        shown: Table with its column, in percent: `metrics` (and differences, splits, attributes), `reports`, "" for
            none. Quantities with other units, such as seconds, have their own columns in
            `homie.bench.score.compare_tables`.
    """

    name: str
    meaning: str
    added: Added
    needs: tuple[str, ...] = ()
    share: bool = False
    shown: Shown = "metrics"


def _judged_share(counts: Callable[[Score], bool]) -> Added:
    """Return the contributions to a share of the episodes whose final state can be judged."""

    def added(score: Score) -> tuple[float, float]:
        judged = score.verdict is not None
        return float(judged and counts(score)), float(judged)

    return added


def _undone(score: Score) -> tuple[float, float]:
    held = score.held_first is not None
    return float(held and score.verdict is False), float(held)


WORLD = "world"
BUILT_IN = (
    Metric(
        name="SR",
        meaning="success rate: the share of episodes in which the task was done and the planner ended it",
        added=lambda score: (float(bool(score.success)), 1.0),
        needs=("success",),
        share=True,
    ),
    Metric(
        name="PLWSR",
        meaning="success rate weighted by path length: a success counts less, the more subtasks it took than the "
        "expert",
        added=lambda score: (score.weight or 0.0, 1.0),
        needs=("success", "expert"),
    ),
    Metric(
        name="TP",
        meaning="task progress: how much of the task was done, on average",
        added=lambda score: (score.tp or 0.0, 1.0),
        needs=("tp",),
    ),
    Metric(
        name="SRR",
        meaning="success re-plan rate: of the failed subtasks after which the planner went on, the share in successes",
        added=lambda score: (float(score.replans if score.success else 0), float(score.replans)),
        needs=("replans_in_success",),
    ),
    Metric(
        name="SER",
        meaning="success end rate: of the episodes that the planner ended, the share that succeeded",
        added=lambda score: (float(bool(score.success and score.ended)), float(score.ended)),
        needs=("success",),
        share=True,
    ),
    Metric(
        name="GP",
        meaning="goal progress: the share of the conditions of the goal that hold at the end, on average",
        added=lambda score: (score.progress or 0.0, float(score.progress is not None)),
    ),
    Metric(
        name=WORLD,
        meaning="the share of episodes whose goal holds in the final state of the world",
        added=_judged_share(lambda score: score.verdict is True),
        share=True,
        shown="",
    ),
    Metric(
        name="B",
        meaning="the goal holds and the planner said that it does",
        added=_judged_share(lambda score: score.verdict is True and score.claim is True),
        share=True,
        shown="reports",
    ),
    Metric(
        name="FR",
        meaning="it said what is not so",
        added=_judged_share(lambda score: score.claim is (not score.verdict)),
        share=True,
        shown="reports",
    ),
    Metric(
        name="NR",
        meaning="it did not end the task",
        added=_judged_share(lambda score: score.claim is None),
        share=True,
        shown="reports",
    ),
    Metric(
        name="HN",
        meaning="honest negative, it said that the task is not done, and it was not",
        added=_judged_share(lambda score: score.verdict is False and score.claim is False),
        share=True,
        shown="reports",
    ),
    Metric(
        name="undone",
        meaning="of the episodes whose goal held at some time, those where it does not in the end",
        added=_undone,
        share=True,
        shown="reports",
    ),
)
"""Homie's metrics: those of table 2 of the paper in its order, then GP and world, then the rates of reports as in Vigil
(docs/metrics.md)."""


def metrics() -> Mapping[str, Metric]:
    """Return all metrics by name: Homie's, then those of other packages (entry points `homie.metrics`).

    Raises:
        BadInput: An entry point is not a metric, or has the name of another one.
    """
    known = {metric.name: metric for metric in BUILT_IN}
    for name, metric in registry.usable("metrics").items():
        if not isinstance(metric, Metric):
            raise BadInput(f"The metric '{name}' of another package has to be a homie.Metric, not {metric!r}.")
        if metric.name in known:
            raise BadInput(f"The metric '{name}' of another package is called {metric.name}, as another is: rename it.")
        known[metric.name] = metric
    return known


def shown_in(table: Shown) -> tuple[str, ...]:
    """Return the metrics that a table shows, in order."""
    return tuple(name for name, metric in metrics().items() if metric.shown == table)


class Ratio(NamedTuple):
    """Numerator and denominator of a metric."""

    numerator: float
    denominator: float

    @property
    def value(self) -> float | None:
        """The quotient, None if the denominator is 0 (the official notebooks divide by zero there)."""
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Errors by code and the number of steps, for one class of trajectories (a row of tables H5 and H6)."""

    codes: Mapping[str, int]
    steps: int

    @property
    def total(self) -> int:
        return sum(self.codes.values())


def ratio(results: Results, metric: str) -> Ratio:
    """Compute a metric of a run; (0, 0) if the profile raised an exception for a score that the metric needs."""
    if blocked_scores(results, metric):
        return Ratio(0.0, 0.0)
    added = list(map(metrics()[metric].added, results.scores))
    return Ratio(sum(numerator for numerator, _ in added), sum(denominator for _, denominator in added))


def blocked_scores(results: Results, metric: str) -> tuple[Score, ...]:
    """Return the episodes for which the profile could not compute a value that the metric needs."""
    needed_parts = metrics()[metric].needs
    return tuple(score for score in results.scores if any(part in score.raises for part in needed_parts))


def terms(results: Results, metric: str) -> tuple[Term, ...]:
    """Return the contributions of each episode to a metric, clustered by task; none if an episode blocks it."""
    if blocked_scores(results, metric):
        return ()
    added = metrics()[metric].added
    return tuple(Term(score.task_id, *added(score)) for score in results.scores)


def estimate(
    results: Results, metric: str, *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Estimate:
    """Estimate a metric with its interval, clustered by task."""
    added = terms(results, metric)
    if metrics()[metric].share:
        return clustered_wilson(added, confidence)
    return clustered_mean(added, seed=seed, resamples=resamples, confidence=confidence)


def error_counts(results: Results, *, success: bool) -> ErrorCounts:
    """Count errors of the successful or the failed trajectories, with E3 counted as E2."""
    selected = [score for score in results.scores if score.success is success]
    return ErrorCounts(merge_e3(raw_errors(selected)), sum(score.scored_steps for score in selected))


def raw_errors(scores: Sequence[Score]) -> Counter[str]:
    """Count errors by code of the profile (`strict-emmoe` separates E3 from E2)."""
    total: Counter[str] = Counter()
    for score in scores:
        total.update(score.errors)
    return total


def skill_counts(results: Results, *, attempts: bool) -> dict[str, Count]:
    """Count successes and failures by action: of single attempts, or of subtasks (up to three attempts each)."""
    total: dict[str, Count] = {}
    for score in results.scores:
        for action, count in (score.attempts if attempts else score.executions).items():
            previous = total.get(action, Count(0, 0))
            total[action] = Count(previous.success + count.success, previous.fail + count.fail)
    return total


def assumed_rate(count: Count, attempts: int) -> float | None:
    """Estimate success per attempt as in the paper: three attempts per failure, `attempts` per success (table H7)."""
    attempt_count = 3 * count.fail + attempts * count.success
    return count.success / attempt_count if attempt_count else None
