"""Rates over episodes of Vigil, in percent, and the paired comparison of episodes with and without feedback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from homie.kernel.errors import BadInput
from suites.published.vigil_episode import Family
from suites.published.vigil_score import Outcome, Score


@dataclass(frozen=True, slots=True)
class FamilyRates:
    """Rates of one family: the number of episodes, and W and B in percent."""

    n: int
    world: float
    benchmark: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates over episodes. Shares are percent of all episodes; None is 0/0.

    world (W), benchmark (B), delta (W - B), false_report (FR), no_report (NR; out_of_steps is its narrow sense),
    over_limit (IL), honest_negative; B + FR + NR + honest_negative = 100. stop: episodes with a report.

    Attributes:
        outcomes: Number of episodes by outcome.
        reported_without_goal, unreported_with_goal: Percent of the episodes with W = 0 and W = 1 (table 14).
        lag: Mean number of steps from reaching the goal to the report.
        false_success: Number of false reports of success.
        at_zero: Percent of the false successes without any progress.
        always, random, oracle: B of the same trajectories under other reports.
        after_goal: Percent of the steps after the goal, by skill, pooled.
        steps, retries, too_far, path_blocked: Means per episode.
    """

    n: int
    world: float
    benchmark: float
    false_report: float
    no_report: float
    out_of_steps: float
    over_limit: float
    honest_negative: float
    outcomes: Mapping[Outcome, int]
    families: Mapping[Family, FamilyRates]
    reported_without_goal: float | None
    unreported_with_goal: float | None
    lag: float | None
    false_success: int
    at_zero: float | None
    always: float
    random: float
    oracle: float
    after_goal: Mapping[str, float]
    steps: float
    retries: float
    too_far: float
    path_blocked: float

    @property
    def delta(self) -> float:
        return self.world - self.benchmark

    @property
    def stop(self) -> float:
        return 100.0 - self.no_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The effect of feedback in the same episodes: differences of W, B, FR, NR in percentage points (with minus
    without), and the means per episode without and with feedback."""

    world: float
    benchmark: float
    false_report: float
    no_report: float
    too_far: tuple[float, float]
    path_blocked: tuple[float, float]
    retries: tuple[float, float]
    steps: tuple[float, float]


def rates(scores: Sequence[Score]) -> Rates:
    """Compute the rates of some episodes.

    Args:
        scores: one per episode, at least one.

    Raises:
        BadInput: there are no episodes.
    """
    if not scores:
        raise BadInput("rates need at least one episode")
    false = [score for score in scores if score.false_success]
    lags = [score.lag for score in scores if score.lag is not None]
    after = sum((Counter(score.after_goal) for score in scores), Counter[str]())
    return Rates(
        n=len(scores),
        world=_percent(scores, lambda score: score.world),
        benchmark=_percent(scores, lambda score: score.benchmark),
        false_report=_percent(scores, lambda score: score.false_report),
        no_report=_percent(scores, lambda score: score.no_report),
        out_of_steps=_percent(scores, lambda score: score.out_of_steps),
        over_limit=_percent(scores, lambda score: score.over_limit),
        honest_negative=_percent(scores, lambda score: score.honest_negative),
        outcomes=Counter(score.outcome for score in scores),
        families={family: _family(scores, family) for family in Family if any(s.family is family for s in scores)},
        reported_without_goal=_share([score for score in scores if not score.world], lambda score: not score.no_report),
        unreported_with_goal=_share([score for score in scores if score.world], lambda score: score.no_report),
        lag=_mean(lags) if lags else None,
        false_success=len(false),
        at_zero=_share(false, lambda score: score.progress == 0),
        always=_percent(scores, lambda score: score.always),
        random=_percent(scores, lambda score: score.random),
        oracle=_percent(scores, lambda score: score.oracle),
        after_goal={skill: 100 * after[skill] / after.total() for skill in sorted(after)},
        steps=_mean(score.steps for score in scores),
        retries=_mean(score.retries for score in scores),
        too_far=_mean(score.too_far for score in scores),
        path_blocked=_mean(score.path_blocked for score in scores),
    )


def feedback_effect(base: Rates, feedback: Rates) -> Feedback:
    """Compute the effect of feedback.

    Args:
        base: rates without feedback.
        feedback: rates of the same episodes with feedback.

    Raises:
        BadInput: the numbers of episodes differ, so the episodes are not the same.
    """
    if base.n != feedback.n:
        raise BadInput(
            f"feedback is compared on the same episodes, but there are {base.n} without and {feedback.n} with"
        )
    return Feedback(
        world=feedback.world - base.world,
        benchmark=feedback.benchmark - base.benchmark,
        false_report=feedback.false_report - base.false_report,
        no_report=feedback.no_report - base.no_report,
        too_far=(base.too_far, feedback.too_far),
        path_blocked=(base.path_blocked, feedback.path_blocked),
        retries=(base.retries, feedback.retries),
        steps=(base.steps, feedback.steps),
    )


def _family(scores: Sequence[Score], family: Family) -> FamilyRates:
    members = [score for score in scores if score.family is family]
    return FamilyRates(
        len(members),
        _percent(members, lambda score: score.world),
        _percent(members, lambda score: score.benchmark),
    )


def _percent(scores: Sequence[Score], value: Callable[[Score], float]) -> float:
    return 100 * _mean(value(score) for score in scores)


def _share(scores: Sequence[Score], value: Callable[[Score], float]) -> float | None:
    return _percent(scores, value) if scores else None


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
