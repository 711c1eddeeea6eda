"""Files of EMMOE-100 in the authors' format: a folder per task, read and written.

data/train/12/keypath.json          accepted key paths: lists of "[Verb, target, place]"
data/train/12/info.txt              the instruction and the expert's subtasks with analysis, feedback, inventory
data/train/12/subtask3_front.png    pictures before a subtask: front, left, back, right
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import StrictStr, TypeAdapter

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import bounded_bytes, parse_json
from homie.kernel.support.files import reading, reason_of, write_atomically
from homie.kernel.types import Subtask

INFO, KEYPATHS = "info.txt", "keypath.json"
_FIELDS = re.compile(r"^(Task|Analysis|Feedback|Inventory)\s*:\s*(.*)$")
_STEP = re.compile(r"^Subtask\s*(\d+)\s*:\s*\[(.*?)\]\s*(?:\((.*?)\))?\s*$")
_KEYPATHS = TypeAdapter(tuple[tuple[StrictStr, ...], ...])


@dataclass(frozen=True, slots=True)
class ExpertStep:
    """One subtask of an expert, with model, analysis, feedback and the held object afterwards."""

    number: int
    subtask: Subtask
    model: str = ""
    analysis: str = ""
    feedback: str = "None"
    inventory: str = "None"


@dataclass(frozen=True, slots=True)
class EmmoeTask:
    """One task folder.

    Attributes:
        name: Folder name (`84`).
        split: `train`, `test`, or "" if unknown.
        expert_lines: Length of the expert's trajectory in the official notebooks: the number of lines of info.txt with
            `Subtask`, including failed ones and End.
    """

    name: str
    split: str
    text: str
    keypaths: tuple[tuple[str, ...], ...]
    expert: tuple[ExpertStep, ...]
    expert_lines: int


def is_emmoe(path: Path) -> bool:
    """Return whether a folder has task folders of EMMOE-100 in or below it. Raises BadInput."""
    return next(_task_folders(path), None) is not None


def read_emmoe(folder: Path) -> tuple[EmmoeTask, ...]:
    """Read all tasks in and below a folder, by number. Raises BadInput that names the file."""
    return tuple(read_task(path) for path in task_folders(folder))


def task_folders(folder: Path) -> tuple[Path, ...]:
    """Return the task folders in and below a folder, by number. Raises BadInput."""
    return tuple(sorted(_task_folders(folder), key=lambda path: (not path.name.isdigit(), path.name.zfill(9), path)))


def _task_folders(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise BadInput(f"Cannot read {error.filename}: {reason_of(error)}.") from error

    if folder.is_dir():
        for place, _, names in os.walk(folder, onerror=refuse):
            if KEYPATHS in names:
                yield Path(place)


def read_task(folder: Path) -> EmmoeTask:
    """Read one task folder. Raises BadInput."""
    info = _text(folder / INFO)
    text, steps = parse_info(info, str(folder / INFO))
    return EmmoeTask(folder.name, split_of(folder), text, read_keypaths(folder / KEYPATHS), steps, expert_lines(info))


def split_of(folder: Path) -> str:
    """Return the split of a task folder from its parent folders: `train`, `test`, or "" if unknown."""
    return next((part for part in reversed(folder.parts[:-1]) if part in ("train", "test")), "")


def picture_file(folder: Path, number: int, view: str) -> Path:
    """Return the picture file of a view before the expert's subtask with a number (from 1)."""
    return folder / f"subtask{number}_{view}.png"


def write_task(folder: Path, text: str, keypaths: Sequence[Sequence[str]], expert: Sequence[ExpertStep]) -> None:
    """Write `info.txt` and, last, `keypath.json` of a task, as `read_task` reads them. Raises OSError.

    Args:
        folder: Task folder, which exists and contains the pictures (`picture_file`).
        text: Instruction.
        keypaths: Accepted key paths.
        expert: The expert's subtasks, numbered from 1.
    """
    write_atomically(folder / INFO, info_text(text, expert).encode("utf-8", errors="backslashreplace"))
    lines = json.dumps([list(keypath) for keypath in keypaths], indent=2, ensure_ascii=False)
    write_atomically(folder / KEYPATHS, (lines + "\n").encode("utf-8", errors="backslashreplace"))


def info_text(text: str, expert: Sequence[ExpertStep]) -> str:
    """Return the content of an `info.txt`. Line breaks in a text become blanks: the format has a line for each
    field."""
    blocks = [f"Task: {_line(text)}"]
    for step in expert:
        model = f" ({_line(step.model)})" if step.model else ""
        blocks.append(
            f"Subtask{step.number}: {_line(str(step.subtask))}{model}\nAnalysis: {_line(step.analysis)}\n"
            f"Feedback: {_line(step.feedback)}\nInventory: {_line(step.inventory)}"
        )
    return "\n\n".join(blocks) + "\n"


def read_keypaths(path: Path) -> tuple[tuple[str, ...], ...]:
    """Read the key paths of a `keypath.json`. Raises BadInput."""
    try:
        return _KEYPATHS.validate_python(parse_json(_text(path)))
    except ValueError as error:
        raise BadInput(f"{path} is not a list of key paths, each a list of texts such as [Pick, apple].") from error


def parse_info(text: str, source: str = "info.txt") -> tuple[str, tuple[ExpertStep, ...]]:
    """Parse instruction and expert subtasks of an `info.txt`. A line that begins with no field continues the previous
    one.

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
        elif match := _FIELDS.match(line.strip()):
            field = match[1]
            fields[field] = match[2].strip()
        elif field and line.strip():
            fields[field] += f" {line.strip()}"
    if not task.get("Task"):
        raise BadInput(f"{source} has no line `Task: ...`.")
    return task["Task"], tuple(
        ExpertStep(
            number,
            subtask,
            model,
            fields.get("Analysis", ""),
            fields.get("Feedback", "None"),
            fields.get("Inventory", "None"),
        )
        for number, subtask, model, fields in steps
    )


def expert_lines(text: str) -> int:
    """Return the length of an expert's trajectory as counted by the official notebooks (reference: `plw_sr`)."""
    return sum("Subtask" in line for line in text.splitlines())


def _line(text: str) -> str:
    return " ".join(text.split())


def _text(path: Path) -> str:
    with reading(path):
        return bounded_bytes(path).decode()
