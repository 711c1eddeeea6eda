"""Answers in models' words: right, wrong, or unreadable, which is wrong and counted."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from question_kinds import KINDS, a_question

from suites.questions.scoring import mark

FIELDS = {str(fields["kind"]): fields for fields in KINDS}


@pytest.mark.parametrize(
    ("kind", "answer", "right", "read"),
    [
        ("choice", "B", True, True),
        ("choice", "<think>A?</think> (b)", True, True),
        ("choice", "A", False, True),
        ("choice", "C", False, False),
        ("choice", "It is blue", False, False),
        ("yes_no", "Yes, it is.", True, True),
        ("yes_no", "no", False, True),
        ("yes_no", "yes and no", False, False),
        ("number", "There are 3.", True, True),
        ("number", "13", False, True),
        ("number", "3 or 4", False, False),
        ("number", "three", False, False),
        ("point", "(0.45, 0.59)", True, True),
        ("point", "(0.3, 0.5)", False, True),
        ("point", "(120, 80)", False, False),
        ("point", "(0.5, 0.5) or (0.1, 0.1)", False, False),
        ("box", "[0.2, 0.2, 0.6, 0.5]", True, True),
        ("box", "[0.6, 0.6, 0.9, 0.9]", False, True),
        ("box", "[0.6, 0.6, 0.2, 0.2]", False, False),
        ("text", "The tin can.", True, True),
        ("text", "", False, False),
        ("plan", "1-open(Fridge), 2-pick_up(cup)", True, True),
        ("plan", "1-open(fridge)", False, True),
    ],
)
def test_an_answer_is_right_wrong_or_unreadable(kind: str, answer: str, right: bool, read: bool) -> None:
    given = mark(a_question(**FIELDS[kind]), answer)
    assert (given.right, given.read) == (right, read)
    assert 0 <= given.score <= 1 and (given.read or given.score == 0)


@pytest.mark.parametrize(
    ("answer", "score", "read"),
    [
        ("3-Put(tin can, shelf)", 1, True),
        ("put(tin_can, table)", 2 / 3, True),
        ("put(cup, table)", 1 / 3, True),
        ("close(shelf)", 0, True),
        ("pick(tin_can)", 1 / 3, True),
        ("1-pick(tin_can), 2-put(tin_can, shelf)", 0, False),
        ("", 0, False),
    ],
)
def test_a_next_step_has_three_parts_and_is_one_step(answer: str, score: float, read: bool) -> None:
    given = mark(a_question(kind="plan", truth="put(tin_can, shelf)"), answer)
    assert (given.score, given.read, given.right) == (pytest.approx(score), read, score == 1)


@pytest.mark.parametrize(
    ("answer", "right", "read"),
    [
        ("[[0.2, 0.2], [0.5, 0.2], [0.8, 0.5]]", True, True),
        ("(0.2, 0.2), (0.35, 0.2), (0.5, 0.2), (0.65, 0.35), (0.8, 0.5)", True, True),
        ("(0.8, 0.5), (0.5, 0.2), (0.2, 0.2)", False, True),  # backwards
        ("(0.2, 0.2), (0.3, 0.2)", False, True),
        ("(0.2, 0.2)", False, False),
        ("(20, 20), (50, 20)", False, False),
    ],
)
def test_a_path_is_compared_along_its_way(answer: str, right: bool, read: bool) -> None:
    given = mark(a_question(**FIELDS["path"]), answer)
    assert (given.right, given.read) == (right, read) and (given.score > 0.99) is right


def test_part_marks() -> None:
    assert mark(a_question(**FIELDS["plan"]), "1-open(fridge)").score == 0.5
    assert mark(a_question(**FIELDS["point"]), "(0.5, 0.81)").score == pytest.approx(0.395, abs=0.001)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "choice", "truth": "A"},
        {"kind": "choice", "choices": ("red", "red"), "truth": "A"},
        {"kind": "choice", "choices": ("red", "blue"), "truth": "C"},
        {"kind": "yes_no", "truth": "perhaps"},
        {"kind": "point", "truth": "(120, 80)"},
        {"kind": "path", "truth": "(0.1, 0.2)"},
    ],
)
def test_what_has_no_answer_is_no_question(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        a_question(**fields)
