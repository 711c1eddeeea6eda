"""The files of EMMOE-100 as its authors publish them: a folder per task with `keypath.json` and `info.txt`.

data/train/12/keypath.json     accepted key paths: lists of "[Verb, target, place]"
data/train/12/info.txt         the instruction and the expert's subtasks with analysis, feedback, inventory
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import StrictStr, TypeAdapter, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask

_FIELDS = re.compile(r"^(Task|Analysis|Feedback|Inventory)\s*:\s*(.*)$")
_STEP = re.compile(r"^Subtask\s*(\d+)\s*:\s*\[(.*?)\]\s*(?:\((.*?)\))?\s*$")
_KEYPATHS = TypeAdapter(tuple[tuple[StrictStr, ...], ...])


@dataclass(frozen=True, slots=True)
class ExpertStep:
    """One subtask of an expert: with which model, why, what came back and what was held after it."""

    number: int
    subtask: Subtask
    model: str = ""
    analysis: str = ""
    feedback: str = "None"
    inventory: str = "None"


@dataclass(frozen=True, slots=True)
class EmmoeTask:
    """One task folder. name: of the folder (`84`). split: `train`, `test`, or "" where the folders do not tell.

    expert_lines: how long the expert's trajectory is to the official notebooks: lines of info.txt with `Subtask` in
    them, failed ones and End included.
    """

    name: str
    split: str
    text: str
    keypaths: tuple[tuple[str, ...], ...]
    expert: tuple[ExpertStep, ...]
    expert_lines: int


def is_emmoe(path: Path) -> bool:
    """Whether it is a folder with task folders of EMMOE-100 in or below it."""
    return path.is_dir() and next(path.rglob("keypath.json"), None) is not None


def read_emmoe(folder: Path) -> tuple[EmmoeTask, ...]:
    """All tasks in and below a folder, by number. Raises BadInput that names the file."""
    found = [read_task(path.parent) for path in folder.rglob("keypath.json")]
    return tuple(sorted(found, key=lambda task: (not task.name.isdigit(), task.name.zfill(9))))


def read_task(folder: Path) -> EmmoeTask:
    """One task folder. Raises BadInput."""
    info = _text(folder / "info.txt")
    text, steps = parse_info(info, str(folder / "info.txt"))
    split = next((part for part in reversed(folder.parts[:-1]) if part in ("train", "test")), "")
    return EmmoeTask(folder.name, split, text, read_keypaths(folder / "keypath.json"), steps, expert_lines(info))


def read_keypaths(path: Path) -> tuple[tuple[str, ...], ...]:
    """The key paths of a `keypath.json`. Raises BadInput."""
    try:
        return _KEYPATHS.validate_python(json.loads(_text(path)))
    except (json.JSONDecodeError, ValidationError) as error:
        raise BadInput(f"{path} is no list of key paths, each a list of texts such as [Pick, apple].") from error


def parse_info(text: str, source: str = "info.txt") -> tuple[str, tuple[ExpertStep, ...]]:
    """Instruction and expert subtasks of an `info.txt`. A line that begins with no field continues the one before.

    Raises BadInput.
    """
    task: dict[str, str] = {}
    steps: list[tuple[int, Subtask, str, dict[str, str]]] = []
    fields, field = task, ""
    for line in text.splitlines():
        if step := _STEP.match(line.strip()):
            number, words, model = int(step[1]), [part.strip() for part in step[2].split(",")], step[3] or ""
            if not 1 <= len(words) <= 3:
                raise BadInput(f"{source}: subtask {number} has {len(words)} parts, not one to three.")
            fields, field = {}, ""
            steps.append((number, Subtask(*words), model, fields))
        elif named := _FIELDS.match(line.strip()):
            field = named[1]
            fields[field] = named[2].strip()
        elif field and line.strip():
            fields[field] += f" {line.strip()}"
    if not task.get("Task"):
        raise BadInput(f"{source} has no line `Task: ...`.")
    return task["Task"], tuple(
        ExpertStep(
            number,
            subtask,
            model,
            said.get("Analysis", ""),
            said.get("Feedback", "None"),
            said.get("Inventory", "None"),
        )
        for number, subtask, model, said in steps
    )


def expert_lines(text: str) -> int:
    """The length of an expert's trajectory as the official notebooks count it (reference: `plw_sr`)."""
    return sum("Subtask" in line for line in text.splitlines())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise BadInput(f"Cannot read {path}: {reason}.") from error
