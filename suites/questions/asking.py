"""Asks a model questions; every answer is stored at once, so that a kill loses at most the answer in progress.

OUT/asked.json       the model and the questions; a run with another model or other questions does not resume here
OUT/answers.jsonl    an `AnswerRecord` per line, in the order of the questions
OUT/marks.jsonl      a `Marked` per line: each question with its answer, its truth and its mark
OUT/results.json     the rows of the table; results.md the same as Markdown. Written last
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import PlainQuestion, Respondent
from homie.kernel.support.files import slug, to_json, write_atomically, writing
from homie.runtime.find_respondent import respondent_of
from homie.runtime.runstore.json_lines import RecordFile, differing_fields
from suites.questions.folder import QuestionSet, read_questions
from suites.questions.marked_answers import write_marks
from suites.questions.options import AskOptions
from suites.questions.question import Question
from suites.questions.scoring import mark
from suites.questions.table import Row, markdown, rows

ASKED, ANSWERS, RESULTS = "asked.json", "answers.jsonl", "results.json"


class Asked(BaseModel):
    """Content of `asked.json`: the model and the questions it was asked.

    Attributes:
        questions: SHA-256 of the questions.
    """

    model_config = ConfigDict(frozen=True)

    format: int = 1
    questions: str
    dimension: str | None
    planner: str
    described: dict[str, Any]


class AnswerRecord(BaseModel):
    """One answer, word for word, and its mark.

    Attributes:
        seconds: Duration of the request, in seconds.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    answer: str
    right: bool
    score: float
    read: bool
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of `ask`: its folder, the rows of the table, and the cost in US dollars."""

    folder: Path
    rows: tuple[Row, ...]
    cost: float


def ask(options: AskOptions, advance: Callable[[str], object] = lambda name: None) -> Outcome:
    """Ask all questions that have no answer yet, then write the table.

    Args:
        options: The planner, the questions, and the run folder.
        advance: Called with the id of each answered question, including those of an earlier run.

    Raises:
        BadInput: the questions or the planner cannot be used, or the run folder belongs to another run.
        PlannerError: no answer can be obtained; the same command resumes.
    """
    asked = read_questions(options.folder)
    questions = tuple(q for q in asked.questions if options.dimension in (None, q.dimension))
    if not questions:
        dimensions = ", ".join(sorted({question.dimension for question in asked.questions}))
        raise BadInput(
            f"{options.folder} has no questions of the dimension '{options.dimension}': it has {dimensions}."
        )
    respondent = respondent_of(options.planner, options.planner_settings)
    out = options.out or Path("runs") / f"questions-{slug(options.folder.name)}-{slug(options.planner)}"
    head = Asked(
        questions=asked.digest,
        dimension=options.dimension,
        planner=options.planner,
        described=dict(respondent.describe()),
    )
    with writing(out, "into the run folder"):
        out.mkdir(parents=True, exist_ok=True)
        _check_same(out / ASKED, head)
        answers = _ask_rest(asked, questions, respondent, out / ANSWERS, advance)
        words = {question.id: answers[question.id].answer for question in questions}
        marks = {question.id: mark(question, words[question.id]) for question in questions}
        table = rows(questions, marks)
        write_marks(out, questions, words, marks, {})
        write_atomically(out / "results.md", markdown(table).encode())
        write_atomically(out / RESULTS, to_json([row.model_dump(mode="json") for row in table]))
    return Outcome(out, table, sum(answer.cost for answer in answers.values()))


def _ask_rest(
    asked: QuestionSet,
    questions: tuple[Question, ...],
    respondent: Respondent,
    path: Path,
    advance: Callable[[str], object],
) -> dict[str, AnswerRecord]:
    with RecordFile(path, AnswerRecord) as kept:
        answers = {answer.id: answer for answer in kept.records}
        for question in questions:
            if question.id not in answers:
                answers[question.id] = _answer(asked, question, respondent)
                kept.add(answers[question.id])
            advance(question.id)
    return answers


def _answer(asked: QuestionSet, question: Question, respondent: Respondent) -> AnswerRecord:
    pictures = asked.pictures(question)
    began = time.perf_counter()
    answer = respondent.answer(PlainQuestion(question.id, question.asked, pictures, question.possible))
    marked = mark(question, answer.text)
    return AnswerRecord(
        id=question.id,
        answer=answer.text,
        right=marked.right,
        score=marked.score,
        read=marked.read,
        seconds=round(time.perf_counter() - began, 3),
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost=answer.cost,
    )


def _check_same(path: Path, head: Asked) -> None:
    if other := differing_fields(path, head):
        raise BadInput(
            f"{path.parent} has the answers of another asking (different: {', '.join(other)}): choose another --out."
        )
