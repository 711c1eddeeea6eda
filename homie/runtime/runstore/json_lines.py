"""Files of one JSON record per line, which a kill can only truncate, and head files that identify their records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Generic, Self, TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.files import sync_folder, to_json
from homie.kernel.support.text import format_count
from homie.runtime.runstore import read_model, write_model

Record = TypeVar("Record", bound=BaseModel)


ALONE = "delete this line alone: its record is made again"
"""Advice on a damaged line if records are independent."""


def read_complete_lines(path: Path, model: type[Record], *, advice: str = ALONE) -> tuple[list[Record], int]:
    """Read the records of a file, and their length in bytes; none without a file. A line truncated by a kill is left
    out.

    Args:
        advice: Advice on a line that was not damaged by a kill, if there is no copy of the file.

    Raises:
        BadInput: A damaged line is followed by sound ones, which would be lost with it.
        OSError: The file cannot be read.
    """
    records: list[Record] = []
    size = 0
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, 1):
        record = _record(line, model)
        if record is None:
            if count := sum(_record(other, model) is not None for other in lines[number:]):
                raise BadInput(
                    f"{path} is damaged in line {number}, with {format_count(count, 'sound line')} behind it: restore "
                    f"the file from a copy, or {advice}."
                )
            break
        records.append(record)
        size += len(line)
    return records, size


def _record(line: bytes, model: type[Record]) -> Record | None:
    """Parse the record in a line, None if it is truncated or damaged: a crash of the machine can leave zeros."""
    try:
        return model.model_validate_json(line) if line.endswith(b"\n") else None
    except ValidationError:
        return None


def append_line(file: BinaryIO, data: object) -> None:
    """Append a line of JSON and sync it to disk. Raises OSError."""
    file.write(to_json(data, indent=None))
    file.flush()
    os.fsync(file.fileno())


class RecordFile(Generic[Record]):
    """A file to which a command appends records, each synced at once, so that it can resume after a kill.

    Args:
        path: Path of the file, in an existing folder. A line truncated by a kill is removed.
        model: The class of the records.

    Attributes:
        records: The records in the file.

    Raises:
        BadInput: A line is damaged otherwise than by a kill.
        OSError: The file cannot be read or written.
    """

    def __init__(self, path: Path, model: type[Record]) -> None:
        self.records, size = read_complete_lines(path, model)
        self._file = path.open("ab")
        self._file.truncate(size)
        sync_folder(path.parent)

    def add(self, record: Record, *, exclude_defaults: bool = False) -> None:
        """Append a record and sync it to disk. Raises OSError."""
        append_line(self._file, record.model_dump(mode="json", exclude_defaults=exclude_defaults))
        self.records.append(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()


def differing_fields(path: Path, head: BaseModel) -> tuple[str, ...]:
    """Return the fields in which a head file differs from `head`; a missing file is written, and none differ.

    Raises BadInput if the file cannot be read, OSError.
    """
    if not path.exists():
        write_model(path, head)
        return ()
    recorded = read_model(path, type(head))
    return tuple(name for name in type(head).model_fields if getattr(recorded, name) != getattr(head, name))
