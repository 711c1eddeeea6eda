"""Intervals and tests against published values, independent formulas and simulated runs."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.bench.intervals_and_tests import (
    Estimate,
    Pair,
    Term,
    bootstrap,
    clustered_mean,
    clustered_wilson,
    detectable_difference,
    holm,
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
    for estimate in (clustered_mean(terms, resamples=400), clustered_wilson(terms)):
        assert estimate.value == pytest.approx(share)
        assert estimate.interval is not None
        assert 0 <= estimate.interval.low <= estimate.interval.high <= 1
    wide = clustered_wilson(terms).interval
    assert wide is not None and wide.low <= share <= wide.high


@pytest.mark.parametrize("value", [0.0, 1 / 3, 1.0])
def test_tasks_of_one_value_do_not_give_an_interval_without_width(value: float) -> None:
    """Four successes in four tasks do not show that all tasks succeed."""
    terms = [Term(task, value, 1.0) for task in range(4) for _ in range(3)]
    low, high = wilson(4 * value, 4)
    estimate = clustered_mean(terms, resamples=200)
    assert estimate.value == pytest.approx(value) and estimate.interval == pytest.approx((low, high))
    assert high - low > 0.4
    assert bootstrap(terms, resamples=200).interval is None, "resampling shows nothing here"
    less = [term._replace(numerator=term.numerator - 1 / 7) for term in terms]
    assert paired_bootstrap(terms, less, resamples=200).interval is None


def test_a_mean_has_the_interval_of_the_bootstrap_where_tasks_differ() -> None:
    terms = [Term(task, float(task > 1), 1.0) for task in range(6)]
    assert clustered_mean(terms, resamples=200) == bootstrap(terms, resamples=200)
    beyond = [Term(task, -2.0, 1.0) for task in range(6)]
    assert clustered_mean(beyond) == Estimate(-2.0), "Wilson's is for values from 0 to 1"


def test_bootstrap_against_every_resample() -> None:
    """With four tasks all 4^4 resamples can be listed; the bootstrap's share of each mean must agree with them."""
    values = [0.1, 0.2, 0.4, 0.9]
    exact = sorted(sum(drawn) / 4 for drawn in itertools.product(values, repeat=4))
    estimate = bootstrap([Term(i, value, 1.0) for i, value in enumerate(values)], resamples=60_000, confidence=0.8)
    assert estimate.value == pytest.approx(0.4)
    assert estimate.interval is not None
    assert estimate.interval.low == pytest.approx(np.quantile(exact, 0.1), abs=0.03)
    assert estimate.interval.high == pytest.approx(np.quantile(exact, 0.9), abs=0.03)


def test_nothing_to_divide_by() -> None:
    nothing = [Term("a", 0.0, 0.0)]
    for estimate in (bootstrap([]), bootstrap(nothing), clustered_wilson([]), clustered_wilson(nothing)):
        assert estimate.value is None and estimate.interval is None
    assert paired_bootstrap(nothing, nothing).value is None
    assert wilson(0, 0) == (0.0, 1.0)


def test_resamples_with_nothing_to_divide_by_are_left_out() -> None:
    """Of two tasks one in four resamples has only the second, which has no denominator in one of the runs."""
    full, half = [Term("a", 1.0, 1.0), Term("b", 1.0, 1.0)], [Term("a", 1.0, 1.0), Term("b", 0.0, 0.0)]
    with np.errstate(all="raise"):
        assert bootstrap(half, resamples=200) == Estimate(1.0)
        assert paired_bootstrap(full, half, resamples=200) == Estimate(0.0)
        assert paired_bootstrap(half, full, resamples=200) == Estimate(0.0)
    nothing = [Term("a", 0.0, 0.0), Term("b", 0.0, 0.0)]
    assert paired_bootstrap(full, nothing).value is None and paired_bootstrap(nothing, full).value is None


def test_what_is_usual_is_95_percent_10000_resamples_and_seed_0() -> None:
    chance = np.random.default_rng(1)
    terms, other_terms = (
        [Term(task, float(value), 1.0) for task, value in enumerate(chance.random(9))] for _ in range(2)
    )
    usual = {"confidence": 0.95, "resamples": 10_000, "seed": 0}
    assert bootstrap(terms) == bootstrap(terms, **usual) != bootstrap(terms, **{**usual, "seed": 1})
    assert paired_bootstrap(terms, other_terms) == paired_bootstrap(terms, other_terms, **usual)
    first, second = simulate_runs(chance, tasks=9, trials=2), simulate_runs(chance, tasks=9, trials=2)
    assert clustered_wilson(first) == clustered_wilson(first, 0.95) and wilson(3, 9) == wilson(3, 9, 0.95)
    pairs = [
        Pair(term.cluster, bool(term.numerator), bool(other.numerator))
        for term, other in zip(first, second, strict=True)
    ]
    assert detectable_difference(pairs) == detectable_difference(pairs, confidence=0.95, power=0.8)


