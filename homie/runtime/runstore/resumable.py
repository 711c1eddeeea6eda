"""A folder that one command fills, in one go or in several: used by one process, finished once.

OUT/order.json   what an unfinished folder is to hold; the same command goes on with it
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
from homie.runtime.runstore.folders import HeldFolder, held_folder

ORDER = "order.json"


class Order(BaseModel):
    """What a folder is to hold.

    Attributes:
        options: Of the command, by name, without those that say only where things are.
    """

    model_config = ConfigDict(frozen=True)

    options: dict[str, Any]


@contextmanager
def resumable_folder(out: Path, order: Order, finished: str, noun: str, besides: str) -> Iterator[None]:
    """Hold a new or an unfinished folder; it is finished where nothing is raised inside.

    Args:
        finished: The file that is written last: a folder that has it is finished.
        noun: What the folder holds, for sentences, such as "training".
        besides: What differs where two orders have the same options.

    Raises:
        BadInput: It holds a finished or another one, or something else, or another process uses it.
        InfrastructureError: The disk fails.
    """
    with (
        closing(HeldFolder(*held_folder(out, "", noun))),
        writing(out, "into", advice=GO_ON, raises=InfrastructureError),
    ):
        _begin(out, order, finished, noun, besides)
        yield
        (out / ORDER).unlink()


def _begin(out: Path, order: Order, finished: str, noun: str, besides: str) -> None:
    if (out / finished).exists():
        (out / ORDER).unlink(missing_ok=True)  # a kill came between the two
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
    if {path.name for path in out.iterdir()} - {f".{ORDER}.tmp"}:  # which a kill has left
        raise BadInput(f"The folder {out} is not empty and has no {noun}: choose another --out.")
    write_model(out / ORDER, order)
