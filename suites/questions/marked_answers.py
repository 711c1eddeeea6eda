"""Every question of a run with its answer and its mark, for inspection: `marks.jsonl`, a `MarkedAnswer` per line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading, to_json, write_atomically
from suites.published.robobench.choices import final_words, read_letters
from suites.questions.question import Question
from suites.questions.scoring import UNREADABLE, Mark

MARKS = "marks.jsonl"


class MarkedAnswer(BaseModel):
    """A question with its answer and its mark.

    Attributes:
        text: Text of the question, "" if it includes instructions for all questions (RoboBench's).
        truth, answer: Letters with their choices (`B. open the fridge`), else as written; the answer without thoughts,
            "" for none.
        right, score, read: As in `scoring.Mark`.
        note: How a judge arrived at the mark, "" if no judge was used.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    dimension: str
    text: str
    truth: str
    answer: str
    right: bool
    score: float
    read: bool
    note: str = ""


def write_marks(
    folder: Path,
    questions: Sequence[Question],
    words: Mapping[str, str],
    marks: Mapping[str, Mark],
    notes: Mapping[str, str],
) -> None:
    """Write the file atomically.

    Args:
        folder: folder of the run or of the judging.
        questions: all questions of the run, in their order.
        words: the answers, marks: their marks (unreadable if missing), notes: notes of a judge; each by question id.

    Raises:
        OSError: the file cannot be written.
    """
    lines = [
        _marked(question, words[question.id], marks.get(question.id, UNREADABLE), notes.get(question.id, ""))
        for question in questions
    ]
    write_atomically(folder / MARKS, b"".join(to_json(line.model_dump(mode="json"), indent=None) for line in lines))


def read_marks(folder: Path) -> tuple[MarkedAnswer, ...]:
    """Read the file of a folder; empty if an earlier version of Homie wrote it. Raises BadInput if it is damaged."""
    path = folder / MARKS
    if not path.exists():
        return ()
    with reading(path, "the marks", advice="Run the command that wrote the folder again: it writes them anew."):
        return tuple(MarkedAnswer.model_validate(parse_json(line)) for line in path.read_bytes().splitlines())


def _marked(question: Question, words: str, mark: Mark, note: str) -> MarkedAnswer:
    return MarkedAnswer(
        id=question.id,
        dimension=question.dimension,
        text="" if question.whole else question.text,
        truth=_with_choices(question, question.truth),
        answer=_with_choices(question, words),
        right=mark.right,
        score=mark.score,
        read=mark.read,
        note=note,
    )


def _with_choices(question: Question, words: str) -> str:
    """An answer without thoughts; letters of choices with the choices that they stand for."""
    letters = read_letters(words, len(question.choices)) if question.choices else None
    if not letters:
        return final_words(words)
    choices = dict(zip(question.possible, question.choices, strict=False))
    return ", ".join(f"{letter}. {choices[letter]}" for letter in sorted(letters))
