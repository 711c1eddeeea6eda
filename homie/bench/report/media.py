"""Pictures and videos of a report: inside the page as data URLs while there is room, linked relatively after that.

Pictures go in first, in the order of the page, then videos: those of episodes that failed first, small ones before long
ones. So what one looks into after a failure is there, and as many of them as possible.
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

from homie.bench.report.data import Shown
from homie.kernel.types import VIEWS
from homie.runtime.runstore import frame

QUALITY = 60
"""Of WebP pictures: they look like JPEG pictures of 70 in half the bytes."""
POSTER = 640
"""Width of the picture that stands for a video until it is played, in pixels."""
FAILURES = ("failed", "lost", "unfinished", "out of rounds")


@dataclass(frozen=True, slots=True)
class Views:
    """The pictures of one episode by name (`3-front`), its video and its poster: addresses, "" for none.

    A picture that is equal to an earlier one of the episode has the name of that instead of an address: a robot that
    did not move sees the same again.

    full: where the whole pictures are, by the same names.
    """

    pictures: dict[str, str] = field(default_factory=dict)
    full: dict[str, str] = field(default_factory=dict)
    video: str = ""
    poster: str = ""

    @property
    def shown(self) -> Mapping[str, str]:
        """All that the page needs to show the episode, by name."""
        more = {"video": self.video, "poster": self.poster}
        return {**self.pictures, **{name: address for name, address in more.items() if address}}


class Media:
    """The pictures and videos of one page.

    folder: where the page lies. width: of a picture in pixels; 0 leaves pictures out.
    """

    def __init__(self, folder: Path, *, width: int) -> None:
        self._folder = folder.resolve()
        self._width = width
        self._left = 0
        self._made: dict[bytes, str] = {}
        self.linked = 0
        """How many pictures and videos are linked because there was no room."""

    def views(self, episode: Shown, number: int) -> tuple[str, ...]:
        """The views of a round that were kept."""
        return tuple(view for view in VIEWS if self._width and _frame(episode, number, view).exists())

    def has_video(self, episode: Shown) -> bool:
        return _size(episode) > 0

    def gather(self, episodes: Iterable[Shown], room: int) -> list[Views]:
        """What the page shows of each episode, in this order; a file that is no picture is left out.

        room: bytes of data URLs that the page may hold.
        """
        self._left = room
        chosen = list(episodes)
        pictures = [self._pictures(one) for one in chosen]
        films = [one.folder / "video.mp4" for one in chosen]
        sizes = [_size(one) for one in chosen]
        posters = [self._poster(film) if size else "" for film, size in zip(films, sizes, strict=True)]
        order = sorted(range(len(chosen)), key=lambda index: (chosen[index].outcome not in FAILURES, sizes[index]))
        videos = {index: self._video(films[index], sizes[index]) for index in order if sizes[index]}
        return [
            Views(found, full, videos.get(index, ""), posters[index]) for index, (found, full) in enumerate(pictures)
        ]

    def _pictures(self, episode: Shown) -> tuple[dict[str, str], dict[str, str]]:
        there = {
            f"{one.number}-{view}": _frame(episode, one.number, view)
            for one in episode.rounds
            for view in self.views(episode, one.number)
        }
        if self._left <= 0:
            small: dict[str, str] = {}
        else:
            with ThreadPoolExecutor() as pool:  # Pillow reads and writes pictures side by side
                small = dict(zip(there, pool.map(self._small, there.values()), strict=True))
        full = {name: self._link(path) for name, path in there.items() if small.get(name, "linked")}
        first: dict[str, str] = {}
        return {name: self._taken(name, small.get(name, ""), link, first) for name, link in full.items()}, full

    def _small(self, path: Path) -> str:
        """A picture as a data URL, "" if the file is none. Equal files are made smaller once."""
        try:
            content = path.read_bytes()
            digest = hashlib.sha256(content).digest()
            if digest not in self._made:
                with Picture.open(io.BytesIO(content)) as picture:
                    self._made[digest] = _webp(picture.convert("RGB"), self._width)
        except OSError:  # a kill may have torn it
            return ""
        return self._made[digest]

    def _taken(self, name: str, url: str, link: str, first: dict[str, str]) -> str:
        """The picture, the name of an equal one of the episode (`first`), or its link where there is no room for it."""
        if url in first:
            return first[url]
        if not url or len(url) > self._left:
            self._left = 0  # so that what follows is linked too: no page with holes
            self.linked += 1
            return link
        self._left -= len(url)
        first[url] = name
        return url

    def _video(self, path: Path, size: int) -> str:
        if 4 * -(-size // 3) + len("data:video/mp4;base64,") > self._left:
            self.linked += 1
            return self._link(path)
        url = f"data:video/mp4;base64,{base64.b64encode(path.read_bytes()).decode()}"
        self._left -= len(url)
        return url

    def _poster(self, path: Path) -> str:
        """A picture of a video, the key frame before its middle, "" where none can be read or there is no room."""
        try:
            with av.open(path) as film:
                film.seek((film.duration or 0) // 2)
                pixels = next(film.decode(video=0)).to_ndarray(format="rgb24")
            url = _webp(Picture.fromarray(pixels), POSTER)
        except (av.FFmpegError, StopIteration, IndexError):  # torn by a kill
            return ""
        if len(url) > self._left:
            return ""
        self._left -= len(url)
        return url

    def _link(self, path: Path) -> str:
        return quote(Path(os.path.relpath(path.resolve(), self._folder)).as_posix())


def _frame(episode: Shown, number: int, view: str) -> Path:
    return frame(episode.folder, number, view)


def _size(episode: Shown) -> int:
    """Bytes of its video, 0 if there is none."""
    path = episode.folder / "video.mp4"
    return path.stat().st_size if path.exists() else 0


def _webp(picture: Picture.Image, width: int) -> str:
    """A picture as a data URL, made smaller where it is wider than `width`."""
    picture.thumbnail((width, 4 * width))
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=QUALITY, method=2)  # twice as fast as 4, a tenth more bytes
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"
