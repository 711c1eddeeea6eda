"""A LeRobot data set on disk: what it holds, where its next files go, and what an interrupted export has left in it.

meta/homie_unfinished.json   the files that are being added: deleted, and made again, unless `info.json` counts them
meta/homie_episodes.jsonl    what LeRobot has no place for, an `EpisodeNote` each: an import gives back the whole
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter

from homie.data.lerobot.columns import Position, number
from homie.data.lerobot.info import INFO, is_lerobot, read_info
from homie.data.lerobot.task_tables import read_table
from homie.data.recording.demonstration import Demonstration, Stage
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json, parse_json
from homie.kernel.support.files import reading, to_json, write_atomically
from homie.kernel.support.text_pattern import spelt

UNFINISHED = "meta/homie_unfinished.json"
NOTES = "meta/homie_episodes.jsonl"
EVEN = 1e-4
"""Seconds by which a frame may miss its time: the tolerance of LeRobot."""
_ADDED = r"(data|meta/episodes|videos/(?!\.\.?/)[^/]+)/chunk-\d+/file-\d+\.(parquet|mp4)"
"""Names of files that an export adds (`DATA`, `EPISODES`, `VIDEO`)."""
_STAGES = TypeAdapter(tuple[Stage, ...])


class EpisodeNote(BaseModel):
    """Of an episode: its name, so that it is added once, whether its task was done, and its subtasks.

    Attributes:
        stamps: When its frames were, in seconds of robot time, where that is not exactly frame / fps.
        origin, simulated: As in `Demonstration`.
        digest: Of what it holds, "" in notes of Homie 0.1.
    """

    model_config = ConfigDict(frozen=True)

    episode_index: int
    name: str
    success: bool | None
    stages: list[dict[str, Any]]
    stamps: list[FiniteFloat] | None = None
    origin: str = ""
    simulated: bool | None = None
    digest: str = ""

    @classmethod
    def of(cls, index: int, demonstration: Demonstration) -> EpisodeNote:
        """The note of an episode."""
        stages = _STAGES.dump_python(demonstration.stages, mode="json")
        even = np.arange(len(demonstration)) / demonstration.layout.fps
        stamps = None if np.allclose(demonstration.stamps, even, rtol=0.0, atol=EVEN) else demonstration.stamps
        return cls(
            episode_index=index,
            name=demonstration.name,
            success=demonstration.success,
            stages=list(stages),
            stamps=None if stamps is None else stamps.round(6).tolist(),
            origin=demonstration.origin,
            simulated=demonstration.simulated,
            digest=demonstration.digest,
        )

    def read_stages(self) -> tuple[Stage, ...]:
        """Its subtasks again. Raises ValidationError."""
        return _STAGES.validate_python(self.stages)


class Unfinished(BaseModel):
    """Files that are being added to a data set of so many episodes. They are deleted, so that no other name may be one.

    Attributes:
        files: Relative to the data set.
    """

    model_config = ConfigDict(frozen=True)

    episodes: int = Field(ge=0)
    files: tuple[Annotated[str, spelt(_ADDED, "name a file of data, meta/episodes or videos")], ...]


def read_rows(root: Path, total: int) -> list[dict[str, Any]]:
    """The rows of the episodes that `info.json` counts, in order. Raises BadInput where some are missing.

    There are more of them only while an export goes on, or where one was interrupted.
    """
    paths = sorted((root / "meta/episodes").glob("chunk-*/file-*.parquet"))
    rows = [row for path in paths for row in read_table(path).to_pylist()]
    for row in rows:
        whole(row, "episode_index", f"A row of {root}/meta/episodes")
    rows.sort(key=lambda row: int(row["episode_index"]))
    counted = [row for row in rows if row["episode_index"] < total]
    extra = len(rows) > len(counted) and not (root / UNFINISHED).exists()
    if extra or [row["episode_index"] for row in counted] != list(range(total)):
        others = f"has {len(rows)}" if len(rows) != total else "numbers them otherwise"
        raise BadInput(f"The data set {root} is damaged: {INFO} counts {total} episodes, meta/episodes {others}.")
    return counted


def whole(row: Mapping[str, Any], name: str, what: str) -> int:
    """A number of a row that counts something. Raises BadInput.

    Args:
        what: Begins the sentence about one that does not.
    """
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0 or value != int(value):
        raise BadInput(f"{what} has {value!r} for '{name}', and a whole number is needed.")
    return int(value)


def read_notes(root: Path, total: int) -> dict[int, EpisodeNote]:
    """What Homie has noted of the episodes, by their index; nothing of those that others have added.

    Raises BadInput: without a note its episode would be added once more, and nobody would know whether it succeeded.
    """
    path = root / NOTES
    notes: dict[int, EpisodeNote] = {}
    with reading(path):
        lines = path.read_bytes().splitlines() if path.exists() else []
    for place, line in enumerate(lines, 1):
        with reading(f"{path}, line {place}", advice="Restore the file from a copy, or make the data set anew."):
            note = EpisodeNote.model_validate(parse_json(line))
        if note.episode_index < total:
            notes[note.episode_index] = note
    return notes


def last_file(rows: Sequence[dict[str, Any]], what: str) -> int:
    """The largest number of a file of `data`, `meta/episodes` or `videos/<key>` that the rows name, -1 for none."""
    about = "A row of meta/episodes"
    places: list[Position] = [
        (whole(row, f"{what}/chunk_index", about), whole(row, f"{what}/file_index", about)) for row in rows
    ]
    return max(map(number, places), default=-1)


def begin_files(root: Path, episodes: int, files: Sequence[str]) -> None:
    """Note that these files are being added to a data set of so many episodes. Raises OSError."""
    write_atomically(root / UNFINISHED, to_json(Unfinished(episodes=episodes, files=tuple(files)).model_dump()))


def end_files(root: Path) -> None:
    """They are there, and `info.json` counts them."""
    (root / UNFINISHED).unlink()


def clear_unfinished(root: Path) -> None:
    """Delete what an interrupted export has left, unless it was interrupted after `info.json` was written.

    Raises BadInput, OSError.
    """
    path = root / UNFINISHED
    if not path.exists():
        return
    with reading(path, advice="Delete it if no export to this data set was interrupted."):
        left = Unfinished.model_validate(load_json(path))
    total = read_info(root)[0].total_episodes if is_lerobot(root) else 0
    if total <= left.episodes:
        for name in left.files:
            (root / name).unlink(missing_ok=True)
    path.unlink()
