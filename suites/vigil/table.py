"""Result table of a run: the rates of Vigil by family, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from homie.bench.intervals_and_tests import Term, clustered_mean, clustered_wilson
from suites.published.vigil_episode import Family
from suites.published.vigil_rates import Rates, rates
from suites.published.vigil_score import Score
from suites.vigil.record import Record
from suites.vigil.results import Row, Share


def rows(records: Sequence[Record]) -> tuple[Row, ...]:
    """One row for each family that was played, and one for all.

    Args:
        records: records of episodes, at least one.
    """
    scored = [(record, record.score()) for record in records]
    families = [family for family in Family if any(record.family is family for record in records)]
    groups = [(family.name, [pair for pair in scored if pair[0].family is family]) for family in families]
    return tuple(_row(name, pairs) for name, pairs in (*groups, ("all", scored)))


def _row(name: str, pairs: Sequence[tuple[Record, Score]]) -> Row:
    total: Rates = rates([score for _, score in pairs])

    def share(value: Callable[[Score], bool]) -> Share:
        estimate = clustered_wilson(Term(record.house, float(value(score)), 1.0) for record, score in pairs)
        low, high = estimate.interval or (0.0, 1.0)
        return Share(value=_percent(estimate.value or 0.0), low=_percent(low), high=_percent(high))

    gaps = [Term(record.house, float(score.world) - float(score.benchmark), 1.0) for record, score in pairs]
    return Row(
        family=name,
        n=len(pairs),
        world=share(lambda score: score.world),
        benchmark=share(lambda score: score.benchmark),
        delta=_delta(gaps),
        false_report=share(lambda score: score.false_report),
        no_report=share(lambda score: score.no_report),
        out_of_steps=share(lambda score: score.out_of_steps),
        over_limit=share(lambda score: score.over_limit),
        honest_negative=total.honest_negative,
        lag=total.lag,
        steps=total.steps,
        invalid=sum(step.kind == "invalid" for record, _ in pairs for step in record.steps) / len(pairs),
        too_far=total.too_far,
        path_blocked=total.path_blocked,
        retries=total.retries,
        always=total.always,
        random=total.random,
        oracle=total.oracle,
        outcomes={outcome.value: number for outcome, number in sorted(total.outcomes.items())},
        after_goal=dict(total.after_goal),
        reported_without_goal=total.reported_without_goal,
        unreported_with_goal=total.unreported_with_goal,
        false_success=total.false_success,
        at_zero=total.at_zero,
    )


def _delta(gaps: Iterable[Term]) -> Share:
    estimate = clustered_mean(gaps)
    low, high = estimate.interval or (0.0, 1.0)
    return Share(value=_percent(estimate.value or 0.0), low=_percent(low), high=_percent(high))


def _percent(share: float) -> float:
    return 100.0 * share


COLUMNS = ("family", "n", "W %", "B %", "W - B", "FR %", "NR %", "NR steps %", "IL %", "lag", "steps", "invalid")


def markdown(table: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [COLUMNS, ("---",) * len(COLUMNS)]
    for row in table:
        shares = (row.world, row.benchmark, row.delta, row.false_report, row.no_report, row.out_of_steps)
        lines.append(
            (
                row.family,
                str(row.n),
                *map(_cell, shares),
                _cell(row.over_limit),
                "-" if row.lag is None else f"{row.lag:.1f}",
                f"{row.steps:.1f}",
                f"{row.invalid:.1f}",
            )
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(share: Share) -> str:
    return f"{share.value:.1f} ({share.low:.1f} to {share.high:.1f})"
