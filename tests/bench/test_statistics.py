"""Intervals and tests against published values, independent formulas and simulated runs."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.bench.statistics import (
    Term,
    bootstrap,
    clustered_wilson,
    mcnemar,
    paired_bootstrap,
    wilson,
)

OUTCOMES = st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=12)


def as_terms(tasks: list[list[bool]]) -> list[Term]:
    return [Term(f"task-{number}", float(good), 1.0) for number, trials in enumerate(tasks) for good in trials]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_published(successes: int, n: int, low: float, high: float) -> None:
    """Newcombe 1998 (Statistics in Medicine 17), table I, method 3."""
    interval = wilson(successes, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@given(st.integers(1, 400), st.data(), st.floats(0.5, 0.99))
def test_wilson_bounds_are_where_the_score_test_turns(n: int, data: st.DataObject, confidence: float) -> None:
    """At its bounds p the score statistic |share - p| / sqrt(p (1 - p) / n) is the normal quantile."""
    successes = data.draw(st.integers(0, n))
    low, high = wilson(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1
    for p in (low, high):
        if 0 < p < 1:
            z = abs(successes / n - p) / math.sqrt(p * (1 - p) / n)
            assert math.erf(z / math.sqrt(2)) == pytest.approx(confidence, abs=1e-6)


@given(st.integers(1, 100), st.data())
def test_wilson_is_symmetric(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    low, high = wilson(successes, n)
    mirrored = wilson(n - successes, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored)


def test_clustered_wilson_is_wilson_where_trials_are_independent_or_equal() -> None:
    once = [[True]] * 30 + [[False]] * 70
    assert clustered_wilson(as_terms(once)).interval == pytest.approx(wilson(30, 100), abs=0.002)
    thrice = [[good] * 3 for (good,) in once]
    alike = clustered_wilson(as_terms(thrice)).interval
    assert alike == pytest.approx(wilson(30, 100), abs=0.002)
    assert alike is not None and alike.low < wilson(90, 300).low
    assert clustered_wilson(as_terms([[False] * 3] * 20)).interval == wilson(0, 20)


@given(OUTCOMES, st.randoms())
@settings(max_examples=50, deadline=None)
def test_order_makes_no_difference(tasks: list[list[bool]], chance: random.Random) -> None:
    terms = as_terms(tasks)
    other = list(terms)
    chance.shuffle(other)
    assert bootstrap(terms, resamples=200) == bootstrap(other, resamples=200)
    assert clustered_wilson(terms) == clustered_wilson(other)


@given(OUTCOMES)
@settings(max_examples=50, deadline=None)
def test_estimates_lie_in_their_intervals(tasks: list[list[bool]]) -> None:
    terms = as_terms(tasks)
    share = sum(term.numerator for term in terms) / len(terms)
    for estimate in (bootstrap(terms, resamples=400), clustered_wilson(terms)):
        assert estimate.value == pytest.approx(share)
        assert estimate.interval is not None
        assert 0 <= estimate.interval.low <= estimate.interval.high <= 1
    wide = clustered_wilson(terms).interval
    assert wide is not None and wide.low <= share <= wide.high


def test_bootstrap_against_every_resample() -> None:
    """With four tasks all 4^4 resamples can be listed; the bootstrap's share of each mean must agree with them."""
    values = [0.1, 0.2, 0.4, 0.9]
    exact = sorted(sum(drawn) / 4 for drawn in itertools.product(values, repeat=4))
    made = bootstrap([Term(i, value, 1.0) for i, value in enumerate(values)], resamples=60_000, confidence=0.8)
    assert made.value == pytest.approx(0.4)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(np.quantile(exact, 0.1), abs=0.03)
    assert made.interval.high == pytest.approx(np.quantile(exact, 0.9), abs=0.03)


