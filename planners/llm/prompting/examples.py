"""In-context examples: situations and good answers as files, written once and told in the format of any template."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from homie.kernel.types import END, VIEWS, Subtask
from homie.kernel.vocabulary.actions import Ability
from planners.llm.answers import AnswerFormat
from planners.llm.prompting.answering import written_answer
from planners.parsing import make_subtask, parse_subtask


class Example(BaseModel):
    """One round: what was known, in the words of the prompt, and what a good planner says.

    setting: the one in which it is right, "" for every one. views: the names in sight by view. rooms, memory: what is
    told of the home, line by line; listing: what a robot tells besides. subtasks: one, or a whole plan, each as
    `[Pick, apple]`, or as a list of its parts where these have commas. seen, plan: what a multi-step answer says of
    the pictures and of its plan.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    setting: Literal["", "background", "sensors"] = ""
    task: StrictStr = Field(min_length=1)
    views: dict[StrictStr, list[StrictStr]] = {}
    listing: list[StrictStr] = []
    rooms: list[StrictStr] = []
    memory: list[StrictStr] = []
    inventory: StrictStr = "None"
    history: StrictStr = "None"
    feedback: StrictStr = "None"
    seen: StrictStr = ""
    analysis: StrictStr = Field(min_length=1)
    plan: StrictStr = ""
    subtasks: list[StrictStr | list[StrictStr]] = Field(min_length=1)

    def steps(self) -> list[Subtask]:
        """The subtasks of the answer. Raises BadInput."""
        return [
            parse_subtask(subtask) if isinstance(subtask, str) else make_subtask(subtask) for subtask in self.subtasks
        ]

    def fits(self, actions: Collection[str], setting: str, *, doorways: bool = True) -> bool:
        """Whether every action of the answer is among these, and the answer right in a setting. doorways: whether they
        are told, so that an answer may go to one."""
        steps = self.steps()
        known = doorways or not any(step.target.startswith("doorway") for step in steps)
        return known and all(step.action in actions for step in steps) and self.setting in ("", setting)

    def situation(self) -> dict[str, object]:
        """What a template may use of it, besides the answer."""
        views = [{"name": view, "things": tuple(self.views.get(view, ()))} for view in VIEWS]
        return {
            "task": self.task,
            "views": views,
            "listing": self.listing,
            "rooms": self.rooms,
            "memory": self.memory,
            "inventory": self.inventory,
            "history": self.history,
            "feedback": self.feedback,
        }

    def answer(self, answer: AnswerFormat, models: Sequence[str], abilities: Mapping[str, Ability]) -> str:
        """The answer as it should be written, with one of the models that can do it, if there are any. A plan ends
        before the first step that its model cannot do: an answer names one model."""
        steps = self.steps()
        model = _fitting_model([step.action for step in steps], models, abilities)
        if model in abilities:
            steps = list(takewhile(lambda step: step.action in (*abilities[model].actions, "End"), steps)) or steps
        return written_answer(answer, steps, model=model, analysis=self.analysis, seen=self.seen, plan=self.plan)


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a file, with its name, its text and the SHA-256 of it; all empty where there is no file."""

    all: tuple[Example, ...] = ()
    name: str = ""
    text: str = ""
    sha256: str = ""


def _fitting_model(actions: Sequence[str], models: Sequence[str], abilities: Mapping[str, Ability]) -> str:
    """The model for some actions, "" where there are no models. Of those that can do the first of them it is the one
    that can do most, then one that is meant for the first, then the first of the list."""
    if not models:
        return ""

    def worth(model: str) -> tuple[bool, int, bool]:
        able = abilities.get(model, Ability(()))
        number = sum(action in able.actions for action in actions)
        return actions[0] in able.actions, number, actions[0] in able.meant_for

    return max(models, key=worth)


def load_examples(name: str, folder: Path | None) -> Examples:
    """The examples that a template names: a file beside it, or a built-in one. Raises BadInput."""
    if not name:
        return Examples()
    with reading(name, "the examples"):
        if folder is not None and (folder / name).is_file():
            return parse_examples((folder / name).read_bytes(), name)
        return parse_examples(files("planners.llm").joinpath("prompts", "examples", f"{name}.yaml").read_bytes(), name)


def parse_examples(data: bytes, name: str) -> Examples:
    """Examples from the bytes of a YAML file. Raises BadInput with a sentence that names the entry, counted from 1."""
    with reading(name, "the examples"):
        loaded = yaml.safe_load(data)
    if not isinstance(loaded, list):
        raise BadInput(f"The examples '{name}' must be a list.")
    examples = tuple(_example(name, number, entry) for number, entry in enumerate(loaded, 1))
    return Examples(examples, name, data.decode(errors="replace"), hashlib.sha256(data).hexdigest())


def _example(name: str, number: int, entry: Any) -> Example:
    try:
        example = Example.model_validate(entry)
        for view in example.views:
            if view not in VIEWS:
                raise BadInput(f"there is no view '{view}' (views: {', '.join(VIEWS)}).")
        if END in (steps := example.steps()) and steps[-1] != END:
            raise BadInput("nothing can follow [End].")
        return example
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"Example {number} of '{name}', '{key}': {first['msg']}.") from error
    except BadInput as error:
        raise BadInput(f"Example {number} of '{name}': {error}") from error
