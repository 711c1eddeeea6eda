"""One checkpoint, whatever its form: find the file, read it, remember which file it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from homie.kernel.errors import BadInput
from homie.kernel.packages import missing_part
from skills.checkpoints.finding import find_file, release_of, step_of

if TYPE_CHECKING:
    import torch

EXTRAS = ("config.json", "dataset_statistics.json")
"""Files beside an Octo checkpoint, at the top of the release's folder."""
LARGEST_EXTRA = 64 * 2**20
"""Bytes; the released statistics of all data sets are far smaller."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The weights in a file and what else the file says.

    path: the file that was read. form: `torch zip`, `torch legacy` or `flax msgpack`. sha256: of that file, hex.
    tensors: by flat name, on the CPU, with the file's own types; names of flax trees are joined by "/".
    step: the training step, if the file or the folder's name says. config: the configuration inside the file (M3).
    extras: parsed JSON files of the same release by file name (Octo).
    """

    path: Path
    form: str
    sha256: str
    tensors: Mapping[str, torch.Tensor] = field(repr=False)
    step: int | None = None
    config: Mapping[str, object] = field(default_factory=dict, repr=False)
    extras: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def parameters(self) -> int:
        """How many numbers were learned, as papers count them: without running statistics and fixed tables."""
        return sum(tensor.numel() for name, tensor in self.tensors.items() if not _is_buffer(name))


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader finds in a file; see Checkpoint."""

    tensors: Mapping[str, torch.Tensor]
    step: int | None = None
    config: Mapping[str, object] = field(default_factory=dict)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint without running anything that is in it.

    path: a file, or a folder in one of the layouts of `skills.checkpoints.finding`.
    Raises BadInput where it is no checkpoint or a damaged one, MissingPart without torch or msgpack.
    """
    need("torch")
    file = find_file(path)
    try:
        with file.open("rb") as opened:
            head = opened.read(4)
            opened.seek(0)
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise BadInput(f"Cannot read {file}: {error.strerror}.") from error
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


def _is_buffer(name: str) -> bool:
    return name.startswith("batch_stats/") or name.endswith(
        (".running_mean", ".running_var", ".num_batches_tracked", ".pos_enc")
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
    try:
        if path.stat().st_size > LARGEST_EXTRA:
            raise BadInput(f"{path} is larger than {LARGEST_EXTRA // 2**20} MiB: that is no file of a release.")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}.") from error
