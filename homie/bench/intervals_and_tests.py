"""Confidence intervals and tests for success rates over tasks with several trials each.

Trials of one task are correlated, so they are not independent samples: every function here takes the task of each
episode and treats tasks as the sampled units (clusters). The exception is McNemar's test, which ignores clusters.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from homie.kernel.types import Array

RESAMPLES = 10_000
POWER = 0.8
"""The usual power of a study: the chance of finding a difference of the planned size (Cohen 1988)."""
NO_VARIANCE = 1e-12
"""Range of resampled ratios, which are of the order of 1, that is due to rounding."""
HALVINGS = 50
"""Bisection steps: far finer than the precision of a table."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share or a mean with its interval; None if the denominator is 0."""

    value: float | None
    interval: Interval | None = None


class Term(NamedTuple):
    """Contribution of an episode to a metric, which is the sum of numerators divided by the sum of denominators."""

    cluster: Hashable
    numerator: float
    denominator: float


class Pair(NamedTuple):
    """An episode in two runs: its task, and whether each run succeeded."""

    cluster: Hashable
    first: bool
    second: bool


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Compute the score interval of Wilson (1927) for a share, without continuity correction.

    Args:
        successes: the numerator of the share.
        n: the denominator, not necessarily whole; 0 gives the interval from 0 to 1.
        confidence: coverage of the interval, 0..1.

    Example:
        >>> low, high = wilson(8, 10)
        >>> round(low, 3), round(high, 3)
        (0.49, 0.943)
    """
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half_width = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(max(0.0, min(centre - half_width, share)), min(1.0, max(centre + half_width, share)))


def clustered_wilson(terms: Iterable[Term], confidence: float = 0.95) -> Estimate:
    """Estimate a share of episodes with Wilson's interval at the effective number of episodes.

    The effective number follows from the variance between tasks (linearised ratio estimator), between the number of
    tasks and the number of episodes. If all episodes agree it is the number of tasks.

    Args:
        terms: one per episode, with a denominator of 0 or 1.
        confidence: coverage of the interval, 0..1.

    Raises:
        ValueError: a numerator is not between 0 and its denominator, or is not finite.

    Example:
        >>> terms = [Term("a", 1, 1), Term("a", 1, 1), Term("b", 0, 1), Term("b", 1, 1)]
        >>> clustered_wilson(terms).value
        0.75
    """
    sums = _cluster_sums(terms)
    if not ((sums >= 0).all() and (sums[:, 0] <= sums[:, 1]).all()):
        raise ValueError(
            "a share needs a numerator from 0 to its denominator in every episode: use bootstrap for a mean"
        )
    numerator, denominator = sums[:, 0].sum(), sums[:, 1].sum()
    if denominator == 0:
        return Estimate(None)
    share = float(numerator / denominator)
    size = effective_size(sums, share, share * (1 - share))
    return Estimate(share, wilson(share * size, size, confidence))


def effective_size(sums: Array, mean: float, spread: float) -> float:
    """Return the number of independent episodes with the same information as these clustered ones.

    Args:
        sums: numerators and denominators per task (tasks, 2).
        mean: the ratio of their totals.
        spread: the variance of one episode's value around the mean.
    """
    counted = sums[sums[:, 1] > 0]
    clusters, episodes = len(counted), float(counted[:, 1].sum())
    residuals = counted[:, 0] - mean * counted[:, 1]
    if clusters < 2 or spread <= 0:
        return float(clusters)
    variance = clusters / (clusters - 1) * float((residuals**2).sum()) / episodes**2
    return episodes if variance == 0 else float(np.clip(spread / variance, clusters, episodes))


def bootstrap(
    terms: Iterable[Term], *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Estimate:
    """Estimate a ratio of sums with its bootstrap percentile interval, resampling tasks with all trials (Efron 1979).

    The order of the terms makes no difference. Resamples with a denominator of 0 are left out. There is no interval
    where all tasks have the same ratio: resampling them shows no variance, which does not mean that there is none.

    Args:
        terms: one per episode.
        seed: of the random resamples.
        resamples: how many are drawn.
        confidence: coverage of the interval, 0..1.

    Raises:
        ValueError: a term is not finite.
    """
    sums = _cluster_sums(terms)
    numerator, denominator = (math.fsum(column) for column in sums.T)
    if denominator == 0:
        return Estimate(None)
    samples = _resample(sums, seed=seed, resamples=resamples)
    ratios = samples[:, 0][samples[:, 1] > 0] / samples[:, 1][samples[:, 1] > 0]
    return Estimate(numerator / denominator, _percentiles(ratios, confidence))


def clustered_mean(
    terms: Iterable[Term], *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Estimate:
    """A mean of values between 0 and 1 with the interval of `bootstrap`, and with Wilson's at the number of tasks where
    all tasks have the same value.

    Values between 0 and 1 vary at most as much as successes and failures with the same mean, so Wilson's interval is
    wide enough for them. The arguments are those of `bootstrap`.

    Example:
        >>> low, high = clustered_mean([Term(task, 1.0, 1.0) for task in range(4)]).interval
        >>> round(low, 2), high
        (0.51, 1.0)
    """
    terms = tuple(terms)
    estimate = bootstrap(terms, seed=seed, resamples=resamples, confidence=confidence)
    value = estimate.value
    if estimate.interval is not None or value is None or not 0 <= value <= 1:
        return estimate
    tasks = len({term.cluster for term in terms if term.denominator})
    return Estimate(value, wilson(value * tasks, tasks, confidence))


def paired_bootstrap(
    first: Iterable[Term],
    second: Iterable[Term],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate the difference second - first of two ratios, with a bootstrap interval over the same resampled tasks.

    There is no interval where all tasks differ by the same amount. The other arguments are those of `bootstrap`.

    Raises:
        ValueError: the two sides have different tasks.
    """
    first_sums, second_sums = _by_cluster(first), _by_cluster(second)
    if first_sums.keys() != second_sums.keys():
        raise ValueError("a paired difference needs the same tasks on both sides")
    sums = np.array([[*first_sums[key], *second_sums[key]] for key in first_sums], dtype=np.float64).reshape(-1, 4)
    totals = [math.fsum(column) for column in sums.T]
    if totals[1] == 0 or totals[3] == 0:
        return Estimate(None)
    samples = _resample(sums, seed=seed, resamples=resamples)
    samples = samples[(samples[:, 1] > 0) & (samples[:, 3] > 0)]
    differences = samples[:, 2] / samples[:, 3] - samples[:, 0] / samples[:, 1]
    return Estimate(totals[2] / totals[3] - totals[0] / totals[1], _percentiles(differences, confidence))


