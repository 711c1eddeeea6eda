"""Pictures of episodes: reading, placeholders, and storage in a data set without duplicates."""

from __future__ import annotations

import hashlib
import io
import os
import struct
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from homie.data.episode import SkippedEpisode
from homie.kernel.support.files import DISK, reason_of
from homie.kernel.types import Image

_PNG, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_DIGITS = 24
"""Hex digits of the SHA-256 in a file name: with 96 bits, not even a billion pictures have a collision."""


def read_picture(path: Path) -> Image:
    """Read a picture file as (H, W, 3). Raises SkippedEpisode."""
    try:
        with Picture.open(path) as picture:
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except (OSError, ValueError, UnidentifiedImageError, Picture.DecompressionBombError) as error:
        raise SkippedEpisode(f"damaged: {path.name} cannot be read as a picture") from error


def blank(path: Path) -> Image:
    """Return a black picture of a file's size; only the first bytes are read. Raises SkippedEpisode."""
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except OSError as error:
        raise SkippedEpisode(f"damaged: {path.name} cannot be read: {reason_of(error)}") from error
    if not head.startswith(_PNG) or len(head) < 24:
        return np.zeros_like(read_picture(path))
    width, height = struct.unpack(">II", head[16:24])
    return np.broadcast_to(np.uint8(0), (height, width, 3))


class PictureStore:
    """Picture folder of a data set, addressed by content: equal pictures are stored once.

    Pictures are named first and stored together by `settle`, so that an episode with a damaged picture leaves none. A
    file is hard-linked if possible (run folders never change a picture), else copied.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[Path, str] = {}
        self._pending: dict[str, Path | bytes] = {}

    def name(self, picture: Path | Image) -> str:
        """Return the name that a picture will have in the folder after `settle`. Raises SkippedEpisode."""
        if isinstance(picture, Path):
            if picture not in self._names:
                self._names[picture] = self._add_pending(whole(picture), picture)
            return self._names[picture]
        data = io.BytesIO()
        Picture.fromarray(picture).save(data, "PNG", compress_level=1)
        return self._add_pending(data.getvalue(), None)

    def settle(self) -> None:
        """Store the pictures named since the last call. Raises OSError."""
        if self._pending:
            self.folder.mkdir(parents=True, exist_ok=True)
        for name, picture in self._pending.items():
            target = self.folder / name
            if not target.exists() and not (isinstance(picture, Path) and _link(picture, target)):
                temporary = self.folder.parent / f".{name}.tmp"
                temporary.write_bytes(picture.read_bytes() if isinstance(picture, Path) else picture)
                temporary.replace(target)
        self.forget()

    def forget(self) -> None:
        """Discard the pictures that were named but not stored."""
        self._names.clear()
        self._pending.clear()

    def _add_pending(self, data: bytes, file: Path | None) -> str:
        ending = ".png" if data.startswith(_PNG) else ".jpg"
        name = digest(data) + ending
        self._pending[name] = file or data
        return name


def digest(data: bytes) -> str:
    """Return the name of a picture in a data set, without the ending."""
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def _link(file: Path, target: Path) -> bool:
    """Link a file if both paths are on one file system that supports links. Raises OSError if the disk fails."""
    try:
        os.link(file, target)
    except OSError as error:
        if error.errno in DISK:
            raise
        return False
    return True


def whole(path: Path) -> bytes:
    """Return the bytes of a picture file. Raises SkippedEpisode for one truncated by a kill or a full disk."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SkippedEpisode(f"damaged: {path.name} cannot be read: {reason_of(error)}") from error
    if data.startswith(_PNG) and not data.endswith(_PNG_END):
        raise SkippedEpisode(f"damaged: {path.name} is cut off")
    if not data.startswith((_PNG, b"\xff\xd8")):
        raise SkippedEpisode(f"damaged: {path.name} is neither PNG nor JPEG")
    return data
