"""The video of an episode: third-person and robot view side by side, the agent's reasoning and feedback below.

    +------------------------------+--------------+
    |  third person                |  robot head  |
    +------------------------------+--------------+
    |  task, decision, analysis    |  round, clock, inventory, feedback
    +---------------------------------------------+

H.264 in an MP4 that a browser plays while it loads (yuv420p, index first).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
from PIL import Image as Picture

from homie.kernel.interfaces import EpisodeListener, Filmable, Robot
from homie.kernel.support.text import format_count
from homie.kernel.types import (
    Array,
    AttemptEnded,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    Image,
    Observation,
    Outcome,
    PeriodPassed,
    PlannerAnswered,
    PlannerAsked,
    RoundRecord,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime import caption
from homie.runtime.caption import Caption, draw_caption, draw_card, label
from homie.runtime.task_outcome import Conclusion

VIEW_HEIGHT = 432
WIDTH, HEIGHT = caption.WIDTH, VIEW_HEIGHT + caption.HEIGHT
FPS = 15
SPEED = 4.0
"""Seconds of robot time in one second of video."""
HOLD = 1.2
"""Seconds of video for which a decision is shown; feedback is shown half as long."""
END_HOLD = 2.0
"""Seconds of video for which the end is shown."""
SHARE = 0.25
"""Approximate limit of the wall time (s) for filming per second of robot time: rendering is slow without OpenGL, and
then fewer pictures are taken and shown longer."""
SLOW = 0.15
"""Wall time (s) for rendering a third-person picture above which it is rendered at half the size."""


class VideoWriter(EpisodeListener):
    """Listener that films an episode. One instance writes one file; `close` makes it valid, whatever happened before.

    Args:
        speed: Seconds of robot time per second of video.
        hold: Seconds of video for which a new text is shown.
    """

    def __init__(self, path: Path, robot: Robot, *, speed: float = SPEED, hold: float = HOLD) -> None:
        self._robot = robot
        self._interval = speed / FPS
        self._hold_frames = round(hold * FPS)
        self._caption = Caption(speed=speed)
        self._card: tuple[str, Sequence[str]] | None = None
        self._front_picture: Image | None = None
        self._head_view: Image | None = None
        self._target = ""
        self._scale = 1.0
        self._last_stamp: float | None = None
        self._frame_remainder = 0.0
        self._next_stamp = float("-inf")
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        self._stream = self._container.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "crf": "24"})
        self._stream.width, self._stream.height, self._stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        self._open = True

    def on(self, event: Event) -> None:
        match event:
            case EpisodeStarted(task):
                self._caption = self._caption.change(task=task)
            case PlannerAsked(planner_input):
                self._front_picture = planner_input.views["front"]
                self._caption = self._caption.change(round=planner_input.round)
            case PlannerAnswered(_, decision):
                self._film_decision(decision)
            case SubtaskStarted(_, subtask):
                self._target = subtask.destination or subtask.target
                self._caption = self._caption.change(state=f"{subtask} ...", tone="plain")
            case AttemptEnded(attempt) if attempt.outcome is not Outcome.SUCCEEDED:
                text = f"attempt {attempt.number} with {attempt.skill}: {attempt.reason}"
                self._caption = self._caption.change(state=text, tone="bad")
            case PeriodPassed(observation) if observation.stamp >= self._next_stamp:
                self._shoot(observation)
            case SubtaskRecorded(record):
                self._film_record(record)
            case EpisodeEnded(result):
                self._film_end(result)

    def _film_decision(self, decision: Decision) -> None:
        self._caption = self._caption.change(
            decision=", ".join(str(subtask) for subtask in decision.subtasks),
            analysis=decision.analysis,
            model=decision.model,
            state="",
        )
        self._shoot(self._robot.observe(), hold=self._hold_frames)

    def _film_record(self, record: RoundRecord) -> None:
        feedback = record.execution.feedback
        text = ": ".join(filter(None, ("success" if feedback.ok else str(feedback.code), feedback.words)))
        self._caption = self._caption.change(
            state=text,
            tone="good" if feedback.ok else "bad",
            inventory=" ".join(record.inventory) or "nothing",
            history=(
                *self._caption.history,
                (f"{record.execution.subtask} {feedback.code or ''}".strip(), feedback.ok),
            ),
        )

        self._shoot(self._robot.observe(), hold=self._hold_frames // 2)

    def _film_end(self, result: EpisodeResult) -> None:
        ending = result.answer or result.report_in_words or result.ending
        self._caption = self._caption.change(state=ending, tone="plain")
        lines = (
            f"{format_count(result.rounds, 'round')}, {result.robot_seconds:.0f} s of robot time",
            Conclusion.of(result, None).subtasks,
        )
        self._card = _sentence(result.ending), (*lines, *([_sentence(ending)] if result.report else []))
        self._shoot(self._robot.observe(), hold=round(END_HOLD * FPS))
        self.close()  # now: a listener after this one may rely on the file

    def close(self) -> None:
        """Finish the file. Idempotent."""
        if not self._open:
            return
        self._open = False
        try:
            for packet in self._stream.encode(None):
                self._container.mux(packet)
        finally:
            self._container.close()

    def _shoot(self, observation: Observation, hold: int | None = None) -> None:
        """Take a picture and show it for the robot time since the last one; the first picture is shown for one more
        frame, a still (`hold` is given) for 1 + `hold` more. Fractions of frames are carried over, so that a slow
        camera loses no time."""
        start = time.perf_counter()
        due_frames = self._frame_remainder + (
            0.0 if self._last_stamp is None else (observation.stamp - self._last_stamp) / self._interval
        )
        moving = max(round(due_frames), 0)
        self._frame_remainder = due_frames - moving
        extra_frames = (1 if self._last_stamp is None else 0) if hold is None else 1 + hold
        self._last_stamp = observation.stamp
        self._caption = self._caption.change(clock=observation.stamp)
        third_person = self._third_person_view()
        if self._card is not None:
            third_person = draw_card(third_person, *self._card)
        views = np.concatenate([third_person, self._robot_view(observation)], axis=1)
        frame = av.VideoFrame.from_ndarray(np.concatenate([views, draw_caption(self._caption)]), format="rgb24")
        for _ in range(moving + extra_frames):
            for packet in self._stream.encode(frame):
                self._container.mux(packet)
        self._next_stamp = observation.stamp + max(self._interval, (time.perf_counter() - start) / SHARE)

    def _robot_view(self, observation: Observation) -> Image:
        """Return the robot's view, rendered for every second picture only, since it costs as much as the other view."""
        frame, last = observation.frames.get(self._robot.eye), self._head_view
        if frame is None and last is not None:
            self._head_view = None
            return last
        if isinstance(self._robot, Filmable) and self._scale == 1.0:
            picture = self._robot.look(self._robot.eye, VIEW_HEIGHT)
        elif frame is not None:
            picture = frame.rgb
        elif isinstance(self._robot, Filmable):
            picture = self._robot.look(self._robot.eye)
        else:
            picture = self._robot.observe((self._robot.eye,)).frames[self._robot.eye].rgb
        self._head_view = label(_fit(picture, VIEW_HEIGHT, VIEW_HEIGHT), f"robot's {self._robot.eye} camera")
        return self._head_view

    def _third_person_view(self) -> Image:
        """Return the third-person view, or the last front picture of a robot that cannot be filmed."""
        width = WIDTH - VIEW_HEIGHT
        if not isinstance(self._robot, Filmable):
            front = np.zeros((VIEW_HEIGHT, width, 3), np.uint8) if self._front_picture is None else self._front_picture
            return label(_fit(front, width, VIEW_HEIGHT), "front camera, at the start of the round")
        start = time.perf_counter()
        picture = self._robot.film(round(width * self._scale), round(VIEW_HEIGHT * self._scale), self._target)
        if time.perf_counter() - start > SLOW:
            self._scale = 0.5
        return label(_fit(picture, width, VIEW_HEIGHT), "from outside")


