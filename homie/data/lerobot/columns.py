"""Files and columns of LeRobotDataset v3.0 (Hugging Face LeRobot, `datasets/utils.py` and `datasets/language.py`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeAlias

from homie.data.lerobot.info import KINDS_OF_PICTURES, NUMBERS, PICTURES, Feature, Info
from homie.data.recording.demonstration import Camera, Layout
from homie.data.recording.video_files import WRITTEN, Coding

CHUNK = 1000
"""Number of files per chunk."""
DATA_MB, VIDEO_MB = 100, 200
"""File sizes in MB at which LeRobot begins a new file, as `info.json` states them."""
EPISODES = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
STATE, ACTION, ENVIRONMENT = "observation.state", "action", "observation.environment_state"
AUTOMATIC = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}
PERSISTENT, EVENTS = "language_persistent", "language_events"
SUBTASK, PLAN, FAILURE = "subtask", "plan", "failure"
OF_CODING = ("video.codec", "video.pix_fmt")
"""Keys of `info.json` that are present only if all films of a column are encoded alike."""
Language: TypeAlias = Literal["columns", "strings"]
"""How plan, subtask and failure are written: in the language columns of LeRobot 0.6, or in one string column each,
which LeRobot 0.4 can also load."""
Position: TypeAlias = tuple[int, int]
"""Chunk index and file index within the chunk."""


def position(number: int) -> Position:
    """Return the position of the n-th file, counted from 0."""
    return divmod(number, CHUNK)


def number(place: Position) -> int:
    """Return the number of a file, counted from 0."""
    return place[0] * CHUNK + place[1]


def features(layout: Layout, language: Language) -> dict[str, dict[str, Any]]:
    """Return the columns of a data set, as `info.json` declares them."""
    columns: dict[str, dict[str, Any]] = {
        STATE: {"dtype": "float32", "shape": [len(layout.state)], "names": list(layout.state)},
        ACTION: {"dtype": "float32", "shape": [len(layout.action)], "names": list(layout.action)},
    }
    if names := list(layout.environment):
        columns[ENVIRONMENT] = {"dtype": "float32", "shape": [len(names)], "names": names}
    columns |= {key_of(name, camera): _camera(camera, layout.fps) for name, camera in layout.cameras.items()}
    if language == "columns":
        columns |= {name: {"dtype": "language", "shape": [1], "names": None} for name in (PERSISTENT, EVENTS)}
    else:
        columns |= {name: {"dtype": "string", "shape": [1], "names": None} for name in (SUBTASK, PLAN, FAILURE)}
    return columns | {name: {"dtype": dtype, "shape": [1], "names": None} for name, dtype in AUTOMATIC.items()}


def layout_of(info: Info) -> Layout:
    """Return the layout of the demonstrations in a data set. Raises ValueError if it has no numeric states or
    actions."""
    columns = info.features
    for key in (STATE, ACTION):
        if key not in columns:
            raise ValueError(f"it has no numbers for body and command: '{key}' is missing")
        if not NUMBERS.fullmatch(columns[key].dtype):
            raise ValueError(f"'{key}' is of the type '{columns[key].dtype}', and numbers are needed")
    cameras = {
        name_of(key, columns): column.camera(key)
        for key, column in columns.items()
        if column.dtype in KINDS_OF_PICTURES
    }
    return Layout(
        robot=info.robot_type or "",
        fps=info.fps,
        state=columns[STATE].labels(STATE),
        action=columns[ACTION].labels(ACTION),
        cameras=cameras,
        environment=columns[ENVIRONMENT].labels(ENVIRONMENT) if has_environment(info) else (),
    )


def has_environment(info: Info) -> bool:
    """Whether a data set has numbers about the world."""
    return ENVIRONMENT in info.features and NUMBERS.fullmatch(info.features[ENVIRONMENT].dtype) is not None


def name_of(key: str, columns: Collection[str]) -> str:
    """Return the name of a camera from its column."""
    name = key.removeprefix(PICTURES)
    return name if name and (name == key or name not in columns) else key


def key_of(name: str, camera: Camera) -> str:
    """Return the column of a camera."""
    return camera.column or (name if name.startswith(PICTURES) else PICTURES + name)


def dropped(info: Info, noted: bool) -> tuple[str, ...]:
    """Return the columns that demonstrations cannot hold.

    Args:
        noted: Whether Homie's notes give plans and feedback.
    """
    about_world = (ENVIRONMENT,) if has_environment(info) else ()
    own = {STATE, ACTION, *about_world, *AUTOMATIC, SUBTASK, PERSISTENT, EVENTS, *((PLAN, FAILURE) if noted else ())}
    return tuple(
        key for key, column in info.features.items() if key not in own and column.dtype not in KINDS_OF_PICTURES
    )


def film_info(camera: Camera, fps: int, coding: Coding | None) -> dict[str, Any]:
    """Return the description of a camera's films for `info.json`.

    Args:
        coding: Coding of all films, None if they differ.
    """
    codec = {} if coding is None else dict(zip(OF_CODING, (coding.codec, coding.pixels), strict=True))
    return {
        "video.height": camera.height,
        "video.width": camera.width,
        **codec,
        "video.is_depth_map": camera.depth,
        "is_depth_map": camera.depth,
        "video.fps": fps,
        "video.channels": camera.channels,
        "has_audio": coding is not None and coding.audio,
        **dict(camera.coding),
    }


def coding_in(column: Feature) -> Coding | None:
    """Return the coding of a column's films according to `info.json`; None if it is not given."""
    info = column.info or {}
    codec, pixels = (info.get(name) for name in OF_CODING)
    if not isinstance(codec, str) or not isinstance(pixels, str):
        return None
    return Coding(codec, pixels, bool(info.get("has_audio")))


def _camera(camera: Camera, fps: int) -> dict[str, Any]:
    return {
        "dtype": "video",
        "shape": [camera.height, camera.width, camera.channels],
        "names": ["height", "width", "channels"],
        "info": film_info(camera, fps, WRITTEN),
    }
