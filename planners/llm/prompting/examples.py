"""In-context examples: situations and good answers as files, written once and shown in the format of any template."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from homie.kernel.actions import Ability
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import parse_yaml
from homie.kernel.support.files import reading
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.validation_sentences import first_problem
from homie.kernel.types import END, END_SUCCESS, VIEWS, Image, Subtask
from perception.numbered_boxes import PixelBox
from planners.llm.answer_formats import AnswerFormat
from planners.llm.prompting.answering import numbered_answer, written_answer
from planners.parse_subtask import make_subtask, parse_subtask

_BUILT_IN = files("planners.llm").joinpath("prompt_templates", "examples")


class Example(PlainNumbers, BaseModel):
    """One round: what was known, in the words of the prompt, and what a good planner says.

    Attributes:
        setting: The one in which it is right, "" for every one.
        views: The names in sight by view.
        rooms, memory: Knowledge of the home, line by line.
        listing: Further lines of a robot.
        subtasks: One, or a whole plan, each as `[Pick, apple]`, or as a list of its parts where these have commas.
        numbers: A plan by number in their place, with the names in `choices`, some of the list of its own home.
        seen, plan: What a multi-step answer says of the pictures and of its plan.
        picture: A file beside the examples with what was seen.
        boxes: In it, (x0, y0, x1, y1) in its pixels, upper bounds exclusive, of the things listed, in the order of
            their numbers.
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
    subtasks: list[StrictStr | list[StrictStr]] = []
    choices: dict[int, StrictStr] = {}
    numbers: list[int] = []
    picture: StrictStr = ""
    boxes: list[PixelBox] = []

    def steps(self) -> list[Subtask]:
        """The subtasks of the answer. Raises BadInput."""
        return [
            parse_subtask(subtask) if isinstance(subtask, str) else make_subtask(subtask) for subtask in self.subtasks
        ]

    def fits(
        self, actions: Collection[str], setting: str, *, doorways: bool = True, listed: Collection[str] = ()
    ) -> bool:
        """Whether every action of the answer is among these, and the answer right in a setting.

        Args:
            doorways: Whether they are listed, so that an answer may go to one.
            listed: The names of numbered actions, whose verbs count for an answer by number.
        """
        if self.numbers:
            verbs = {verb(name) for name in listed}
            return self.setting in ("", setting) and all(verb(self.choices[number]) in verbs for number in self.numbers)
        steps = self.steps()
        known = doorways or not any(step.target.startswith("doorway") for step in steps)
        return known and all(step.action in actions for step in steps) and self.setting in ("", setting)

    def situation(self) -> dict[str, object]:
        """The fields that a template may use, without the answer."""
        views = [{"name": view, "things": tuple(self.views.get(view, ()))} for view in VIEWS]
        return {
            "task": self.task,
            "views": views,
            "listing": self.listing,
            "choices": [f"{number}: {name}" for number, name in self.choices.items()],
            "rooms": self.rooms,
            "memory": self.memory,
            "inventory": self.inventory,
            "history": self.history,
            "feedback": self.feedback,
        }

    def answer(
        self, answer: AnswerFormat, models: Sequence[str], abilities: Mapping[str, Ability], *, reports: bool = False
    ) -> str:
        """The answer as it should be written, with one of the models that can do it, if there are any. A plan ends
        before the first step that its model cannot do: an answer names one model. One by number names none.

        Args:
            reports: Whether End is a report; then that of an example says that its task is done.
        """
        if self.numbers:
            steps_by_number = [(number, self.choices[number]) for number in self.numbers]
            return numbered_answer(steps_by_number, seen=self.seen, analysis=self.analysis, plan=self.plan)
        steps = [END_SUCCESS if step == END and reports else step for step in self.steps()]
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


def verb(name: str) -> str:
    """The action in the name of a numbered one, without what it is done to.

    >>> verb("pick up the mug 2"), verb("end the task"), verb("Move forward by 0.25")
    ('pick up', 'end', 'Move forward by 0.25')
    """
    return name.partition(" the ")[0]


def _fitting_model(actions: Sequence[str], models: Sequence[str], abilities: Mapping[str, Ability]) -> str:
    """The model for some actions, "" where there are no models. Of those that can do the first of them it is the one
    that can do most, then one that is meant for the first, then the first of the list."""
    if not models:
        return ""

    def worth(model: str) -> tuple[bool, int, bool]:
        ability = abilities.get(model, Ability(()))
        number = sum(action in ability.actions for action in actions)
        return actions[0] in ability.actions, number, actions[0] in ability.meant_for

    return max(models, key=worth)


def load_examples(name: str, folder: Path | None) -> Examples:
    """The examples that a template names: a file beside it, or a built-in one. Raises BadInput."""
    if not name:
        return Examples()
    with reading(name, "the examples"):
        if folder is not None and (folder / name).is_file():
            return parse_examples((folder / name).read_bytes(), name)
        return parse_examples(_BUILT_IN.joinpath(f"{name}.yaml").read_bytes(), name)


def load_picture(name: str, folder: Path | None) -> tuple[Image, str]:
    """The picture (H, W, 3), RGB, of an example, from beside the template or built in, and the SHA-256 of its file.
    Raises BadInput."""
    with reading(name, "the picture of an example"):
        is_in_folder = folder is not None and (folder / name).is_file()
        data = (folder / name if folder is not None and is_in_folder else _BUILT_IN.joinpath(name)).read_bytes()
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if picture is None:
        raise BadInput(f"The picture of an example, {name}, is not a picture that can be read: use a PNG or a JPEG.")
    return np.ascontiguousarray(picture[:, :, ::-1], dtype=np.uint8), hashlib.sha256(data).hexdigest()


def parse_examples(data: bytes, name: str) -> Examples:
    """Examples from the bytes of a YAML file. Raises BadInput with a sentence that names the entry, counted from 1."""
    with reading(name, "the examples"):
        loaded = parse_yaml(data)
    if not isinstance(loaded, list):
        raise BadInput(f"The examples '{name}' must be a list.")
    examples = tuple(_example(name, number, entry) for number, entry in enumerate(loaded, 1))
    return Examples(examples, name, data.decode(errors="replace"), hashlib.sha256(data).hexdigest())


def _example(name: str, number: int, entry: Any) -> Example:
    try:
        example = Example.model_validate(entry)
        for view in example.views:
            if view not in VIEWS:
                hint = suggestion(view, VIEWS, f"choose one of {', '.join(VIEWS)}.")
                raise BadInput(f"there is no view '{view}': {hint}")
        if bool(example.subtasks) == bool(example.numbers):
            raise BadInput("it needs either 'subtasks' or 'numbers'.")
        if unnamed := [number for number in example.numbers if number not in example.choices]:
            raise BadInput(f"'choices' has no name for the number {unnamed[0]}.")
        if END in (steps := example.steps()) and steps[-1] != END:
            raise BadInput("nothing can follow [End].")
        return example
    except ValidationError as error:
        raise BadInput(f"Example {number} of '{name}': {first_problem(error, 'it')}.") from error
    except BadInput as error:
        raise BadInput(f"Example {number} of '{name}': {error}") from error
