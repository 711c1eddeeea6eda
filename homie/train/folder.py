"""The folder of a training: used by one process, finished once.

OUT/training.json   what was trained, written last: there means finished
OUT/order.json      what an unfinished training is
OUT/loss.svg        the loss by step
OUT/checkpoints/    where an interrupted training goes on
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.options import Options
from homie.kernel.support.files import write_atomically, writing
from homie.runtime.runstore.folders import HeldFolder, held_folder
from homie.runtime.runstore.sealed import read_model, write_model
from homie.train.plot import loss_plot

FILE, ORDER = "training.json", "order.json"
PICTURE = "loss.svg"
Losses: TypeAlias = tuple[Mapping[int, float], Mapping[int, float]]

_ELSEWHERE = ("data", "sources", "out")
"""Options that say where things are, not what is trained."""


class Begun(BaseModel):
    """`order.json`: what an unfinished training is."""

    model_config = ConfigDict(frozen=True)

    purpose: str
    options: dict[str, Any]
    data_sha256: str


@contextmanager
def training_folder(out: Path, purpose: str, options: Options, data_sha256: str) -> Iterator[None]:
    """Hold the folder of a new or an unfinished training; it is finished where nothing is raised inside.

    Raises:
        BadInput: It holds a finished training, another one, or something else.
        InfrastructureError: The disk fails.
    """
    decisive = {name: value for name, value in options.model_dump(mode="json").items() if name not in _ELSEWHERE}
    begun = Begun(purpose=purpose, options=decisive, data_sha256=data_sha256)
    again = "Make room there and give the same command again: it goes on where it stopped."
    with (
        closing(HeldFolder(*held_folder(out, "", "training"))),
        writing(out, "into", advice=again, raises=InfrastructureError),
    ):
        _begin(out, begun)
        yield
        (out / ORDER).unlink()


def finish(out: Path, file: BaseModel, losses: Losses, readme: str) -> None:
    """Write what a finished training leaves, `FILE` last.

    Args:
        losses: By step, and of what was held out.
    """
    write_atomically(out / PICTURE, loss_plot(*losses).encode())
    write_atomically(out / "README.md", readme.encode())
    write_model(out / FILE, file)


def _begin(out: Path, begun: Begun) -> None:
    """Take up a new or an unfinished training. Raises BadInput for a finished or another one."""
    if (out / FILE).exists():
        raise BadInput(f"The folder {out} holds a finished training: choose another --out, or delete it.")
    if (out / ORDER).exists():
        before = read_model(out / ORDER, Begun)
        if before != begun:
            other = [name for name, value in begun.options.items() if before.options.get(name) != value]
            what = ", ".join(other) or "data"
            raise BadInput(f"The folder {out} holds another unfinished training (different: {what}): choose another.")
        return
    if any(out.iterdir()):
        raise BadInput(f"The folder {out} is not empty and has no training: choose another --out.")
    write_model(out / ORDER, begun)
