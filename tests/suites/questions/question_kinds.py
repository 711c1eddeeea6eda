"""A question of each kind."""

from __future__ import annotations

from suites.questions.question import Question

KINDS = (
    {"kind": "choice", "choices": ("red", "blue"), "truth": "B"},
    {"kind": "yes_no", "truth": "yes"},
    {"kind": "number", "truth": "3"},
    {"kind": "point", "truth": "(0.5, 0.5)", "region": (0.4, 0.4, 0.6, 0.6)},
    {"kind": "path", "truth": "(0.2, 0.2), (0.5, 0.2), (0.8, 0.5)"},
    {"kind": "box", "truth": "[0.2, 0.2, 0.6, 0.6]"},
    {"kind": "text", "truth": "the tin_can"},
    {"kind": "plan", "truth": "1-open(fridge), 2-pick_up(cup)"},
)


def a_question(**fields: object) -> Question:
    return Question.model_validate({"id": "q", "dimension": "d", "text": "What?", **fields})
