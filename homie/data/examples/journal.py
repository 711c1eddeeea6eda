"""Journal of an unfinished data set: after a kill the same command resumes and repeats only the interrupted episode.

OUT/.unfinished/recipe.json       the recipe; a command with another recipe cannot resume
OUT/.unfinished/train.jsonl       lines so far; test.jsonl likewise
OUT/.unfinished/journal.jsonl     an `Entry` per episode, written when its lines are on disk
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
from homie.runtime.runstore.json_lines import differing_fields, read_complete_lines

UNFINISHED = ".unfinished"


class Entry(BaseModel):
    """Journal entry of one episode.

    Attributes:
        sizes: Size in bytes of the lines file of each split after this episode.
        left_out: Why it is skipped, "" if it is not.
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
    """Lines written so far and the episodes that they come from; `close` releases the files.

    done: Episodes that are added or skipped, by name, in order.
    """

    def __init__(self, out: Path, recipe: Recipe) -> None:
        """Raises BadInput if the folder has another unfinished data set or the journal is damaged, OSError."""
        self.folder = out / UNFINISHED
        self.folder.mkdir(exist_ok=True)
        self._check(recipe)
        entries = self._read_entries()
        self.done = {entry.episode: entry for entry in entries}
        self._sizes = entries[-1].sizes if entries else dict.fromkeys(SPLITS, 0)
        for split in SPLITS:
            with self.lines(split).open("ab") as file:
                file.truncate(self._sizes[split])  # drop lines of the episode interrupted by a kill
        text = b"".join(_line(entry) for entry in entries)
        self._journal = (self.folder / "journal.jsonl").open("r+b" if entries else "wb")
        self._journal.truncate(len(text))
        self._journal.seek(len(text))
        self._files = {split: self.lines(split).open("ab") for split in SPLITS}

    def lines(self, split: str) -> Path:
        """Return the lines file of a split."""
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
        """Add an episode with its lines, or a skipped one. Raises OSError."""
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

    def _read_entries(self) -> tuple[Entry, ...]:
        """Return the entries whose lines are complete on disk. Raises BadInput for a damaged journal, OSError."""
        disk_sizes = {split: self.lines(split).stat().st_size if self.lines(split).exists() else 0 for split in SPLITS}
        remedy = f"delete the folder {self.folder} to begin the data set anew"
        entries, _ = read_complete_lines(self.folder / "journal.jsonl", Entry, advice=remedy)
        return tuple(takewhile(lambda entry: all(entry.sizes[split] <= disk_sizes[split] for split in SPLITS), entries))


def _line(entry: Entry) -> bytes:
    return to_json(entry.model_dump(mode="json"), indent=None)
