"""Films as video files: every picture is one frame, at a constant rate, and nothing is drawn into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np

from homie.data.demonstrations.demonstration import Film
from homie.kernel.errors import BadInput
from homie.kernel.types import Image

OPTIONS = {"preset": "veryfast", "crf": "18", "g": "2", "bf": "0"}
"""Of x264, as LeRobot advises: every second picture can be decoded by itself, so that a training run that draws
pictures at random is fast; without B frames the first picture is at 0 s. 18 is hardly told from the original."""
EARLY = 1e-4
"""Seconds by which a picture may be before its time: the tolerance of LeRobot."""


class VideoFile(Film):
    """Pictures in an H.264 file, from `start` (s) on, `frames` of them; None is the whole file, which can be copied."""

    def __init__(self, path: Path, *, start: float = 0.0, frames: int | None = None) -> None:
        self.path = path
        self.start = start
        self.frames = frames

    def __iter__(self) -> Iterator[Image]:
        left = self.frames
        try:
            with av.open(str(self.path)) as container:
                container.seek(round(self.start * av.time_base))
                for frame in container.decode(video=0):
                    if frame.time is not None and frame.time < self.start - EARLY:  # a seek lands before it
                        continue
                    if left is not None:
                        if left == 0:
                            return
                        left -= 1
                    yield frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
        except (OSError, av.error.FFmpegError) as error:
            raise BadInput(f"Cannot read the film {self.path}: {error}.") from error


class FilmWriter:
    """Writes one H.264 file. Used as a context manager, whose end makes the file valid.

    Args:
        path: The file, which ends in `.mp4`.
        height: Of the pictures in pixels, even.
        width: Likewise.
        fps: Pictures in a second.

    Raises:
        BadInput: H.264 cannot hold pictures of an odd size.
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path, *, height: int, width: int, fps: int) -> None:
        if height % 2 or width % 2:  # it keeps the colours of two by two pixels together
            raise BadInput(
                f"A film needs pictures of an even width and height (these have {width}x{height}): record with another "
                "--picture-size."
            )
        self._container = av.open(str(path), "w")
        self._stream = self._container.add_stream("libx264", rate=fps, options=OPTIONS)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"

    def add(self, picture: Image) -> None:
        """The next picture, (height, width, 3)."""
        for packet in self._stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
            self._container.mux(packet)

    def __enter__(self) -> FilmWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            for packet in self._stream.encode(None):
                self._container.mux(packet)
        finally:
            self._container.close()
