"""Answers in models' words: right, wrong, or unreadable, which is wrong and counted."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from question_kinds import KINDS, a_question

from homie.questions.scoring import mark

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
    ],
)
def test_what_has_no_answer_is_no_question(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        a_question(**fields)
