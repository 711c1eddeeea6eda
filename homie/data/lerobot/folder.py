"""A LeRobot data set on disk: what it holds, where its next files go, and what an interrupted export has left in it.

meta/homie_unfinished.json   the files that are being added: deleted, and made again, unless `info.json` counts them
meta/homie_episodes.jsonl    what LeRobot has no place for, an `EpisodeNote` each: an import gives back the whole
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter, ValidationError

from homie.data.demonstrations.demonstration import Demonstration, Stage
from homie.data.lerobot.layout import INFO, VERSION, Position, number
from homie.data.lerobot.tables import read_table
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json, write_atomically

UNFINISHED = "meta/homie_unfinished.json"
NOTES = "meta/homie_episodes.jsonl"
EVEN = 1e-4
"""Seconds by which a frame may miss its time: the tolerance of LeRobot."""
_STAGES = TypeAdapter(tuple[Stage, ...])


class EpisodeNote(BaseModel):
    """Of an episode: its name, so that it is added once, whether its task was done, and its subtasks.

    stamps: when its frames were, in seconds of robot time, where that is not exactly frame / fps.
    """

    model_config = ConfigDict(frozen=True)

    episode_index: int
    name: str
    success: bool | None
    stages: list[dict[str, Any]]
    stamps: list[FiniteFloat] | None = None

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
        )

    def read_stages(self) -> tuple[Stage, ...]:
        """Its subtasks again. Raises ValidationError."""
        return _STAGES.validate_python(self.stages)


def read_info(root: Path) -> dict[str, Any]:
    """`meta/info.json` of a data set of version 3. Raises BadInput."""
    path = root / INFO
    try:
        info = json.loads(path.read_bytes())
        version = str(info["codebase_version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"There is no LeRobot data set in {root}: {INFO} cannot be read ({error}).") from error
    if not version.startswith("v3."):
        raise BadInput(
            f"The data set {root} is of version {version}, and {VERSION} is read: convert it with lerobot's "
            "`convert_dataset_v21_to_v30`."
        )
    return dict(info)


def is_lerobot(path: Path) -> bool:
    """Whether a folder holds a LeRobot data set."""
    return (path / INFO).is_file()


def read_rows(root: Path, total: int) -> list[dict[str, Any]]:
    """The rows of the episodes that `info.json` counts, in order. Raises BadInput where some are missing."""
    paths = sorted((root / "meta/episodes").glob("chunk-*/file-*.parquet"))
    rows = [row for path in paths for row in read_table(path).to_pylist() if row["episode_index"] < total]
    rows.sort(key=lambda row: row["episode_index"])
    if [row["episode_index"] for row in rows] != list(range(total)):
        raise BadInput(
            f"The data set {root} is damaged: {INFO} counts {total} episodes, meta/episodes has {len(rows)}."
        )
    return rows


def read_notes(root: Path, total: int) -> dict[int, EpisodeNote]:
    """What Homie has noted of the episodes, by their index; nothing of those that others have added."""
    path = root / NOTES
    notes: dict[int, EpisodeNote] = {}
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        try:
            note = EpisodeNote.model_validate_json(line)
        except ValidationError:  # a line that a kill has torn, or the empty one behind the last
            continue
        if note.episode_index < total:
            notes[note.episode_index] = note
    return notes


def last_file(rows: Sequence[dict[str, Any]], what: str) -> int:
    """The largest number of a file of `data`, `meta/episodes` or `videos/<key>` that the rows name, -1 for none."""
    places: list[Position] = [(row[f"{what}/chunk_index"], row[f"{what}/file_index"]) for row in rows]
    return max(map(number, places), default=-1)


def begin_files(root: Path, episodes: int, files: Sequence[str]) -> None:
    """Note that these files are being added to a data set of so many episodes. Raises OSError."""
    write_atomically(root / UNFINISHED, to_json({"episodes": episodes, "files": list(files)}))


def end_files(root: Path) -> None:
    """They are there, and `info.json` counts them."""
    (root / UNFINISHED).unlink()


def clear_unfinished(root: Path) -> None:
    """Delete what an interrupted export has left, unless it was interrupted after `info.json` was written."""
    path = root / UNFINISHED
    if not path.exists():
        return
    left = json.loads(path.read_bytes())
    total = read_info(root)["total_episodes"] if is_lerobot(root) else 0
    if total <= left["episodes"]:
        for name in left["files"]:
            (root / name).unlink(missing_ok=True)
    path.unlink()
