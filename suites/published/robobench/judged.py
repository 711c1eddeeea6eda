"""Parsing of a judge's replies for `homie`: the judge counts, the arithmetic is done here, and nothing ends a scoring.

A reply that is unreadable, or whose counts are invalid, is None: it scores zero, and is counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from suites.published.robobench.plans import PlanScore, StepScore, floor_score, nodes

HALVES = (0, 0.5, 1)
"""Possible scores of object and parameter of a step (paper, section 4); its skill scores 0 or 1."""


def plan_score(reply: str | None, truth: Sequence[str]) -> PlanScore | None:
    """Compute node correctness and completion from the counts of a judge.

    Args:
        reply: JSON with `node_correctness` (matched, total) and `task_completion` (reached, total); words around it are
            ignored.
        truth: the steps of the truth; the judge must have counted as many actions as these have.
    """
    reading = _object(reply)
    matched, actions = _count(reading, "node_correctness", "matched"), _count(reading, "node_correctness", "total")
    reached, states = _count(reading, "task_completion", "reached"), _count(reading, "task_completion", "total")
    if None in (matched, actions, reached, states):
        return None
    assert matched is not None and actions is not None and reached is not None and states is not None
    if actions != sum(len(nodes(step)) for step in truth) or matched > actions or reached > states or not states:
        return None
    return PlanScore(floor_score(matched, actions), floor_score(reached, states))


def step_score(reply: str | None) -> StepScore | None:
    """Parse the scores of skill, object and parameter of a next step."""
    reading = _object(reply)
    skill = _result(reading, "skill_usage_accuracy")
    target = _result(reading, "operation_object_reasonableness")
    parameter = _result(reading, "parameter_accuracy")
    if skill not in (0, 1) or target not in HALVES or parameter not in HALVES:
        return None
    assert skill is not None and target is not None and parameter is not None
    return StepScore(skill, target, parameter)


def _object(reply: str | None) -> Mapping[str, object]:
    """Return the JSON object between the first and the last brace; empty where there is none."""
    text = reply or ""
    try:
        value = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _count(reading: Mapping[str, object], part: str, name: str) -> int | None:
    inner = reading.get(part)
    value = inner.get(name) if isinstance(inner, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _result(reading: Mapping[str, object], part: str) -> float | None:
    inner = reading.get(part)
    value = inner.get("result") if isinstance(inner, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
