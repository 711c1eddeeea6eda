"""Question by question: what all planners of a protocol answered, failures first, small enough for one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suites.leaderboard_sheet import Answer, Sheet

CHARACTERS = {"text": 120, "words": 80, "note": 120}
"""Of a question, an answer and what a judge says of it: two to four lines of a cell. The files have all of them."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with the answer of each planner, None of one that it was not put to."""

    name: str
    text: str
    truth: str
    answers: tuple[Answer | None, ...]

    @property
    def failures(self) -> int:
        """How many planners have it wrong, or cannot be read."""
        return sum(answer is not None and not answer.good for answer in self.answers)


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """The questions of a group.

    Attributes:
        failed: Those that somebody has wrong, those of most planners first.
        right: The others.
        failures: How many each planner has wrong, None of one that has no question of the group.
    """

    name: str
    failed: tuple[QuestionRow, ...]
    right: tuple[QuestionRow, ...]
    failures: tuple[int | None, ...]

    @property
    def n(self) -> int:
        """How many questions there are."""
        return len(self.failed) + len(self.right)


def question_groups(sheets: Sequence[Sheet]) -> tuple[QuestionGroup, ...]:
    """The questions of one protocol by group, in the order of the shares; none where no sheet has answers."""
    by_planner = [{answer.name: answer for answer in sheet.answers} for sheet in sheets]
    first = {answer.name: answer for sheet in reversed(sheets) for answer in sheet.answers}
    groups: dict[str, list[QuestionRow]] = {share.group: [] for sheet in sheets for share in sheet.shares}
    for name in dict.fromkeys(name for answers in by_planner for name in answers):
        answer = first[name]
        row = QuestionRow(name, answer.text, answer.truth, tuple(answers.get(name) for answers in by_planner))
        groups.setdefault(answer.group, []).append(row)
    return tuple(_group(name, rows) for name, rows in groups.items() if rows)


def _group(name: str, rows: Sequence[QuestionRow]) -> QuestionGroup:
    columns = zip(*(row.answers for row in rows), strict=True)
    return QuestionGroup(
        name,
        failed=tuple(sorted((row for row in rows if row.failures), key=lambda row: -row.failures)),
        right=tuple(row for row in rows if not row.failures),
        failures=tuple(
            sum(not answer.good for answer in column if answer) if any(column) else None for column in columns
        ),
    )


def brief(text: str, *, most: int) -> str:
    """A text on one line of so many characters: a longer one keeps its beginning and its end, where questions say what
    they are about and what they ask."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = most // 3
    head, tail = line[: most - end - 1], line[-end:]
    # Whole words, where there are blanks: without the part of a word that the cut has left.
    return f"{head.rpartition(' ')[0] or head}\u2026{tail.partition(' ')[2] or tail}"
