"""Input of a judge: the questions of a run with their answers, and RoboBench's records of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.runtime.runstore import read_model
from homie.runtime.runstore.json_lines import read_complete_lines
from suites.published.robobench.dataset import Dataset, read_dataset
from suites.published.robobench.judging import Record
from suites.published.robobench.prompts import Question as ReleasedQuestion
from suites.published.robobench.prompts import Release
from suites.questions.asking import ANSWERS, ASKED, AnswerRecord, Asked
from suites.questions.folder import QuestionSet, read_questions
from suites.questions.question import Question
from suites.questions.released import is_released


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a run with their questions.

    Attributes:
        asked: The model and the questions it was asked.
        suite: The question set that the questions are from.
        questions: The questions of the run.
        words: The answers by question id.
        data: The dataset in RoboBench's released layout, None if the questions have another.
    """

    run: Path
    asked: Asked
    suite: QuestionSet
    questions: tuple[Question, ...]
    words: Mapping[str, str]
    data: Dataset | None

    @property
    def released(self) -> tuple[ReleasedQuestion, ...]:
        """The released questions of the run, in its order; empty if the run is not of RoboBench's data."""
        ids = {question.id for question in self.questions}
        return () if self.data is None else tuple(q for q in self.data.questions if q.unique_id in ids)

    def record(self, question: ReleasedQuestion, release: Release) -> Record:
        """A released question with its answer."""
        assert self.data is not None, "only RoboBench's data has records"
        return self.data.record(question, self.words[question.unique_id] or None, release)


def read_answers(run: Path, questions: Path) -> Answers:
    """Read the answers of a run and their questions.

    Raises:
        BadInput: it is not a run, is unfinished, or has other questions.
    """
    if not (run / ASKED).is_file():
        raise BadInput(f"{run} is not a run of questions: give the folder that `homie questions ask` wrote.")
    asked = read_model(run / ASKED, Asked)
    folder = read_questions(questions)
    if folder.digest != asked.questions:
        raise BadInput(f"The answers in {run} are to other questions than those of {questions}.")
    chosen = tuple(q for q in folder.questions if asked.dimension in (None, q.dimension))
    kept, _ = read_complete_lines(run / ANSWERS, AnswerRecord)
    words = {answer.id: answer.answer for answer in kept}
    if any(question.id not in words for question in chosen):
        raise BadInput(f"{run} lacks answers: run the same `homie questions ask` again, then judge it.")
    return Answers(run, asked, folder, chosen, words, read_dataset(questions) if is_released(questions) else None)
