"""EmbodiedEval: every golden case of its predicates, choices, episodes and metrics, and where ours differ."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from protocol_cases import cases

from homie.kernel.errors import BadInput
from suites.published.embodied_eval_choices import read_choice, read_choice_as_released
from suites.published.embodied_eval_episode import Episode, Unusable, conclusion, evaluate, until_failed
from suites.published.embodied_eval_predicates import Predicate, Value, parse_predicate
from suites.published.embodied_eval_released import released_metrics, released_totals
from suites.published.embodied_eval_score import Score, metrics, score_episode
from suites.published.embodied_eval_state import MAX_STEPS, State, Step, menu

EPISODES: list[dict[str, Any]] = cases("embodied_eval/cases.json")["cases"]
PREDICATES: list[dict[str, Any]] = cases("embodied_eval/predicates.json")["cases"]
CHOICES: list[dict[str, Any]] = cases("embodied_eval/choice_parsing.json")["cases"]
AGGREGATES: dict[str, Any] = cases("embodied_eval/aggregates.json")
UNUSABLE = {-1: Unusable.NO_MATCH, -2: Unusable.OUT_OF_RANGE}


def state(raw: dict[str, Any]) -> State:
    return State(
        agent=tuple(raw["agent"]),
        objects={int(name): tuple(place) for name, place in raw["objects"].items()},
        grabbed=raw["grabbed"],
        options=raw["options"],
        feedback=raw["feedback"],
        feedback_content=raw.get("feedback_content", ""),
    )


def episode(case: dict[str, Any], reference: bool = True) -> Episode:
    states = [state(raw) for raw in case["states"]]
    steps = []
    for index, choice in enumerate(case["choices"]):
        if choice >= 0:
            steps.append(Step(menu(states[index], case["task_type"], index)[choice], states[index + 1]))
    return Episode(
        task_type=case["task_type"],
        predicates=[parse_predicate(text) for text in case["predicates_raw"]],
        start=states[0],
        steps=steps,
        unusable=UNUSABLE.get(case["choices"][-1]),
        reference_length=case["reference_length"] if reference else None,
    )


@pytest.mark.parametrize("case", PREDICATES, ids=lambda case: case["predicate"])
def test_every_predicate(case: dict[str, Any]) -> None:
    predicate = parse_predicate(case["predicate"])
    states = [state(raw) for raw in case["states"]]
    steps = [Step(states[index].options[choice], states[index + 1]) for index, choice in enumerate(case["choices"])]
    values = [predicate.value(states[0], steps[: count + 1]) for count in range(len(steps))]
    assert values == case["expected"]


@pytest.mark.parametrize("case", CHOICES, ids=lambda case: repr(case["response"]))
def test_every_choice(case: dict[str, Any]) -> None:
    expected = case["expected_choice"]
    released = read_choice_as_released(case["response"], case["n_options"])
    assert released == (None if expected < 0 else expected)
    if "[ " not in case["response"]:  # the released code does not see a number with blanks around it
        assert read_choice(case["response"], case["n_options"]) in (None, released)  # stricter, never different


@pytest.mark.parametrize("case", EPISODES, ids=lambda case: case["id"])
def test_every_episode(case: dict[str, Any]) -> None:
    played = episode(case)
    values: tuple[Value, ...] = ()
    for count, expected in enumerate(case["expected"]["steps"], 1):
        if expected["error"] is None:
            values = evaluate(played.predicates, played.start, played.steps[:count])
            assert expected["action"] == played.steps[count - 1].option
        else:
            assert played.unusable is not None and expected["error"] == played.unusable.value
        assert list(until_failed(values)) == expected["predicates_done"] and conclusion(values) == expected["done"]
    score = score_episode(played)
    expected = case["expected"]
    assert list(score.feedback) == [step["feedback"] for step in expected["steps"]]
    assert (score.success, score.steps) == (expected["success"], expected["steps_taken"])
    released = released_metrics([score])
    assert released == pytest.approx(expected["metrics"])
    assert released["avg_goal_condition_success"] == expected["gcs_percent"]
    assert released["average_spl"] == expected["spl_percent"]


def test_every_total() -> None:
    for name, left_out in (
        ("with_all_references", ()),
        ("one_reference_missing", tuple(AGGREGATES["one_reference_missing"]["missing_index"])),
        ("as_released_no_reference_folder", tuple(range(len(EPISODES)))),
    ):
        total, by_type = released_totals([score_episode(episode(c, c["index"] not in left_out)) for c in EPISODES])
        assert total == pytest.approx(AGGREGATES[name]["total"]), name
        for task_type, expected in AGGREGATES[name].get("by_type", {}).items():
            assert by_type[task_type] == pytest.approx(expected), (name, task_type)


def test_ours_divides_by_all_predicates_and_leaves_out_only_the_missing_reference() -> None:
    scores = [score_episode(episode(case, case["index"] != 27)) for case in EPISODES]
    total = metrics(scores)
    released, _ = released_totals(scores)
    assert total.success == pytest.approx(released["accuracy"]) and total.n == 100
    assert total.referenced == 99 and total.path_weight is not None
    with_reference = [score for score in scores if score.reference_length]
    assert total.path_weight == pytest.approx(sum(100 * (score.path_weight or 0) for score in with_reference) / 99)
    assert total.path_weight > released["average_spl"]  # which lost a whole task type
    assert total.steps * 100 <= released["average_trajectory_length"]
    shares = (total.success, total.failed, total.out_of_steps, total.no_match, total.out_of_range)
    assert sum(shares) == pytest.approx(100)


def test_a_failed_predicate_does_not_shrink_the_goal() -> None:
    """The released list stops at the -1: 1 of 2 instead of 1 of 3."""
    goal = [Predicate("grab", (1,)), Predicate("choose", option="answer A"), Predicate("agent_at", (1,))]
    world = State(agent=(0, 0, 0), objects={1: (5, 0, 0)}, grabbed=1, options=["answer A", "answer B"])
    score = score_episode(Episode(task_type="x", predicates=goal, start=world, steps=[Step("answer B", world)]))
    assert score.goal_conditions == pytest.approx(1 / 3)
    assert released_metrics([score])["avg_goal_condition_success"] == 50.0


def test_feedback_with_a_reason_is_no_success() -> None:
    world = State(agent=(0, 0, 0), objects={1: (5, 0, 0)}, grabbed=-1, options=["go"], feedback="failed")
    blocked = dataclasses.replace(world, feedback_content="too far")
    goal = [Predicate("agent_at", (1,))]
    score = score_episode(Episode(task_type="x", predicates=goal, start=world, steps=[Step("go", blocked)]))
    assert score.feedback == ("failed: too far",)
    assert metrics([score]).interactions == 0 and released_metrics([score])["interaction_accuracy"] == 100


def test_an_answer_that_chooses_nothing_at_once() -> None:
    world = State(agent=(0, 0, 0), objects={1: (0, 0, 0)}, grabbed=-1, options=["go"])
    goal = [Predicate("agent_at", (1,))]
    nothing = Episode(task_type="x", predicates=goal, start=world, steps=[], unusable=Unusable.NO_MATCH)
    score = score_episode(nothing)
    assert (score.success, score.goal_conditions, score.path_weight) == (False, 0, None)
    assert metrics([score]).no_match == 100 and metrics([score]).path_weight is None
    assert released_metrics([score])["avg_goal_condition_success"] == 0


def test_in_the_last_step_of_a_question_only_answers_are_left() -> None:
    world = State(agent=(0, 0, 0), objects={}, grabbed=-1, options=["go", 'answer "A"'])
    assert menu(world, "SpatialQA", MAX_STEPS - 1) == ('answer "A"',)
    assert menu(world, "SpatialQA", MAX_STEPS - 2) == menu(world, "Navigation", MAX_STEPS - 1) == ("go", 'answer "A"')


@pytest.mark.parametrize(
    ("answer", "index"),
    [
        ("Choice: [3]", 3),
        ("Choice: 3.", 3),
        ("Choice: [ 3 ] the door", 3),
        ("Choice: [3] and again Choice: 3", 3),
        ("Choice: [1] or Choice: [3]", None),
        ("Choice: [3.5]", None),
        ("Choice: 3.5", None),
        ("Choice: -3", None),
        ("I see 3 doors", None),
        ("Choice: [9]", None),
        ("", None),
    ],
)
def test_ours_reads_one_whole_number_after_the_word(answer: str, index: int | None) -> None:
    assert read_choice(answer, 5) == index


@pytest.mark.parametrize("text", ["", "fly 3", "agent_near", "near 1 cup", "in", "choose", "swap 1"])
def test_what_is_no_predicate_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_predicate(text)


def test_a_predicate_about_nothing_is_refused() -> None:
    world = State(agent=(0, 0, 0), objects={}, grabbed=-1, options=["go"])
    with pytest.raises(BadInput, match="object 7 is not in the world"):
        parse_predicate("agent_at 7").value(world, [Step("go", world)])


def test_metrics_need_an_episode() -> None:
    with pytest.raises(BadInput, match="at least one"):
        metrics([])
    scores: list[Score] = []
    assert released_totals(scores) == ({}, {})


@pytest.mark.parametrize(
    ("response", "options", "choice"),
    [
        ("Choice: [0]", 5, None),
        ("Choice: 0", 5, None),
        ("I stay, 0", 5, None),
        ("Choice: [00]", 5, None),
        ("Choice: [1]", 5, 1),
        ("Choice: [4]", 5, 4),
        ("Choice: [5]", 5, None),
        ("Choice: [0]. Choice: [2]", 5, None),
        ("0 or 2", 5, 2),
    ],
)
def test_option_0_is_out_of_range_as_released(response: str, options: int, choice: int | None) -> None:
    """The golden answers have no 0: these are by the released condition, 0 < choice < options."""
    assert read_choice_as_released(response, options) == choice
