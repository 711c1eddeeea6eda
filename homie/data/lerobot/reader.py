"""Demonstrations from a LeRobot data set: Homie's own, or anybody's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.data.lerobot.columns import ACTION, EVENTS, PERSISTENT, STATE, SUBTASK, dropped, key_of, layout_of
from homie.data.lerobot.folder import EpisodeNote, read_notes, read_rows, whole
from homie.data.lerobot.info import TASKS, VIDEO, VIDEO_TYPE, read_info
from homie.data.lerobot.language import TOOL
from homie.data.lerobot.picture_reader import PictureColumn
from homie.data.lerobot.task_tables import read_numbers, read_table, read_tasks
from homie.data.recording.demonstration import Demonstration, Film, Stage
from homie.data.recording.video_files import VideoFile
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.types import SUCCESS, Subtask


class LeRobotReader:
    """The episodes of a data set, read when they are asked for.

    Raises:
        BadInput: It is none, of an older version, without states and actions, or damaged.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._info, _ = read_info(root)
        try:
            self.layout = layout_of(self._info)
        except ValueError as error:
            raise BadInput(f"The data set {root} cannot be used: {error}.") from error
        self._rows = read_rows(root, self._info.total_episodes)
        self._notes = read_notes(root, self._info.total_episodes)
        keys = [key for key, column in self._info.features.items() if column.dtype == VIDEO_TYPE]
        self._sharing = Counter((key, *_where(row, key)) for row in self._rows for key in keys)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of it that no demonstration has."""
        return dropped(self._info, noted=bool(self._notes))

    def __len__(self) -> int:
        return len(self._rows)

    def name(self, index: int) -> str:
        """What an episode is called."""
        return self._notes[index].name if index in self._notes else f"episode-{index}"

    def task(self, index: int) -> str:
        """The instruction of an episode, "" where the data set has none."""
        tasks = self._rows[index].get("tasks")
        return " ".join(tasks) if isinstance(tasks, list) and all(isinstance(task, str) for task in tasks) else ""

    def episode(self, index: int) -> Demonstration:
        """An episode, its films left where they are. Raises BadInput for a damaged one."""
        try:
            return self._episode(index)
        except (KeyError, ValueError, TypeError, ArithmeticError) as error:
            raise BadInput(f"Episode {index} of {self._root} cannot be read: {reason_of(error)}.") from error

    def __iter__(self) -> Iterator[Demonstration]:
        return (self.episode(index) for index in range(len(self)))

    def _episode(self, index: int) -> Demonstration:
        row, note, layout = self._rows[index], self._notes.get(index), self.layout
        about = f"Episode {index} of {self._root}"
        length = whole(row, "length", about)
        place = self._path(self._info.data_path, **_files(row, "data"))
        features = self._info.features
        spoken = [name for name in (SUBTASK, PERSISTENT, EVENTS) if name in features]
        timed = ["timestamp"] if "timestamp" in features else []
        by_number = [] if self.task(index) else ["task_index"]
        table = read_table(place, (STATE, ACTION, "episode_index", *by_number, *timed, *spoken), episode=index)
        if len(table) != length:
            raise BadInput(f"{place} is damaged: episode {index} has {len(table)} of {length} frames.")
        stamps = self._stamps(table, about) if timed else np.arange(length) / layout.fps
        if note and note.stamps and len(note.stamps) == length:
            stamps = np.array(note.stamps)
        theirs = f"taken from the LeRobot data set {self._root.resolve().name}"
        demonstration = Demonstration(
            name=self.name(index),
            task=self._task_of(table, about) if by_number else self.task(index),
            layout=layout,
            stamps=stamps,
            states=read_numbers(table, STATE, features[STATE].width, about),
            actions=read_numbers(table, ACTION, features[ACTION].width, about),
            films={name: self._film(row, key_of(name, camera), place) for name, camera in layout.cameras.items()},
            stages=_stages(note, table, spoken, layout.fps),
            success=note.success if note else None,
            origin=note.origin if note else theirs,
            simulated=note.simulated if note else None,
        )
        if note is None or note.digest in ("", demonstration.digest):
            return demonstration
        # Somebody has changed which episode has this number: what was noted is of another one.
        return replace(
            demonstration, stages=_stages(None, table, spoken, layout.fps), success=None, simulated=None, origin=theirs
        )

    def _stamps(self, table: Any, about: str) -> NDArray[np.float64]:
        """The times of the frames, which have to be frame / fps to within half an interval, as pictures go by them."""
        stamps = read_numbers(table, "timestamp", 1, about)[:, 0].astype(np.float64)
        due = np.arange(len(stamps)) / self.layout.fps
        off = ~(np.abs(stamps - due) < 0.5 / self.layout.fps)
        if off.any():
            frame = int(off.argmax())
            raise BadInput(
                f"{about} has its frame {frame} at {stamps[frame]:.3f} s, due at {due[frame]:.3f} s: with such "
                "timestamps nobody knows which pictures belong to it."
            )
        return stamps

    def _task_of(self, table: Any, about: str) -> str:
        """The instruction by the task index of the frames. Raises BadInput where there is none."""
        indices = table.column("task_index").unique().to_pylist()
        tasks = read_tasks(self._root)
        if len(indices) == 1 and isinstance(indices[0], int) and 0 <= indices[0] < len(tasks):
            return tasks[indices[0]]
        shown = ", ".join(map(str, indices[:3])) or "missing"
        raise BadInput(f"{about} has no instruction: its task_index is {shown}, and {TASKS} has {len(tasks)}.")

    def _path(self, pattern: str, **where: Any) -> Path:
        return self._root / pattern.format(**where)

    def _film(self, row: Mapping[str, Any], key: str, table: Path) -> Film:
        index = row["episode_index"]
        if self._info.features[key].dtype != VIDEO_TYPE:
            return PictureColumn(self._root, table, key, index)
        start = row.get(f"videos/{key}/from_timestamp")
        if not isinstance(start, int | float) or not 0.0 <= start < float("inf"):
            raise BadInput(f"Episode {index} of {self._root} does not say when its film of '{key}' begins.")
        path = self._path(self._info.video_path or VIDEO, video_key=key, **_files(row, f"videos/{key}"))
        if self._sharing[key, *_where(row, key)] == 1 and start == 0.0:
            return VideoFile(path, fps=self.layout.fps)
        return VideoFile(path, start=float(start), frames=row["length"], fps=self.layout.fps)


def _where(row: Mapping[str, Any], key: str) -> tuple[Any, Any]:
    """In which file a film is, as the row has it."""
    return row.get(f"videos/{key}/chunk_index"), row.get(f"videos/{key}/file_index")


def _files(row: Mapping[str, Any], what: str) -> dict[str, int]:
    """Chunk and file of `data` or of `videos/<key>`, for a pattern. Raises BadInput."""
    about = f"Episode {row['episode_index']}"
    return {part: whole(row, f"{what}/{part}", about) for part in ("chunk_index", "file_index")}


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
            call = parse_json(call, lax=True) if isinstance(call, str) else call
            function = call["function"]
            if function["name"] == TOOL:
                return Subtask(**parse_json(function["arguments"], lax=True))
        except (ValueError, KeyError, TypeError):
            continue
    return Subtask(row["content"] or "")
