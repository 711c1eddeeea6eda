"""Reader of demonstrations from LeRobot data sets, written by Homie or by any other program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.data.lerobot.columns import (
    ACTION,
    ENVIRONMENT,
    EVENTS,
    PERSISTENT,
    STATE,
    SUBTASK,
    dropped,
    key_of,
    layout_of,
)
from homie.data.lerobot.folder import EpisodeNote, read_notes, read_rows, whole
from homie.data.lerobot.info import TASKS, VIDEO, VIDEO_TYPE, read_info
from homie.data.lerobot.language import TOOL
from homie.data.lerobot.picture_reader import PictureColumn
from homie.data.lerobot.task_tables import read_numbers, read_table, read_tasks
from homie.data.recording.demonstration import Demonstration, Film, Layout, Numbers, Stage
from homie.data.recording.video_files import VideoFile
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.types import SUCCESS, Subtask


class LeRobotReader:
    """Episodes of a data set, read on demand.

    Raises:
        BadInput: The folder has no data set, or one that is of an older version, damaged, or without states and
            actions.
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
        self._episodes_per_film = Counter((key, *_film_position(row, key)) for row in self._rows for key in keys)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of the data set that demonstrations do not hold."""
        return dropped(self._info, noted=bool(self._notes))

    def __len__(self) -> int:
        return len(self._rows)

    def name(self, index: int) -> str:
        """Return the name of an episode."""
        return self._notes[index].name if index in self._notes else f"episode-{index}"

    def task(self, index: int) -> str:
        """Return the instruction of an episode, "" if it is not in its row."""
        tasks = self._rows[index].get("tasks")
        return " ".join(tasks) if isinstance(tasks, list) and all(isinstance(task, str) for task in tasks) else ""

    def episode(self, index: int) -> Demonstration:
        """Read an episode without decoding its films. Raises BadInput for a damaged one."""
        try:
            return self._episode(index)
        except (KeyError, ValueError, TypeError, ArithmeticError) as error:
            raise BadInput(f"Episode {index} of {self._root} cannot be read: {reason_of(error)}.") from error

    def __iter__(self) -> Iterator[Demonstration]:
        return (self.episode(index) for index in range(len(self)))

    def _episode(self, index: int) -> Demonstration:
        row, note, layout = self._rows[index], self._notes.get(index), self.layout
        subject = f"Episode {index} of {self._root}"
        length = whole(row, "length", subject)
        table_path = self._path(self._info.data_path, **_file_indices(row, "data"))
        features = self._info.features
        language = [name for name in (SUBTASK, PERSISTENT, EVENTS) if name in features]
        timed = ["timestamp"] if "timestamp" in features else []
        by_index = [] if self.task(index) else ["task_index"]
        about_world = [ENVIRONMENT] if layout.environment else []
        columns = (STATE, ACTION, *about_world, "episode_index", *by_index, *timed, *language)
        table = read_table(table_path, columns, episode=index)
        if len(table) != length:
            raise BadInput(f"{table_path} is damaged: episode {index} has {len(table)} of {length} frames.")
        stamps = self._stamps(table, subject) if timed else np.arange(length) / layout.fps
        if note and note.stamps and len(note.stamps) == length:
            stamps = np.array(note.stamps)
        imported = f"taken from the LeRobot data set {self._root.resolve().name}"
        demonstration = Demonstration(
            name=self.name(index),
            task=self._task_of(table, subject) if by_index else self.task(index),
            layout=layout,
            stamps=stamps,
            states=read_numbers(table, STATE, features[STATE].width, subject),
            actions=read_numbers(table, ACTION, features[ACTION].width, subject),
            environments=_environments(table, layout, subject),
            films={name: self._film(row, key_of(name, camera), table_path) for name, camera in layout.cameras.items()},
            stages=_stages(note, table, language, layout.fps),
            success=note.success if note else None,
            origin=note.origin if note else imported,
            simulated=note.simulated if note else None,
        )
        if note is None or note.digest in ("", demonstration.digest):
            return demonstration
        # The episode with this index was replaced by another one: the note does not belong to it.
        return replace(
            demonstration,
            stages=_stages(None, table, language, layout.fps),
            success=None,
            simulated=None,
            origin=imported,
        )

    def _stamps(self, table: Any, subject: str) -> NDArray[np.float64]:
        """Return the frame times, which must be within half an interval of frame / fps, because pictures are found by
        time."""
        stamps = read_numbers(table, "timestamp", 1, subject)[:, 0].astype(np.float64)
        expected = np.arange(len(stamps)) / self.layout.fps
        deviating = ~(np.abs(stamps - expected) < 0.5 / self.layout.fps)
        if deviating.any():
            frame = int(deviating.argmax())
            raise BadInput(
                f"{subject} has its frame {frame} at {stamps[frame]:.3f} s, due at {expected[frame]:.3f} s: with such "
                "timestamps nobody knows which pictures belong to it."
            )
        return stamps

    def _task_of(self, table: Any, subject: str) -> str:
        """Return the instruction given by the frames' task index. Raises BadInput if there is none."""
        indices = table.column("task_index").unique().to_pylist()
        tasks = read_tasks(self._root)
        if len(indices) == 1 and isinstance(indices[0], int) and 0 <= indices[0] < len(tasks):
            return tasks[indices[0]]
        shown = ", ".join(map(str, indices[:3])) or "missing"
        raise BadInput(f"{subject} has no instruction: its task_index is {shown}, and {TASKS} has {len(tasks)}.")

    def _path(self, pattern: str, **where: Any) -> Path:
        return self._root / pattern.format(**where)

    def _film(self, row: Mapping[str, Any], key: str, table: Path) -> Film:
        index = row["episode_index"]
        if self._info.features[key].dtype != VIDEO_TYPE:
            return PictureColumn(self._root, table, key, index)
        start = row.get(f"videos/{key}/from_timestamp")
        if not isinstance(start, int | float) or not 0.0 <= start < float("inf"):
            raise BadInput(f"Episode {index} of {self._root} does not say when its film of '{key}' begins.")
        path = self._path(self._info.video_path or VIDEO, video_key=key, **_file_indices(row, f"videos/{key}"))
        if self._episodes_per_film[key, *_film_position(row, key)] == 1 and start == 0.0:
            return VideoFile(path, fps=self.layout.fps)
        return VideoFile(path, start=float(start), frames=row["length"], fps=self.layout.fps)


