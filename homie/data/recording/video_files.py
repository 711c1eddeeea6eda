"""Video files: one frame for every picture, at a constant rate, without captions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from homie.data.recording.demonstration import Film
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of
from homie.kernel.types import Image

OPTIONS = {"preset": "veryfast", "crf": "18", "g": "2", "bf": "0"}
"""Options of x264, as LeRobot advises: every second frame is a keyframe, for fast random access in training; without B
frames the first picture is at 0 s. CRF 18 is almost indistinguishable from the original."""
EARLY = 1e-4
"""Tolerance in s for pictures before their time, as in LeRobot."""


@dataclass(frozen=True, slots=True)
class Coding:
    """Encoding of a film: codec, such as `h264` or `av1`, and pixel format; whether it has audio."""

    codec: str
    pixels: str
    audio: bool = False


WRITTEN = Coding("h264", "yuv420p")
"""Encoding written by `FilmWriter`."""


class VideoFile(Film):
    """Pictures in a video file from `start` (s) on, `frames` of them; None means the whole file, which can be copied.

    Args:
        fps: Pictures per second; a picture half an interval or more off its time is an error. None disables the check.
    """

    def __init__(self, path: Path, *, start: float = 0.0, frames: int | None = None, fps: int | None = None) -> None:
        self.path = path
        self.start = start
        self.frames = frames
        self.fps = fps

    def coding(self) -> Coding:
        """Return the encoding of the file. Raises BadInput."""
        with _open(self.path) as container:
            context = container.streams.video[0].codec_context
            audio = bool(container.streams.audio)
            return Coding(context.codec.canonical_name, context.pix_fmt or "unknown", audio)

    def is_even(self, fps: int) -> bool:
        """Return whether all pictures are exactly at frame / fps, where LeRobot looks for them. Raises BadInput."""
        with _open(self.path) as container:
            stream = container.streams.video[0]
            times = sorted(
                float(packet.pts * packet.time_base)
                for packet in container.demux(stream)
                if packet.pts is not None and packet.time_base is not None
            )
        return all(abs(time - number / fps) <= EARLY for number, time in enumerate(times))

    def __iter__(self) -> Iterator[Image]:
        count = 0
        tolerance = EARLY if self.fps is None else 0.5 / self.fps
        with _open(self.path) as container:
            container.seek(round(self.start * av.time_base))
            for frame in container.decode(video=0):
                if frame.time is not None and frame.time < self.start - tolerance:  # a seek stops before `start`
                    continue
                if count == self.frames:
                    return
                if self.fps is not None and frame.time is not None:
                    due = self.start + count / self.fps
                    if abs(frame.time - due) > tolerance:
                        raise BadInput(
                            f"The film {self.path} has a picture at {frame.time:.3f} s where one of {due:.3f} s is due."
                        )
                count += 1
                yield frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)


@contextmanager
def _open(path: Path) -> Iterator[av.container.InputContainer]:
    """Open a film; turn every error of the file into BadInput."""
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise BadInput(f"Cannot read the film {path}: it has no pictures.")
            yield container
    except (OSError, av.error.FFmpegError) as error:
        raise BadInput(f"Cannot read the film {path}: {reason_of(error)}.") from error


class FilmWriter:
    """Writes one H.264 file. Used as a context manager, whose end makes the file valid.

    Args:
        path: File name ending in `.mp4`.
        height: Height of the pictures in pixels, even.
        width: Width of the pictures in pixels, even.
        fps: Pictures per second.

    Raises:
        BadInput: H.264 cannot hold pictures of an odd size.
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path, *, height: int, width: int, fps: int) -> None:
        if height % 2 or width % 2:  # it stores one colour for 2 x 2 pixels
            raise BadInput(
                f"A film needs pictures of an even width and height (these have {width}x{height}): record with another "
                "--picture-size, or resize them."
            )
        self._container = av.open(str(path), "w")
        self._stream = self._container.add_stream("libx264", rate=fps, options=OPTIONS)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"

    def add(self, picture: Image) -> None:
        """Append a picture (height, width, 3)."""
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
