"""A question about pictures with its true answer."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import parse_condition
from suites.published.robobench.choices import read_letters
from suites.published.robobench.geometry import read_box, read_path, read_point
from suites.published.robobench.plans import split_steps

Kind: TypeAlias = Literal["choice", "yes_no", "number", "point", "path", "box", "text", "plan"]
"""Format of an answer. plan: steps as RoboBench writes them (`1-open(fridge), 2-...`)."""
HOW: dict[Kind, str] = {
    "choice": "Answer with the letter of one choice and nothing else.",
    "yes_no": "Answer yes or no and nothing else.",
    "number": "Answer with one whole number and nothing else.",
    "point": "Answer with one point (x, y) and nothing else: x from 0 (left) to 1 (right), y from 0 (top) to 1.",
    "path": "Answer with 3 to 8 points (x, y) in their order and nothing else: x from 0 (left) to 1 (right), y from 0 "
    "(top) to 1.",
    "box": "Answer with one box [x1, y1, x2, y2] and nothing else: x from 0 (left) to 1 (right), y from 0 (top) to 1.",
    "text": "Answer in a few words.",
    "plan": "",
}
"""Answer instructions that follow a question's text."""


class PlanTask(BaseModel):
    """The task of a plan, in a world of Homie in which a judge can execute it.

    Attributes:
        scene: The scene, as a suite file writes it.
        goal: A condition on the world, as a suite file writes it.
        before: For each step of the truth, the steps (from 0) that have to precede it: interchangeable steps do not
            precede each other.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    scene: Mapping[str, Any]
    goal: Mapping[str, Any]
    before: tuple[tuple[int, ...], ...]

    @model_validator(mode="after")
    def _check_task(self) -> PlanTask:
        try:
            parse_condition(self.goal)
        except BadInput as error:
            raise ValueError(str(error)) from error
        if any(other not in range(number) for number, others in enumerate(self.before) for other in others):
            raise ValueError("a step has to come after one that is not earlier in the truth")
        return self


class Question(BaseModel):
    """A question about pictures.

    Attributes:
        id: Unique id.
        dimension: The row of the table that it counts in.
        template: Name of the template; its questions are made in the same way.
        pictures: Files, relative to the folder.
        choices: For kind choice, without letters.
        truth: As an answer would be written: a letter, `yes`, `3`, `(0.4, 0.5)`, `(0.4, 0.5), (0.5, 0.5)`, `[0.1, 0.2,
            0.3, 0.4]`.
        region: For kind point, the box [x1, y1, x2, y2] of right answers.
        source: The world that it is from.
        whole: Whether the text is the complete prompt, so that choices and answer instructions are not added.
        task: For kind plan, if it is in a world of Homie.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    dimension: str = Field(min_length=1)
    template: str = ""
    text: str = Field(min_length=1)
    pictures: tuple[str, ...] = ()
    kind: Kind
    choices: tuple[str, ...] = Field((), max_length=len(ascii_uppercase))
    truth: str = Field(min_length=1)
    region: tuple[float, float, float, float] | None = None
    source: str = ""
    whole: bool = False
    task: PlanTask | None = None

    @model_validator(mode="after")
    def _check_answer(self) -> Question:
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("kind choice has choices, and no other kind has")
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("two choices are the same")
        if self.task is not None and (self.kind != "plan" or len(self.task.before) != len(split_steps(self.truth))):
            raise ValueError("a task has a truth of kind plan, and says of each of its steps what comes before it")
        if not self._is_answer(self.truth):
            raise ValueError(f"the truth {self.truth!r} is not an answer of kind {self.kind}")
        return self

    def _is_answer(self, text: str) -> bool:
        match self.kind:
            case "choice":
                return bool(read_letters(text, len(self.choices)))
            case "yes_no":
                return text in self.possible
            case "number":
                return text.isdecimal()
            case "point":
                return read_point(text) is not None
            case "path":
                return len(read_path(text) or ()) > 1
            case "box":
                return read_box(text) is not None
        return True

    @property
    def possible(self) -> tuple[str, ...]:
        """The possible answers, if they can be listed."""
        return ("yes", "no") if self.kind == "yes_no" else tuple(ascii_uppercase[: len(self.choices)])

    @property
    def asked(self) -> str:
        """The text as sent to a model."""
        if self.whole:
            return self.text
        options = [f"{letter}. {choice}" for letter, choice in zip(self.possible, self.choices, strict=False)]
        return "\n".join(part for part in (self.text, *options, HOW[self.kind]) if part)
