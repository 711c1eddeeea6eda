"""RoboBench: every golden case of both releases, and ours where it differs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocol_cases import cases

from homie.kernel.errors import BadInput
from suites.published.robobench import geometry, plans, totals
from suites.published.robobench import release_2025_10 as old
from suites.published.robobench import release_2026_08 as new
from suites.published.robobench.choices import Tally, read_letters, tally
from suites.published.robobench.judging import Record, Request
from suites.published.robobench.prompts import Question, build_prompt

DATA: dict[str, Any] = cases("robobench/cases.json")
EXCEPTIONS = {error.__name__: error for error in (ValueError, OverflowError, FileNotFoundError, KeyError)}


def each(group: str, release: str | None = None) -> pytest.MarkDecorator:
    chosen = [case for case in DATA[group] if release in (None, case.get("release"))]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.get("id", ""))


def outcome(compute: Callable[[], Any]) -> dict[str, Any]:
    """What a computation comes to, as the golden cases write it."""
    try:
        return {"value": compute()}
    except tuple(EXCEPTIONS.values()) as error:
        return {"raises": type(error).__name__}


def near(value: Any) -> Any:
    """The same value, with numbers to 1e-9."""
    if isinstance(value, dict):
        return {name: near(part) for name, part in value.items()}
    if isinstance(value, list):
        return [near(part) for part in value]
    return pytest.approx(value, rel=0, abs=1e-9) if isinstance(value, float) else value


@each("mcq", "2026-08")
def test_every_choice_of_2026(case: dict[str, Any]) -> None:
    questions = []

    def judge() -> str:
        questions.append(1)
        return str(case["judge"])

    expected = dict(case["expect"])
    assert bool(expected.pop("judge_asked")) == _asked_2026(case, judge, expected) == bool(questions)


def _asked_2026(case: dict[str, Any], judge: Callable[[], str], expected: dict[str, Any]) -> bool:
    """Checks the letters; True if the judge was needed and there."""
    script = None if case["judge"] is None else judge
    read = outcome(lambda: new.choice_letters(case["response"], script))
    if "raises" in expected:
        assert read == expected
        return script is not None
    letters, truth = read["value"], new.truth_letters(case["gt"])
    score = float(letters == truth)
    assert {"response_letters": letters, "gt_letters": truth, "score": score} == expected
    return outcome(lambda: new.choice_letters(case["response"], None)) == {"raises": "ValueError"}


@each("mcq", "2025-10")
def test_every_choice_of_2025(case: dict[str, Any]) -> None:
    questions = []

    def judge() -> str:
        questions.append(1)
        return str(case["judge"])

    response = old.choice(case["response"], None if case["judge"] is None else judge)
    truth = old.truth_choice(case["gt"])
    score = float(response == truth)
    assert {"response": response, "gt": truth, "score": score, "judge_asked": bool(questions)} == case["expect"]


@each("mcq_files")
def test_every_file_of_choices(case: dict[str, Any]) -> None:
    answers = [(item["response"], item["gt_answer"]) if item else None for item in case["items"]]
    if case["release"] == "2025-10":
        assert old.tally_choices(answers) == case["expect"]
    else:
        read = outcome(lambda: new.tally_choices([answer for answer in answers if answer]))
        assert read.get("value", read) == case["expect"]


@each("points")
def test_every_point(case: dict[str, Any]) -> None:
    read = outcome(lambda: (new.read_point(case["response"]), new.read_point(case["gt"])))
    if "raises" in case["expect"]:
        assert read == case["expect"]
        return
    point, truth = read["value"]
    distance = math.dist(point, truth) if point and truth else None
    assert near(case["expect"]) == {"point": point and list(point), "gt": truth and list(truth), "distance": distance}


@each("point_files")
def test_every_file_of_points(case: dict[str, Any]) -> None:
    answers = [(item["response"], item["gt_answer"]) for item in case["items"]]
    read = outcome(lambda: new.tally_points(answers))
    assert read.get("value", read) == near(case["expect"])


@each("trajectories")
def test_every_path(case: dict[str, Any]) -> None:
    path, truth = new.read_path(case["response"]), new.read_path(case["gt"])
    expected = near(case["expect"])
    points = expected.pop("points")
    assert (points and [tuple(point) for point in points]) == path
    if path and truth:
        assert expected == {
            "frechet": geometry.frechet(path, truth),
            "hausdorff": geometry.hausdorff(path, truth),
            "rmse": geometry.rmse(path, truth),
        }


@each("trajectory_files")
def test_every_file_of_paths(case: dict[str, Any]) -> None:
    assert new.tally_paths([(item["response"], item["gt_answer"]) for item in case["items"]]) == near(case["expect"])


@each("boxes")
def test_every_box(case: dict[str, Any]) -> None:
    box, truth = new.read_box(case["response"]), new.read_box(case["gt"])
    overlap = geometry.overlap(box, truth) if box and truth else None
    assert near(case["expect"]) == {"box": box and list(box), "iou": overlap}


@each("q1_replies")
def test_every_reply_about_a_plan(case: dict[str, Any]) -> None:
    read = outcome(lambda: new.read_plan_reply(case["reply"]))
    if read.get("value"):
        read["value"] = {"node_correctness": read["value"].node, "task_completion": read["value"].completion}
    assert read == case["expect"]


@each("q2_replies")
def test_every_reply_about_a_step(case: dict[str, Any]) -> None:
    score = new.read_step_reply(case["reply"])
    parts = score and {
        "skill_usage_accuracy": score.skill,
        "operation_object_reasonableness": score.object,
        "parameter_accuracy": score.parameter,
    }
    assert {"value": parts} == case["expect"]


@each("classification")
def test_every_kind_of_question(case: dict[str, Any]) -> None:
    release = new if case["release"] == "2026-08" else old
    assert release.question_type(case["record"] or "", case["gt"]).value == case["expect"]["value"]


class Script:
    """A judge with fixed replies that keeps what it was asked."""

    def __init__(self, replies: dict[str, dict[str, str | None]]) -> None:
        self._replies = replies
        self.sent: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> str | None:
        sent: dict[str, Any] = {
            "stage": request.stage.value,
            "id": request.record.id,
            "images": len(request.images),
        }
        if request.stage == "q1":
            sent |= {"dag": request.dag, "plan_sent": request.plan}
        if request.stage == "q1_score":
            sent["data"] = request.data
        if request.stage == "q2_compare":
            sent |= {"extracted_step": request.step, "gt_step": request.truth_step}
        self.sent.append(sent)
        return self._replies[request.stage].get(request.record.id)


@each("planning_runs", "2026-08")
def test_every_evaluation_of_2026(case: dict[str, Any]) -> None:
    first = next((raw["request_id"] for raw in case["records"] if raw["images"]), "")
    deleted = first if case["missing_first_image"] else ""
    records = [
        Record(
            id=raw["request_id"],
            answer=raw["response"],
            truth=raw["gt_answer"],
            task_type=tuple(raw["task_type"]),
            images=() if raw["request_id"] == deleted else tuple(raw["images"]),
        )
        for raw in case["records"]
    ]
    judge = Script(case["judge"])
    read = outcome(lambda: new.evaluate(records, judge, case["dags"]))
    assert judge.sent == case["sent"]
    assert read == near(case["expect"])


@each("planning_runs", "2025-10")
def test_every_evaluation_of_2025(case: dict[str, Any]) -> None:
    drawn = {f"{dag['id']}_Q1": dag["v2"] for folder in case["dags"].values() for dag in folder}
    records = [
        Record(
            id=raw["id"],
            answer=raw["response"],
            truth=raw["gt_answer"],
            images=() if raw["id"] in case["without_scene_image"] else ("scene.png",),
            drawing=None if raw["id"] in case["without_dag_image"] else drawn.get(raw["id"]),
        )
        for raw in case["records"]
    ]
    judge = Script(case["judge"])
    report, steps = old.evaluate(records, judge, case["dags"])
    assert judge.sent == case["sent"]
    listed = [{"id": name, "steps": part} for name, part in steps.items()]
    assert {"value": {**report, "gt_steps": listed}} == near(case["expect"])


@each("prompts")
def test_every_prompt(case: dict[str, Any]) -> None:
    question = Question.model_validate(case["record"])
    read = outcome(lambda: build_prompt(question, DATA["system_prompts"][case["release"]], case["release"]))
    if "value" in read:
        read = {"prompt": read["value"].text, "images": list(read["value"].images)}
    assert read == case["expect"]


@each("aggregation")
def test_every_aggregation(case: dict[str, Any]) -> None:
    spreads = totals.spreads(case["runs"])
    expected = case["expect"]
    rows = {
        name: {
            "scores_per_run": list(task.scores),
            "mean": task.mean,
            "std": task.std,
            "min": task.low,
            "max": task.high,
            "num_runs": len(task.scores),
        }
        for name, task in spreads.items()
    }
    assert rows == near(expected["aggregated"])
    assert {name: task.std for name, task in spreads.items()} == near(expected["by_variance"])
    assert statistics(spreads) == near(expected["statistics"])


def statistics(spreads: dict[str, totals.Spread]) -> dict[str, Any]:
    mean, std = totals.overall(spreads)
    per_task = {name: {"mean": task.mean, "std": task.std} for name, task in spreads.items()}
    row: dict[str, Any] = {"overall_mean": mean, "overall_std": std, "num_tasks": len(spreads)}
    return {**row, "per_task": per_task} if spreads else row


@each("pipeline_collection")
def test_the_pipeline_keeps_one_task_of_a_model(case: dict[str, Any]) -> None:
    spreads = totals.spreads(totals.collect_accuracies({item["file"]: item["accuracy"] for item in case["files"]}))
    assert sorted(spreads) == case["expect"]["keys"]
    assert statistics(spreads) == near(case["expect"]["statistics"])


@each("overall")
def test_every_overall_mean(case: dict[str, Any]) -> None:
    assert new.overall(case["q1"], case["q2"], case["q3"]) == near(case["expect"])


@each("affordance_score")
def test_every_score_of_a_distance(case: dict[str, Any]) -> None:
    if "pred" in case and isinstance(case["pred"][0], float):
        assert math.dist(case["pred"], case["gt"]) == near(case["distance"])
    assert geometry.affordance_score(case["distance"]) == near(case["score"])


@each("floor_score")
def test_every_floor(case: dict[str, Any]) -> None:
    assert plans.floor_score(case["matched"], case["total"]) == case["score"]


@each("node_matching")
def test_every_match_of_nodes(case: dict[str, Any]) -> None:
    matched, total = plans.matched_nodes(case["plan"], case["gt"])
    score = plans.floor_score(matched, total)
    assert {"gt_nodes": total, "matched": matched, "node_correctness": score} == case["expect"]


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("C", "C"),
        ("(C)", "C"),
        ("**C**", "C"),
        ("Answer: C", "C"),
        ("The answer is (c).", "C"),
        ("C. the blue cup", "C"),
        ("\\boxed{B}", "B"),
        ("A, C", "AC"),
        ("<think><answer>A</answer></think>B", "B"),
        ("<answer>A</answer> no, <answer>D</answer>", "D"),
        ("Bus", None),
        ("A cup", None),
        ("A: the cup\nB: the box", None),
        ("E", None),
        ("It must be B, I think", None),
        ("", None),
        (None, None),
    ],
)
def test_ours_reads_letters_and_nothing_else(answer: str | None, letters: str | None) -> None:
    assert read_letters(answer, 4) == (None if letters is None else frozenset(letters))


def test_ours_goes_on_and_counts_what_it_cannot_read() -> None:
    answers = [("C", "C. the blue cup"), ("I think B", "B"), (None, "A"), ("A", "B")]
    assert tally(answers, 4) == Tally(4, 1, 2) and tally(answers, 4).percent == 25
    assert tally([], 4).percent is None
    with pytest.raises(ValueError, match="names none of 4 options"):
        tally([("A", "yes")], 4)


def test_ours_keeps_hyphens_and_all_records() -> None:
    assert plans.split_steps("2-place(t-shirt, bed)") == ("place(t-shirt, bed)",)
    assert plans.mean_score([100.0, None]) == (2, 50.0, 1) and plans.mean_score([]).percent is None


def test_ours_refuses_points_outside_of_the_picture() -> None:
    assert geometry.read_point("(120, 80)") is None and geometry.read_point("(-0.1, 0.5)") is None
    assert geometry.read_point("(0.1, 0.5) or (0.3, 0.5)") is None
    assert geometry.read_point("here: [0.1, 0.5]") == (0.1, 0.5)
    assert geometry.read_box("[0.1, 0.2, 0.3, 0.4]") == (0.1, 0.2, 0.3, 0.4)
    assert geometry.read_box("[0.3, 0.2, 0.1, 0.4]") is None and geometry.read_box("[0.1, 0.2]") is None


COORDINATES = st.tuples(st.floats(0, 1), st.floats(0, 1))
PATHS = st.lists(COORDINATES, min_size=1, max_size=6)


@given(PATHS, PATHS)
def test_distances_of_paths(path: list[geometry.Point], truth: list[geometry.Point]) -> None:
    assert geometry.hausdorff(path, truth) <= geometry.frechet(path, truth) + 1e-9
    assert geometry.frechet(path, truth) == pytest.approx(geometry.frechet(truth, path))
    assert geometry.even_rmse(path, path) == geometry.frechet(path, path) == 0
    assert 0 <= geometry.affordance_score(geometry.even_rmse(path, truth)) <= 100


def test_a_path_of_one_right_point_is_no_right_path() -> None:
    truth = [(0.1, 0.1), (0.5, 0.1), (0.9, 0.9)]
    assert geometry.rmse(truth[:1], truth) == 0 and geometry.even_rmse(truth[:1], truth) > 0.3
    with pytest.raises(BadInput):
        geometry.rmse([], truth)


def test_a_long_path_has_a_distance() -> None:
    """The released recursion ends at 1,200 points."""
    line = [(index / 1500, 0.5) for index in range(1500)]
    assert geometry.frechet(line, [(x, 0.6) for x, _ in line[::50]]) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("make", [lambda: plans.PlanScore(11, 0), lambda: plans.StepScore(2, 1, 1)])
def test_scores_out_of_range_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(BadInput):
        make()
    with pytest.raises(BadInput):
        plans.floor_score(3, 2)
    assert plans.StepScore(1, 0, 1).percent == pytest.approx(100 / 3)


# ---------------------------------------------------------------- odd answers that the golden cases do not have


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[0.1,0.2,0.3]] so (0.5,0.6)", [(0.5, 0.6)]),
        ("[[0.1, 0.2], [0.3]] or (0.5, 0.6) and (0.7, 0.8)", [(0.5, 0.6), (0.7, 0.8)]),
        ("[[0.1, 0.2] [0.3, 0.4]] and (0.5, 0.6)", [(0.5, 0.6)]),
        ("[[0.1, 0.2] [0.3, 0.4]]", None),
        ("[[0.1.2, 0.2]] (0.5, 0.6)", [(0.5, 0.6)]),
        ("[[0.1, 0.2], [0.3, 0.4],] (0.5, 0.6)", [(0.1, 0.2), (0.3, 0.4)]),
        ("[ [0.1, 0.2] ,\n [0.3, 0.4] ]", [(0.1, 0.2), (0.3, 0.4)]),
        ("[[-0.1, 0.2]] (0.5, 0.6)", [(0.5, 0.6)]),
        ("[[0.1, 0.2], 3] then [[0.5, 0.6]]", [(0.5, 0.6)]),
        ("[[01, 0.2]] (0.5, 0.6)", [(0.5, 0.6)]),
        ("[[0.1, 0.2]", None),
        ("[[" + "0.1, 0.2], [" * 40 + " " * 200 + "x", None),
    ],
)
def test_odd_paths_as_released(text: str, path: list[geometry.Point] | None) -> None:
    assert new.read_path(text) == path


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("[0.1,0.2,0.3,0.4)", None),
        ("(0.1,0.2,0.3,0.4]", None),
        ("(0.5,0.5,0.6,0.6) or [0.1,0.2,0.3,0.4]", (0.1, 0.2, 0.3, 0.4)),
        ("(0.5,0.5,0.6,0.6) or (0.1,0.2,0.3,0.4)", (0.5, 0.5, 0.6, 0.6)),
        ("[0.1,0.2,0.3] (0.5,0.5,0.6,0.6)", (0.5, 0.5, 0.6, 0.6)),
        ("[-0.1,0.2,0.3,0.4]", None),
    ],
)
def test_odd_boxes_as_released(text: str, box: geometry.Box | None) -> None:
    assert new.read_box(text) == box


@pytest.mark.parametrize(
    ("record", "truth", "kind"),
    [
        ("a/images/1", "pick\nplace", "q1"),
        ("a/images/1", "pick(cup)\n", "q1"),
        ("a/images/1", "1 - a", "q2"),
        ("a/images/1", "1-a", "q1"),
        ("a/images/1", "  2) a", "q1"),
        ("a/images/1", "pick(cup)", "q2"),
        ("a/images/1", " Left ", "q3"),
        ("a/images/1_Q2", "1-a\n2-b", "q2"),
    ],
)
def test_odd_kinds_of_questions_as_released(record: str, truth: str, kind: str) -> None:
    assert new.question_type(record, truth).value == kind
