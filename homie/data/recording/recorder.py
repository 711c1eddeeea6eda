"""Listener that writes an episode to `recording.mcap` as it happens; a separate thread encodes and writes."""

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
from homie.kernel.interfaces import EpisodeListener, Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import (
    AttemptStarted,
    CameraFrame,
    Command,
    CommandSent,
    Decision,
    Depth,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    Goal,
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
"""JPEG quality: at 256 x 256 the loss is below the noise of a camera, at a fifth of the size of a PNG."""
_ROUNDING = 1e-6
"""Tolerance as a fraction of the picture interval, because sums of control periods have rounding errors."""
BACKLOG = 512
"""Maximum number of messages waiting for the disk. When it is reached, the robot waits too: nothing is dropped."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """Picture waiting to be encoded."""

    camera: str
    wall: float
    stamp: float
    rgb: Image

    def entry(self) -> Entry:
        data = topics.image(self.camera, self.stamp, jpeg(self.rgb, QUALITY))
        return Entry(topics.image_topic(self.camera), self.wall, self.stamp, data)


@dataclass(frozen=True, slots=True)
class _Distances:
    """Depth picture waiting to be encoded."""

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

    Used as a context manager; `close` writes the queued messages and the footer of the file.
    """

    def __init__(
        self,
        folder: Path,
        spec: RobotSpec,
        *,
        kinematics: Kinematics | None = None,
        look: Callable[[str], Image],
        cameras: Collection[str],
        depths: Mapping[str, Callable[[], Observation]] = MappingProxyType({}),
        fps: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises InfrastructureError if the file cannot be written.

        Args:
            folder: Episode folder, which has no recording yet.
            spec: Specification of the robot.
            kinematics: Kinematics of its arm, to record the pose of the hand.
            look: Returns the current picture (H, W, 3) of a camera. Called in the thread of the robot.
            cameras: Cameras to record.
            depths: Cameras whose depth pictures are recorded too, with a function that returns the current observation:
                each depth picture is recorded with its own time. Also called in the thread of the robot.
            fps: Pictures per second of robot time of each camera, as far as the control period allows.
            clock: Returns the wall clock time, s since 1970; for a replayed robot, the time of the original.
        """
        self.path = folder / RECORDING
        self._spec, self._look = spec, look
        self._kinematics = kinematics
        self._commanded: float | None = None
        self._cameras, self._depths = tuple(cameras), dict(depths)
        self._fps, self._interval = fps, 1.0 / fps
        self._clock = clock
        self._due: float | None = None
        self._stamp = 0.0
        self._last_measured: float | None = None
        self._failure: Exception | None = None
        try:
            self._file = McapFile(self.path)
        except OSError as error:
            raise disk_failure(folder, error) from error
        self._queue: queue.Queue[Entry | _Picture | _Distances | None] = queue.Queue(BACKLOG)
        self._thread = threading.Thread(target=self._run_writer, name="recorder", daemon=True)
        self._thread.start()

    @property
    def failed(self) -> bool:
        """Whether something could not be written; the next event raises the error."""
        return self._failure is not None

    # ------------------------------------------------------------ what happens

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self.event("task", {"text": task, "fps": f"{self._fps:g}"})
            case PlannerAnswered(number, decision):
                self._record_decision(number, decision)
            case SubtaskStarted(number, subtask):
                self.event("begin", {"round": str(number), **_subtask_fields(subtask)})
            case AttemptStarted(goal):
                self.event("goal", _goal_fields(goal))
            case CommandSent(observation, sent):
                self._observe(observation)
                self._record_hand(observation, sent.sent)
                for topic, command in ((topics.REQUESTED, sent.requested), (topics.SENT, sent.sent)):
                    self._add_message(
                        topic, observation.stamp, topics.scalars(topics.command_targets(command, self._spec))
                    )
            case SubtaskRecorded(record):
                self._record_subtask(record)
            case EpisodeEnded(result):
                self.event("end", {"ended_by": result.ended_by}, began=result.robot_seconds, ended=result.robot_seconds)
                self.close()  # `episode.json`, written next, marks that all files are complete

    def _record_decision(self, number: int, decision: Decision) -> None:
        about = {"round": str(number), "analysis": decision.analysis, "model": decision.model}
        if decision.problem:
            about["problem"] = decision.problem
        self.event("decision", {**about, "subtasks": " ".join(map(str, decision.subtasks))})

    def _record_subtask(self, record: RoundRecord) -> None:
        execution, feedback = record.execution, record.execution.feedback
        about = {"round": str(record.round), **_subtask_fields(execution.subtask), "status": feedback.status}
        about |= {"code": str(feedback.code or ""), "message": feedback.message, "model": execution.model}
        about |= {"skill": execution.attempts[-1].skill if execution.attempts else ""}
        self.event("subtask", about, began=record.began, ended=record.stamp)

    def event(
        self, kind: str, about: Mapping[str, str], *, began: float | None = None, ended: float | None = None
    ) -> None:
        """Record an event at the current time, or between two times of robot time (s). Raises InfrastructureError."""
        start = self._stamp if began is None else began
        end = self._stamp if ended is None else ended
        self._add_message(topics.EVENTS, end, topics.event(kind, start, end, about))

    def _observe(self, observation: Observation) -> None:
        """Record the measurements, and the pictures that are due. Each time is recorded once."""
        if observation.stamp == self._last_measured:
            return
        self._stamp = self._last_measured = observation.stamp
        self._add_message(topics.STATE, observation.stamp, topics.scalars(topics.measured(observation.body)))
        if self._due is None:
            self._due = observation.stamp
        intervals = (observation.stamp - self._due) / self._interval
        if intervals < -_ROUNDING:
            return
        # Due times are on a grid, so that no pictures are lost if the interval is not a multiple of the control period.
        self._due += self._interval * (math.floor(intervals + _ROUNDING) + 1)
        wall = self._clock()
        for camera in self._cameras:
            frame = observation.frames.get(camera)
            rgb = self._look(camera) if frame is None else frame.rgb
            self._enqueue(_Picture(camera, wall, observation.stamp, rgb))
        for camera, measure in self._depths.items():
            current = observation if camera in observation.frames else measure()
            frame = current.frames[camera]
            if frame.depth is not None:
                self._enqueue(_Distances(frame, frame.depth, wall, current.stamp))

    def _record_hand(self, observation: Observation, sent: Command) -> None:
        """Record the hand as it is measured, and the opening that is commanded."""
        gripper, body = self._spec.first("gripper"), observation.body
        if self._kinematics is None or gripper is None:
            return
        target = sent.get(gripper.name)
        if target is not None:
            self._commanded = target[0]
        pose = self._kinematics.forward(self._spec.chain.measured(body))
        widest = self._spec.gripper_max
        commanded = body.gripper if self._commanded is None else self._commanded
        values = {"opening": body.gripper / widest, "commanded": commanded / widest, "holding": float(body.holding)}
        self._add_message(topics.HAND, observation.stamp, topics.scalars({**topics.pose_values(pose), **values}))

    # ------------------------------------------------------------ the file

    def _add_message(self, topic: str, stamp: float, data: bytes) -> None:
        self._enqueue(Entry(topic, self._clock(), stamp, data))

    def _enqueue(self, item: Entry | _Picture | _Distances) -> None:
        if self._failure is not None:
            raise self._as_infrastructure_error(self._failure)
        self._queue.put(item)

    def _as_infrastructure_error(self, error: Exception) -> InfrastructureError:
        if isinstance(error, OSError):
            return disk_failure(self.path.parent, error)
        return InfrastructureError(f"The recording {self.path} cannot go on: {type(error).__name__}: {error}.")

    def _run_writer(self) -> None:
        """Body of the writer thread. After a failure it still empties the queue, so that nobody blocks on it."""
        while True:
            try:
                item = self._queue.get(timeout=CHUNK_SECONDS)
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
            except Exception as error:  # raised by the next call
                self._failure = error

    def close(self) -> None:
        """Write the queued messages and the footer. Idempotent. Raises InfrastructureError if anything could not be
        written."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
        try:
            self._file.close()
        except OSError as error:
            self._failure = self._failure or error
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise self._as_infrastructure_error(failure)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_NOTHING = Entry("", 0.0, 0.0, b"")


def jpeg(rgb: Image, quality: int) -> bytes:
    """Encode a picture (H, W, 3) as JPEG.

    Args:
        quality: JPEG quality, 0 to 100.
    """
    encoded, data = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert encoded  # three channels of bytes can always be encoded
    return data.tobytes()


def depth_png(depth: Depth) -> bytes:
    """Encode a depth picture (H, W) in m as a 16 bit PNG in mm; 0 means no return, or more than 65.535 m."""
    millimetres = np.nan_to_num(depth * 1000.0, posinf=0.0).round()
    far = millimetres > np.iinfo(np.uint16).max
    encoded, data = cv2.imencode(".png", np.where(far, 0, millimetres).astype(np.uint16))
    assert encoded  # one channel of 16 bits can always be encoded
    return data.tobytes()


def _goal_fields(goal: Goal) -> dict[str, str]:
    """Return name, position (3,) and, if it is known, the box of a goal as texts: centre (3,), half extents (3,), yaw;
    m and rad in the odometry frame."""
    fields = {"name": goal.name, "position": topics.numbers_text(goal.position)}
    if goal.box is None:
        return fields
    return {**fields, "box": topics.numbers_text([*goal.box.center, *goal.box.half, goal.box.yaw])}


def _subtask_fields(subtask: Subtask) -> dict[str, str]:
    return {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
