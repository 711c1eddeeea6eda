"""The numbers that the released metrics code of EmbodiedEval (62252a2) computes, including its defects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from suites.published.embodied_eval_episode import Unusable, until_failed
from suites.published.embodied_eval_predicates import Value
from suites.published.embodied_eval_score import Score
from suites.published.embodied_eval_state import MAX_STEPS

Numbers = dict[str, float]
"""A value per name of the released report."""


def released_metrics(scores: Sequence[Score]) -> Numbers:
    """Return the numbers of one task type.

    Args:
        scores: of one type. If one of them has no reference length, `average_spl` is 0, as released.

    Returns:
        Percentages rounded to 2 decimals, and counts. `average_trajectory_length` and `interaction_rate` are 100 times
        what their names say.
    """
    n = len(scores)
    feedback = [text for score in scores for text in score.feedback if text]
    good = sum(text != "failed" for text in feedback)
    answers = sum(score.steps + (score.unusable is not None) for score in scores)
    failed = sum(score.done is Value.FAILED for score in scores)
    late = sum(score.done is Value.OPEN and score.steps >= MAX_STEPS for score in scores)
    weights = [score.path_weight for score in scores]
    known_weights = [weight for weight in weights if weight is not None]
    return {
        "accuracy": _percent(sum(score.success for score in scores), n),
        "average_spl": _percent(sum(known_weights), n) if len(known_weights) == n else 0.0,
        "avg_goal_condition_success": _percent(sum(map(_goal_conditions, scores)), n),
        "average_trajectory_length": _percent(answers, n),
        "interaction_accuracy": _percent(good, len(feedback)),
        "interaction_rate": _percent(len(feedback), n),
        "total_interactions": len(feedback),
        "successful_interactions": good,
        "total_episodes": n,
        "success_count": sum(score.success for score in scores),
        "failure_count": failed,
        "max_step_exceeded_count": late,
        "max_step_exceed_rate": _percent(late, n),
        "fail_rate": _percent(failed, n),
        "no_option_match_rate": _percent(sum(score.unusable is Unusable.NO_MATCH for score in scores), n),
        "option_out_of_range_rate": _percent(sum(score.unusable is Unusable.OUT_OF_RANGE for score in scores), n),
        "api_crash_rate": 0.0,  # a crash ends the released evaluation instead
    }


def released_totals(scores: Sequence[Score]) -> tuple[Numbers, dict[str, Numbers]]:
    """Return the numbers of all episodes and of each task type.

    Args:
        scores: of all types.

    Returns:
        The totals (means of the rounded values per type, weighted by episodes; counts are sums), and the numbers by
        type.
    """
    ordered = sorted(scores, key=lambda score: score.task_type)
    by_type = {name: released_metrics(list(group)) for name, group in groupby(ordered, lambda score: score.task_type)}
    return _total(by_type), by_type


def _total(by_type: Mapping[str, Numbers]) -> Numbers:
    parts = list(by_type.values())
    n = sum(part["total_episodes"] for part in parts)
    names = parts[0] if parts else {}
    counts = {name for name in names if name.endswith("_count") or name.startswith(("total_", "successful_"))}
    total = {
        name: sum(part[name] for part in parts)
        if name in counts
        else sum(part[name] * part["total_episodes"] for part in parts) / n
        for name in names
    }
    if parts:
        total["interaction_rate"] = _percent(total["total_interactions"], n)
    return total


def _goal_conditions(score: Score) -> float:
    """Return the released GcS: 1 or 0 for one predicate, else the share in the list that stops at the first failed
    one."""
    if score.predicates == 1:
        return float(score.success)
    values = until_failed(score.values)
    return values.count(Value.DONE) / len(values) if values else 0.0


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