class McNemar(NamedTuple):
    """Numbers of episodes in which only one run succeeded, and the exact two-sided p value (McNemar 1947)."""

    only_first: int
    only_second: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """McNemar's exact test on paired outcomes. It assumes that all pairs are independent; see docs/metrics.md.

    Args:
        first: success of each episode in the first run.
        second: success of the same episodes in the second run.

    Raises:
        ValueError: the lengths differ.

    Example:
        >>> mcnemar([True, True, False], [True, False, False])
        McNemar(only_first=1, only_second=0, p=1.0)
    """
    pairs = list(zip(first, second, strict=True))
    b, c = sum(base and not other for base, other in pairs), sum(other and not base for base, other in pairs)
    discordant, tail, binomial = b + c, 0, 1
    for k in range(min(b, c) + 1):
        tail += binomial
        binomial = binomial * (discordant - k) // (k + 1)
    return McNemar(b, c, min(1.0, 2 * tail / 2**discordant))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """Adjust the p values of a family of tests by Holm's step-down method (1979), in the given order.

    If all null hypotheses hold, the probability that any adjusted value is below a level is at most that level.

    Example:
        >>> holm([0.01, 0.04])
        (0.02, 0.04)
    """
    adjusted = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def detectable_difference(pairs: Sequence[Pair], *, confidence: float = 0.95, power: float = POWER) -> float | None:
    """Return the smallest difference of two success rates that a test on this many pairs finds with the given power.

    Solves Connor's sample size for paired proportions (1987, Biometrics 43, equation 3) for the difference, at the
    effective number of pairs and the observed share of discordant pairs. A difference larger than that share needs at
    least as many discordant pairs.

    Args:
        pairs: the episodes of two runs.
        confidence: one minus the level of the test.
        power: probability of finding the difference.

    Returns:
        A difference of 0..1, or None if not even a difference of 1 would be found.
    """
    if not pairs:
        return None
    changes = [Term(pair.cluster, float(pair.second) - float(pair.first), 1.0) for pair in pairs]
    mean = math.fsum(change.numerator for change in changes) / len(pairs)
    discordant = sum(pair.first != pair.second for pair in pairs) / len(pairs)
    size = effective_size(_cluster_sums(changes), mean, discordant - mean**2)
    normal = NormalDist()
    level, chance = normal.inv_cdf(0.5 + confidence / 2), normal.inv_cdf(power)

    def enough(difference: float) -> bool:
        share = max(discordant, difference)
        root = level * math.sqrt(share) + chance * math.sqrt(max(share - difference**2, 0.0))
        return root**2 <= size * difference**2

    if not enough(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _by_cluster(terms: Iterable[Term]) -> Mapping[Hashable, tuple[float, float]]:
    """Sums of numerators and denominators per cluster, sorted by cluster."""
    groups: dict[Hashable, list[Term]] = {}
    for term in terms:
        groups.setdefault(term.cluster, []).append(term)
    return {
        key: (math.fsum(term.numerator for term in groups[key]), math.fsum(term.denominator for term in groups[key]))
        for key in sorted(groups, key=repr)
    }


def _cluster_sums(terms: Iterable[Term]) -> Array:
    sums = np.array(list(_by_cluster(terms).values()), dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(sums).all():
        raise ValueError("a term is not a finite number")
    return sums


def _resample(sums: Array, *, seed: int, resamples: int) -> Array:
    """Sums (resamples, k) over clusters drawn with replacement.

    Args:
        sums: (clusters, k).
    """
    count = len(sums)
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    samples: Array = weights @ sums
    return samples


def _percentiles(values: Array, confidence: float) -> Interval | None:
    """Return the percentile interval; None without values, or if all are equal except for rounding."""
    if not len(values) or np.ptp(values) < NO_VARIANCE:
        return None
    low, high = np.quantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Interval(float(low), float(high))
