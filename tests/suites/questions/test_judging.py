"""A judge of a run: what it is asked, what its replies are worth under each profile, and that none is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from released_folder import CHOICES, PLACES, PLANS, TRUTHS, write_release

from homie.kernel.errors import BadInput
from suites.questions.asking import ask
from suites.questions.folder import read_questions
from suites.questions.judging.judge_run import judge
from suites.questions.judging.verdict import Verdict
from suites.questions.options import AskOptions, JudgeOptions

EP1, EP2, NEXT, DONE = (f"{PLANS}/images/{name}" for name in ("ep1_Q1", "ep2_Q1", "ep1_Q2", "ep1_Q3"))
V1, V2 = f"{CHOICES}/images/v1", f"{CHOICES}/images/v2"
ANSWERS = TRUTHS | {
    EP1: "First I grab the shirt, then I put it into the fridge.",
    NEXT: "take the t-shirt",
    DONE: "It looks finished to me.",
    V1: "It must be B, I think",
}
"""What was answered: right in other words, but for the first plan."""


def counts(matched: int, total: int, reached: int, states: int) -> str:
    return json.dumps(
        {
            "node_correctness": {"matched": matched, "total": total},
            "task_completion": {"reached": reached, "total": states},
        }
    )


def results(node: int, completion: int, name: str = "task_completion") -> str:
    return json.dumps({"node_correctness": {"result": node}, name: {"result": completion}})


STEP = json.dumps(
    {
        "skill_usage_accuracy": {"result": 1},
        "operation_object_reasonableness": {"result": 1},
        "parameter_accuracy": {"result": 0.5},
    }
)
HOMIE = {
    f"q1/{EP1}": counts(2, 3, 0, 2),
    f"q1/{EP2}": f"Here it is: {counts(2, 2, 1, 1)}",
    f"q2_compare/{NEXT}": STEP,
    f"q3/{DONE}": "yes",
    f"choice/{V1}": "B",
}
AUGUST = HOMIE | {
    f"q1/{EP1}": results(6, 0),
    f"q1/{EP2}": "no JSON",
    f"q2_extract/{NEXT}": "pick_up(t-shirt)",
}
OCTOBER = AUGUST | {
    f"q1_extract/{EP1}": '{"plan_step": ["pick_up(t-shirt)", "place(t-shirt, fridge)"]}',
    f"q1_extract/{EP2}": '{"plan_step": ["pick_up(cup)"]}',
    f"q1_score/{EP1}": results(6, 0, "task_completion_degree"),
    f"q1_score/{EP2}": results(5, 5, "task_completion_degree"),
    f"q3_extract/{DONE}": "yes",
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


@pytest.fixture
def run(release: Path, tmp_path: Path) -> Path:
    return ask(AskOptions(folder=release, planner=script(tmp_path / "a.json", ANSWERS), out=tmp_path / "run")).folder


def script(path: Path, lines: Mapping[str, str]) -> str:
    path.write_text(json.dumps(lines))
    return f"scripted:{path}"


def judge_run(run: Path, release: Path, replies: Mapping[str, str], profile: str = "homie", **more: object) -> Verdict:
    values = {"run": run, "questions": release, "judge": script(run.parent / f"{profile}.json", replies)}
    return judge(JudgeOptions.model_validate({**values, "profile": profile, **more}))


def by_dimension(verdict: Verdict) -> dict[str, tuple[float, float, int]]:
    return {row["dimension"][:1]: (row["accuracy"], row["score"], row["unreadable"]) for row in verdict.figures}


def test_homie_counts_all_and_asks_a_judge_only_what_no_rule_reads(run: Path, release: Path) -> None:
    verdict = judge_run(run, release, HOMIE)
    rows = by_dimension(verdict)
    # Plans: (6 + 0) / 20 and (10 + 10) / 20; the next step (1 + 1 + 0.5) / 3; done is right.
    assert rows["3"] == (pytest.approx(2 / 4), pytest.approx((0.3 + 1 + 2.5 / 3 + 1) / 4), 0)
    assert rows["2"] == (1.0, 1.0, 0) and rows["4"] == (1.0, pytest.approx(1.0), 0)
    judged_ids = [json.loads(line)["id"] for line in (verdict.folder / "replies.jsonl").read_text().splitlines()]
    assert sorted(judged_ids) == sorted(HOMIE) and verdict.replies == len(HOMIE)


@pytest.mark.parametrize(
    "reply",
    ["", "no JSON", counts(3, 3, 3, 2), counts(2, 4, 1, 2), counts(0, 3, 0, 0), "{" * 9999 + "}", results(9, 9)],
)
def test_a_reply_whose_arithmetic_is_wrong_is_worth_nothing_and_is_counted(
    run: Path, release: Path, reply: str
) -> None:
    rows = by_dimension(judge_run(run, release, HOMIE | {f"q1/{EP1}": reply}))
    assert rows["3"] == (pytest.approx(2 / 4), pytest.approx((0 + 1 + 2.5 / 3 + 1) / 4), 1)


def test_august_computes_what_it_computes(run: Path, release: Path) -> None:
    figures = judge_run(run, release, AUGUST, "robobench@2026-08").figures
    plans = figures[PLANS]
    # The unread plan is in no mean, but in the weights: (2 * 30 + 1 * 83.33 + 1 * 100) / 4.
    assert (plans["q1"]["mean_score"], plans["q1"]["count"], plans["q1"]["parse_failures"]) == (30.0, 2, 1)
    assert plans["q2"]["mean_score"] == 83.33 and plans["overall"]["overall_mean"] == 60.83
    assert figures[CHOICES] == {"total_questions": 2, "correct": 2, "accuracy": 1.0}


def test_august_ends_where_it_ends_and_the_other_subtasks_stay(run: Path, release: Path) -> None:
    figures = judge_run(run, release, AUGUST | {f"choice/{V1}": "I cannot tell."}, "robobench@2026-08").figures
    assert figures[CHOICES]["ended"].startswith("ValueError: no letter") and figures[PLANS]["q1"]["count"] == 2


def test_october_computes_what_it_computes(run: Path, release: Path) -> None:
    figures = judge_run(run, release, OCTOBER, "robobench@2025-10").figures
    plans = figures[PLANS]
    assert (plans["q1"]["mean_score"], plans["q2"]["mean_score"], plans["q3"]["mean_score"]) == (40.0, 83.33, 100.0)
    assert figures[CHOICES]["overall_accuracy"] == 1.0


def test_it_goes_on_where_a_kill_has_cut_it_off(run: Path, release: Path, tmp_path: Path) -> None:
    uninterrupted = judge_run(run, release, HOMIE)
    path = uninterrupted.folder / "replies.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:30])
    again = judge_run(run, release, HOMIE)
    assert again.figures == uninterrupted.figures
    lines_kept = path.read_bytes().splitlines(keepends=True)
    assert lines_kept[:2] == lines[:2] and len(lines_kept) == len(lines)
    with pytest.raises(BadInput, match=r"another judging \(different: judge, described\)"):
        judge(JudgeOptions(run=run, questions=release, judge="constant:yes", out=uninterrupted.folder))


def test_an_empty_answer_is_not_put_to_a_judge(release: Path, tmp_path: Path) -> None:
    run = ask(AskOptions(folder=release, planner=script(tmp_path / "none.json", {}), out=tmp_path / "none")).folder
    verdict = judge_run(run, release, HOMIE)
    assert verdict.replies == 0 and verdict.figures[-1]["unreadable"] == len(TRUTHS)


def test_a_judge_is_refused_what_it_cannot_judge(run: Path, folder: Path, release: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="are to other questions"):
        judge_run(run, folder, HOMIE)
    with pytest.raises(BadInput, match="is not a run of questions"):
        judge_run(tmp_path, release, HOMIE)
    own = ask(AskOptions(folder=folder, planner="constant:B", out=tmp_path / "own")).folder
    with pytest.raises(BadInput, match="is for RoboBench's released data"):
        judge_run(own, folder, HOMIE, "robobench@2026-08")
    (run / "answers.jsonl").write_bytes(b"")
    with pytest.raises(BadInput, match="lacks answers"):
        judge_run(run, release, HOMIE)


def test_places_of_the_release_are_asked_for(release: Path) -> None:
    places = {q.id: q for q in read_questions(release).questions if q.id.startswith(PLACES)}
    assert [q.kind for q in places.values()] == ["point", "path"]
    assert all(q.asked == "<place>What?" for q in places.values())
