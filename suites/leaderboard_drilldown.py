"""Question by question: the answers of all planners of a protocol, failures first, small enough for one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suites.leaderboard_sheet import Answer, Sheet

CHARACTERS = {"text": 120, "words": 80, "note": 120}
"""Characters of a question, an answer and a judge's note: two to four lines of a cell. The files have all of them."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with the answer of each planner, None of one that was not asked."""

    name: str
    text: str
    truth: str
    answers: tuple[Answer | None, ...]

    @property
    def failures(self) -> int:
        """Number of planners with a wrong or unreadable answer."""
        return sum(answer is not None and not answer.good for answer in self.answers)


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """The questions of a group.

    Attributes:
        failed: Questions that some planner has wrong, those of most planners first.
        right: The others.
        failures: Number of questions that each planner has wrong, None of one that has no question of the group.
    """

    name: str
    failed: tuple[QuestionRow, ...]
    right: tuple[QuestionRow, ...]
    failures: tuple[int | None, ...]

    @property
    def n(self) -> int:
        """Number of questions."""
        return len(self.failed) + len(self.right)


def question_groups(sheets: Sequence[Sheet]) -> tuple[QuestionGroup, ...]:
    """Return the questions of one protocol by group, in the order of the shares; none where no sheet has answers."""
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
    """Shorten a text to one line of so many characters: a longer one keeps its beginning and its end, where questions
    have their subject and what they ask."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = most // 3
    head, tail = line[: most - end - 1], line[-end:]
    # Cut at blanks, where there are some: without the part of a word that the cut has left.
    return f"{head.rpartition(' ')[0] or head}\u2026{tail.partition(' ')[2] or tail}"
