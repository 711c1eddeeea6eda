"""Files of a judging: `judging.json` with its inputs, and `results.json` with its figures, written last."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.runtime.runstore import read_model
from suites.published.robobench.instructions import Profile
from suites.questions.asking import RESULTS, Asked

JUDGING = "judging.json"
AGAIN = "run the same `homie questions judge` again, which asks for nothing that it has"


class Judging(BaseModel):
    """Content of `judging.json`: the judge and the answers.

    Attributes:
        answers, words: SHA-256 of the answers, and of all prompts of a judge.
    """

    model_config = ConfigDict(frozen=True)

    format: int = 1
    answers: str
    judge: str
    profile: Profile
    described: dict[str, Any]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a judging.

    Attributes:
        asked: The model and the questions of these answers.
        figures: Rows of the table, or the reports of subtasks.
        text: The figures in Markdown.
        replies: Number of replies, with their tokens and their cost in US dollars.
    """

    folder: Path
    asked: Asked
    figures: Any
    text: str
    replies: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The content of `results.json`."""
        names = ("replies", "input_tokens", "output_tokens", "cost", "figures")
        whose = self.asked.model_dump(mode="json", include={"planner", "questions", "dimension"})
        return whose | {name: getattr(self, name) for name in names}


class JudgedRun(BaseModel):
    """Part of `results.json`: the planner whose answers were judged, the questions (SHA-256), and the figures."""

    model_config = ConfigDict(frozen=True)

    planner: str
    questions: str
    dimension: str | None
    figures: Any


def read_judged_run(folder: Path) -> tuple[Judging, JudgedRun]:
    """Read a folder that `homie questions judge` wrote.

    Raises:
        BadInput: it is unfinished, damaged, or of a version of Homie that did not store the planner.
    """
    judging = read_model(folder / JUDGING, Judging)
    results = folder / RESULTS
    if not results.exists():
        raise BadInput(f"The answers of {folder} are not judged to the end: {AGAIN}.")
    try:
        return judging, JudgedRun.model_validate(load_json(results))
    except ValueError as error:
        raise BadInput(f"{results} is damaged, or of an earlier version of Homie: {AGAIN}.") from error
