"""A listener that writes an episode into `recording.mcap` as it goes on; a thread of its own encodes and writes."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from homie.data.recording import topics
from homie.data.recording.mcapfile import CHUNK_SECONDS, Entry, McapFile
from homie.kernel.errors import InfrastructureError
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import (
    CameraFrame,
    CommandSent,
    Decision,
    Depth,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    Image,
    Observation,
    PlannerAnswered,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime.runstore import disk_failure

RECORDING = "recording.mcap"
QUALITY = 92
"""Of JPEG: at 256 x 256 what is lost is less than the noise of a camera, at a fifth of the size of a PNG."""
_ROUNDING = 1e-6
"""Intervals: control periods add up with rounding errors."""
BACKLOG = 512
"""Messages that may wait for the disk. Then the robot waits too: nothing is dropped."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture that is not encoded yet."""

    camera: str
    wall: float
    stamp: float
    rgb: Image

    def entry(self) -> Entry:
        data = topics.image(self.camera, self.stamp, jpeg(self.rgb, QUALITY))
        return Entry(topics.image_topic(self.camera), self.wall, self.stamp, data)


@dataclass(frozen=True, slots=True)
class _Distances:
    """A depth picture that is not encoded yet."""

    frame: CameraFrame
    depth: Depth
    wall: float
    stamp: float

    def entry(self) -> Entry:
        camera = self.frame.name
        data = topics.depth_image(camera, self.stamp, depth_png(self.depth), self.frame.intrinsics)
        return Entry(topics.depth_topic(camera), self.wall, self.stamp, data)