def frame_stamps(records: Sequence[RoundRecord], count: int) -> Array:
    """Estimate the robot time (count,), s, of each of the `count` frames of a finished episode's video.

    It is not in the file. The lengths of stills are known; the other frames are assumed to be evenly spaced, which is
    accurate to about a second of robot time.
    """
    stills: list[tuple[float, int]] = []
    for previous, record in zip((None, *records), records, strict=False):
        if previous is None or previous.round != record.round:
            stills.append((record.began, 1 + round(HOLD * FPS)))
        stills.append((record.stamp, 1 + round(HOLD * FPS) // 2))
    stills.append((records[-1].stamp, 1 + round(END_HOLD * FPS)))
    stamps = np.maximum.accumulate([stamp for stamp, _ in stills])
    still_frames = np.array([frames for _, frames in stills])
    durations = np.diff(stamps, prepend=stamps[0])
    moving = durations * max(count - int(still_frames.sum()), 0) / max(float(durations.sum()), 1e-9)
    end_frames = np.cumsum(moving + still_frames)
    knots = np.stack([end_frames - still_frames, end_frames], axis=1).ravel()
    stamps_of_frames: Array = np.interp(np.arange(count) + 0.5, knots, np.repeat(stamps, 2))
    return stamps_of_frames


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


def _fit(image: Image, width: int, height: int) -> Image:
    """Scale an image (H, W, 3) to fit into (height, width, 3), and fill the rest with black."""
    if image.shape[:2] == (height, width):
        return image
    scale = min(width / image.shape[1], height / image.shape[0])
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    scaled = np.asarray(Picture.fromarray(image).resize(size, Picture.Resampling.BILINEAR))
    canvas = np.zeros((height, width, 3), np.uint8)
    x, y = (width - size[0]) // 2, (height - size[1]) // 2
    canvas[y : y + size[1], x : x + size[0]] = scaled
    return canvas