def simulate_runs(chance: np.random.Generator, tasks: int, trials: int) -> list[Term]:
    """Runs of tasks that differ in how hard they are: Beta(1, 2), mean 1/3."""
    difficulty = chance.beta(1, 2, tasks)
    good = chance.random((tasks, trials)) < difficulty[:, None]
    return [Term(task, float(success), 1.0) for task in range(tasks) for success in good[task]]


def test_coverage_over_tasks() -> None:
    """Of 400 simulated runs, about 95 % of the clustered intervals hold the truth; of the unclustered far fewer."""
    chance = np.random.default_rng(4)
    hits = {"wilson": 0, "bootstrap": 0, "unclustered": 0}
    for _ in range(400):
        terms = simulate_runs(chance, tasks=40, trials=6)
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
    if there.interval is None or back.interval is None:
        assert there.interval is back.interval
    else:
        assert there.interval == pytest.approx((-back.interval.high, -back.interval.low))
    assert paired_bootstrap(first, first, resamples=300) == Estimate(0.0)


def test_paired_difference_is_sharper_than_two_intervals() -> None:
    chance = np.random.default_rng(5)
    first = simulate_runs(chance, tasks=60, trials=3)
    second = [Term(term.cluster, max(term.numerator, float(chance.random() < 0.1)), 1.0) for term in first]
    paired = paired_bootstrap(first, second)
    of_first, of_second = bootstrap(first), bootstrap(second)
    assert paired.interval and of_first.interval and of_second.interval
    assert paired.interval.low > 0
    assert of_second.interval.low < of_first.interval.high


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
    result = mcnemar(first, second)
    assert (result.only_first, result.only_second) == (b, c)
    assert result.p == pytest.approx(p)
    assert result.p == mcnemar(second, first).p


def test_mcnemar_by_hand() -> None:
    assert mcnemar([True] * 9 + [False], [False] * 9 + [True]).p == pytest.approx(22 / 1024)
    assert mcnemar([True, False], [True, False]).p == 1.0


def test_many_discordant_pairs_are_no_hardship() -> None:
    assert mcnemar([True] * 3000 + [False] * 3100, [False] * 3000 + [True] * 3100).p == pytest.approx(0.2051, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "adjusted"),
    [
        ((0.01, 0.04, 0.03, 0.005), (0.03, 0.06, 0.06, 0.02)),  # 4 x 0.005, 3 x 0.01, 2 x 0.03, then at least that
        ((0.9, 0.8), (1.0, 1.0)),
        ((), ()),
    ],
)
def test_holm(values: tuple[float, ...], adjusted: tuple[float, ...]) -> None:
    assert holm(values) == pytest.approx(adjusted)


def alike(discordant_first: int, discordant_second: int, equal: int, trials: int = 1) -> list[Pair]:
    kinds = [(True, False)] * discordant_first + [(False, True)] * discordant_second + [(True, True)] * equal
    return [Pair(number, *kind) for number, kind in enumerate(kinds) for _ in range(trials)]


def test_detectable_difference_is_connors_sample_size_turned_round() -> None:
    """A study of 0.1 among 0.3 discordant pairs needs (1.960 sqrt 0.3 + 0.842 sqrt 0.29)^2 / 0.01 = 233.1 pairs."""
    assert detectable_difference(alike(35, 35, 163)) == pytest.approx(0.1, abs=0.001)
    # Without discordant pairs a difference brings its own: (1.960 + 0.842 sqrt(1 - d))^2 / d = 75 at d = 0.1.
    assert detectable_difference(alike(0, 0, 75)) == pytest.approx(0.1, abs=0.002)
    assert detectable_difference(alike(0, 0, 3)) is None and detectable_difference([]) is None


def test_trials_that_are_all_alike_show_no_more() -> None:
    assert detectable_difference(alike(10, 14, 40, trials=3)) == pytest.approx(
        detectable_difference(alike(10, 14, 40)), rel=0.01
    )


def test_a_detectable_difference_is_found_four_times_of_five() -> None:
    generator = np.random.default_rng(0)
    size, discordant = 300, 0.3
    difference = detectable_difference(alike(45, 45, 210))
    assert difference is not None
    shares = [(discordant - difference) / 2, (discordant + difference) / 2, 1 - discordant]
    detected = 0
    for first, second, _ in generator.multinomial(size, shares, size=400):
        detected += mcnemar([True] * first + [False] * second, [False] * first + [True] * second).p < 0.05
    assert 0.72 < detected / 400 < 0.85  # the exact test is a little careful


@pytest.mark.parametrize("terms", [[("a", 2.0, 1.0)], [("a", -1.0, 1.0)], [("a", 1.0, -1.0)]])
def test_what_is_no_share_is_refused(terms):
    with pytest.raises(ValueError, match="a share needs a numerator from 0 to its denominator"):
        clustered_wilson(Term(*term) for term in terms)


@pytest.mark.parametrize("estimate", [clustered_wilson, bootstrap])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(estimate, number):
    with pytest.raises(ValueError, match="not a finite number"):
        estimate([Term("a", number, 1.0), Term("b", 1.0, 1.0)])