class Recorder(EpisodeListener):
    """Records one episode: every measurement and command, pictures of some cameras, subtasks and decisions.

    Used as a context manager; `close` writes what waits and the end of the file.
    """

    def __init__(
        self,
        folder: Path,
        spec: RobotSpec,
        *,
        look: Callable[[str], Image],
        cameras: Collection[str],
        depths: Mapping[str, Callable[[], Observation]] = MappingProxyType({}),
        fps: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises InfrastructureError where the file cannot be written.

        Args:
            folder: The episode folder; it has no recording yet.
            spec: Of the robot.
            look: Gives the picture (H, W, 3) that a camera sees now. Called while the robot is, in its thread.
            cameras: Those to record.
            depths: By camera whose depth pictures are recorded as well, what it sees now: each is recorded under its
                own time. Called likewise.
            fps: Pictures a second of robot time of each camera, as far as the control period allows.
            clock: The time on the wall, s since 1970; of a robot that is played back, the time of then.
        """
        self.path = folder / RECORDING
        self._spec, self._look = spec, look
        self._cameras, self._depths = tuple(cameras), dict(depths)
        self._fps, self._interval = fps, 1.0 / fps
        self._clock = clock
        self._due: float | None = None
        self._stamp = 0.0
        self._measured: float | None = None
        self._failure: Exception | None = None
        try:
            self._file = McapFile(self.path)
        except OSError as error:
            raise disk_failure(folder, error) from error
        self._waiting: queue.Queue[Entry | _Picture | _Distances | None] = queue.Queue(BACKLOG)
        self._thread = threading.Thread(target=self._write, name="recorder", daemon=True)
        self._thread.start()

    @property
    def failed(self) -> bool:
        """Whether something could not be written; what happens next raises it."""
        return self._failure is not None

    # ------------------------------------------------------------ what happens

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self.event("task", {"text": task, "fps": f"{self._fps:g}"})
            case PlannerAnswered(number, decision):
                self._decided(number, decision)
            case SubtaskStarted(number, subtask):
                self.event("begin", {"round": str(number), **_words(subtask)})
            case CommandSent(observation, sent):
                self._observe(observation)
                for topic, command in ((topics.REQUESTED, sent.requested), (topics.SENT, sent.sent)):
                    self._put(topic, observation.stamp, topics.scalars(topics.commanded(command, self._spec)))
            case SubtaskRecorded(record):
                self._recorded(record)
            case EpisodeEnded(result):
                self.event("end", {"ended_by": result.ended_by}, began=result.robot_seconds, ended=result.robot_seconds)
                self.close()  # `episode.json`, which comes next, says that all is there

    def _decided(self, number: int, decision: Decision) -> None:
        about = {"round": str(number), "analysis": decision.analysis, "model": decision.model}
        if decision.problem:
            about["problem"] = decision.problem
        self.event("decision", {**about, "subtasks": " ".join(map(str, decision.subtasks))})

    def _recorded(self, record: RoundRecord) -> None:
        execution, feedback = record.execution, record.execution.feedback
        about = {"round": str(record.round), **_words(execution.subtask), "status": feedback.status}
        about |= {"code": str(feedback.code or ""), "message": feedback.message, "model": execution.model}
        about |= {"skill": execution.attempts[-1].skill if execution.attempts else ""}
        self.event("subtask", about, began=record.began, ended=record.stamp)

    def event(
        self, kind: str, about: Mapping[str, str], *, began: float | None = None, ended: float | None = None
    ) -> None:
        """Something that happens now, or did between two moments of robot time (s). Raises InfrastructureError."""
        start = self._stamp if began is None else began
        end = self._stamp if ended is None else ended
        self._put(topics.EVENTS, end, topics.event(kind, start, end, about))

    def _observe(self, observation: Observation) -> None:
        """What is felt, and the pictures that are due. One moment is written once."""
        if observation.stamp == self._measured:
            return
        self._stamp = self._measured = observation.stamp
        self._put(topics.STATE, observation.stamp, topics.scalars(topics.measured(observation.body)))
        if self._due is None:
            self._due = observation.stamp
        intervals = (observation.stamp - self._due) / self._interval
        if intervals < -_ROUNDING:
            return
        # Due times stand on a grid, so that a control period that does not divide the interval costs no pictures.
        self._due += self._interval * (math.floor(intervals + _ROUNDING) + 1)
        wall = self._clock()
        for camera in self._cameras:
            frame = observation.frames.get(camera)
            rgb = self._look(camera) if frame is None else frame.rgb
            self._enqueue(_Picture(camera, wall, observation.stamp, rgb))
        for camera, measure in self._depths.items():
            seen = observation if camera in observation.frames else measure()
            frame = seen.frames[camera]
            if frame.depth is not None:
                self._enqueue(_Distances(frame, frame.depth, wall, seen.stamp))

    # ------------------------------------------------------------ the file

    def _put(self, topic: str, stamp: float, data: bytes) -> None:
        self._enqueue(Entry(topic, self._clock(), stamp, data))

    def _enqueue(self, item: Entry | _Picture | _Distances) -> None:
        if self._failure is not None:
            raise self._lost(self._failure)
        self._waiting.put(item)

    def _lost(self, error: Exception) -> InfrastructureError:
        if isinstance(error, OSError):
            return disk_failure(self.path.parent, error)
        return InfrastructureError(f"The recording {self.path} cannot go on: {type(error).__name__}: {error}.")

    def _write(self) -> None:
        """The thread: after a failure it goes on taking what comes, so that nobody waits for it."""
        while True:
            try:
                item = self._waiting.get(timeout=CHUNK_SECONDS)
            except queue.Empty:
                item = _NOTHING
            if item is None:
                return
            try:
                if self._failure is not None:
                    continue
                if item is _NOTHING:
                    self._file.keep()
                else:
                    self._file.add(item if isinstance(item, Entry) else item.entry())
            except Exception as error:  # raised at the next call
                self._failure = error

    def close(self) -> None:
        """Write what waits, and the end. Idempotent. Raises InfrastructureError if anything could not be written."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()
        try:
            self._file.close()
        except OSError as error:
            self._failure = self._failure or error
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise self._lost(failure)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_NOTHING = Entry("", 0.0, 0.0, b"")


def jpeg(rgb: Image, quality: int) -> bytes:
    """A picture (H, W, 3) as JPEG.

    Args:
        quality: 0 to 100.
    """
    done, data = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done  # three channels of bytes can always be encoded
    return data.tobytes()


def depth_png(depth: Depth) -> bytes:
    """A depth picture (H, W) in metres as a PNG of 16 bits, in millimetres; 0 for no return and from 65 m on."""
    millimetres = np.nan_to_num(depth * 1000.0, posinf=0.0).round()
    far = millimetres > np.iinfo(np.uint16).max
    done, data = cv2.imencode(".png", np.where(far, 0, millimetres).astype(np.uint16))
    assert done  # one channel of 16 bits can always be encoded
    return data.tobytes()


def _words(subtask: Subtask) -> dict[str, str]:
    return {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
