"""Texts as a policy takes them, from a table that was made once by the encoder that the policy was trained with.

RT-1-X: 512 numbers of universal-sentence-encoder-large/5 of TensorFlow Hub (version 4 gives others), which has no port
to torch. Octo: 16 x 768 numbers of T5-base, where its encoder or its tokenizer is not at hand. A table is an .npz file
with `texts` (n,) and `embeddings` (n, 512) or (n, 16, 768).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from homie.errors import BadInput
from skills.policy import PolicyFailed

NEAR = 3
"""Texts like the missing one that an error names."""


def plain(text: str) -> str:
    """What two spellings of an instruction have in common: case, blanks and a full stop do not matter."""
    return " ".join(text.lower().split()).rstrip(".")


@dataclass(frozen=True, slots=True)
class TextTable:
    """Embeddings by instruction. path: the file, for the record."""

    path: Path
    rows: dict[str, NDArray[np.float32]] = field(repr=False)

    @classmethod
    def read(cls, path: Path, shape: tuple[int, ...]) -> TextTable:
        """A table of embeddings of a shape. Raises BadInput, which says what the file should hold."""
        try:
            with np.load(path, allow_pickle=False) as file:
                texts, embeddings = file["texts"], file["embeddings"]
        except FileNotFoundError:
            raise BadInput(f"There is no table of embeddings {path}.") from None
        except Exception as error:  # numpy, zipfile and zlib each have their own
            raise BadInput(
                f"{path} is no table of embeddings, an .npz file with `texts` and `embeddings`: {error}"
            ) from error
        if texts.ndim != 1 or texts.dtype.kind != "U":
            raise BadInput(f"`texts` in {path} must be a list of strings (got shape {texts.shape}, {texts.dtype}).")
        wanted = (len(texts), *shape)
        if embeddings.shape != wanted or embeddings.dtype.kind != "f" or not np.isfinite(embeddings).all():
            raise BadInput(
                f"`embeddings` in {path} must be finite numbers of shape {wanted}, a row for each text (got shape"
                f" {embeddings.shape}, {embeddings.dtype})."
            )
        return cls(path, dict(zip((plain(str(text)) for text in texts), embeddings.astype(np.float32), strict=True)))

    def __getitem__(self, text: str) -> NDArray[np.float32]:
        """The embedding of an instruction, of the shape of the table. Raises PolicyFailed, which names similar ones."""
        found = self.rows.get(plain(text))
        if found is None:
            near = difflib.get_close_matches(plain(text), self.rows, NEAR, cutoff=0.3)
            rest = f"the nearest are {', '.join(map(repr, near))}" if near else f"it has {len(self.rows)} others"
            raise PolicyFailed(f"the table of embeddings {self.path.name} has no row for '{plain(text)}'; {rest}")
        return found
