"""RoboBench's released layout, read from a small folder that was made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from protocol_cases import write

from homie.kernel.errors import BadInput
from suites.published.robobench import release_2025_10, release_2026_08
from suites.published.robobench.dataset import read_dataset
from suites.published.robobench.judging import Request

PLANS = "3_generalized_planning/cross_task/rigid"
CHOICES = "2_perception_reasoning/robot/robot_view"
REPLY = '{"node_correctness": {"result": 8}, "task_completion": {"result": 6}}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan with two pictures and a choice with one."""
    plan = {
        "unique_id": f"{PLANS}/images/ep1_Q1",
        "task_type": PLANS.split("/"),
        "question": "Tidy up.",
        "gt_answer": "1-pick_up(cup), 2-place(cup, shelf)",
        "image_urls": ["a.png", "b.png"],
        "robotic_type": "single-arm",
        "input_type": "images",
        "source": "made up",
    }
    choice = {
        "unique_id": f"{CHOICES}/images/view1",
        "task_type": CHOICES.split("/"),
        "question": "Where is the camera?",
        "gt_answer": "B",
        "image_urls": ["view1.png"],
        "options": ["hand", "head"],
        "input_type": "image",
    }
    write(
        tmp_path / "system_prompt.json", {"skill_list_Q1": "<Q1>", "robot_view": "<view>", "MCQ_post_prompt": "<post>"}
    )
    write(tmp_path / PLANS / "questions.json", [plan])
    dag = {"id": f"{PLANS}/images/ep1", "gt_dag": {"nodes": [1, 2], "edges": [[1, 2]]}, "v2": "ep1.png"}
    write(tmp_path / PLANS / "dag.json", [dag])
    write(tmp_path / CHOICES / "questions.json", [choice])
    for name in ("images/ep1/a.png", "images/ep1/b.png", "DAG/ep1.png"):
        write(tmp_path / PLANS / name, "")
    write(tmp_path / CHOICES / "images/view1.png", "")
    return tmp_path


def test_a_folder_is_read_asked_and_scored(folder: Path) -> None:
    dataset = read_dataset(folder)
    choice, plan = dataset.questions
    assert dataset.missing("2026-08") == dataset.missing("2025-10") == ()
    assert dataset.prompt(choice, "2026-08").text == "<view>Where is the camera?\nA. hand\nB. head<post>"
    assert dataset.prompt(plan, "2025-10").text == "<Q1>You are a single-arm robot.Tidy up."
    record = dataset.record(plan, "1-pick_up(cup)", "2026-08")
    assert record.drawing == f"{PLANS}/DAG/ep1.png" and len(record.images) == 2
    sent: list[Request] = []

    def judge(request: Request) -> str:
        sent.append(request)
        return REPLY

    report = release_2026_08.evaluate([record], judge, dataset.dags)
    assert report["overall"] == {"total_count": 1, "overall_mean": 70.0, "q1_mean": 70.0, "q2_mean": 0, "q3_mean": 0}
    assert sent[0].dag == {"nodes": [1, 2], "edges": [[1, 2]]} and sent[0].plan == "1-pick_up(cup)"


def test_pictures_that_are_missing_are_named(folder: Path) -> None:
    (folder / PLANS / "images/ep1/a.png").unlink()
    dataset = read_dataset(folder)
    assert dataset.missing("2026-08") == (f"{PLANS}/images/ep1/a.png",)
    record = dataset.record(dataset.questions[1], "x", "2026-08")
    assert record.images == ()
    with pytest.raises(FileNotFoundError, match="ep1"):  # as released
        release_2026_08.evaluate([record], lambda request: None, dataset.dags)
    report, steps = release_2025_10.evaluate([record], lambda request: None, dataset.dags)
    assert report["q1"] is None and steps == {}


def test_data_of_the_other_release_are_reported(folder: Path) -> None:
    dataset = read_dataset(folder)
    attribute = dataset.questions[0].model_copy(
        update={"unique_id": "2/g/static_attribute/images/mass/m1", "task_type": ("2", "g", "static_attribute")}
    )
    with pytest.raises(BadInput, match=r"'Mass' is missing .* the data of the other release"):
        dataset.prompt(attribute, "2026-08")


def no_texts(folder: Path) -> None:
    (folder / "system_prompt.json").unlink()


def no_questions(folder: Path) -> None:
    for path in folder.rglob("questions.json"):
        path.unlink()


def no_json(folder: Path) -> None:
    (folder / PLANS / "questions.json").write_text("[")


def no_truth(folder: Path) -> None:
    write(folder / CHOICES / "questions.json", [{"unique_id": "x"}])


def twice(folder: Path) -> None:
    (folder / "questions.json").write_bytes((folder / PLANS / "questions.json").read_bytes())


def no_id(folder: Path) -> None:
    write(folder / PLANS / "dag.json", [{}])


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (no_texts, "Cannot read the texts of RoboBench .*system_prompt.json"),
        (no_questions, "has no questions: RoboBench keeps them in"),
        (no_json, "Cannot read the questions of RoboBench"),
        (no_truth, r"Cannot read the questions of RoboBench .*task_type"),
        (twice, "two questions with the id .*ep1_Q1"),
        (no_id, "Cannot read the DAGs of RoboBench .*id"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder: Path, damage: Callable[[Path], None], sentence: str) -> None:
    damage(folder)
    with pytest.raises(BadInput, match=sentence):
        read_dataset(folder)
