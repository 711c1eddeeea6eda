"""A data set while it is made: a kill at any moment loses the episode in hand, and the same command goes on after it.

OUT/.unfinished/recipe.json       how it is made; another recipe does not go on with it
OUT/.unfinished/train.jsonl       lines so far; test.jsonl likewise
OUT/.unfinished/journal.jsonl     an `Entry` for each episode, written when its lines are on disk
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.bench.splits import SPLITS
from homie.data.examples.data_json import Recipe
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json
from homie.runtime.runstore.json_lines import differing_fields, kept_lines

UNFINISHED = ".unfinished"


class Entry(BaseModel):
    """What became of one episode.

    Attributes:
        sizes: Bytes of the lines of each split after it.
        left_out: Why it is not used.
    """

    model_config = ConfigDict(frozen=True)

    episode: str
    task: str
    house: str
    split: str
    sizes: dict[str, int]
    counts: dict[str, int] = {}
    left_out: str = ""


class Journal:
    """The lines so far, and of which episodes they are; `close` releases the files.

    done: the episodes that are in it or left out, by name, in order.
    """

    def __init__(self, out: Path, recipe: Recipe) -> None:
        """Raises BadInput if another data set is being made here or the journal is damaged, OSError."""
        self.folder = out / UNFINISHED
        self.folder.mkdir(exist_ok=True)
        self._check(recipe)
        entries = self._read()
        self.done = {entry.episode: entry for entry in entries}
        self._sizes = entries[-1].sizes if entries else dict.fromkeys(SPLITS, 0)
        for split in SPLITS:
            with self.lines(split).open("ab") as file:
                file.truncate(self._sizes[split])  # lines of the episode that a kill has cut off
        text = b"".join(_line(entry) for entry in entries)
        self._journal = (self.folder / "journal.jsonl").open("r+b" if entries else "wb")
        self._journal.truncate(len(text))
        self._journal.seek(len(text))
        self._files = {split: self.lines(split).open("ab") for split in SPLITS}

    def lines(self, split: str) -> Path:
        """The file with the lines of a split."""
        return self.folder / f"{split}.jsonl"

    def add(
        self,
        lines: Sequence[bytes],
        *,
        episode: str,
        task: str,
        house: str = "",
        split: str = "train",
        counts: Mapping[str, int] | None = None,
        left_out: str = "",
    ) -> None:
        """Add an episode with its lines, or one that is left out. Raises OSError."""
        data = b"".join(lines)
        file = self._files[split]
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        self._sizes = {**self._sizes, split: self._sizes[split] + len(data)}
        entry = Entry(
            episode=episode,
            task=task,
            house=house,
            split=split,
            sizes=self._sizes,
            counts=dict(counts or {}),
            left_out=left_out,
        )
        self._journal.write(_line(entry))
        self._journal.flush()
        self.done[episode] = entry

    def close(self) -> None:
        """Release the files. Idempotent."""
        for file in (*self._files.values(), self._journal):
            file.close()

    def _check(self, recipe: Recipe) -> None:
        if other := differing_fields(self.folder / "recipe.json", recipe):
            raise BadInput(
                f"The folder {self.folder.parent} holds an unfinished data set of another kind (different: "
                f"{', '.join(other)}): choose another --out, or delete it."
            )

    def _read(self) -> tuple[Entry, ...]:
        """The entries whose lines are all there. Raises BadInput for a damaged journal, OSError."""
        there = {split: self.lines(split).stat().st_size if self.lines(split).exists() else 0 for split in SPLITS}
        anew = f"delete the folder {self.folder} to begin the data set anew"
        entries, _ = kept_lines(self.folder / "journal.jsonl", Entry, advice=anew)
        return tuple(takewhile(lambda entry: all(entry.sizes[split] <= there[split] for split in SPLITS), entries))


def _line(entry: Entry) -> bytes:
    return to_json(entry.model_dump(mode="json"), indent=None)
