"""What a judging leaves: who judged what in `judging.json`, and at its end the figures in `results.json`."""

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
    """Who judges what.

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
    """What came of it.

    Attributes:
        asked: Whose answers these are.
        figures: Rows of the table, or the reports of subtasks.
        text: The same in Markdown.
        replies: How many there are, with their tokens and their cost in US dollars.
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


class Judged(BaseModel):
    """Of `results.json`: whose answers to which questions (SHA-256) were judged, and the figures."""

    model_config = ConfigDict(frozen=True)

    planner: str
    questions: str
    dimension: str | None
    figures: Any


def read_judged(folder: Path) -> tuple[Judging, Judged]:
    """A folder that `homie questions judge` wrote.

    Raises:
        BadInput: it is not finished, damaged, or of a version of Homie that did not say whose answers were judged.
    """
    judging = read_model(folder / JUDGING, Judging)
    results = folder / RESULTS
    if not results.exists():
        raise BadInput(f"The answers of {folder} are not judged to the end: {AGAIN}.")
    try:
        return judging, Judged.model_validate(load_json(results))
    except ValueError as error:
        raise BadInput(f"{results} is damaged, or of an earlier version of Homie: {AGAIN}.") from error
