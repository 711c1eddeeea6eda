"""RoboBench's data as released: a folder with `system_prompt.json`, `questions.json` and `dag.json` below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from suites.published.robobench.judging import Record, find_dag
from suites.published.robobench.prompts import Prompt, Question, Release, Texts, build_prompt, image_paths

TEXTS, QUESTIONS, DAG, DRAWINGS = "system_prompt.json", "questions.json", "dag.json", "DAG"
"""Names of files and folders in the release."""
_TEXTS = TypeAdapter(dict[str, str])
_QUESTIONS = TypeAdapter(tuple[Question, ...])


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    id: str


_DAGS = TypeAdapter(tuple[_Entry, ...])


@dataclass(frozen=True, slots=True)
class Dataset:
    """The questions of a release.

    Attributes:
        folder: Top folder.
        texts: Texts of prompts, by key.
        questions: Questions in the order of the files.
        dags: Entries of `dag.json` by folder.
    """

    folder: Path
    texts: Texts
    questions: tuple[Question, ...]
    dags: Mapping[str, Sequence[Mapping[str, object]]]

    def prompt(self, question: Question, release: Release) -> Prompt:
        """Return the message for a question.

        Raises:
            BadInput: the folder or the question lacks a text that the release needs.
        """
        try:
            return build_prompt(question, self.texts, release)
        except KeyError as error:
            raise BadInput(
                f"{error.args[0]!r} is missing for {question.unique_id} under the rules of RoboBench {release}: "
                f"is {self.folder} the data of the other release?"
            ) from error

    def missing(self, release: Release) -> tuple[str, ...]:
        """Return the pictures that questions name and the folder lacks, each once, in order."""
        named = dict.fromkeys(path for question in self.questions for path in image_paths(question, release))
        return tuple(path for path in named if not (self.folder / path).is_file())

    def record(self, question: Question, answer: str | None, release: Release) -> Record:
        """Combine a planning question with an answer, for `evaluate` of the release."""
        images = image_paths(question, release)
        there = tuple(path for path in images if (self.folder / path).is_file())
        record = Record(
            id=question.unique_id,
            answer=answer,
            truth=question.gt_answer,
            task_type=question.task_type,
            images=there if there[:1] == images[:1] else (),
        )
        return record if (drawing := self._drawing(record)) is None else replace(record, drawing=drawing)

    def _drawing(self, record: Record) -> str | None:
        dag = find_dag(self.dags, record) or {}
        path = f"{record.folder}/{DRAWINGS}/{dag.get('v2')}"
        return path if dag.get("v2") and (self.folder / path).is_file() else None


def read_dataset(folder: Path) -> Dataset:
    """Read a data set in the released layout.

    Args:
        folder: the top of the data, with `system_prompt.json`.

    Raises:
        BadInput: a file is missing, no JSON, or not of the released form; or two questions have one id.

    Example:
        >>> read_dataset(Path("nowhere"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        homie.kernel.errors.BadInput: Cannot read the texts of RoboBench nowhere/system_prompt.json: ...
    """
    path = folder / TEXTS
    with reading(path, "the texts of RoboBench"):
        texts = _TEXTS.validate_python(load_json(path))
    questions: list[Question] = []
    for path in sorted(folder.rglob(QUESTIONS)):
        with reading(path, "the questions of RoboBench"):
            questions += _QUESTIONS.validate_python(load_json(path))
    if not questions:
        raise BadInput(f"{folder} has no questions: RoboBench keeps them in <dimension>/<group>/<subtask>/{QUESTIONS}.")
    ids = [question.unique_id for question in questions]
    if len(set(ids)) < len(ids):
        twice = next(name for index, name in enumerate(ids) if name in ids[:index])
        raise BadInput(f"{folder} has two questions with the id {twice}, so answers would be ambiguous.")
    dags = {}
    for path in sorted(folder.rglob(DAG)):
        with reading(path, "the DAGs of RoboBench"):
            entries = _DAGS.validate_python(load_json(path))
        dags[path.parent.relative_to(folder).as_posix()] = [entry.model_dump() for entry in entries]
    return Dataset(folder, texts, tuple(questions), dags)
