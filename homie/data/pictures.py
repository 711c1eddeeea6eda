"""Pictures of episodes: read, stood for, and kept in a data set once each, by their content."""

from __future__ import annotations

import hashlib
import io
import os
import struct
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import UnidentifiedImageError

from homie.data.episode import LeftOut
from homie.kernel.support.files import DISK, reason_of
from homie.kernel.types import Image

_PNG, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_DIGITS = 24
"""Hex digits of a SHA-256 in a name: 96 bits, so that not even a billion pictures have two of one name."""


def read_picture(path: Path) -> Image:
    """The picture (H, W, 3) of a file. Raises LeftOut."""
    try:
        with Picture.open(path) as picture:
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except (OSError, ValueError, UnidentifiedImageError, Picture.DecompressionBombError) as error:
        raise LeftOut(f"damaged: {path.name} cannot be read as a picture") from error


def blank(path: Path) -> Image:
    """A black picture of the size of a file's; only its first bytes are read. Raises LeftOut."""
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except OSError as error:
        raise LeftOut(f"damaged: {path.name} cannot be read: {reason_of(error)}") from error
    if not head.startswith(_PNG) or len(head) < 24:
        return np.zeros_like(read_picture(path))
    width, height = struct.unpack(">II", head[16:24])
    return np.broadcast_to(np.uint8(0), (height, width, 3))


class PictureStore:
    """The pictures of a data set, in a folder of it, by what is in them: the same picture is there once.

    Pictures are named first and kept together with `settle`, so that an episode with a damaged picture leaves none. A
    file is linked where that can be done (run folders never change a picture), and copied elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[Path, str] = {}
        self._waiting: dict[str, Path | bytes] = {}

    def name(self, picture: Path | Image) -> str:
        """The name that a picture has in the folder after `settle`. Raises LeftOut for a damaged file."""
        if isinstance(picture, Path):
            if picture not in self._names:
                self._names[picture] = self._waits(whole(picture), picture)
            return self._names[picture]
        data = io.BytesIO()
        Picture.fromarray(picture).save(data, "PNG", compress_level=1)
        return self._waits(data.getvalue(), None)

    def settle(self) -> None:
        """Keep the pictures that were named since the last time. Raises OSError."""
        if self._waiting:
            self.folder.mkdir(parents=True, exist_ok=True)
        for name, picture in self._waiting.items():
            place = self.folder / name
            if not place.exists() and not (isinstance(picture, Path) and _linked(picture, place)):
                temporary = self.folder.parent / f".{name}.tmp"
                temporary.write_bytes(picture.read_bytes() if isinstance(picture, Path) else picture)
                temporary.replace(place)
        self.forget()

    def forget(self) -> None:
        """Forget what was named and not kept."""
        self._names.clear()
        self._waiting.clear()

    def _waits(self, data: bytes, file: Path | None) -> str:
        ending = ".png" if data.startswith(_PNG) else ".jpg"
        name = digest(data) + ending
        self._waiting[name] = file or data
        return name


def digest(data: bytes) -> str:
    """What a picture is called in a data set, without the ending."""
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def _linked(file: Path, place: Path) -> bool:
    """Link a file, if both places are on one file system that can do it. Raises OSError for a disk that fails."""
    try:
        os.link(file, place)
    except OSError as error:
        if error.errno in DISK:
            raise
        return False
    return True


def whole(path: Path) -> bytes:
    """The bytes of a picture file. Raises LeftOut for one that a kill or a full disk has cut off."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LeftOut(f"damaged: {path.name} cannot be read: {reason_of(error)}") from error
    if data.startswith(_PNG) and not data.endswith(_PNG_END):
        raise LeftOut(f"damaged: {path.name} is cut off")
    if not data.startswith((_PNG, b"\xff\xd8")):
        raise LeftOut(f"damaged: {path.name} is neither PNG nor JPEG")
    return data
