"""Writer of demonstrations into a new or existing LeRobot data set, in batches that are committed completely or not at
all.

films, data, meta/episodes, tasks, notes, stats --then--> meta/info.json, which counts the episodes --> README.md
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from homie.data.episode import SkippedEpisode
from homie.data.lerobot import columns as layouts
from homie.data.lerobot.card import CARD, lerobot_card
from homie.data.lerobot.columns import (
    ACTION,
    ENVIRONMENT,
    OF_CODING,
    STATE,
    Language,
    coding_in,
    features,
    film_info,
    key_of,
    position,
)
from homie.data.lerobot.folder import (
    NOTES,
    EpisodeNote,
    begin_files,
    clear_unfinished,
    end_files,
    last_file,
    read_notes,
    read_rows,
    whole,
)
from homie.data.lerobot.info import DATA, INFO, STATS, VERSION, VIDEO, Info, is_lerobot, read_info
from homie.data.lerobot.language import TOOLS, language_columns
from homie.data.lerobot.statistics import PictureStatistics, Statistics, is_whole, of_numbers, together
from homie.data.lerobot.task_tables import read_tasks, statistics_columns, statistics_of, write_tasks
from homie.data.recording.demonstration import Demonstration, Film, Layout
from homie.data.recording.video_files import WRITTEN, Coding, FilmWriter, VideoFile
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json, write_atomically, writing
from homie.runtime.runstore import LockedFolder, lock_folder

BATCH = 100
"""Number of episodes per batch: at most this many are redone after an interruption, and a loader reads such files
fast."""


class LeRobotWriter(LockedFolder):
    """Adds demonstrations to a data set; one process at a time. Used as a context manager.

    Args:
        out: Folder: new, empty, or with a data set of the same columns.
        layout: Layout of the demonstrations to add.
        language: How plan, subtask and failure are written.
        license: Licence of the data for the card; None keeps the licence of the existing card.

    Raises:
        BadInput: The folder has other contents.
    """

    def __init__(self, out: Path, layout: Layout, language: Language, license: str | None = None) -> None:
        super().__init__(*lock_folder(out, "", "data set"))
        self._license = license
        self._data: pq.ParquetWriter | None = None
        try:
            with writing(out, "into"):
                self._open(layout, language)
        except BaseException:
            super().close()
            raise

    def _open(self, layout: Layout, language: Language) -> None:
        root = self.path
        clear_unfinished(root)
        self._layout, self._language = layout, language
        self._features = features(layout, language)
        self._keys = {key_of(name, camera): name for name, camera in layout.cameras.items()}
        self._codings: dict[str, Coding | None] = {}
        if is_lerobot(root):
            existing_info, self._info = read_info(root)
            self._check_compatible(existing_info)
            self._tasks = read_tasks(root)
            self._rows = read_rows(root, existing_info.total_episodes)
            self._notes = read_notes(root, existing_info.total_episodes)
            self._codings = {key: coding_in(existing_info.features[key]) for key in self._keys if self._rows}
        else:
            if any(entry.name != "meta" for entry in root.iterdir()):
                raise BadInput(f"The folder {root} is not empty and has no LeRobot data set: choose another --out.")
            (root / "meta").mkdir(exist_ok=True)
            self._info = self._new_info()
            self._tasks, self._rows, self._notes = [], [], {}
        self._begin_batch()

    def free_name(self, demonstration: Demonstration) -> str | None:
        """Return the name under which a demonstration can be added, None if the data set contains it already.

        A different demonstration may have the same name, if equally named folders are in two places. Then a number is
        appended.
        """
        digests = {note.name: note.digest for note in self._notes.values()}
        name, number = demonstration.name, 1
        while name in digests:
            if digests[name] in ("", demonstration.digest):
                return None
            number += 1
            name = f"{demonstration.name}~{number}"
        return name

    @property
    def episodes(self) -> int:
        """Number of episodes, including those added by other programs."""
        return len(self._rows)

    @property
    def frames(self) -> int:
        """Number of frames of all episodes."""
        return self._frames

    def add(self, demonstration: Demonstration) -> None:
        """Add an episode. Raises SkippedEpisode for one that does not fit, BadInput for a damaged film, OSError."""
        self._check_fits(demonstration)
        if not self._pending:
            self._record_planned_files()
        index, first, length = len(self._rows), self._frames, len(demonstration)
        statistics, codings, films = self._write_films(demonstration)
        if demonstration.task not in self._tasks:
            self._tasks.append(demonstration.task)
        columns = self._columns(demonstration, index, first)
        self._write(columns, demonstration)
        statistics |= {name: of_numbers(values) for name, values in columns.items() if isinstance(values, np.ndarray)}
        chunk, within = position(self._next["data"])
        episodes_chunk, episodes_file = position(self._next["meta/episodes"])
        self._rows.append(
            {
                "episode_index": index,
                "tasks": [demonstration.task],
                "length": length,
                "data/chunk_index": chunk,
                "data/file_index": within,
                "dataset_from_index": first,
                "dataset_to_index": first + length,
                **films,
                **statistics_columns(statistics),
                "meta/episodes/chunk_index": episodes_chunk,
                "meta/episodes/file_index": episodes_file,
            }
        )
        self._notes[index] = EpisodeNote.of(index, demonstration)
        for key, coding in codings.items():
            self._codings[key] = coding if self._codings.get(key, coding) == coding else None
        self._pending += 1
        if self._pending == BATCH:
            self.commit()

    def commit(self) -> None:
        """Make the added episodes part of the data set. Raises OSError."""
        if not self._pending:
            return
        assert self._data is not None
        self._data.close()
        root, total = self.path, len(self._rows)
        chunk, within = position(self._next["meta/episodes"])
        place = root / layouts.EPISODES.format(chunk_index=chunk, file_index=within)
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(self._rows[-self._pending :]), place)
        write_tasks(root, self._tasks)
        write_atomically(root / NOTES, b"".join(to_json(n.model_dump(), indent=None) for n in self._notes.values()))
        write_atomically(root / STATS, to_json(self._statistics()))
        for key, name in self._keys.items():
            details = film_info(self._layout.cameras[name], self._layout.fps, self._codings[key])
            column = self._info["features"][key]
            column["info"] = {k: v for k, v in (column.get("info") or {}).items() if k not in OF_CODING} | details
        self._info |= {
            "total_episodes": total,
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
            "splits": {"train": f"0:{total}"},
        }
        write_atomically(root / INFO, to_json(self._info))
        lengths = [whole(row, "length", "A row of meta/episodes") for row in self._rows]
        card = lerobot_card(root, self._info, self._tasks, lengths, self._notes, self._license)
        if card is not None:
            write_atomically(root / CARD, card.encode())
        end_files(root)
        self._begin_batch()

    def close(self) -> None:
        """Release the folder; episodes that were not committed are discarded. Idempotent."""
        if self._data is not None:
            self._data.close()
            self._data = None
            clear_unfinished(self.path)
        super().close()

    def __enter__(self) -> LeRobotWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _begin_batch(self) -> None:
        """Begin a new batch, whose files are numbered after all existing ones."""
        self._pending = 0
        self._data = None
        self._frames = whole(self._rows[-1], "dataset_to_index", "The last episode") if self._rows else 0
        places = ("data", "meta/episodes", *(f"videos/{key}" for key in self._keys))
        self._next = {place: last_file(self._rows, place) + 1 for place in places}

    def _record_planned_files(self) -> None:
        """Record which files this batch may create."""

        def name(pattern: str, file: int, key: str = "") -> str:
            chunk, within = position(file)
            return pattern.format(video_key=key, chunk_index=chunk, file_index=within)

        films = [name(VIDEO, self._next[f"videos/{key}"] + later, key) for key in self._keys for later in range(BATCH)]
        tables = [name(DATA, self._next["data"]), name(layouts.EPISODES, self._next["meta/episodes"])]
        begin_files(self.path, len(self._rows), [*tables, *films])

    def _write_films(
        self, demonstration: Demonstration
    ) -> tuple[dict[str, Statistics], dict[str, Coding], dict[str, Any]]:
        """Write the films of an episode. Returns statistics and coding by column, and the film positions for the row of
        the episode. Raises SkippedEpisode, BadInput, OSError after deleting the films written so far."""
        statistics: dict[str, Statistics] = {}
        codings: dict[str, Coding] = {}
        row: dict[str, Any] = {}
        written_paths: list[Path] = []
        length = len(demonstration)
        try:
            for key, name in self._keys.items():
                chunk, within = position(self._next[f"videos/{key}"] + self._pending)
                path = self.path / VIDEO.format(video_key=key, chunk_index=chunk, file_index=within)
                path.parent.mkdir(parents=True, exist_ok=True)
                written_paths.append(path)
                film = demonstration.films[name]
                statistics[key], codings[key] = _write_film(film, path, self._layout, name, length)
                row |= {f"videos/{key}/chunk_index": chunk, f"videos/{key}/file_index": within}
                row |= {f"videos/{key}/from_timestamp": 0.0, f"videos/{key}/to_timestamp": length / self._layout.fps}
        except BaseException:
            for path in written_paths:
                path.unlink(missing_ok=True)
            raise
        return statistics, codings, row

    def _columns(self, demonstration: Demonstration, index: int, first: int) -> dict[str, Any]:
        length = len(demonstration)
        frames, environments = np.arange(length), demonstration.environments
        return {
            STATE: demonstration.states.astype(np.float32),
            ACTION: demonstration.actions.astype(np.float32),
            **({} if environments is None else {ENVIRONMENT: environments.astype(np.float32)}),
            **language_columns(demonstration, self._language),
            "timestamp": (frames / self._layout.fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full(length, index),
            "index": frames + first,
            "task_index": np.full(length, self._tasks.index(demonstration.task)),
        }

    def _write(self, columns: Mapping[str, Any], demonstration: Demonstration) -> None:
        """Write the frames of an episode as one row group."""
        table = pa.table({name: _array(values) for name, values in columns.items()})
        if self._data is None:
            chunk, within = position(self._next["data"])
            place = self.path / DATA.format(chunk_index=chunk, file_index=within)
            place.parent.mkdir(parents=True, exist_ok=True)
            self._data = pq.ParquetWriter(place, table.schema, compression="snappy")
        self._data.write_table(table, row_group_size=len(demonstration))
        self._frames += len(demonstration)

    def _statistics(self) -> dict[str, Any]:
        """Aggregate the statistics of all episodes."""
        episode_statistics = [statistics_of(row) for row in self._rows]
        names = [name for name in self._features if all(is_whole(each.get(name)) for each in episode_statistics)]
        whole = {name: together([each[name] for each in episode_statistics]) for name in names}
        return {name: {key: value.tolist() for key, value in statistics.items()} for name, statistics in whole.items()}

    def _check_compatible(self, existing_info: Info) -> None:
        """Raise BadInput unless episodes of the layout can be added to the existing data set."""
        existing = self._info["features"]
        compared = ("dtype", "shape", "names")
        other = [
            name
            for name in {**existing, **self._features}
            if any(existing.get(name, {}).get(key) != self._features.get(name, {}).get(key) for key in compared)
        ]
        if existing_info.data_path != DATA or existing_info.video_path not in (None, VIDEO):
            other.append("where its files are")
        if existing_info.fps != self._layout.fps:
            other.append(f"frames in a second: {existing_info.fps}, and {self._layout.fps} are to be added")
        if other:
            raise BadInput(
                f"The data set {self.path} has other columns (different: {', '.join(other)}): choose another --out, or "
                "the --language and --fps that it was made with."
            )

    def _check_fits(self, demonstration: Demonstration) -> None:
        """Raise SkippedEpisode for an episode that cannot be added to the data set."""
        if differences := self._layout.differences(demonstration.layout):
            raise SkippedEpisode(f"it does not fit the data set: {'; '.join(differences)}")
        if not len(demonstration):
            raise SkippedEpisode("it has no frames")
        for what, values, labels in (
            ("states", demonstration.states, self._layout.state),
            ("actions", demonstration.actions, self._layout.action),
            ("environment", demonstration.environments, self._layout.environment),
        ):
            if values is None:
                continue
            invalid = ~np.isfinite(values)
            if invalid.any():
                frame, column = (int(place[0]) for place in np.nonzero(invalid))
                raise SkippedEpisode(
                    f"{int(invalid.sum())} of the {invalid.size} numbers of its {what} are not finite (the first: "
                    f"{labels[column]} in frame {frame})"
                )

    def _new_info(self) -> dict[str, Any]:
        info = {
            "codebase_version": VERSION,
            "robot_type": self._layout.robot,
            "total_episodes": 0,
            "total_frames": 0,
            "total_tasks": 0,
            "chunks_size": layouts.CHUNK,
            "data_files_size_in_mb": layouts.DATA_MB,
            "video_files_size_in_mb": layouts.VIDEO_MB,
            "fps": self._layout.fps,
            "splits": {},
            "data_path": DATA,
            "video_path": VIDEO if self._keys else None,
            "features": self._features,
        }
        return {**info, "tools": TOOLS} if self._language == "columns" else info


def _write_film(film: Film, path: Path, layout: Layout, name: str, length: int) -> tuple[Statistics, Coding]:
    """Write a film, copied unchanged if it is a suitable file of its own, and return its statistics.

    Raises SkippedEpisode, BadInput.
    """
    camera = layout.cameras[name]
    statistics = PictureStatistics(camera.channels)
    coding = WRITTEN
    with ExitStack() as stack:
        writer: FilmWriter | None = None
        if isinstance(film, VideoFile) and film.frames is None and film.is_even(layout.fps):
            coding = film.coding()
            shutil.copyfile(film.path, path)
        elif camera.depth or camera.channels != 3:
            what = "depth" if camera.depth else f"{camera.channels} channels"
            raise SkippedEpisode(
                f"the pictures of the camera '{name}' have {what}, and are not a film of their own that could be copied"
            )
        else:
            writer = stack.enter_context(FilmWriter(path, height=camera.height, width=camera.width, fps=layout.fps))
        count = 0
        for picture in film:
            count += 1
            if picture.shape[:2] != (camera.height, camera.width):
                height, width = picture.shape[:2]
                raise SkippedEpisode(
                    f"the camera '{name}' has a picture of {width}x{height}, and they should be {camera}"
                )
            if writer is not None:
                writer.add(picture)
            statistics.add(picture)
    if count != length:
        raise SkippedEpisode(f"the camera '{name}' has {count} pictures for {length} frames")
    return statistics.result(), coding


def _array(values: Any) -> Any:
    """Convert a column for a table: (n,) stays, (n, d) becomes lists of d, except d = 1, for which LeRobot wants no
    lists."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        if values.shape[1] == 1:
            return values[:, 0]
        return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])
    return values
