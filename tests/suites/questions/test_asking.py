"""Putting questions to somebody: what is sent, what is kept, and that it goes on after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homie.kernel.errors import BadInput
from suites.questions.asking import ask
from suites.questions.folder import read_questions
from suites.questions.options import AskOptions

RIGHT = {
    "q-choice": "B",
    "q-yes_no": "yes",
    "q-number": "3",
    "q-point": "(0.5, 0.5)",
    "q-path": "(0.2, 0.2), (0.5, 0.2), (0.8, 0.5)",
    "q-box": "[0.2, 0.2, 0.6, 0.6]",
    "q-text": "the tin can",
    "q-plan": "1-open(fridge), 2-pick_up(cup)",
}


def options(folder: Path, planner: str, out: Path) -> AskOptions:
    return AskOptions(folder=folder, planner=planner, out=out)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(RIGHT))
    return f"scripted:{path}"


def test_right_answers_are_all_right(folder: Path, script: str, tmp_path: Path) -> None:
    outcome = ask(options(folder, script, tmp_path / "run"))
    row = outcome.rows[-1]
    assert (row.dimension, row.n, row.accuracy, row.unreadable) == ("all", 8, 1.0, 0) and row.low < 1
    assert "| all | 8 | 100.0 |" in (tmp_path / "run/results.md").read_text()


def test_it_goes_on_where_a_kill_has_cut_it_off(folder: Path, script: str, tmp_path: Path) -> None:
    uninterrupted = ask(options(folder, script, tmp_path / "whole"))
    cut = tmp_path / "cut"
    ask(options(folder, script, cut))
    lines = (cut / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "answers.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:20])
    questions: list[str] = []
    again = ask(options(folder, script, cut), questions.append)
    assert again.rows == uninterrupted.rows and len(questions) == 8
    lines_kept = (cut / "answers.jsonl").read_bytes().splitlines(keepends=True)
    assert lines_kept[:3] == lines[:3] and len(lines_kept) == 8


def test_answers_behind_a_damaged_line_are_not_lost(folder: Path, script: str, tmp_path: Path) -> None:
    """They were paid for, and no kill damages a line in the middle."""
    run = tmp_path / "run"
    ask(options(folder, script, run))
    answers = run / "answers.jsonl"
    lines = answers.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:2], lines[2].replace(b'"answer"', b'"said"'), *lines[3:]])
    answers.write_bytes(damaged)
    with pytest.raises(
        BadInput, match=rf"answers\.jsonl is damaged in line 3, with {len(lines) - 3} sound lines behind"
    ):
        ask(options(folder, script, run))
    assert answers.read_bytes() == damaged
    answers.write_bytes(b"".join([*lines[:2], *lines[3:]]))  # as the sentence advises
    questions: list[str] = []
    ask(options(folder, script, run), questions.append)
    assert len(questions) == len(answers.read_bytes().splitlines()) == len(lines)


def test_other_questions_or_another_planner_do_not_go_on(folder: Path, script: str, tmp_path: Path) -> None:
    ask(options(folder, script, tmp_path / "run"))
    with pytest.raises(BadInput, match=r"another asking \(different: planner, described\)"):
        ask(options(folder, "constant:A", tmp_path / "run"))


def test_nonsense_is_counted_and_ends_nothing(folder: Path, tmp_path: Path) -> None:
    row = ask(options(folder, "constant:Hm.", tmp_path / "run")).rows[-1]
    assert (row.n, row.accuracy) == (8, 0.0) and row.unreadable >= 5


def test_a_planner_without_a_model_is_reported(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="RulePlanner has no language model to be asked questions"):
        ask(options(folder, "rule", tmp_path / "run"))


def test_a_line_that_is_no_question_is_named(folder: Path) -> None:
    with (folder / "questions.jsonl").open("a") as file:
        file.write('{"id": "x"}\n')
    with pytest.raises(BadInput, match=r"Line 9 of .*questions.jsonl is not a question"):
        read_questions(folder)


def test_robobench_as_released_goes_through_the_same_command(tmp_path: Path) -> None:
    place = "2_perception_reasoning/robot/robot_view"
    top = tmp_path / "release"
    (top / place / "images").mkdir(parents=True)
    (top / place / "images/view1.png").write_bytes(_png())
    (top / "system_prompt.json").write_text(json.dumps({"robot_view": "<view>", "MCQ_post_prompt": "<post>"}))
    choice = {
        "unique_id": f"{place}/images/view1",
        "task_type": place.split("/"),
        "question": "Where is the camera?",
        "gt_answer": "B",
        "image_urls": ["view1.png"],
        "options": ["hand", "head"],
    }
    (top / place / "questions.json").write_text(json.dumps([choice]))
    (question,) = read_questions(top).questions
    assert question.asked == "<view>Where is the camera?\nA. hand\nB. head<post>"
    assert ask(options(top, "constant:B", tmp_path / "run")).rows[-1].accuracy == 1.0


def _png() -> bytes:
    import io

    import PIL.Image

    file = io.BytesIO()
    PIL.Image.new("RGB", (4, 4)).save(file, "PNG")
    return file.getvalue()
