"""The folder of a training: used by one process, finished once.

OUT/training.json   what was trained, written last: there means finished
OUT/order.json      what an unfinished training is
OUT/loss.svg        the loss by step
OUT/checkpoints/    where an interrupted training goes on
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel

from homie.kernel.options import Options
from homie.kernel.support.files import write_atomically
from homie.runtime.runstore.checksummed_json import write_model
from homie.runtime.runstore.resumable import Order, resumable_folder
from homie.train.plot import loss_plot

FILE = "training.json"
PICTURE = "loss.svg"
Losses: TypeAlias = tuple[Mapping[int, float], Mapping[int, float]]

_ELSEWHERE = ("data", "sources", "out")
"""Options that say where things are, not what is trained."""


class Training(Order):
    """`order.json`: what an unfinished training is."""

    purpose: str
    data_sha256: str


def training_folder(out: Path, purpose: str, options: Options, data_sha256: str) -> AbstractContextManager[None]:
    """Hold the folder of a new or an unfinished training; it is finished where nothing is raised inside.

    Raises (on entering or leaving):
        BadInput: It holds a finished training, another one, or something else.
        InfrastructureError: The disk fails.
    """
    decisive = {name: value for name, value in options.model_dump(mode="json").items() if name not in _ELSEWHERE}
    training = Training(purpose=purpose, options=decisive, data_sha256=data_sha256)
    return resumable_folder(out, training, FILE, "training", besides="data")


def finish(out: Path, file: BaseModel, losses: Losses, readme: str) -> None:
    """Write what a finished training leaves, `FILE` last.

    Args:
        losses: By step, and of what was held out.
    """
    write_atomically(out / PICTURE, loss_plot(*losses).encode())
    write_atomically(out / "README.md", readme.encode())
    write_model(out / FILE, file)
