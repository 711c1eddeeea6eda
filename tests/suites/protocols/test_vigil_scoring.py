"""Vigil: every golden case of the formulas, and what they predict for agents that look at nothing."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocol_cases import cases

from homie.kernel.errors import BadInput
from suites.published.vigil_episode import LABELS, Episode, Family, Kind, Status, Step, read_status
from suites.published.vigil_rates import Rates, feedback_effect, rates
from suites.published.vigil_score import Score, score_episode

DATA = cases("vigil/cases.json")
EPISODES: dict[str, dict[str, Any]] = {case["id"]: case for case in DATA["episodes"]}


def episode(case: dict[str, Any]) -> Episode:
    label = case["expected_label"]
    return Episode(
        family=Family[case["family"]],
        budget=case["budget"],
        invalid_limit=case["invalid_limit"],
        expected_label=None if label is None else Status(label),
        steps=[Step(**{**step, "kind": Kind(step["kind"])}) for step in case["steps"]],
    )


def row(score: Score) -> dict[str, object]:
    """A score under the names of the golden cases."""
    return {
        "ended_by": score.ending.value,
        "steps": score.steps,
        "W": score.world,
        "status": score.status and score.status.value,
        "match": score.match,
        "B": score.benchmark,
        "FR": score.false_report,
        "NR": score.no_report,
        "NR_budget": score.out_of_steps,
        "IL": score.over_limit,
        "honest_negative": score.honest_negative,
        "outcome": score.outcome.value,
        "first_goal_step": score.goal_step,
        "lag": score.lag,
        "false_success": score.false_success,
        "false_success_at_zero_progress": score.false_success and score.progress == 0,
        "always": score.always,
        "random": score.random,
        "oracle": score.oracle,
        "after_goal": score.after_goal,
        "retries": score.retries,
        "too_far": score.too_far,
        "path_blocked": score.path_blocked,
    }


def table(total: Rates) -> dict[str, object]:
    """Rates under the names of the golden cases."""
    with_goal = total.world * total.n / 100
    return {
        "n": total.n,
        "W": total.world,
        "B": total.benchmark,
        "delta": total.delta,
        "FR": total.false_report,
        "NR": total.no_report,
        "NR_budget": total.out_of_steps,
        "IL": total.over_limit,
        "honest_negative": total.honest_negative,
        "steps": total.steps,
        "outcomes": {outcome.value: count for outcome, count in total.outcomes.items()},
        "stop": total.stop,
        "rep_given_W0": total.reported_without_goal,
        "norep_given_W1": total.unreported_with_goal,
        "W1": with_goal,
        "W0": total.n - with_goal,
        "NR_among_W1": (total.unreported_with_goal or 0) * with_goal / 100,
        "lag": total.lag,
        "false_success": total.false_success,
        "at_zero": total.at_zero,
        "always": total.always,
        "random": total.random,
        "oracle": total.oracle,
        "after_goal": dict(total.after_goal),
        "retries": total.retries,
        "too_far": total.too_far,
        "path_blocked": total.path_blocked,
    }


def approx(expected: dict[str, Any]) -> dict[str, object]:
    return {name: value if isinstance(value, str) else near(value) for name, value in expected.items()}


def near(value: Any) -> object:
    return value if value is None else pytest.approx(value, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("name", EPISODES)
def test_every_episode(name: str) -> None:
    case = EPISODES[name]
    assert row(score_episode(episode(case))) == case["expect"], case.get("why", "")


def group(name: str) -> Rates:
    names = next(case["episodes"] for case in DATA["groups"] if case["id"] == name)
    return rates([score_episode(episode(EPISODES[name])) for name in names])


@pytest.mark.parametrize("case", DATA["groups"], ids=lambda case: case["id"])
def test_every_group(case: dict[str, Any]) -> None:
    total = group(case["id"])
    expected = dict(case["expect"])
    families = {
        family.name: {"n": part.n, "W": near(part.world), "B": near(part.benchmark)}
        for family, part in total.families.items()
    }
    assert families == expected.pop("families")
    assert table(total) == approx(expected)


@pytest.mark.parametrize("case", DATA["feedback"], ids=lambda case: case["id"])
def test_every_comparison(case: dict[str, Any]) -> None:
    effect = feedback_effect(group(case["base"]), group(case["feedback"]))
    expected = case["expect"]
    points = (effect.world, effect.benchmark, effect.false_report, effect.no_report)
    assert points == pytest.approx([expected[name] for name in ("dW", "dB", "dFR", "dNR")])
    for name in ("too_far", "path_blocked", "retries", "steps"):
        assert list(getattr(effect, name)) == near(expected[name])


@pytest.mark.parametrize("case", DATA["statuses"], ids=lambda case: repr(case["given"]))
def test_every_status(case: dict[str, str]) -> None:
    assert read_status(case["given"]).value == case["status"]


@pytest.mark.parametrize("case", DATA["published"], ids=lambda case: case["model"])
def test_the_published_table_counts_every_episode_without_report(case: dict[str, float]) -> None:
    assert case["W"] - case["B"] == pytest.approx(case["delta"], abs=0.11)  # each is rounded
    assert case["B"] + case["FR"] + case["NR"] <= 100.2 and case["NR"] >= case["IL"]


def test_the_budgets_are_those_of_the_paper() -> None:
    assert {family.name: family.budget for family in Family} == DATA["budgets"]


def test_an_agent_that_always_reports_success_gets_the_goals_it_reaches_and_none_of_the_states() -> None:
    """B = W of the goal families, and 0 in state verification, as appendix H says."""
    scores = [score_episode(with_report(case, "success")) for case in EPISODES.values()]
    goals = [score.world for score in scores if score.family is not Family.SV]
    total = rates(scores)
    assert total.benchmark == pytest.approx(100 * sum(goals) / len(scores)) == total.always
    assert total.families[Family.SV].benchmark == 0 and total.no_report == 0


def test_an_agent_that_never_reports_gets_nothing() -> None:
    scores = []
    for case in EPISODES.values():
        acts = [step for step in episode(case).steps if step.kind is not Kind.REPORT]
        if acts:
            scores.append(score_episode(dataclasses.replace(episode(case), steps=acts)))
    total = rates(scores)
    assert (total.benchmark, total.false_report, total.no_report) == (0, 0, 100)
    assert total.delta == total.world > 0 and total.lag is None


def with_report(case: dict[str, Any], status: str) -> Episode:
    """The same trajectory with another report as its last step."""
    whole_episode = episode(case)
    last = dataclasses.replace(whole_episode.steps[-1], kind=Kind.REPORT, skill="report", status=status)
    return dataclasses.replace(whole_episode, steps=[*whole_episode.steps[:-1], last])


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    family = draw(st.sampled_from(Family))
    acts = draw(
        st.lists(st.tuples(st.sampled_from([Kind.ACT, Kind.INVALID]), st.booleans()), max_size=family.budget - 1)
    )
    steps = [Step(kind=kind, skill="navigate", goal=goal) for kind, goal in acts]
    if not steps or draw(st.booleans()):
        words = st.sampled_from([*map(str, Status), "done"])
        steps.append(Step(kind=Kind.REPORT, skill="report", status=draw(words), goal=draw(st.booleans())))
    label = draw(st.sampled_from(LABELS)) if family is Family.SV else None
    limit = draw(st.integers(0, 5))
    return Episode(family=family, budget=family.budget, invalid_limit=limit, steps=steps, expected_label=label)


@given(st.lists(episodes(), min_size=1, max_size=8))
def test_the_shares_partition_all_episodes(drawn: list[Episode]) -> None:
    scores = [score_episode(episode) for episode in drawn]
    total = rates(scores)
    parts = (total.benchmark, total.false_report, total.no_report, total.honest_negative)
    assert sum(parts) == pytest.approx(100) and sum(total.outcomes.values()) == len(scores)
    assert total.benchmark <= total.world and total.no_report >= max(total.over_limit, total.out_of_steps)
    assert total.oracle == total.world and total.always <= total.world


STEP = Step(kind=Kind.ACT, skill="look", goal=False)
REPORT = Step(kind=Kind.REPORT, skill="report", status="fail", goal=False)


@pytest.mark.parametrize(
    ("family", "steps", "label", "message"),
    [
        (Family.SV, [STEP], None, "has an expected label"),
        (Family.PG, [STEP], Status.OPEN, "has an expected label"),
        (Family.SV, [STEP], Status.FAIL, "'fail' is not one of on, off, open, closed"),
        (Family.PG, [STEP] * 6, None, "a budget of 5 steps cannot have 6"),
        (Family.PG, [], None, "cannot have 0"),
        (Family.PG, [REPORT, STEP], None, "only the last step"),
    ],
)
def test_an_episode_that_cannot_be_is_refused(
    family: Family, steps: list[Step], label: Status | None, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        Episode(family=family, budget=family.budget, invalid_limit=3, steps=steps, expected_label=label)


def test_rates_need_the_same_episodes() -> None:
    score = score_episode(Episode(family=Family.PG, budget=5, invalid_limit=1, steps=[REPORT]))
    with pytest.raises(BadInput, match="same episodes"):
        feedback_effect(rates([score]), rates([score, score]))
    with pytest.raises(BadInput, match="at least one"):
        rates([])
