"""Text embeddings for a policy, from a table computed once with the encoder that the policy was trained with.

RT-1-X: 512 numbers of universal-sentence-encoder-large/5 of TensorFlow Hub (version 4 gives others), which has no port
to torch. Octo: 16 x 768 numbers of T5-base, where its encoder or its tokenizer is not available. A table is an .npz
file with `texts` (n,) and `embeddings` (n, 512) or (n, 16, 768).
"""

from __future__ import annotations

import difflib
import math
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from homie.kernel.types import FailureReason
from skills.policies.policy import PolicyFailed

NEAR = 3
"""Number of similar texts that the error for a missing text names."""
LISTS = "`homie skill texts SET SUITE` lists the texts that a suite asks for"
"""Hint on how to list the required texts."""
LARGEST = 512 * 2**20
"""Maximum size (bytes) of an unpacked table: some 10,000 texts of Octo, 250,000 of RT-1-X; no suite needs as many."""


def plain(text: str) -> str:
    """Normalize an instruction: case, blanks, underscores and a full stop do not matter."""
    return " ".join(text.lower().replace("_", " ").split()).rstrip(".")


@dataclass(frozen=True, slots=True)
class TextTable:
    """Embeddings by instruction.

    Attributes:
        path: The file, for the record.
    """

    path: Path
    rows: dict[str, NDArray[np.float32]] = field(repr=False)

    @classmethod
    def read(cls, path: Path, shape: tuple[int, ...]) -> TextTable:
        """Read a table of embeddings of a shape. Raises BadInput with the expected content of the file."""
        try:
            with zipfile.ZipFile(path) as archive:
                # Check the declared sizes of arrays before unpacking them: zeros pack to a thousandth of their size.
                declared = {name: _read_header(archive, name) for name in ("texts", "embeddings")}
                _check_headers(path, declared["texts"], declared["embeddings"], shape)
                texts, embeddings = (_array(archive, name) for name in declared)
        except BadInput:
            raise
        except FileNotFoundError:
            raise BadInput(f"There is no table of embeddings {path}: docs/policies.md says how to make one.") from None
        except Exception as error:  # numpy, zipfile and zlib each have their own errors
            raise BadInput(
                f"{path} is not a table of embeddings, an .npz file with `texts` and `embeddings`: {error}"
            ) from error
        with np.errstate(over="ignore"):
            embeddings = embeddings.astype(np.float32)
        if not np.isfinite(embeddings).all():
            raise BadInput(f"`embeddings` in {path} must be finite numbers of 32 bits; some are not.")
        rows: dict[str, NDArray[np.float32]] = {}
        for text, row in zip((plain(str(text)) for text in texts), embeddings, strict=True):
            if not np.array_equal(rows.setdefault(text, row), row):
                raise BadInput(f"{path} has two embeddings of '{text[:80]}', which differ: leave one out.")
        return cls(path, rows)

    def first(self, text: str, other: str) -> NDArray[np.float32]:
        """Return the embedding of an instruction, or of another wording if the table lacks it. Raises PolicyFailed."""
        return self[other if plain(text) not in self.rows and plain(other) in self.rows else text]

    def __getitem__(self, text: str) -> NDArray[np.float32]:
        """Return the embedding of an instruction, in the table's shape. Raises PolicyFailed naming similar
        instructions."""
        row = self.rows.get(plain(text))
        if row is None:
            similar = difflib.get_close_matches(plain(text), self.rows, NEAR, cutoff=0.3)
            alternatives = (
                f"the nearest are {', '.join(map(repr, similar))}" if similar else f"it has {len(self.rows)} others"
            )
            raise PolicyFailed(
                FailureReason.NO_EMBEDDING,
                lacks=f"{self.path.name} has no row for '{plain(text)}'; {alternatives}; {LISTS}",
            )
        return row


@dataclass(frozen=True, slots=True)
class _ArrayHeader:
    """Shape and type declared in the header of an array file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def _read_header(archive: zipfile.ZipFile, name: str) -> _ArrayHeader:
    """Read the header of an array. Raises the errors of numpy and zipfile."""
    with archive.open(f"{name}.npy") as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    return _ArrayHeader(shape, dtype)


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as stream:
        return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _check_headers(path: Path, texts: _ArrayHeader, embeddings: _ArrayHeader, row: tuple[int, ...]) -> None:
    """Raise BadInput unless texts and embeddings have the shapes, types and size of a table."""
    if len(texts.shape) != 1 or texts.dtype.kind != "U":
        raise BadInput(f"`texts` in {path} must be a list of strings (got shape {texts.shape}, {texts.dtype}).")
    expected = (*texts.shape, *row)
    if embeddings.shape != expected or embeddings.dtype.kind != "f":
        raise BadInput(
            f"`embeddings` in {path} must be finite numbers of shape {expected}, a row for each text (got shape"
            f" {embeddings.shape}, {embeddings.dtype})."
        )
    if (declared := texts.bytes + embeddings.bytes) > LARGEST:
        raise BadInput(
            f"The table of embeddings {path} claims {declared / 2**20:,.0f} MiB, more than {LARGEST // 2**20}: make one"
            " of the texts that are asked for only."
        )
