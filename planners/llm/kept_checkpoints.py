"""Checkpoints of a TRL training, the newest of which may be truncated after a kill or a full disk."""

from __future__ import annotations

import shutil
import warnings
import zipfile
from pathlib import Path

import safetensors

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json

STATES = ("optimizer.pt", "scheduler.pt", "rng_state.pth")
"""Files needed to resume a training besides the weights: torch files, which are ZIP files."""


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint, removing newer truncated ones, which the training will write again.

    Raises BadInput if all checkpoints are damaged.
    """
    checkpoints = sorted(folder.glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    finished = [path for path in checkpoints if _is_finished(path)]
    complete = [path for path in finished if not _damage(path)]
    if finished and not complete:
        raise BadInput(
            f"The training cannot go on from {finished[-1]}: {_damage(finished[-1])} is damaged. Restore it from a "
            f"copy, or delete {folder} to begin the training anew."
        )
    for path in checkpoints[checkpoints.index(complete[-1]) + 1 :] if complete else checkpoints:
        if path in finished:
            warnings.warn(
                f"{path} is damaged ({_damage(path)}): the training goes on from {complete[-1]}.", stacklevel=2
            )
        shutil.rmtree(path)
    return str(complete[-1]) if complete else None


def _is_finished(checkpoint: Path) -> bool:
    """Return whether a checkpoint has its trainer state, which is written last: a kill leaves none or a part of it."""
    try:
        parse_json((checkpoint / "trainer_state.json").read_bytes(), lax=True)
    except (FileNotFoundError, ValueError):
        return False
    return True


def _damage(checkpoint: Path) -> str:
    """Return the name of a missing or truncated file of a checkpoint, "" for none. Raises OSError."""
    weights = list(checkpoint.glob("*.safetensors"))
    for path in weights:
        try:
            with safetensors.safe_open(path, "numpy"):
                pass
        except safetensors.SafetensorError:
            return path.name
    for path in (checkpoint / name for name in STATES):
        if not path.exists():
            return path.name
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                return path.name
    return "" if weights else "*.safetensors"
