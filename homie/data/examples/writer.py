"""Writing a data set, episode by episode, and finishing it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType

from homie.bench.splits import SPLITS
from homie.data.episode import Episode, LeftOut
from homie.data.examples.data_json import DATA, DataFile, Recipe, Share
from homie.data.examples.forms import Line
from homie.data.examples.journal import UNFINISHED, Entry, Journal
from homie.data.pictures import PictureStore
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import mark
from homie.kernel.support.files import to_json, write_atomically, writing
from homie.runtime.runstore import HeldFolder, held_folder, write_model

CARD = "README.md"
OURS = (UNFINISHED, *SPLITS, "images", "rewritten.jsonl")
"""What an unfinished data set may have in its folder."""


class DatasetWriter(HeldFolder):
    """A data set that is being made; one process at a time. Used as a context manager.

    Args:
        out: the folder: new, empty, or with an unfinished data set of the same recipe, which goes on.
        recipe: how it is made.
        pictures_in: the column with the names of the pictures.

    Raises:
        BadInput: the folder has something else, or a finished data set.
    """

    def __init__(self, out: Path, recipe: Recipe, pictures_in: str) -> None:
        super().__init__(*held_folder(out, "", "data set"))
        try:
            with writing(out, "into"):
                _check(self.path)
                self._journal = Journal(self.path, recipe)
        except BaseException:
            super().close()
            raise
        self.recipe = recipe
        self._pictures_in = pictures_in
        self._beside = recipe.form == "chat"  # each split has pictures of its own: `datasets` wants them beside it
        folders = [self.path / split / "images" if self._beside else self.path / "images" for split in SPLITS]
        self._stores = {split: PictureStore(folder) for split, folder in zip(SPLITS, folders, strict=True)}

    @property
    def done(self) -> Mapping[str, Entry]:
        """The episodes that are in it or left out, by name."""
        return self._journal.done

    def add(self, episode: Episode, split: str, lines: Iterable[Line]) -> Counter[str]:
        """Add the lines of an episode; what they count as. Raises LeftOut for one that cannot be used, OSError."""
        store = self._stores[split]
        written: list[bytes] = []
        counts: Counter[str] = Counter()
        try:
            for line in lines:
                names = [f"images/{store.name(picture)}" for picture in line.pictures]
                pictures = {self._pictures_in: names} if names else {}
                written.append(to_json({**pictures, **line.fields}, indent=None))
                counts[line.counts] += 1
        except LeftOut:
            store.forget()
            raise
        store.settle()
        self._journal.add(
            written, episode=episode.name, task=episode.task, house=episode.house, split=split, counts=counts
        )
        return counts

    def leave_out(self, name: str, task: str, reason: str) -> None:
        """Note that an episode is not used, and why. Raises OSError."""
        self._journal.add((), episode=name, task=task, left_out=reason)

    def finish(self, card: Callable[[DataFile], str]) -> DataFile:
        """Put the lines in their places, write the card and, last, `data.json`. Raises BadInput, OSError."""
        self._journal.close()
        used = [entry for entry in self._journal.done.values() if not entry.left_out]
        if not any(entry.counts for entry in used):
            reasons = Counter(entry.left_out for entry in self._journal.done.values() if entry.left_out).most_common(1)
            why = f" (most often: {reasons[0][0]})" if reasons else ""
            raise BadInput(f"No episode gives a line, so there is no data set{why}.")
        files = {}
        shares = {}
        for split in SPLITS:
            ours = [entry for entry in used if entry.split == split]
            counts = sum((Counter(entry.counts) for entry in ours), Counter[str]())
            if not counts:
                continue
            shares[split] = Share(
                episodes=len(ours),
                tasks=len({entry.task for entry in ours}),
                houses=len({entry.house for entry in ours if entry.house}),
                lines=counts.total(),
                counts=dict(sorted(counts.items())),
            )
            place = self.path / split / "metadata.jsonl" if self._beside else self.path / f"{split}.json"
            place.parent.mkdir(exist_ok=True)
            (_put if self._beside else _put_list)(self._journal.lines(split), place)
            files[place.relative_to(self.path).as_posix()] = mark(place)
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


def _put(lines: Path, place: Path) -> None:
    """The lines in their place, and for now in the journal too: a kill before the end loses nothing."""
    place.unlink(missing_ok=True)
    try:
        os.link(lines, place)
    except OSError:
        shutil.copyfile(lines, place)


def _put_list(lines: Path, place: Path) -> None:
    """The lines as one JSON list, which is what LLaVA's code loads. The list is never whole in memory."""
    temporary = place.with_name(f".{place.name}.tmp")
    with lines.open("rb") as source, temporary.open("wb") as file:
        for number, line in enumerate(source):
            file.write((b"[" if number == 0 else b",\n") + line.rstrip(b"\n"))
        file.write(b"]\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(place)
