"""In-context examples: files of situations and good answers, rendered in the format of any template."""

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
from planners.llm.prompting.answering import write_answer, write_numbered_answer
from planners.parse_subtask import make_subtask, parse_subtask

_BUILT_IN = files("planners.llm").joinpath("prompt_templates", "examples")


class Example(PlainNumbers, BaseModel):
    """One round: the planner's input, in the words of the prompt, and the answer of a good planner.

    Attributes:
        setting: The setting in which the answer is right, "" for all.
        views: The names in sight by view.
        rooms, memory: Knowledge of the home, line by line.
        listing: Additional lines of a robot.
        subtasks: One, or a whole plan, each as `[Pick, apple]`, or as a list of its parts if these contain commas.
        numbers: Instead of subtasks, a plan by number, with the names in `choices`, part of the list of its home.
        seen, plan: Description of the pictures and of the plan in a multi-step answer.
        picture: Picture file next to the examples.
        boxes: Boxes of the listed objects in the picture, in the order of their numbers: (x0, y0, x1, y1) in pixels,
            upper bounds exclusive.
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
        """Parse the subtasks of the answer. Raises BadInput."""
        return [
            parse_subtask(subtask) if isinstance(subtask, str) else make_subtask(subtask) for subtask in self.subtasks
        ]

    def fits(
        self, actions: Collection[str], setting: str, *, doorways: bool = True, listed: Collection[str] = ()
    ) -> bool:
        """Return whether every action of the answer is available, and the answer right in a setting.

        Args:
            actions: The available actions.
            setting: The setting of the episode.
            doorways: Whether doorways are listed, so that an answer may go to one.
            listed: The names of numbered actions, whose verbs are the available ones for an answer by number.
        """
        if self.numbers:
            verbs = {verb(name) for name in listed}
            return self.setting in ("", setting) and all(verb(self.choices[number]) in verbs for number in self.numbers)
        steps = self.steps()
        names_exist = doorways or not any(step.target.startswith("doorway") for step in steps)
        return names_exist and all(step.action in actions for step in steps) and self.setting in ("", setting)

    def situation(self) -> dict[str, object]:
        """Return the fields that a template may use, without the answer."""
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
        """Write the answer in a format, with a model that can do it, if there are any. As an answer names one model, a
        plan ends before the first step that its model cannot do. An answer by number names no model.

        Args:
            answer: The format.
            models: The available models.
            abilities: Abilities by model.
            reports: Whether End is a report; then the End of an example reports success.
        """
        if self.numbers:
            steps_by_number = [(number, self.choices[number]) for number in self.numbers]
            return write_numbered_answer(steps_by_number, seen=self.seen, analysis=self.analysis, plan=self.plan)
        steps = [END_SUCCESS if step == END and reports else step for step in self.steps()]
        model = _fitting_model([step.action for step in steps], models, abilities)
        if model in abilities:
            steps = list(takewhile(lambda step: step.action in (*abilities[model].actions, "End"), steps)) or steps
        return write_answer(answer, steps, model=model, analysis=self.analysis, seen=self.seen, plan=self.plan)


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of a file, with its name, its text and the text's SHA-256; all empty without a file."""

    all: tuple[Example, ...] = ()
    name: str = ""
    text: str = ""
    sha256: str = ""


def verb(name: str) -> str:
    """Return the verb in the name of a numbered action, without the object.

    >>> verb("pick up the mug 2"), verb("end the task"), verb("Move forward by 0.25")
    ('pick up', 'end', 'Move forward by 0.25')
    """
    return name.partition(" the ")[0]


def _fitting_model(actions: Sequence[str], models: Sequence[str], abilities: Mapping[str, Ability]) -> str:
    """Choose the model for a sequence of actions, "" without models: one that can do the first action, then the one
    that can do most of them, then one that is meant for the first action, then the first of the list."""
    if not models:
        return ""

    def worth(model: str) -> tuple[bool, int, bool]:
        ability = abilities.get(model, Ability(()))
        number = sum(action in ability.actions for action in actions)
        return actions[0] in ability.actions, number, actions[0] in ability.meant_for

    return max(models, key=worth)


def load_examples(name: str, folder: Path | None) -> Examples:
    """Load the examples that a template names: a file next to it, or a built-in one. Raises BadInput."""
    if not name:
        return Examples()
    with reading(name, "the examples"):
        if folder is not None and (folder / name).is_file():
            return parse_examples((folder / name).read_bytes(), name)
        return parse_examples(_BUILT_IN.joinpath(f"{name}.yaml").read_bytes(), name)


def load_picture(name: str, folder: Path | None) -> tuple[Image, str]:
    """Load the picture (H, W, 3), RGB, of an example, from next to the template or built in; return it and the SHA-256
    of its file. Raises BadInput."""
    with reading(name, "the picture of an example"):
        is_in_folder = folder is not None and (folder / name).is_file()
        data = (folder / name if folder is not None and is_in_folder else _BUILT_IN.joinpath(name)).read_bytes()
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if picture is None:
        raise BadInput(f"The picture of an example, {name}, is not a picture that can be read: use a PNG or a JPEG.")
    return np.ascontiguousarray(picture[:, :, ::-1], dtype=np.uint8), hashlib.sha256(data).hexdigest()


def parse_examples(data: bytes, name: str) -> Examples:
    """Parse the examples of a YAML file. Raises BadInput with a sentence that names the entry, counted from 1."""
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
