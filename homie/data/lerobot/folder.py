"""A LeRobot data set on disk: its contents, the names of its next files, and the remains of an interrupted export.

meta/homie_unfinished.json   files being added: deleted and written again unless `info.json` counts them
meta/homie_episodes.jsonl    one `EpisodeNote` per episode with what LeRobot cannot store, for a lossless import
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
from homie.kernel.support.text_pattern import pattern_validator

UNFINISHED = "meta/homie_unfinished.json"
NOTES = "meta/homie_episodes.jsonl"
EVEN = 1e-4
"""Tolerance of timestamps in seconds, as in LeRobot."""
_ADDED_FILE = r"(data|meta/episodes|videos/(?!\.\.?/)[^/]+)/chunk-\d+/file-\d+\.(parquet|mp4)"
"""Pattern of the files that an export adds (`DATA`, `EPISODES`, `VIDEO`)."""
_STAGES = TypeAdapter(tuple[Stage, ...])


class EpisodeNote(BaseModel):
    """Note on an episode: its name, so that it is added only once, its success, and its subtasks.

    Attributes:
        stamps: Robot time of the frames in s, if it is not exactly frame / fps.
        origin, simulated: As in `Demonstration`.
        digest: Digest of the demonstration, "" in notes of Homie 0.1.
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
        """Create the note of an episode."""
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
        """Return the subtasks of the episode. Raises ValidationError."""
        return _STAGES.validate_python(self.stages)


class Unfinished(BaseModel):
    """Files being added to a data set with this number of episodes. They are deleted later, so other file names are
    invalid.

    Attributes:
        files: Paths relative to the data set.
    """

    model_config = ConfigDict(frozen=True)

    episodes: int = Field(ge=0)
    files: tuple[Annotated[str, pattern_validator(_ADDED_FILE, "name a file of data, meta/episodes or videos")], ...]


def read_rows(root: Path, total: int) -> list[dict[str, Any]]:
    """Return the rows of the episodes that `info.json` counts, in order. Raises BadInput if some are missing.

    Additional rows exist only during an export or after an interrupted one.
    """
    paths = sorted((root / "meta/episodes").glob("chunk-*/file-*.parquet"))
    rows = [row for path in paths for row in read_table(path).to_pylist()]
    for row in rows:
        whole(row, "episode_index", f"A row of {root}/meta/episodes")
    rows.sort(key=lambda row: int(row["episode_index"]))
    counted_rows = [row for row in rows if row["episode_index"] < total]
    extra = len(rows) > len(counted_rows) and not (root / UNFINISHED).exists()
    if extra or [row["episode_index"] for row in counted_rows] != list(range(total)):
        discrepancy = f"has {len(rows)}" if len(rows) != total else "numbers them otherwise"
        raise BadInput(f"The data set {root} is damaged: {INFO} counts {total} episodes, meta/episodes {discrepancy}.")
    return counted_rows


def whole(row: Mapping[str, Any], name: str, what: str) -> int:
    """Return a non-negative integer of a row. Raises BadInput for any other value.

    Args:
        what: Beginning of the error message.
    """
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0 or value != int(value):
        raise BadInput(f"{what} has {value!r} for '{name}', and a whole number is needed.")
    return int(value)


def read_notes(root: Path, total: int) -> dict[int, EpisodeNote]:
    """Read Homie's notes by episode index; episodes added by other programs have none.

    Raises BadInput for a damaged file: without its note an episode would be added again and its success would be lost.
    """
    path = root / NOTES
    notes: dict[int, EpisodeNote] = {}
    with reading(path):
        lines = path.read_bytes().splitlines() if path.exists() else []
    for line_number, line in enumerate(lines, 1):
        with reading(f"{path}, line {line_number}", advice="Restore the file from a copy, or make the data set anew."):
            note = EpisodeNote.model_validate(parse_json(line))
        if note.episode_index < total:
            notes[note.episode_index] = note
    return notes


def last_file(rows: Sequence[dict[str, Any]], what: str) -> int:
    """Return the largest file number of `data`, `meta/episodes` or `videos/<key>` in the rows, -1 for none."""
    prefix = "A row of meta/episodes"
    positions: list[Position] = [
        (whole(row, f"{what}/chunk_index", prefix), whole(row, f"{what}/file_index", prefix)) for row in rows
    ]
    return max(map(number, positions), default=-1)


def begin_files(root: Path, episodes: int, files: Sequence[str]) -> None:
    """Record that these files are being added to a data set with this number of episodes. Raises OSError."""
    write_atomically(root / UNFINISHED, to_json(Unfinished(episodes=episodes, files=tuple(files)).model_dump()))


def end_files(root: Path) -> None:
    """Record that the files are complete and counted by `info.json`."""
    (root / UNFINISHED).unlink()


def clear_unfinished(root: Path) -> None:
    """Delete the remains of an interrupted export, unless `info.json` was already written.

    Raises BadInput, OSError.
    """
    path = root / UNFINISHED
    if not path.exists():
        return
    with reading(path, advice="Delete it if no export to this data set was interrupted."):
        unfinished = Unfinished.model_validate(load_json(path))
    total = read_info(root)[0].total_episodes if is_lerobot(root) else 0
    if total <= unfinished.episodes:
        for name in unfinished.files:
            (root / name).unlink(missing_ok=True)
    path.unlink()
