"""A folder of questions: `questions.jsonl`, and the pictures that it names.

FOLDER/questions.jsonl      a `Question` per line
FOLDER/made.json            how they were made, if Homie made them
FOLDER/pictures/            PNG or JPEG
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import PIL.Image

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading, reason_of, to_json, write_atomically, writing
from homie.kernel.types import Image
from suites.questions.question import Question
from suites.questions.released import is_released, read_released

QUESTIONS, PICTURES = "questions.jsonl", "pictures"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions and the folder of their pictures.

    Attributes:
        digest: SHA-256 of all questions; answers are stored with it.
    """

    folder: Path
    questions: tuple[Question, ...]
    digest: str

    def pictures(self, question: Question) -> tuple[Image, ...]:
        """The pictures of a question. Raises BadInput for a file that is missing or is not a picture."""
        return tuple(self.picture(name) for name in question.pictures)

    def picture(self, name: str) -> Image:
        """A picture by its file in the folder. Raises BadInput if it is missing or is not a picture."""
        path = self.folder / name
        with reading(path, "the picture"), PIL.Image.open(path) as picture:
            return np.array(picture.convert("RGB"), dtype=np.uint8)


def read_questions(folder: Path) -> QuestionSet:
    """Read a folder in Homie's format, or RoboBench's data as released.

    Raises:
        BadInput: it is neither, a line is not a question, or two questions have the same id.
    """
    if is_released(folder):
        questions = read_released(folder)
        return QuestionSet(folder, questions, hashlib.sha256(_lines(questions)).hexdigest())
    path = folder / QUESTIONS
    with reading(path, "the questions", advice="`homie questions make FOLDER` makes some."):
        lines = path.read_bytes().decode().splitlines()
    questions = tuple(_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip())
    if not questions:
        raise BadInput(f"{path} has no questions.")
    ids = [question.id for question in questions]
    if len(set(ids)) < len(ids):
        raise BadInput(f"{path} has two questions with one id, so answers would be ambiguous.")
    return QuestionSet(folder, questions, hashlib.sha256(_lines(questions)).hexdigest())


def write_questions(folder: Path, questions: Sequence[Question]) -> None:
    """Write `questions.jsonl` atomically. Raises BadInput."""
    with writing(folder / QUESTIONS, "the questions"):
        write_atomically(folder / QUESTIONS, _lines(questions))


def _lines(questions: Sequence[Question]) -> bytes:
    return b"".join(
        to_json(question.model_dump(mode="json", exclude_defaults=True), indent=None) for question in questions
    )


def _question(path: Path, number: int, line: str) -> Question:
    try:
        return Question.model_validate(parse_json(line))
    except ValueError as error:
        raise BadInput(f"Line {number} of {path} is not a question: {reason_of(error)}.") from error
