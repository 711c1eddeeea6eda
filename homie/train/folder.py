"""Folder of a training: used by one process at a time, finished once.

OUT/training.json   the results, written last: its presence marks a finished training
OUT/order.json      the order of an unfinished training
OUT/loss.svg        the loss by step
OUT/checkpoints/    from which an interrupted training resumes
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

_LOCATIONS = ("data", "sources", "out")
"""Options that are locations and do not affect the result."""


class Training(Order):
    """`order.json`: order of an unfinished training."""

    purpose: str
    data_sha256: str


def training_folder(out: Path, purpose: str, options: Options, data_sha256: str) -> AbstractContextManager[None]:
    """Hold the folder of a new or unfinished training, which is finished if the block raises nothing.

    Raises (on entering or leaving):
        BadInput: The folder contains a finished training, a different one, or other files.
        InfrastructureError: The disk fails.
    """
    decisive = {name: value for name, value in options.model_dump(mode="json").items() if name not in _LOCATIONS}
    training = Training(purpose=purpose, options=decisive, data_sha256=data_sha256)
    return resumable_folder(out, training, FILE, "training", besides="data")


def finish(out: Path, file: BaseModel, losses: Losses, readme: str) -> None:
    """Write the results of a finished training, `FILE` last.

    Args:
        losses: Losses by step, on training and on held-out data.
    """
    write_atomically(out / PICTURE, loss_plot(*losses).encode())
    write_atomically(out / "README.md", readme.encode())
    write_model(out / FILE, file)
