"""Files and columns of LeRobotDataset v3.0 (Hugging Face LeRobot, `datasets/utils.py` and `datasets/language.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from homie.data.demonstrations.demonstration import Camera, Layout

VERSION = "v3.0"
CHUNK = 1000
"""Files in a chunk."""
DATA_MB, VIDEO_MB = 100, 200
"""Sizes at which LeRobot begins a new file; what `info.json` says of it."""
INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
STATE, ACTION, PICTURES = "observation.state", "action", "observation.images."
AUTOMATIC = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}
PERSISTENT, EVENTS = "language_persistent", "language_events"
SUBTASK, PLAN, FAILURE = "subtask", "plan", "failure"
Language: TypeAlias = Literal["columns", "strings"]
"""How plan, subtask and failure are told: by the language columns of LeRobot 0.6, or by a string column each, which
LeRobot 0.4 loads too."""
Position: TypeAlias = tuple[int, int]
"""Chunk and file."""


def position(number: int) -> Position:
    """Where the n-th file is, from 0."""
    return divmod(number, CHUNK)


def number(place: Position) -> int:
    """Which file it is, from 0."""
    return place[0] * CHUNK + place[1]


def features(layout: Layout, language: Language) -> dict[str, dict[str, Any]]:
    """The columns of a data set, as `info.json` has them."""
    columns: dict[str, dict[str, Any]] = {
        STATE: {"dtype": "float32", "shape": [len(layout.state)], "names": list(layout.state)},
        ACTION: {"dtype": "float32", "shape": [len(layout.action)], "names": list(layout.action)},
    }
    columns |= {PICTURES + camera: _camera(size, layout.fps) for camera, size in layout.cameras.items()}
    if language == "columns":
        columns |= {name: {"dtype": "language", "shape": [1], "names": None} for name in (PERSISTENT, EVENTS)}
    else:
        columns |= {name: {"dtype": "string", "shape": [1], "names": None} for name in (SUBTASK, PLAN, FAILURE)}
    return columns | {name: {"dtype": dtype, "shape": [1], "names": None} for name, dtype in AUTOMATIC.items()}


def layout_of(info: Mapping[str, Any]) -> Layout:
    """The layout of the demonstrations in a data set, from its `info.json`. Raises KeyError."""
    columns = info["features"]

    def names(key: str) -> tuple[str, ...]:
        known = columns[key].get("names")
        known = next(iter(known.values())) if isinstance(known, dict) else known  # LeRobot 0.3 had {"motors": [...]}
        return tuple(known or (f"{key}.{index}" for index in range(columns[key]["shape"][0])))

    return Layout(
        robot=info.get("robot_type") or "",
        fps=int(info["fps"]),
        state=names(STATE),
        action=names(ACTION),
        cameras={
            key.removeprefix(PICTURES): Camera(column["shape"][0], column["shape"][1])
            for key, column in columns.items()
            if column["dtype"] == "video"
        },
    )


def _camera(camera: Camera, fps: int) -> dict[str, Any]:
    height, width = camera.height, camera.width
    return {
        "dtype": "video",
        "shape": [height, width, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": height,
            "video.width": width,
            "video.codec": "h264",
            "video.pix_fmt": "yuv420p",
            "video.is_depth_map": False,
            "is_depth_map": False,
            "video.fps": fps,
            "video.channels": 3,
            "has_audio": False,
        },
    }
