"""Pictures and videos of a report: embedded as data URLs up to the size limit of the page, linked relatively beyond it.

Pictures are embedded first, in the order of the page; then videos, those of failed episodes first and small files
before large ones, so that the page holds as many as possible of the videos needed to analyse failures.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import av
from PIL import Image as Picture

from homie.bench.report.runs_and_episodes import VIDEO, PageEpisode
from homie.kernel.types import VIEWS
from homie.runtime.runstore import frame

QUALITY = 60
"""Quality of WebP pictures: they look like JPEG pictures of quality 70 at half the size."""
POSTER = 640
"""Width in pixels of the picture shown before a video is played."""
FAILURES = ("failed", "lost", "unfinished", "out of rounds")


@dataclass(frozen=True, slots=True)
class Views:
    """Pictures of one episode by name (`3-front`), its video and its poster, as URLs; "" for none.

    A picture that equals an earlier one of the episode, as of a robot that did not move, has that picture's name
    instead of a URL.

    Attributes:
        full: URLs of the pictures at full size, by the same names.
    """

    pictures: dict[str, str] = field(default_factory=dict)
    full: dict[str, str] = field(default_factory=dict)
    video: str = ""
    poster: str = ""

    @property
    def shown(self) -> Mapping[str, str]:
        """All URLs that the page needs to show the episode, by name."""
        extras = {"video": self.video, "poster": self.poster}
        return {**self.pictures, **{name: address for name, address in extras.items() if address}}


class Media:
    """The pictures and videos of one page.

    Args:
        folder: The folder of the page.
        width: Width of a picture in pixels; 0 leaves pictures out.
    """

    def __init__(self, folder: Path, *, width: int) -> None:
        self._folder = folder.resolve()
        self._width = width
        self._room_left = 0
        self._scaled: dict[bytes, str] = {}
        self.linked = 0
        """Number of pictures and videos that are linked because the page was full."""

    def views(self, episode: PageEpisode, number: int) -> tuple[str, ...]:
        """Return the views of a round that are in the episode folder."""
        return tuple(view for view in VIEWS if self._width and os.path.exists(_frame(episode, number, view)))

    def has_video(self, episode: PageEpisode) -> bool:
        return _size(episode) > 0

    def gather(self, episodes: Iterable[PageEpisode], room: int) -> list[Views]:
        """Return the pictures and videos of each episode, in the given order; damaged files are left out.

        Args:
            room: Maximum size of data URLs in the page in bytes.
        """
        self._room_left = room
        selected = list(episodes)
        pictures = [self._pictures(episode) for episode in selected]
        films = [episode.folder / VIDEO for episode in selected]
        sizes = [_size(episode) for episode in selected]
        posters = [self._poster(film) if size else "" for film, size in zip(films, sizes, strict=True)]
        order = sorted(range(len(selected)), key=lambda index: (selected[index].outcome not in FAILURES, sizes[index]))
        videos = {index: self._video(films[index], sizes[index]) for index in order if sizes[index]}
        return [
            Views(embedded, full, videos.get(index, ""), posters[index])
            for index, (embedded, full) in enumerate(pictures)
        ]

    def _pictures(self, episode: PageEpisode) -> tuple[dict[str, str], dict[str, str]]:
        paths = {
            f"{part.number}-{view}": _frame(episode, part.number, view)
            for part in episode.rounds
            for view in self.views(episode, part.number)
        }
        if self._room_left <= 0:
            small: dict[str, str] = {}
        else:
            with ThreadPoolExecutor() as pool:  # Pillow releases the GIL while it decodes and encodes
                small = dict(zip(paths, pool.map(self._small, paths.values()), strict=True))
        full = {name: self._link(path) for name, path in paths.items() if small.get(name, "linked")}
        names: dict[str, str] = {}
        return {name: self._place_picture(name, small.get(name, ""), link, names) for name, link in full.items()}, full

    def _small(self, path: Path) -> str:
        """Return a picture as a data URL, "" if the file is not a picture. Equal files are scaled once."""
        try:
            content = path.read_bytes()
            digest = hashlib.sha256(content).digest()
            if digest not in self._scaled:
                with Picture.open(io.BytesIO(content)) as picture:
                    self._scaled[digest] = _webp(picture.convert("RGB"), self._width)
        except OSError:  # truncated by a kill
            return ""
        return self._scaled[digest]

    def _place_picture(self, name: str, url: str, link: str, names: dict[str, str]) -> str:
        """Return a picture as a URL, as the name of an equal one of the episode (`names`), or as a link if the page is
        full."""
        if url in names:
            return names[url]
        if not url or len(url) > self._room_left:
            self._room_left = (
                0  # all later pictures are linked too, so that the embedded ones are the first of the page
            )
            self.linked += 1
            return link
        self._room_left -= len(url)
        names[url] = name
        return url

    def _video(self, path: Path, size: int) -> str:
        if 4 * -(-size // 3) + len("data:video/mp4;base64,") > self._room_left:
            self.linked += 1
            return self._link(path)
        url = f"data:video/mp4;base64,{base64.b64encode(path.read_bytes()).decode()}"
        self._room_left -= len(url)
        return url

    def _poster(self, path: Path) -> str:
        """Return the key frame before the middle of a video; "" if it cannot be read or the page is full."""
        try:
            with av.open(path) as film:
                film.seek((film.duration or 0) // 2)
                pixels = next(film.decode(video=0)).to_ndarray(format="rgb24")
            url = _webp(Picture.fromarray(pixels), POSTER)
        except (av.FFmpegError, StopIteration, IndexError):  # truncated by a kill
            return ""
        if len(url) > self._room_left:
            return ""
        self._room_left -= len(url)
        return url

    def _link(self, path: Path) -> str:
        return quote(Path(os.path.relpath(path.resolve(), self._folder)).as_posix())


def _frame(episode: PageEpisode, number: int, view: str) -> Path:
    return frame(episode.folder, number, view)


def _size(episode: PageEpisode) -> int:
    """Return the size of the episode's video in bytes, 0 without a readable one."""
    path = episode.folder / VIDEO
    return path.stat().st_size if os.access(path, os.R_OK) else 0


def _webp(picture: Picture.Image, width: int) -> str:
    """Return a picture as a data URL, scaled down if it is wider than `width`."""
    picture.thumbnail((width, 4 * width))
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=QUALITY, method=2)  # twice as fast as method 4 for a tenth more bytes
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"
