"""A file of one record a line that a kill can only shorten, and the head that says whose records they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Generic, Self, TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.support.files import sync_folder, to_json
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


class KeptRecords(Generic[Record]):
    """A file of records that a command adds to, each kept at once: after a kill the same command goes on with them.

    Args:
        path: Of the file, in a folder that is there. A line that a kill has cut off is removed.
        model: The class of the records.

    Attributes:
        records: Those that are in the file.

    Raises:
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
    before = read_model(path, type(head))
    return tuple(name for name in type(head).model_fields if getattr(before, name) != getattr(head, name))
