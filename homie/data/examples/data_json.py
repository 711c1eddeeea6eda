"""`data.json`: what a data set was made of and how, and what it holds."""

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
    """How a data set is made. Equal recipes, on episodes that did not change, make equal data sets.

    Attributes:
        purpose, form: See `homie.data.examples.forms`.
        prompt: How the model is asked.
        versions: In other words, for each text.
        rewriter: Who wrote them.
        renamed: Versions of each episode with made-up names.
        keep: Which episodes are used.
        split: How they are split.
        sources, license: What a card says of them.
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
    """What is in one split.

    Attributes:
        counts: Lines by action (SFT), by kind of pair (DPO).
    """

    model_config = ConfigDict(frozen=True)

    episodes: int = 0
    tasks: int = 0
    houses: int = 0
    lines: int = 0
    counts: dict[str, int] = {}


class DataFile(BaseModel):
    """`data.json`.

    Attributes:
        left_out: Why, by episode.
        files: Those with the lines. sha256: of all of them; a picture is named by its own, so that it counts too.
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
        """The SHA-256 of the data."""
        marks = {name: mark.model_dump() for name, mark in sorted(self.files.items())}
        return hashlib.sha256(to_json(marks)).hexdigest()


def read_data_file(folder: Path) -> DataFile:
    """What a finished data set says of itself. Raises BadInput."""
    if not (folder / DATA).exists():
        raise BadInput(
            f"There is no finished data set in {folder}: give a folder that `homie data sft` or `homie data dpo` has "
            "written to the end."
        )
    return read_model(folder / DATA, DataFile)
