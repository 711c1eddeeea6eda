"""`meta/info.json` of a data set, with every value validated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from homie.data.recording.demonstration import Camera
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reason_of
from homie.kernel.support.validation_sentences import first_problem

INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
VERSION = "v3.0"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
PICTURES = "observation.images."
"""Usual prefix of camera columns."""
VIDEO_TYPE = "video"
KINDS_OF_PICTURES = (VIDEO_TYPE, "image")
NUMBERS = re.compile(r"(float|int|uint)\d+|bool")
"""Data types of numeric columns."""
CHANNELS = (1, 3, 4)
_SIDES = {"h": 0, "height": 0, "w": 1, "width": 1, "c": 2, "channel": 2, "channels": 2}
_STREAM = re.compile(
    r"video\.(height|width|codec|pix_fmt|is_depth_map|fps|channels|g|crf|preset)|is_depth_map|has_audio"
)
"""Keys in a column's `info` that describe any film. Any other key of a depth film describes how distances are
encoded."""


def _integral_rate(value: object) -> object:
    """Validate a frame rate: 30.0 becomes 30, 29.97 is rejected."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1 or value != math.floor(value):
        raise ValueError(f"{json.dumps(value)} is not a whole number from 1 on")
    return int(value)


class Feature(BaseModel):
    """Column as declared in `info.json`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    dtype: str
    shape: tuple[Annotated[int, Field(ge=1)], ...] = ()
    names: Any = None
    info: dict[str, Any] | None = None

    @property
    def width(self) -> int:
        """Number of values per row."""
        return math.prod(self.shape)

    def labels(self, column: str) -> tuple[str, ...]:
        """Return a label for each number of a row; `column.0` and so on if the names do not fit the shape.

        Names may be a list, groups of lists (`{"motors": [...]}`), or indices by name (`{"x": 0, "y": 1}`).
        """
        names = tuple(_names(self.names))
        if len(names) == self.width and len(set(names)) == len(names):
            return names
        return tuple(f"{column}.{number}" for number in range(self.width))

    def camera(self, column: str) -> Camera:
        """Return the camera of a picture column. Raises ValueError if its shape is not that of pictures."""
        sides = self._sides()
        if sides is None:
            raise ValueError(f"the pictures of '{column}' have the shape {list(self.shape)}")
        info = self.info or {}
        depth = bool(info.get("is_depth_map") or info.get("video.is_depth_map"))
        usual = column.startswith(PICTURES)
        depth_info = {key: value for key, value in info.items() if depth and not _STREAM.fullmatch(key)}
        return Camera(*sides, depth=depth, column="" if usual else column, coding=tuple(sorted(depth_info.items())))

    def _sides(self) -> tuple[int, int, int] | None:
        """Return height, width and channels: in the order given by the names, else guessed from the shape."""
        if len(self.shape) == 2:
            return self.shape[0], self.shape[1], 1
        if len(self.shape) != 3:
            return None
        order = [_SIDES.get(name.lower()) for name in _names(self.names)]
        first, _, last = self.shape
        guesses = [order] if sorted(map(str, order)) == ["0", "1", "2"] else []
        guesses += [[2, 0, 1] if first in CHANNELS and last not in CHANNELS else [0, 1, 2]]
        for guess in guesses:
            height, width, channels = (self.shape[guess.index(side)] for side in range(3))
            if channels in CHANNELS:
                return height, width, channels
        return None


class Info(BaseModel):
    """The part of `info.json` that an import needs."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    fps: Annotated[int, BeforeValidator(_integral_rate)]
    total_episodes: int = Field(ge=0)
    total_frames: int | None = Field(None, ge=0)
    robot_type: str | None = None
    features: dict[str, Feature]
    data_path: str = DATA
    video_path: str | None = None

    @field_validator("features")
    @classmethod
    def _reject_paths(cls, features: dict[str, Feature]) -> dict[str, Feature]:
        for name in features:
            if not name.strip(".") or set("/\\\0") & set(name):  # a folder of this name holds the films
                raise ValueError(f"{name!r} cannot be the name of a column")
        return features

    @field_validator("data_path", "video_path")
    @classmethod
    def _reject_outside_paths(cls, path: str | None) -> str | None:
        try:
            place = PurePosixPath((path or "").format(video_key="key", chunk_index=0, file_index=0))
        except (KeyError, IndexError, ValueError, AttributeError):
            raise ValueError(f"{path!r} needs {{chunk_index}} and {{file_index}}, and no other values") from None
        if place.is_absolute() or ".." in place.parts:
            raise ValueError(f"{path!r} leaves the folder of the data set")
        return path


def read_info(root: Path) -> tuple[Info, dict[str, Any]]:
    """Return `meta/info.json` of a data set of version 3, validated and raw. Raises BadInput."""
    path = root / INFO
    try:
        content = load_json(path, lax=True)
        version = str(content["codebase_version"]).lower().removeprefix("v")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"There is no LeRobot data set in {root}: {INFO} cannot be read ({reason_of(error)})."
        ) from error
    if version.partition(".")[0] != "3":
        converter = "lerobot's `convert_dataset_v21_to_v30`"
        if not version.startswith("2.1"):
            converter = f"lerobot's converters up to version 2.1, then {converter}"
        raise BadInput(
            f"The data set {root} is of version v{version}, and {VERSION} is read: convert it with {converter}."
        )
    try:
        return Info.model_validate(content), content
    except ValidationError as error:
        raise BadInput(f"Cannot read the data set {root}: {INFO}: {first_problem(error)}.") from error


def is_lerobot(path: Path) -> bool:
    """Return whether a folder holds a LeRobot data set."""
    return (path / INFO).is_file()


def _names(declared: Any) -> Iterator[str]:
    """Yield the names in lists, groups and index tables, in order."""
    if isinstance(declared, dict):
        if declared and all(isinstance(place, int) and not isinstance(place, bool) for place in declared.values()):
            yield from sorted(map(str, declared), key=lambda name: declared[name])
            return
        groups = {name: list(_names(members)) for name, members in declared.items()}
        names = [name for members in groups.values() for name in members]
        unique = len(set(names)) == len(names)  # two arms may have the same joint names
        yield from names if unique else [f"{group}.{name}" for group, members in groups.items() for name in members]
    elif isinstance(declared, list | tuple):
        for name in declared:
            yield from _names(name)
    elif declared is not None:
        yield str(declared)
