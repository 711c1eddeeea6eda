"""`notes.jsonl`: notes by people on an episode, during it or afterwards. Append-only, each line synced.

    {"kind": "mark", "text": "success", "at": "2026-11-22T15:40:02+00:00"}
    {"kind": "analysis", "text": "The fridge is shut, so I open it first.", "round": 3, "at": ...}

The last note of a kind takes precedence.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading, reason_of, to_json, writing
from homie.kernel.support.validation_sentences import first_problem
from homie.runtime.runstore import contents

NOTES = "notes.jsonl"
SUCCESS, FAILURE = "success", "failure"
Mark: TypeAlias = Literal["success", "failure"]
LONGEST = 10_000
"""Maximum length of a note in characters."""


class Note(BaseModel):
    """One note, i.e. one line.

    Attributes:
        kind: `mark` (text: success or failure), `discard` and `keep` (of the whole episode), `analysis` (of a round's
            decision, worded as a planner should have), `remark` (free text).
        round: Round that the note is about.
        stamp: Robot time (s) of the note, if known.
        at: Wall clock, ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["mark", "discard", "keep", "analysis", "remark"]
    text: str = Field("", max_length=LONGEST)
    round: int | None = Field(None, ge=1)
    stamp: float | None = Field(None, ge=0.0, allow_inf_nan=False)
    at: str = ""


def note(kind: str, text: str = "", *, round: int | None = None, stamp: float | None = None) -> Note:
    """Create a note with the current time. Raises BadInput for invalid contents."""
    if kind == "mark" and text not in (SUCCESS, FAILURE):
        hint = did_you_mean(text, (SUCCESS, FAILURE)) or "."
        raise BadInput(f"An episode is marked '{SUCCESS}' or '{FAILURE}' (got '{text}'){hint}")
    if kind == "analysis" and round is None:
        raise BadInput("An analysis is of a round: say which.")
    if kind in ("analysis", "remark") and not text.strip():
        raise BadInput("The note is empty: write what is to be remembered.")
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    try:
        return Note(kind=kind, text=text.strip(), round=round, stamp=stamp, at=at)  # type: ignore[arg-type]
    except ValidationError as error:
        raise BadInput(f"The note cannot be kept: {first_problem(error)}.") from error


def add_note(folder: Path, note: Note) -> None:
    """Append to the notes of an episode folder. A last line truncated by a kill is removed with a warning.

    Raises BadInput if the notes cannot be written.
    """
    path = folder / NOTES
    with writing(path, "the note into"), path.open("a+b") as file:
        file.seek(0)
        last_mark = file.read().rpartition(b"\n")[2]
        if last_mark and _is_truncated(path, last_mark):
            file.truncate(file.seek(0, os.SEEK_END) - len(last_mark))
        elif last_mark:
            file.write(b"\n")
        file.write(to_json(note.model_dump(mode="json", exclude_none=True), indent=None))
        file.flush()
        os.fsync(file.fileno())


def read_notes(folder: Path) -> tuple[Note, ...]:
    """Return the notes of an episode folder. A last line truncated by a kill is skipped with a warning.

    Raises BadInput if the file cannot be read or another line is damaged, as that line may have been a discard.
    """
    path = folder / NOTES
    with reading(path):
        *lines, last_mark = contents(path).split(b"\n") if path.exists() else [b""]
    if last_mark and not _is_truncated(path, last_mark):
        lines.append(last_mark)
    notes = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                notes.append(Note.model_validate(parse_json(line)))
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{path} is damaged in line {number} ({reason_of(error)}): restore the file from a copy, or delete "
                "this line alone and add its note again; it may have said that the episode is discarded."
            ) from error
    return tuple(notes)


def _is_truncated(path: Path, last_mark: bytes) -> bool:
    """Return whether a line without a line feed is not a note, and warn if so."""
    try:
        Note.model_validate(parse_json(last_mark))
    except (ValueError, RecursionError):
        warnings.warn(f"{path}: left out a last line that a kill has torn ({len(last_mark)} bytes).", stacklevel=3)
        return True
    return False


def mark_of(notes: Sequence[Note]) -> Mark | None:
    """Return the last mark of success or failure; None if there is none."""
    last_mark = next((note.text for note in reversed(notes) if note.kind == "mark"), None)
    return "success" if last_mark == SUCCESS else "failure" if last_mark == FAILURE else None


def is_discarded(notes: Sequence[Note]) -> bool:
    """Return whether the episode is discarded."""
    return next((note.kind == "discard" for note in reversed(notes) if note.kind in ("discard", "keep")), False)


def analyses(notes: Sequence[Note]) -> dict[int, str]:
    """Return the analyses by round."""
    return {note.round: note.text for note in notes if note.kind == "analysis" and note.round is not None}
