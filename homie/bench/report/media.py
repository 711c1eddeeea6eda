"""Pictures and videos of a report: inside the page as data URLs while there is room, linked relatively after that."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from PIL import Image as Picture

from homie.types import VIEWS

QUALITY = 70
"""Of the JPEG pictures."""
SMALL_VIDEO = 2 * 1024 * 1024
"""Bytes of the largest video that goes into the page."""


class View(NamedTuple):
    """One picture: its view, where the page gets it from, and where the full one is."""

    name: str
    source: str
    full: str


class Media:
    """The pictures and videos of one page.

    folder: where the page lies. width: of a picture in pixels; 0 leaves pictures out. budget: bytes of data URLs that
    the page may hold.
    """

    def __init__(self, folder: Path, *, width: int, budget: int) -> None:
        self._folder = folder.resolve()
        self._width = width
        self._left = budget
        self.linked = 0
        """How many pictures and videos are linked because there was no room, or a video was large."""

    def views(self, episode: Path, round_number: int) -> tuple[View, ...]:
        """The views of a round that were kept, in the order of `VIEWS`. A file that is no picture is left out."""
        found = []
        for name in VIEWS if self._width else ():
            path = episode / "frames" / f"round-{round_number:02d}-{name}.png"
            if path.exists() and (source := self._picture(path)):
                found.append(View(name, source, self._link(path)))
        return tuple(found)

    def video(self, episode: Path) -> str:
        """The address of the video of an episode, "" if there is none."""
        path = episode / "video.mp4"
        size = path.stat().st_size if path.exists() else 0
        if not size:
            return ""
        if size > SMALL_VIDEO:
            self.linked += 1
            return self._link(path)
        return self._source("video/mp4", path.read_bytes(), path)

    def _picture(self, path: Path) -> str:
        """Where the page gets a picture from, "" if the file is none."""
        if self._left <= 0:
            self.linked += 1
            return self._link(path)
        data = self._thumbnail(path)
        return self._source("image/jpeg", data, path) if data else ""

    def _thumbnail(self, path: Path) -> bytes:
        try:
            with Picture.open(path) as picture:
                small = picture.convert("RGB")
        except OSError:  # a kill may have torn it
            return b""
        small.thumbnail((self._width, 4 * self._width))
        out = io.BytesIO()
        small.save(out, "JPEG", quality=QUALITY, optimize=True)
        return out.getvalue()

    def _source(self, kind: str, data: bytes, path: Path) -> str:
        url = f"data:{kind};base64,{base64.b64encode(data).decode()}"
        if len(url) > self._left:
            self._left = 0  # so that what follows is linked too: no page with holes
            self.linked += 1
            return self._link(path)
        self._left -= len(url)
        return url

    def _link(self, path: Path) -> str:
        return quote(Path(os.path.relpath(path.resolve(), self._folder)).as_posix())
