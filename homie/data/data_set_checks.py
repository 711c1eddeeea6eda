"""Checks of a finished data set: files, pictures, and answers that a planner could not parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.data.examples.data_json import DataFile, read_data_file
from homie.data.pictures import digest
from homie.data.read_data_set import lines_file, read_lines
from homie.kernel.actions import ACTIONS, ARGUMENTS
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import PromptWriter
from homie.kernel.support.files import reason_of
from homie.kernel.types import END, Decision, PlannerInput
from homie.runtime.assembly import load_prompts
from homie.runtime.runstore.damage import describe_change


@dataclass(frozen=True, slots=True)
class Problem:
    """Problem found in a data set.

    Attributes:
        where: File and line, such as `train/metadata.jsonl, line 3`.
    """

    where: str
    what: str


def validate(folder: Path, progress: Callable[[int], None] | None = None) -> Iterator[Problem]:
    """Yield all problems of a data set as they are found.

    Checks files against their checksums, pictures against their names, and every answer with the planner's parser: an
    answer used for training must parse without a retry. In pairs, End must not be the chosen answer, and the two
    answers must differ.

    Raises:
        BadInput: The folder has no finished data set, or `data.json` is damaged.
    """
    data = read_data_file(folder)
    for name, mark in data.files.items():
        if wrong := describe_change(folder / name, mark):
            yield Problem(name, wrong)
    reader = _AnswerReader(data)
    pictures: dict[Path, str] = {}
    for split, share in data.splits.items():
        path = lines_file(folder, data, split)
        where = path.relative_to(folder).as_posix()
        number = 0
        try:
            for number, line in enumerate(read_lines(folder, split), 1):
                location = f"{where}, line {number}"
                for problem in (*_picture_problems(path.parent, line, pictures), *reader.problems(line)):
                    yield Problem(location, problem)
                if progress is not None:
                    progress(number)
        except BadInput as error:
            yield Problem(where, str(error))
        else:
            if number != share.lines:
                yield Problem(where, f"it has {number} lines, {share.lines} were written")


class _AnswerReader:
    """Parses the answers of a data set as a planner would."""

    def __init__(self, data: DataFile) -> None:
        self._chat = data.recipe.form == "chat"
        settings = data.recipe.prompt["settings"] if self._chat else {"template": "emmoe-text"}
        self._writer: PromptWriter = load_prompts(settings)

    def problems(self, line: Mapping[str, Any]) -> Iterator[str]:
        """Yield the problems of the answers in one line."""
        try:
            answers = self._answers(line)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            yield f"it is not a line of this form: {type(error).__name__}: {error}"
            return
        target_answer = answers.get("completion") or answers["chosen"]
        if target_answer.problem:
            yield f"a planner would not read the answer: {target_answer.problem}"
        if "chosen" not in answers:
            return
        rejected = answers["rejected"]
        if target_answer.subtasks == (END,):
            yield "End is chosen"
        if target_answer.raw == rejected.raw:  # answers may differ only in a name that the parser corrects
            yield "chosen and rejected are the same"
        if not rejected.subtasks:
            yield f"a planner would not read the rejected answer: {rejected.problem}"

    def _answers(self, line: Mapping[str, Any]) -> dict[str, Decision]:
        if not self._chat:
            if "conversations" in line:
                texts = {"completion": line["conversations"][1]["value"]}
            else:
                texts = {name: line[name] for name in ("chosen", "rejected")}
            return {
                name: self._writer.read(text, _parsing_input(ACTIONS, (), ARGUMENTS)) for name, text in texts.items()
            }
        arguments = {action: tuple(names) for action, names in zip(line["actions"], line["arguments"], strict=True)}
        question = _parsing_input(tuple(line["actions"]), tuple(line["models"]), arguments)
        names = ("completion",) if "completion" in line else ("chosen", "rejected")
        return {name: self._writer.read(line[name][0]["content"][0]["text"], question) for name in names}


def _parsing_input(
    actions: tuple[str, ...], models: tuple[str, ...], arguments: Mapping[str, tuple[str, ...]]
) -> PlannerInput:
    """Return a planner input with only the fields that parsing an answer needs."""
    return PlannerInput(
        task="",
        round=1,
        views={},
        detections=(),
        inventory=(),
        history=(),
        feedback=None,
        actions=actions,
        models=models,
        arguments=arguments,
    )


def _picture_problems(folder: Path, line: Mapping[str, Any], checked: dict[Path, str]) -> Iterator[str]:
    """Yield the problems of the pictures of one line; every file is read once."""
    names = line.get("images_file_names", line.get("image", ()))
    for name in names:
        path = folder / name
        if path not in checked:
            try:
                same = digest(path.read_bytes()) == path.stem
                checked[path] = "" if same else f"the picture {name} is not what was written"
            except OSError as error:
                checked[path] = f"the picture {name} cannot be read: {reason_of(error)}"
        if checked[path]:
            yield checked[path]
    if "images_file_names" in line:
        places = sum(part["type"] == "image" for message in line["prompt"] for part in message["content"])
        if places != len(names):
            yield f"it has {len(names)} pictures for {places} places"
