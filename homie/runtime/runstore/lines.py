"""A file of one record a line that a kill can only shorten, and the head that says whose records they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.support.files import to_json
from homie.runtime.runstore import read_model, write_model

Record = TypeVar("Record", bound=BaseModel)


def kept_lines(path: Path, model: type[Record]) -> tuple[list[Record], int]:
    """The records before the first line that is cut off or damaged, and the bytes that they take; none without a file.

    Raises OSError.
    """
    records: list[Record] = []
    size = 0
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        try:
            record = model.model_validate_json(line)
        except ValidationError:  # a kill of the machine can leave zeros
            break
        if not line.endswith(b"\n"):
            break
        records.append(record)
        size += len(line)
    return records, size


def append_line(file: BinaryIO, data: object) -> None:
    """Add a line of JSON, which is on the disk when this returns. Raises OSError."""
    file.write(to_json(data, indent=None))
    file.flush()
    os.fsync(file.fileno())


def differing_fields(path: Path, head: BaseModel) -> tuple[str, ...]:
    """The fields in which the head in a file is another one; a file that is not there is written, and none differ.

    Raises BadInput if the file cannot be read, OSError.
    """
    if not path.exists():
        write_model(path, head)
        return ()
    before = read_model(path, type(head))
    return tuple(name for name in type(head).model_fields if getattr(before, name) != getattr(head, name))
