"""A recording as arrays: measurements, requested and sent commands, pictures, events.

recording = read_recording(Path("recordings/20261122-put-the-apple/episodes/put-the-apple-0"))
recording.sent.values[:, recording.sent.labels.index("base.linear.vel")]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.data.recording import topics
from homie.data.recording.mcapfile import Entry, Reading
from homie.data.recording.notes import Note, read_notes
from homie.data.recording.recorder import RECORDING
from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of
from homie.kernel.types import Array, Depth, Image, Intrinsics


@dataclass(frozen=True, slots=True)
class Series:
    """Time series: robot time (n,) in s, values (n, d) with NaN for groups without a command, and column labels."""

    stamps: Array
    values: Array
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Event between two times of robot time (s): `begin`, `subtask`, `decision`, `task`, `end`, ..."""

    kind: str
    began: float
    ended: float
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recording, whose pictures stay in the file.

    Attributes:
        path: MCAP file.
        whole: Whether the file has its footer, which is missing after a kill until the file is repaired.
        measured, requested, sent: States, requested commands, sent commands.
        hand: The hand, as `homie.data.recording.topics` describes it; empty without an arm.
        events: Events in the order of the file.
        pictures: Number of pictures by camera.
        depths: Number of depth pictures by camera.
        notes: Notes by people.
    """

    path: Path
    whole: bool
    measured: Series
    requested: Series
    sent: Series
    hand: Series
    events: tuple[Event, ...]
    pictures: Mapping[str, int]
    depths: Mapping[str, int]
    notes: tuple[Note, ...]

    @property
    def fps(self) -> float | None:
        """Requested picture rate in Hz; None in recordings of Homie 0.1, which do not store it."""
        rate = next((event.about["fps"] for event in self.events if "fps" in event.about), "")
        try:
            return float(rate) if float(rate) > 0.0 else None
        except ValueError:
            return None

    @property
    def seconds(self) -> float:
        """Robot time between the first and the last measurement."""
        stamps = self.measured.stamps
        return float(stamps[-1] - stamps[0]) if len(stamps) else 0.0

    def jpegs(self, camera: str) -> Iterator[tuple[float, bytes]]:
        """Yield the JPEG data of a camera's pictures, each with its robot time (s)."""
        topic = topics.image_topic(camera)
        for entry in Reading(self.path):
            if entry.topic == topic:
                with _parse_errors_as_bad_input(self.path):
                    data = topics.read_image(entry.data)
                yield entry.stamp, data

    def frames(self, camera: str) -> Iterator[tuple[float, Image]]:
        """Yield the pictures of a camera, (H, W, 3) uint8 RGB, each with its robot time (s)."""
        for stamp, data in self.jpegs(camera):
            bgr = _decode(data, cv2.IMREAD_COLOR)
            if bgr is None:
                raise BadInput(
                    f"{self.path} holds a picture of the camera '{camera}' at {stamp:.2f} s that is not a JPEG."
                )
            yield stamp, np.ascontiguousarray(bgr[:, :, ::-1], dtype=np.uint8)

    def distances(self, camera: str) -> Iterator[tuple[float, Depth, Intrinsics]]:
        """Yield the depth pictures of a camera: robot time (s), depth (H, W) float32 in metres (0: no return),
        intrinsics."""
        topic = topics.depth_topic(camera)
        for entry in Reading(self.path):
            if entry.topic == topic:
                with _parse_errors_as_bad_input(self.path):
                    data, (fx, fy, cx, cy) = topics.read_depth_image(entry.data)
                millimetres = _decode(data, cv2.IMREAD_UNCHANGED)
                if millimetres is None or millimetres.ndim != 2:
                    raise BadInput(
                        f"{self.path} holds a depth picture of the camera '{camera}' at {entry.stamp:.2f} s that is "
                        "no PNG of one channel."
                    )
                height, width = millimetres.shape
                depth = millimetres.astype(np.float32) / np.float32(1000.0)
                yield entry.stamp, depth, Intrinsics(fx, fy, cx, cy, width, height)


def read_recording(folder: str | Path) -> Recording:
    """Read the recording of an episode folder; of one truncated by a kill, the readable part.

    Args:
        folder: Episode folder.

    Returns:
        The recording.

    Raises:
        BadInput: The folder has no recording, or the file is not one of Homie.

    Example:
        ```
        recording = read_recording(episode)
        print(recording.seconds, recording.pictures, len(recording.events))
        ```
    """
    folder = Path(folder)
    path = folder / RECORDING
    numbers: dict[str, list[Entry]] = {topics.STATE: [], topics.REQUESTED: [], topics.SENT: [], topics.HAND: []}
    events: list[Event] = []
    pictures: dict[str, int] = {}
    depths: dict[str, int] = {}
    reading = Reading(path)
    with _parse_errors_as_bad_input(path):
        for entry in reading:
            if entry.topic in numbers:
                numbers[entry.topic].append(entry)
            elif entry.topic == topics.EVENTS:
                began, ended, about = topics.read_event(entry.data)
                events.append(Event(about.pop("kind", ""), began, ended, about))
            elif entry.topic.startswith(topics.IMAGES):
                camera = entry.topic.removeprefix(topics.IMAGES)
                pictures[camera] = pictures.get(camera, 0) + 1
            elif entry.topic.startswith(topics.DEPTHS):
                camera = entry.topic.removeprefix(topics.DEPTHS)
                depths[camera] = depths.get(camera, 0) + 1
        series = {topic: _series(entries) for topic, entries in numbers.items()}
    return Recording(
        path=path,
        whole=reading.whole,
        measured=series[topics.STATE],
        requested=series[topics.REQUESTED],
        sent=series[topics.SENT],
        hand=series[topics.HAND],
        events=tuple(events),
        pictures=pictures,
        depths=depths,
        notes=read_notes(folder),
    )


@contextmanager
def _parse_errors_as_bad_input(path: Path) -> Iterator[None]:
    """Convert errors of parsing a message into BadInput: the file was not written by Homie."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise BadInput(f"{path} is not a recording of Homie: {reason_of(error)}.") from error


def _decode(data: bytes, kind: int) -> NDArray[np.generic] | None:
    """Decode a picture, None if it is invalid."""
    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), kind)
    except cv2.error:  # empty data, or a huge declared size
        return None


def _series(entries: Sequence[Entry]) -> Series:
    rows = [topics.read_scalars(entry.data) for entry in entries]
    labels = tuple(dict.fromkeys(label for row in rows for label in row))
    values = np.array([[row.get(label, np.nan) for label in labels] for row in rows], dtype=np.float64)
    return Series(np.array([entry.stamp for entry in entries]), values.reshape(len(rows), len(labels)), labels)
