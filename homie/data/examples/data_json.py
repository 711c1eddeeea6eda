"""`data.json`: recipe and contents of a data set."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import FileMark
from homie.kernel.support.files import to_json
from homie.runtime.runstore import read_model

DATA = "data.json"


class Recipe(BaseModel):
    """Recipe of a data set. Equal recipes on unchanged episodes make equal data sets.

    Attributes:
        purpose, form: See `homie.data.examples.forms`.
        prompt: Description of the prompt writer.
        versions: Number of rewordings of each text.
        rewriter: Description of the rewriter.
        renamed: Number of copies of each episode with made-up names.
        keep: Which episodes are used.
        split: How episodes are split.
        sources, license: Sources and licence for the card.
    """

    model_config = ConfigDict(frozen=True)

    purpose: Literal["sft", "dpo"]
    form: Literal["chat", "emmoe"]
    seed: int
    prompt: dict[str, Any]
    explain: bool
    versions: int
    rewriter: dict[str, Any]
    renamed: int = 0
    label_by: str = "planner"
    keep: str
    split: dict[str, Any]
    sources: tuple[dict[str, str], ...]
    homie: str
    license: str = "unknown"


class Share(BaseModel):
    """Contents of one split.

    Attributes:
        counts: Number of lines by action (SFT) or by kind of pair (DPO).
    """

    model_config = ConfigDict(frozen=True)

    episodes: int = 0
    tasks: int = 0
    houses: int = 0
    lines: int = 0
    counts: dict[str, int] = {}


class DataFile(BaseModel):
    """Contents of `data.json`.

    Attributes:
        left_out: Reason for each skipped episode, by name.
        files: Checksums of the files with lines.
        sha256: Checksum of all files; pictures are included, because each is named by its own checksum.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[2] = 2
    kind: Literal["data"] = "data"
    recipe: Recipe
    splits: dict[str, Share]
    left_out: dict[str, str]
    files: dict[str, FileMark]

    @property
    def sha256(self) -> str:
        """SHA-256 of the data."""
        marks = {name: mark.model_dump() for name, mark in sorted(self.files.items())}
        return hashlib.sha256(to_json(marks)).hexdigest()


def read_data_file(folder: Path) -> DataFile:
    """Read `data.json` of a finished data set. Raises BadInput."""
    if not (folder / DATA).exists():
        raise BadInput(
            f"There is no finished data set in {folder}: give a folder that `homie data sft` or `homie data dpo` has "
            "written to the end."
        )
    return read_model(folder / DATA, DataFile)
