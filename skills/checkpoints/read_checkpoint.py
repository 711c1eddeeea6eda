"""Reading of a checkpoint from a file or a folder: find the file, read it, record which file it was."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part
from skills.checkpoints.checkpoint import Checkpoint
from skills.checkpoints.checkpoint_folders import find_file, release_of, step_of
from skills.checkpoints.formats import CheckpointFormat, formats
from skills.checkpoints.naming import match_known_names

EXTRAS = ("config.json", "dataset_statistics.json")
"""Files beside an Octo checkpoint, at the top of the release's folder."""
LARGEST_EXTRA = 64 * 2**20
"""Maximum size in bytes; the released statistics of all data sets are far smaller."""


def read_checkpoint(path: Path, expected: CheckpointFormat | None = None) -> Checkpoint:
    """Read a checkpoint without running code from it. Raises BadInput if it is damaged or not a checkpoint, MissingPart
    without torch or msgpack.

    Args:
        path: A file, or a folder in one of the layouts of `skills.checkpoints.checkpoint_folders`; FILE#KEY for the
            weights under a key of a file that has several sets.
        expected: The expected format, any registered one if None: prefixes that training code added to its names are
            removed.
    """
    need("torch")
    path, part = _part(path)
    file = find_file(path)
    with reading(file), file.open("rb") as stream:
        head = stream.read(9)
        stream.seek(0)
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if not head:
        raise BadInput(f"{file} is empty.")
    if _is_safetensors(head, file.stat().st_size):  # first: the length of its header may begin as any other format does
        from skills.checkpoints.safetensors_files import read_safetensors

        form, content = "safetensors", read_safetensors(file)
    elif head[0] == 0x80 or head.startswith(b"PK"):  # a pickle, a zip; a flax tree starts with its number of branches
        from skills.checkpoints.torch_files import read_torch

        form = "torch zip" if head.startswith(b"PK") else "torch legacy"
        content = read_torch(file, part)
    else:
        need("msgpack")
        from skills.checkpoints.flax_files import read_flax

        form, content = "flax msgpack", read_flax(file)
    if part and not form.startswith("torch"):
        raise BadInput(f"{file} was not written by torch.save, so it has no key '{part}': leave #{part} out.")
    candidates = [expected] if expected is not None else list(formats())
    tensors, removed = match_known_names(
        content.tensors, lambda names: any(candidate.fits(names) for candidate in candidates)
    )
    return Checkpoint(
        path=file,
        form=form,
        sha256=sha256,
        tensors=tensors,
        notes=tuple(note for note in (content.note, f"without {removed}" if removed else "") if note),
        step=content.step if content.step is not None else step_of(file),
        config=content.config,
        extras=_extras(file),
    )


def _is_safetensors(head: bytes, size: int) -> bool:
    """Whether a file of `size` bytes begins as safetensors does: the length of its JSON header, and the header."""
    return len(head) == 9 and head[8:] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= size - 8


def _part(path: Path) -> tuple[Path, str]:
    """Split a path from the key behind its `#`, "" for none. A file whose name contains a `#` is returned as is."""
    name, mark, part = path.name.partition("#")
    return (path, "") if path.exists() or not mark or not part else (path.with_name(name), part)


def need(package: str) -> None:
    """Raise MissingPart if a package that only policies need is not installed."""
    try:
        __import__(package)
    except ImportError as error:
        raise missing_part("A checkpoint", package, "policies") from error


def _extras(file: Path) -> Mapping[str, object]:
    """Return the JSON files of the release that contains the file."""
    top = release_of(file)
    if top is None:
        return {}
    return {name: _json(top / name) for name in EXTRAS if (top / name).is_file()}


def _json(path: Path) -> object:
    with reading(path):
        if path.stat().st_size > LARGEST_EXTRA:
            raise BadInput(f"{path} is larger than {LARGEST_EXTRA // 2**20} MiB: that is not a file of a release.")
        return load_json(path, lax=True)
