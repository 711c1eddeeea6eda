"""A recording as arrays: what was measured, asked for and sent, its pictures, its events.

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
    """Numbers over time: robot time (n,) s, values (n, d), NaN where a group was not commanded, labels of the
    columns."""

    stamps: Array
    values: Array
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened between two moments of robot time (s): `begin`, `subtask`, `decision`, `task`, `end`, ..."""

    kind: str
    began: float
    ended: float
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recording, its pictures left in the file.

    Attributes:
        path: the file.
        whole: whether it has its end; one that was killed has not until it is repaired.
        measured, requested, sent: state, command asked for, command sent.
        events: in the order of the file.
        pictures: how many there are, by camera.
        depths: likewise of depth pictures.
        notes: what people have said.
    """

    path: Path
    whole: bool
    measured: Series
    requested: Series
    sent: Series
    events: tuple[Event, ...]
    pictures: Mapping[str, int]
    depths: Mapping[str, int]
    notes: tuple[Note, ...]

    @property
    def fps(self) -> float | None:
        """Pictures a second that were asked for; None in recordings of Homie 0.1, which do not say."""
        rate = next((event.about["fps"] for event in self.events if "fps" in event.about), "")
        try:
            return float(rate) if float(rate) > 0.0 else None
        except ValueError:
            return None

    @property
    def seconds(self) -> float:
        """From the first measurement to the last, robot time."""
        stamps = self.measured.stamps
        return float(stamps[-1] - stamps[0]) if len(stamps) else 0.0

    def jpegs(self, camera: str) -> Iterator[tuple[float, bytes]]:
        """The pictures of a camera as they are in the file, each with its robot time (s)."""
        topic = topics.image_topic(camera)
        for entry in Reading(self.path):
            if entry.topic == topic:
                with _of_homie(self.path):
                    data = topics.read_image(entry.data)
                yield entry.stamp, data

    def frames(self, camera: str) -> Iterator[tuple[float, Image]]:
        """The pictures of a camera, (H, W, 3) uint8 RGB, each with its robot time (s)."""
        for stamp, data in self.jpegs(camera):
            bgr = _decoded(data, cv2.IMREAD_COLOR)
            if bgr is None:
                raise BadInput(
                    f"{self.path} holds a picture of the camera '{camera}' at {stamp:.2f} s that is not a JPEG."
                )
            yield stamp, np.ascontiguousarray(bgr[:, :, ::-1], dtype=np.uint8)

    def distances(self, camera: str) -> Iterator[tuple[float, Depth, Intrinsics]]:
        """The depth pictures of a camera, (H, W) float32 in metres (0: no return), each with its robot time (s) before
        it and its lens after it."""
        topic = topics.depth_topic(camera)
        for entry in Reading(self.path):
            if entry.topic == topic:
                with _of_homie(self.path):
                    data, (fx, fy, cx, cy) = topics.read_depth_image(entry.data)
                millimetres = _decoded(data, cv2.IMREAD_UNCHANGED)
                if millimetres is None or millimetres.ndim != 2:
                    raise BadInput(
                        f"{self.path} holds a depth picture of the camera '{camera}' at {entry.stamp:.2f} s that is "
                        "no PNG of one channel."
                    )
                height, width = millimetres.shape
                depth = millimetres.astype(np.float32) / np.float32(1000.0)
                yield entry.stamp, depth, Intrinsics(fx, fy, cx, cy, width, height)


def read_recording(folder: str | Path) -> Recording:
    """The recording of an episode folder, also one that a kill has cut: all that can be read of it.

    Args:
        folder: the episode folder.

    Returns:
        The recording.

    Raises:
        BadInput: There is none, or it is not a recording.

    Example:
        ```
        recording = read_recording(episode)
        print(recording.seconds, recording.pictures, len(recording.events))
        ```
    """
    folder = Path(folder)
    path = folder / RECORDING
    numbers: dict[str, list[Entry]] = {topics.STATE: [], topics.REQUESTED: [], topics.SENT: []}
    events: list[Event] = []
    pictures: dict[str, int] = {}
    depths: dict[str, int] = {}
    reading = Reading(path)
    with _of_homie(path):
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
        events=tuple(events),
        pictures=pictures,
        depths=depths,
        notes=read_notes(folder),
    )


@contextmanager
def _of_homie(path: Path) -> Iterator[None]:
    """Read a message; one that Homie does not write is raised as BadInput."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise BadInput(f"{path} is not a recording of Homie: {reason_of(error)}.") from error


def _decoded(data: bytes, kind: int) -> NDArray[np.generic] | None:
    """The pixels of a picture, None where it is none."""
    try:
        return cv2.imdecode(np.frombuffer(data, np.uint8), kind)
    except cv2.error:  # it is empty, or says that it is huge
        return None


def _series(entries: Sequence[Entry]) -> Series:
    rows = [topics.read_scalars(entry.data) for entry in entries]
    labels = tuple(dict.fromkeys(label for row in rows for label in row))
    values = np.array([[row.get(label, np.nan) for label in labels] for row in rows], dtype=np.float64)
    return Series(np.array([entry.stamp for entry in entries]), values.reshape(len(rows), len(labels)), labels)