def test_nothing_to_divide_by() -> None:
    nothing = [Term("a", 0.0, 0.0)]
    for estimate in (bootstrap([]), bootstrap(nothing), clustered_wilson([]), clustered_wilson(nothing)):
        assert estimate.value is None and estimate.interval is None
    assert paired_bootstrap(nothing, nothing).value is None


def simulated(chance: np.random.Generator, tasks: int, trials: int) -> list[Term]:
    """Runs of tasks that differ in how hard they are: Beta(1, 2), mean 1/3."""
    difficulty = chance.beta(1, 2, tasks)
    good = chance.random((tasks, trials)) < difficulty[:, None]
    return [Term(task, float(one), 1.0) for task in range(tasks) for one in good[task]]


def test_coverage_over_tasks() -> None:
    """Of 400 simulated runs, about 95 % of the clustered intervals hold the truth; of the unclustered far fewer."""
    chance = np.random.default_rng(4)
    hits = {"wilson": 0, "bootstrap": 0, "unclustered": 0}
    for _ in range(400):
        terms = simulated(chance, tasks=40, trials=6)
        intervals = {
            "wilson": clustered_wilson(terms).interval,
            "bootstrap": bootstrap(terms, resamples=400).interval,
            "unclustered": wilson(sum(term.numerator for term in terms), len(terms)),
        }
        for name, interval in intervals.items():
            assert interval is not None
            hits[name] += interval.low <= 1 / 3 <= interval.high
    assert 0.92 <= hits["wilson"] / 400 <= 0.98
    assert 0.90 <= hits["bootstrap"] / 400 <= 0.98
    assert hits["unclustered"] / 400 < 0.85


@given(OUTCOMES, st.randoms())
@settings(max_examples=40, deadline=None)
def test_paired_difference_is_antisymmetric(tasks: list[list[bool]], chance: random.Random) -> None:
    first = as_terms(tasks)
    second = [Term(term.cluster, float(chance.random() < 0.5), 1.0) for term in first]
    there, back = paired_bootstrap(first, second, resamples=300), paired_bootstrap(second, first, resamples=300)
    assert there.value == pytest.approx(-(back.value or 0.0))
    assert there.interval is not None and back.interval is not None
    assert there.interval == pytest.approx((-back.interval.high, -back.interval.low))
    assert paired_bootstrap(first, first, resamples=300).interval == (0.0, 0.0)


def test_paired_difference_is_sharper_than_two_intervals() -> None:
    chance = np.random.default_rng(5)
    first = simulated(chance, tasks=60, trials=3)
    second = [Term(term.cluster, max(term.numerator, float(chance.random() < 0.1)), 1.0) for term in first]
    paired = paired_bootstrap(first, second)
    one, two = bootstrap(first), bootstrap(second)
    assert paired.interval and one.interval and two.interval
    assert paired.interval.low > 0
    assert two.interval.low < one.interval.high


def test_paired_difference_needs_the_same_tasks() -> None:
    with pytest.raises(ValueError, match="same tasks"):
        paired_bootstrap([Term("a", 1.0, 1.0)], [Term("b", 1.0, 1.0)])


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5))
def test_mcnemar_is_the_binomial_test(b: int, c: int, both: int) -> None:
    """Two-sided exact binomial test with p = 1/2: the outcomes that are no more likely than the one seen."""
    first = [True] * b + [False] * c + [True] * both
    second = [False] * b + [True] * c + [True] * both
    weights = [math.comb(b + c, k) for k in range(b + c + 1)]
    p = sum(weight for weight in weights if weight <= weights[b]) / 2 ** (b + c)
    made = mcnemar(first, second)
    assert (made.only_first, made.only_second) == (b, c)
    assert made.p == pytest.approx(p)
    assert made.p == mcnemar(second, first).p


def test_mcnemar_by_hand() -> None:
    assert mcnemar([True] * 9 + [False], [False] * 9 + [True]).p == pytest.approx(22 / 1024)
    assert mcnemar([True, False], [True, False]).p == 1.0
