"""A file of one record a line that a kill can only shorten, and the head that says whose records they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Generic, Self, TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.files import sync_folder, to_json
from homie.kernel.support.text import counted
from homie.runtime.runstore import read_model, write_model

Record = TypeVar("Record", bound=BaseModel)


ALONE = "delete this line alone: its record is made again"
"""What to do about a damaged line, where each record is for itself."""


def kept_lines(path: Path, model: type[Record], *, advice: str = ALONE) -> tuple[list[Record], int]:
    """The records of a file, and the bytes that they take; none without a file. What a kill has cut off is left out.

    Args:
        advice: What to do about a line that no kill has damaged, if there is no copy of the file.

    Raises:
        BadInput: A damaged line has sound ones behind it, which would be lost with it.
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
                    f"{path} is damaged in line {number}, with {counted(count, 'sound line')} behind it: restore the "
                    f"file from a copy, or {advice}."
                )
            break
        records.append(record)
        size += len(line)
    return records, size


def _record(line: bytes, model: type[Record]) -> Record | None:
    """The record in a line, None where it is cut off or damaged: a kill of the machine can leave zeros."""
    try:
        return model.model_validate_json(line) if line.endswith(b"\n") else None
    except ValidationError:
        return None


def append_line(file: BinaryIO, data: object) -> None:
    """Add a line of JSON, which is on the disk when this returns. Raises OSError."""
    file.write(to_json(data, indent=None))
    file.flush()
    os.fsync(file.fileno())


class KeptRecords(Generic[Record]):
    """A file of records that a command adds to, each kept at once: after a kill the same command goes on with them.

    Args:
        path: Of the file, in a folder that is there. A line that a kill has cut off is removed.
        model: The class of the records.

    Attributes:
        records: Those that are in the file.

    Raises:
        BadInput: A line is damaged that no kill has cut off.
        OSError: The file cannot be read or written.
    """

    def __init__(self, path: Path, model: type[Record]) -> None:
        self.records, size = kept_lines(path, model)
        self._file = path.open("ab")
        self._file.truncate(size)
        sync_folder(path.parent)

    def add(self, record: Record, *, exclude_defaults: bool = False) -> None:
        """Add a record, which is on the disk when this returns. Raises OSError."""
        append_line(self._file, record.model_dump(mode="json", exclude_defaults=exclude_defaults))
        self.records.append(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()


def differing_fields(path: Path, head: BaseModel) -> tuple[str, ...]:
    """The fields in which the head in a file is another one; a file that is not there is written, and none differ.

    Raises BadInput if the file cannot be read, OSError.
    """
    if not path.exists():
        write_model(path, head)
        return ()
    recorded = read_model(path, type(head))
    return tuple(name for name in type(head).model_fields if getattr(recorded, name) != getattr(head, name))
