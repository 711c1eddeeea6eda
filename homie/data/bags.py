"""Convert a recorded bag into recordings of Homie: one run folder for each episode that the robot's agent announced.

Replay (moments, words) --announcements--> events --> Recorder, EpisodeStore --> FOLDER/<bag>-<n>-<task>/
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homie.data.recording.recorder import Recorder
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener, Replay, ReplayedMoment, ReplayedWords
from homie.kernel.options import RunOptions
from homie.kernel.support.files import slug
from homie.kernel.types import (
    CommandSent,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    Image,
    Observation,
    Pose2,
    Proprioception,
    SentCommand,
)
from homie.runtime.announcements import Announcement, read_announcement
from homie.runtime.provenance import PartsFile
from homie.runtime.runstore import EpisodeStore, RunFolder

log = logging.getLogger(__name__)

PLANNER = "bag"
"""Stands in for the planner's name, because the bag does not say who decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Result of converting one episode of a bag.

    Attributes:
        run: Run folder of the episode.
        task: Instruction in natural language.
        subtasks: Number of recorded subtasks.
        seconds: Robot time between the first and the last measurement.
        finished: Whether the bag contains the end of the episode. An episode without an end stays unfinished, and tools
            skip it.
    """

    run: Path
    task: str
    subtasks: int
    seconds: float
    finished: bool


@dataclass(frozen=True, slots=True)
class _Span:
    """Task of an episode in a bag, and the wall clock time (s since 1970) at which its robot time is 0."""

    task: str
    zero: float


def convert_bag(bag: Path, replay: Replay, robot: str, out: Path, task: str | None) -> tuple[Converted, ...]:
    """Write the episodes of a bag as run folders with recordings.

    Args:
        bag: Path of the bag, used for naming run folders.
        replay: Contents of the bag.
        robot: Robot as given to `--robot`, for `run.json`.
        out: Parent folder of the run folders.
        task: Treat the whole bag as one demonstration of this task and ignore announcements. None: use the
            announcements.

    Returns:
        The converted episodes in chronological order.

    Raises:
        BadInput: The bag is of another robot, contains no announced episode, or its run folder exists already.
        InfrastructureError: The disk fails.
    """
    spans = deque(() if task else _announced_spans(replay))
    if not spans and not task:
        raise BadInput(
            f"No agent has announced an episode in the bag {bag}: say by --task what was done in it, and all of it is "
            "one demonstration."
        )
    cameras, converted = replay.cameras, list[Converted]()
    with ExitStack() as stack:

        def begin(span: _Span) -> _Episode:
            path = out / f"{slug(bag.stem)}-{len(converted) + 1}-{slug(span.task)}"
            episode = _Episode(path, span, replay, robot, cameras)
            stack.callback(episode.close)
            return episode

        episode: _Episode | None = None
        for item in replay:
            if isinstance(item, ReplayedMoment):
                if task and episode is None:
                    episode = begin(_Span(task, item.at))
                    episode.hear(item.at, Announcement("started", None, EpisodeStarted(task)))
                if episode is not None:
                    episode.measure(item)
            elif (announcement := None if task else _parse(item)) is not None:
                if isinstance(announcement.about, EpisodeStarted):
                    if episode is not None:
                        converted.append(episode.close())
                    episode = begin(spans.popleft())
                if episode is not None:
                    episode.hear(item.at, announcement)
        if episode is not None:
            if task:
                episode.finish()
            converted.append(episode.close())
    if not converted:
        raise BadInput(f"Nowhere in the bag {bag} was all of the robot measured: give the profile of its robot.")
    return tuple(converted)


class _Episode:
    """Writes one episode of a bag into a run folder, until it is closed."""

    def __init__(self, path: Path, span: _Span, replay: Replay, robot: str, cameras: Mapping[str, float]) -> None:
        self._span, self._replay, self._cameras = span, replay, tuple(cameras)
        self._at = span.zero
        self._first: float | None = None
        self._last: Observation | None = None
        self._subtasks, self._ended = 0, False
        options = RunOptions.build(
            task=span.task, robot=robot, planner=PLANNER, video=False, frames=False, targets="sensors", out=path
        )
        part_settings: dict[str, dict[str, Any]] = {"planner": {"name": PLANNER}, "detector": {}, "skills": {}}
        parts = PartsFile.of({**part_settings, "robot": {"name": replay.spec.name}}, options)
        self._run = RunFolder.open(options, None, parts, {})
        with ExitStack() as resources:
            resources.callback(self._run.close)
            folder = self._run.episode(span.task, trial=0)
            store = EpisodeStore(folder, None, seed=0, trial=0, frames=False, parts=parts.digest)
            resources.callback(store.close)
            recorder = Recorder(
                folder,
                replay.spec,
                look=self._camera_picture,
                cameras=self._cameras,
                # The measured rate is e.g. 29.97 or, on a busy machine, 3.16; data sets need a whole number of frames a
                # second.
                fps=float(max(1, round(min(cameras.values(), default=1.0)))),
                clock=lambda: self._at,
            )
            resources.callback(recorder.close)
            # The store is the last listener: `episode.json` marks that all other files are complete.
            self._listeners: tuple[EpisodeListener, ...] = (recorder, store)
            self._resources = resources.pop_all()
        if not cameras:
            log.warning("The bag has no pictures of a camera of the profile.")

    def measure(self, moment: ReplayedMoment) -> None:
        """Record a moment, but not before every camera has delivered a picture."""
        if self._ended or (self._last is None and any(self._replay.look(camera) is None for camera in self._cameras)):
            return
        if moment.at < self._span.zero:  # before robot time 0
            return
        self._at = moment.at
        self._last = Observation(moment.at - self._span.zero, moment.body)
        self._first = self._last.stamp if self._first is None else self._first
        self._notify(CommandSent(self._last, SentCommand(moment.command, moment.command)))

    def hear(self, at: float, announcement: Announcement) -> None:
        """Record an announcement received at a time in s since 1970."""
        if self._ended:
            return
        self._at = at
        self._subtasks += announcement.name == "recorded"
        self._ended = announcement.name == "ended"
        nothing = Proprioception(Pose2(0.0, 0.0, 0.0))
        # A run announces its episode before robot time begins.
        self._notify(announcement.event(self._last or Observation(max(0.0, at - self._span.zero), nothing)))

    def finish(self) -> None:
        """End an episode without a planner: it has no rounds, and no End was announced."""
        if self._last is not None:
            self._ended = True
            self._notify(EpisodeEnded(EpisodeResult(self._span.task, "rounds", 0, (), (), self._last.stamp)))

    def close(self) -> Converted:
        """Release the files. Idempotent."""
        self._resources.close()
        last = 0.0 if self._last is None else self._last.stamp
        seconds = last - (self._first or 0.0)
        return Converted(
            run=self._run.path, task=self._span.task, subtasks=self._subtasks, seconds=seconds, finished=self._ended
        )

    def _camera_picture(self, camera: str) -> Image:
        picture = self._replay.look(camera)
        assert picture is not None  # `measure` waits for every camera
        return picture

    def _notify(self, event: Event) -> None:
        for listener in self._listeners:
            listener.on(event)


def _announced_spans(replay: Replay) -> list[_Span]:
    """Return the announced episodes. The announcement with the smallest delay gives the time at which robot time was
    0."""
    episodes: list[tuple[str, float, list[float]]] = []
    for item in replay:
        announcement = _parse(item) if isinstance(item, ReplayedWords) else None
        if announcement is None:
            continue
        if isinstance(announcement.about, EpisodeStarted):
            episodes.append((announcement.about.task, item.at, []))
        elif episodes and announcement.stamp is not None:
            episodes[-1][2].append(item.at - announcement.stamp)
    return [_Span(task, min(zeros, default=at)) for task, at, zeros in episodes]


def _parse(words: ReplayedWords) -> Announcement | None:
    """Parse an announcement; None for any other text, as others may publish on the topic too."""
    try:
        return read_announcement(words.text)
    except BadInput as error:
        log.warning("%s", error)
        return None
