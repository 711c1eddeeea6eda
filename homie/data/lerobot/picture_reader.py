"""Pictures stored in a data set's tables: a PNG or JPEG in each row, or the path of one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from PIL import Image as Picture

from homie.data.lerobot.task_tables import read_table
from homie.data.recording.demonstration import Film
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of
from homie.kernel.types import Image

EIGHT_BITS = ("1", "L", "LA", "P", "RGB", "RGBA")
"""Pixel formats that convert to 8 bit colours without loss."""


class PictureColumn(Film):
    """Pictures of an episode in a table column.

    Args:
        root: Folder of the data set, to which paths are relative.
    """

    def __init__(self, root: Path, table: Path, column: str, episode: int) -> None:
        self._root, self._table, self._column, self._episode = root, table, column, episode

    def __iter__(self) -> Iterator[Image]:
        rows = read_table(self._table, (self._column, "episode_index"), episode=self._episode).column(self._column)
        for number, row in enumerate(rows):
            try:
                yield self._picture(row.as_py())
            except (OSError, ValueError, TypeError, Picture.DecompressionBombError) as error:
                raise BadInput(
                    f"{self._table}: the picture '{self._column}' of frame {number} in episode {self._episode} cannot "
                    f"be read: {reason_of(error)}."
                ) from error

    def _picture(self, value: Any) -> Image:
        """Decode a picture. Raises OSError, ValueError, TypeError."""
        if isinstance(value, list):  # raw pixels
            pixels = np.asarray(value)
            if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.min() < 0 or pixels.max() > 255:
                raise ValueError("it is neither a file nor the colours of pixels")
            return pixels.astype(np.uint8)
        data, path = (value.get("bytes"), value.get("path")) if isinstance(value, dict) else (value, None)
        if isinstance(data, str):
            data, path = None, data
        if data is None:
            relative = PurePosixPath(path or "")
            if not path or relative.is_absolute() or ".." in relative.parts:
                raise ValueError("it is not there")
            data = (self._root / relative).read_bytes()
        with Picture.open(io.BytesIO(data)) as picture:
            if picture.mode not in EIGHT_BITS:
                raise ValueError(f"its pixels are not colours of 8 bits (mode {picture.mode})")
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
