"""Folders that one command fills and can resume after an interruption; locked by one process, finished once.

OUT/order.json   the options of an unfinished folder; the same command resumes it
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import GO_ON, writing
from homie.runtime.runstore.checksummed_json import read_model, write_model
from homie.runtime.runstore.folders import LockedFolder, lock_folder

ORDER = "order.json"


class Order(BaseModel):
    """Specification of a folder's content.

    Attributes:
        options: Options of the command, by name, without those that are only paths.
    """

    model_config = ConfigDict(frozen=True)

    options: dict[str, Any]


@contextmanager
def resumable_folder(out: Path, order: Order, finished: str, noun: str, besides: str) -> Iterator[None]:
    """Context that locks a new or an unfinished folder; it is finished if the block ends without an exception.

    Args:
        finished: The file that is written last: it marks a finished folder.
        noun: Noun for the folder's content in messages, such as "training".
        besides: Name of the difference between two orders with the same options, for messages.

    Raises:
        BadInput: The folder is finished, belongs to another order, has other content, or is used by another process.
        InfrastructureError: The disk fails.
    """
    with (
        closing(LockedFolder(*lock_folder(out, "", noun))),
        writing(out, "into", advice=GO_ON, raises=InfrastructureError),
    ):
        _check_or_write_order(out, order, finished, noun, besides)
        yield
        (out / ORDER).unlink()


def _check_or_write_order(out: Path, order: Order, finished: str, noun: str, besides: str) -> None:
    if (out / finished).exists():
        (out / ORDER).unlink(missing_ok=True)  # left by a kill after the last file was written
        raise BadInput(f"The folder {out} holds a finished {noun}: choose another --out, or delete it.")
    if (out / ORDER).exists():
        try:
            recorded = read_model(out / ORDER, type(order))
        except BadInput as error:
            raise BadInput(f"{error} Choose another --out, or delete the folder to begin anew.") from error
        if recorded != order:
            other = [name for name, value in order.options.items() if recorded.options.get(name) != value]
            differing = ", ".join(other) or besides
            raise BadInput(
                f"The folder {out} holds another unfinished {noun} (different: {differing}): choose another --out."
            )
        return
    if {path.name for path in out.iterdir()} - {f".{ORDER}.tmp"}:  # a temporary file left by a kill
        raise BadInput(f"The folder {out} is not empty and has no {noun}: choose another --out.")
    write_model(out / ORDER, order)
