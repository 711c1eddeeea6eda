"""Demonstrations from a LeRobot data set: Homie's own, or anybody's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from homie.data.demonstrations.demonstration import Demonstration, Numbers, Stage
from homie.data.demonstrations.films import VideoFile
from homie.data.lerobot import layout as files
from homie.data.lerobot.folder import EpisodeNote, read_info, read_notes, read_rows
from homie.data.lerobot.language import TOOL
from homie.data.lerobot.layout import ACTION, EVENTS, PERSISTENT, PICTURES, STATE, SUBTASK, layout_of
from homie.data.lerobot.tables import read_table
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, Subtask


class LeRobotReader:
    """The episodes of a data set, read when they are asked for.

    Raises:
        BadInput: It is none, of an older version, without states and actions, or damaged.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._info = read_info(root)
        try:
            self.layout = layout_of(self._info)
            total = int(self._info["total_episodes"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"The data set {root} has no numbers for body and command: {error} is missing.") from error
        self._rows = read_rows(root, total)
        self._notes = read_notes(root, total)

    def __len__(self) -> int:
        return len(self._rows)

    def name(self, index: int) -> str:
        """What an episode is called."""
        return self._notes[index].name if index in self._notes else f"episode-{index}"

    def task(self, index: int) -> str:
        """The instruction of an episode."""
        return " ".join(self._rows[index]["tasks"])

    def episode(self, index: int) -> Demonstration:
        """An episode, its films left where they are. Raises BadInput for a damaged one."""
        row, note = self._rows[index], self._notes.get(index)
        place = files.DATA.format(chunk_index=row["data/chunk_index"], file_index=row["data/file_index"])
        known = {STATE, ACTION, "episode_index", "timestamp"}
        spoken = [name for name in (SUBTASK, PERSISTENT, EVENTS) if name in self._info["features"]]
        table = read_table(self._root / place, (*known, *spoken))
        mine = table.filter(np.asarray(table.column("episode_index")) == index)
        if len(mine) != row["length"]:
            raise BadInput(
                f"{self._root / place} is damaged: episode {index} has {len(mine)} of {row['length']} frames."
            )
        return Demonstration(
            name=self.name(index),
            task=self.task(index),
            layout=self.layout,
            stamps=np.asarray(note.stamps if note and note.stamps else mine.column("timestamp"), np.float64),
            states=_numbers(mine, STATE),
            actions=_numbers(mine, ACTION),
            films={camera: self._film(row, PICTURES + camera) for camera in self.layout.cameras},
            stages=_stages(note, mine, spoken, self.layout.fps),
            success=note.success if note else None,
        )

    def __iter__(self) -> Iterator[Demonstration]:
        return (self.episode(index) for index in range(len(self)))

    def _film(self, row: dict[str, Any], key: str) -> VideoFile:
        where = {"chunk_index": row[f"videos/{key}/chunk_index"], "file_index": row[f"videos/{key}/file_index"]}
        sharing = sum(all(other[f"videos/{key}/{part}"] == at for part, at in where.items()) for other in self._rows)
        path = self._root / files.VIDEO.format(video_key=key, **where)
        if sharing == 1 and row[f"videos/{key}/from_timestamp"] == 0.0:
            return VideoFile(path)
        return VideoFile(path, start=row[f"videos/{key}/from_timestamp"], frames=row["length"])


def _numbers(table: Any, name: str) -> Numbers:
    rows = np.stack(table.column(name).to_numpy(zero_copy_only=False))
    return rows.reshape(len(table), -1).astype(np.float32)


def _stages(note: EpisodeNote | None, table: Any, spoken: Sequence[str], fps: int) -> tuple[Stage, ...]:
    """The subtasks as Homie has noted them, else as the language columns of the data set tell them."""
    if note is not None:
        return note.read_stages()
    begins: list[tuple[int, Subtask]] = []
    if PERSISTENT in spoken and len(table):
        rows = [row for row in table.column(PERSISTENT)[0].as_py() or () if row["style"] == SUBTASK]
        begins = [(round(row["timestamp"] * fps), _subtask(row)) for row in rows]
    elif SUBTASK in spoken:
        texts = ["", *table.column(SUBTASK).to_pylist()]
        begins = [(frame, Subtask(text)) for frame, text in enumerate(texts[1:]) if text and text != texts[frame]]
    return tuple(Stage(first=frame, subtask=subtask, feedback=SUCCESS) for frame, subtask in begins)


def _subtask(row: dict[str, Any]) -> Subtask:
    """The subtask of a language row: its tool call where it is one of Homie's, else its words."""
    for call in row.get("tool_calls") or ():
        try:
            call = json.loads(call) if isinstance(call, str) else call
            function = call["function"]
            if function["name"] == TOOL:
                return Subtask(**json.loads(function["arguments"]))
        except (ValueError, KeyError, TypeError):
            continue
    return Subtask(row["content"] or "")
