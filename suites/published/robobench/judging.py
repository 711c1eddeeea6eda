"""RoboBench's requests to a judge: a language model that extracts and compares, or a script in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

Dag = Mapping[str, object]
"""An entry of a `dag.json`: id, gt_dag, and v2, the file of a drawing."""


class Stage(StrEnum):
    """The kind of a request to a judge."""

    CHOICE = "choice"
    Q1 = "q1"
    Q1_EXTRACT = "q1_extract"
    Q1_SCORE = "q1_score"
    Q2_EXTRACT = "q2_extract"
    Q2_COMPARE = "q2_compare"
    Q3 = "q3"
    Q3_EXTRACT = "q3_extract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A planning question with an answer.

    Attributes:
        id: `<folder>/images/<episode>[_Q1|_Q2|_Q3]`.
        answer: Answer of the model, None if it gave none.
        truth: The published answer.
        task_type: Parts of the folder's path.
        images: Existing files of the question, the first one first; none if the first one is missing, since the judge
            sees no other.
        drawing: The file with the drawn DAG, if it exists.
    """

    id: str
    answer: str | None
    truth: str
    task_type: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    drawing: str | None = None

    @property
    def folder(self) -> str:
        """The folder that has the record's `dag.json`."""
        return self.id.partition("/images/")[0]

    @property
    def episode(self) -> str:
        """The id without its question."""
        return self.id.removesuffix("_Q1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to the judge: stage, record, pictures, the truth's DAG, and the texts of the stage."""

    stage: Stage
    record: Record
    images: tuple[str, ...] = ()
    dag: object = None
    plan: str = ""
    truth_step: str = ""
    step: str = ""
    data: str = ""


Judge = Callable[[Request], str | None]
"""Answers a request; None if no answer came."""


def ask(judge: Judge, requests: Sequence[Request]) -> list[tuple[Record, str | None]]:
    """Return the judge's replies, requested in order."""
    return [(request.record, judge(request)) for request in requests]


def find_dag(dags: Mapping[str, Sequence[Dag]], record: Record) -> Dag | None:
    """Return the DAG of a record, None if its folder has none for it."""
    return next((dag for dag in dags.get(record.folder, ()) if dag["id"] == record.episode), None)
