"""Writer of a data set, episode by episode."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType

from homie.bench.splits import SPLITS
from homie.data.episode import Episode, SkippedEpisode
from homie.data.examples.data_json import DATA, DataFile, Recipe, Share
from homie.data.examples.forms import Line
from homie.data.examples.journal import UNFINISHED, Entry, Journal
from homie.data.pictures import PictureStore
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import mark
from homie.kernel.support.files import to_json, write_atomically, writing
from homie.runtime.runstore import LockedFolder, lock_folder, write_model

CARD = "README.md"
OURS = (UNFINISHED, *SPLITS, "images", "rewritten.jsonl")
"""Names that the folder of an unfinished data set may contain."""


class DatasetWriter(LockedFolder):
    """A data set in the making; one process at a time. Used as a context manager.

    Args:
        out: Folder: new, empty, or with an unfinished data set of the same recipe, which is resumed.
        recipe: Recipe of the data set.
        pictures_in: Name of the column with picture files.

    Raises:
        BadInput: The folder contains other files or a finished data set.
    """

    def __init__(self, out: Path, recipe: Recipe, pictures_in: str) -> None:
        super().__init__(*lock_folder(out, "", "data set"))
        try:
            with writing(out, "into"):
                _check(self.path)
                self._journal = Journal(self.path, recipe)
        except BaseException:
            super().close()
            raise
        self.recipe = recipe
        self._pictures_in = pictures_in
        self._own_pictures = recipe.form == "chat"  # `datasets` needs the pictures of a split beside its lines
        folders = [self.path / split / "images" if self._own_pictures else self.path / "images" for split in SPLITS]
        self._stores = {split: PictureStore(folder) for split, folder in zip(SPLITS, folders, strict=True)}

    @property
    def done(self) -> Mapping[str, Entry]:
        """Added and skipped episodes, by name."""
        return self._journal.done

    def add(self, episode: Episode, split: str, lines: Iterable[Line]) -> Counter[str]:
        """Add the lines of an episode and return their counts. Raises SkippedEpisode for an unusable one, OSError."""
        store = self._stores[split]
        encoded: list[bytes] = []
        counts: Counter[str] = Counter()
        try:
            for line in lines:
                names = [f"images/{store.name(picture)}" for picture in line.pictures]
                pictures = {self._pictures_in: names} if names else {}
                encoded.append(to_json({**pictures, **line.fields}, indent=None))
                counts[line.counts] += 1
        except SkippedEpisode:
            store.forget()
            raise
        store.settle()
        self._journal.add(
            encoded, episode=episode.name, task=episode.task, house=episode.house, split=split, counts=counts
        )
        return counts

    def leave_out(self, name: str, task: str, reason: str) -> None:
        """Record that an episode is skipped, and why. Raises OSError."""
        self._journal.add((), episode=name, task=task, left_out=reason)

    def finish(self, card: Callable[[DataFile], str]) -> DataFile:
        """Move the lines to their final place, write the card and, last, `data.json`. Raises BadInput, OSError."""
        self._journal.close()
        included = [entry for entry in self._journal.done.values() if not entry.left_out]
        if not any(entry.counts for entry in included):
            reasons = Counter(entry.left_out for entry in self._journal.done.values() if entry.left_out).most_common(1)
            suffix = f" (most often: {reasons[0][0]})" if reasons else ""
            raise BadInput(f"No episode gives a line, so there is no data set{suffix}.")
        files = {}
        shares = {}
        for split in SPLITS:
            split_entries = [entry for entry in included if entry.split == split]
            counts = sum((Counter(entry.counts) for entry in split_entries), Counter[str]())
            if not counts:
                continue
            shares[split] = Share(
                episodes=len(split_entries),
                tasks=len({entry.task for entry in split_entries}),
                houses=len({entry.house for entry in split_entries if entry.house}),
                lines=counts.total(),
                counts=dict(sorted(counts.items())),
            )
            target = self.path / split / "metadata.jsonl" if self._own_pictures else self.path / f"{split}.json"
            target.parent.mkdir(exist_ok=True)
            (_link_lines if self._own_pictures else _write_list)(self._journal.lines(split), target)
            files[target.relative_to(self.path).as_posix()] = mark(target)
        left_out = {name: entry.left_out for name, entry in self._journal.done.items() if entry.left_out}
        data = DataFile(recipe=self.recipe, splits=shares, left_out=left_out, files=files)
        write_atomically(self.path / CARD, card(data).encode())
        write_model(self.path / DATA, data)
        shutil.rmtree(self._journal.folder)
        return data

    def close(self) -> None:
        """Release the files and the folder. Idempotent."""
        self._journal.close()
        super().close()

    def __enter__(self) -> DatasetWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _check(out: Path) -> None:
    """Raise BadInput unless a data set can be made here."""
    if (out / DATA).exists():
        raise BadInput(f"The folder {out} holds a finished data set: choose another --out, or delete it.")
    if not (out / UNFINISHED).exists() and any(file.name not in OURS for file in out.iterdir()):
        raise BadInput(f"The folder {out} is not empty and has no data set: choose another --out.")


def _link_lines(lines: Path, target: Path) -> None:
    """Link the lines to their final place; they stay in the journal until the end, so that a kill loses nothing."""
    target.unlink(missing_ok=True)
    try:
        os.link(lines, target)
    except OSError:
        shutil.copyfile(lines, target)


def _write_list(lines: Path, target: Path) -> None:
    """Write the lines as one JSON list, which LLaVA's code loads. The list is never completely in memory."""
    temporary = target.with_name(f".{target.name}.tmp")
    with lines.open("rb") as source, temporary.open("wb") as file:
        for number, line in enumerate(source):
            file.write((b"[" if number == 0 else b",\n") + line.rstrip(b"\n"))
        file.write(b"]\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)
