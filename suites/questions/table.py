"""Result table: accuracy by dimension with intervals, next to the accuracy without looking at the pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from homie.bench.intervals_and_tests import Term, clustered_wilson
from suites.questions.audit import audit
from suites.questions.question import Question
from suites.questions.scoring import UNREADABLE, Mark


class Row(BaseModel):
    """Results for one dimension, shares 0..1.

    Attributes:
        low, high: 95 % interval (Wilson, at the effective number of questions: those of one world are not independent).
        score: Mean score with partial credit. The last three are as in `audit.Blind`.
    """

    model_config = ConfigDict(frozen=True)

    dimension: str
    n: int
    accuracy: float
    low: float
    high: float
    score: float
    unreadable: int
    chance: float
    constant: float
    text_only: float


def rows(questions: Sequence[Question], marks: Mapping[str, Mark]) -> tuple[Row, ...]:
    """One row for each dimension and one for all. Every question counts; one without a mark is unreadable.

    Args:
        questions: all questions of the run.
        marks: the marks of the answers, by question id.
    """
    blind = audit(questions)
    marks = {question.id: marks.get(question.id, UNREADABLE) for question in questions}
    dimensions = sorted({question.dimension for question in questions})
    rows = []
    for name in (*dimensions, "all"):
        group = [question for question in questions if name in (question.dimension, "all")]
        estimate = clustered_wilson(Term(question.source, float(marks[question.id].right), 1.0) for question in group)
        low, high = estimate.interval or (0.0, 1.0)
        rows.append(
            Row(
                dimension=name,
                n=len(group),
                accuracy=estimate.value or 0.0,
                low=low,
                high=high,
                score=fmean(marks[question.id].score for question in group),
                unreadable=sum(not marks[question.id].read for question in group),
                chance=blind[name].chance,
                constant=blind[name].constant,
                text_only=blind[name].text,
            )
        )
    return tuple(rows)


HEAD = ("dimension", "questions", "right %", "95 %", "score %", "unreadable", "chance %", "constant %", "text only %")


def markdown(table: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [HEAD, ("---",) * len(HEAD)]
    lines += [
        (
            row.dimension.replace("_", " "),
            str(row.n),
            _percent(row.accuracy),
            f"{_percent(row.low)} to {_percent(row.high)}",
            _percent(row.score),
            str(row.unreadable),
            *map(_percent, (row.chance, row.constant, row.text_only)),
        )
        for row in table
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
