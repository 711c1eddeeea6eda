"""From a file or a folder to a checkpoint: find the file, read it, remember which file it was."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part
from skills.checkpoints.checkpoint import Checkpoint
from skills.checkpoints.finding import find_file, release_of, step_of

EXTRAS = ("config.json", "dataset_statistics.json")
"""Files beside an Octo checkpoint, at the top of the release's folder."""
LARGEST_EXTRA = 64 * 2**20
"""Bytes; the released statistics of all data sets are far smaller."""


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint without running anything that is in it.

    path: a file, or a folder in one of the layouts of `skills.checkpoints.finding`.
    Raises BadInput where it is no checkpoint or a damaged one, MissingPart without torch or msgpack.
    """
    need("torch")
    file = find_file(path)
    with reading(file), file.open("rb") as opened:
        head = opened.read(4)
        opened.seek(0)
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    if not head:
        raise BadInput(f"{file} is empty.")
    if head[0] == 0x80 or head.startswith(b"PK"):  # a pickle, a zip; a flax tree starts with its number of branches
        from skills.checkpoints.torch_files import read_torch

        form = "torch zip" if head.startswith(b"PK") else "torch legacy"
        content = read_torch(file)
    else:
        need("msgpack")
        from skills.checkpoints.flax_files import read_flax

        form, content = "flax msgpack", read_flax(file)
    return Checkpoint(
        path=file,
        form=form,
        sha256=sha256,
        tensors=content.tensors,
        step=content.step if content.step is not None else step_of(file),
        config=content.config,
        extras=_extras(file),
    )


def need(package: str) -> None:
    """Raise MissingPart where a package that only policies need is not installed."""
    try:
        __import__(package)
    except ImportError as error:
        raise missing_part("A checkpoint", package, "policies") from error


def _extras(file: Path) -> Mapping[str, object]:
    """The JSON files of the release that the file is in."""
    top = release_of(file)
    if top is None:
        return {}
    return {name: _json(top / name) for name in EXTRAS if (top / name).is_file()}


def _json(path: Path) -> object:
    with reading(path):
        if path.stat().st_size > LARGEST_EXTRA:
            raise BadInput(f"{path} is larger than {LARGEST_EXTRA // 2**20} MiB: that is no file of a release.")
        return load_json(path, lax=True)