def _environments(table: Any, layout: Layout, subject: str) -> Numbers | None:
    """Return the numbers about the world, None if the data set has none."""
    return read_numbers(table, ENVIRONMENT, len(layout.environment), subject) if layout.environment else None


def _film_position(row: Mapping[str, Any], key: str) -> tuple[Any, Any]:
    """Return chunk and file of a film, as given in the row."""
    return row.get(f"videos/{key}/chunk_index"), row.get(f"videos/{key}/file_index")


def _file_indices(row: Mapping[str, Any], what: str) -> dict[str, int]:
    """Return chunk and file of `data` or `videos/<key>` for a path pattern. Raises BadInput."""
    subject = f"Episode {row['episode_index']}"
    return {part: whole(row, f"{what}/{part}", subject) for part in ("chunk_index", "file_index")}


def _stages(note: EpisodeNote | None, table: Any, language: Sequence[str], fps: int) -> tuple[Stage, ...]:
    """Return the subtasks from Homie's note, else from the language columns of the data set."""
    if note is not None:
        return note.read_stages()
    starts: list[tuple[int, Subtask]] = []
    if PERSISTENT in language and len(table):
        rows = [row for row in table.column(PERSISTENT)[0].as_py() or () if row["style"] == SUBTASK]
        starts = [(round(row["timestamp"] * fps), _subtask(row)) for row in rows]
    elif SUBTASK in language:
        texts = ["", *table.column(SUBTASK).to_pylist()]
        starts = [(frame, Subtask(text)) for frame, text in enumerate(texts[1:]) if text and text != texts[frame]]
    return tuple(Stage(first=frame, subtask=subtask, feedback=SUCCESS) for frame, subtask in starts)


def _subtask(row: dict[str, Any]) -> Subtask:
    """Return the subtask of a language row: from its tool call if it is Homie's tool, else from its text."""
    for call in row.get("tool_calls") or ():
        try:
            call = parse_json(call, lax=True) if isinstance(call, str) else call
            function = call["function"]
            if function["name"] == TOOL:
                return Subtask(**parse_json(function["arguments"], lax=True))
        except (ValueError, KeyError, TypeError):
            continue
    return Subtask(row["content"] or "")
