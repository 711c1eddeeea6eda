"""Conversion of recordings (`homie.data.recording`) to demonstrations: asynchronous messages become frames at one
rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from homie.data.episode import Episode, SkippedEpisode
from homie.data.recording.demonstration import Camera, Demonstration, Film, Layout, Stage
from homie.data.recording.reader import Recording, Series, read_recording
from homie.data.recording.recorder import RECORDING
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Image, RoundRecord

POSE = ("base.x", "base.y", "base.yaw")
"""Measurements of a base that cannot be commanded."""
BASE = "base."
END_STATE = "final_state.json"
RATE_TOLERANCE = 0.03
"""Maximum relative deviation from the whole frame rate of a data set: 30 Hz cameras deliver 29.97 pictures a second,
and their drivers drop some; at 12.5 Hz, rounding would make speeds wrong by 4 %."""
PAUSE = 2.5
"""A step between two frames longer than this multiple of the median is a pause. Steps at a constant rate differ by one
or two control periods: at 20 Hz out of 25 Hz they are 0.04 and 0.08 s."""


class RecordedFilm(Film):
    """Pictures of a camera at selected times (n,) of a recording."""

    def __init__(self, recording: Recording, camera: str, stamps: Array) -> None:
        self._recording, self._camera, self._stamps = recording, camera, frozenset(stamps.tolist())

    def __iter__(self) -> Iterator[Image]:
        return (picture for stamp, picture in self._recording.frames(self._camera) if stamp in self._stamps)


def is_recorded(folder: Path) -> bool:
    """Return whether an episode folder has a recording."""
    return (folder / RECORDING).exists()


def demonstration_of(
    folder: Path, episode: Episode, records: Sequence[RoundRecord], *, robot: str, fps: int | None, origin: str = ""
) -> Demonstration:
    """Convert a recorded episode to a demonstration.

    Frames are at the times of the pictures, or of the commands if no camera was recorded. All of them are used, unless
    `fps` asks for fewer.

    Args:
        folder: Episode folder.
        episode: The episode as read for training.
        records: Rounds of the episode; those with unreadable decisions are not steps of it.
        robot: Name of the robot.
        fps: Frames per second, None for the rate of the pictures.
        origin: How it was collected.

    Raises:
        SkippedEpisode: It was not recorded, the recording cannot be used, or its rate is not a whole number.
    """
    recording = recording_in(folder)
    moments, rate = frame_times(recording, fps)
    films = films_at(recording, moments)
    state = recording.measured.labels
    action = _action_labels(recording)
    return Demonstration(
        name=episode.name,
        task=episode.text,
        layout=Layout(
            robot=robot,
            fps=rate,
            state=state,
            action=action,
            cameras=cameras_of(films),
        ),
        stamps=moments,
        states=values_at(recording.measured, moments).astype(np.float32),
        actions=_commands(recording, action)[np.searchsorted(recording.sent.stamps, moments)].astype(np.float32),
        films=films,
        stages=_stages(episode, [record for record in records if not record.decision.problem], moments),
        success=episode.done,
        origin=origin,
        simulated=True if (folder / END_STATE).exists() else None,  # only simulators write it
    )


def recording_in(folder: Path) -> Recording:
    """Read the recording of an episode folder. Raises SkippedEpisode if it was not recorded, or cannot be used."""
    if not is_recorded(folder):
        raise SkippedEpisode("body and commands were not recorded: drive with `homie teleop --record FOLDER`")
    try:
        return read_recording(folder)
    except BadInput as error:
        raise SkippedEpisode(f"damaged: {error}") from error


def frame_times(recording: Recording, fps: int | None) -> tuple[Array, int]:
    """Return the times (n,) of the frames of a recording, and their whole rate; see `demonstration_of`. Raises
    SkippedEpisode."""
    moments = recording.sent.stamps
    try:
        for camera in recording.pictures:
            moments = np.intersect1d(moments, [stamp for stamp, _ in recording.jpegs(camera)])
    except BadInput as error:
        raise SkippedEpisode(f"damaged: {error}") from error
    if len(moments) < 2:
        raise SkippedEpisode("it has less than two frames")
    recorded_rate = rate_of(moments, _requested_rate(recording) if recording.pictures else None)
    rate = _whole_rate(recorded_rate) if fps is None else fps
    if rate > recorded_rate * (1.0 + RATE_TOLERANCE):
        raise SkippedEpisode(f"it was recorded at {recorded_rate:.3g} frames a second, and --fps asks for {rate}")
    if rate < recorded_rate * (1.0 - RATE_TOLERANCE):
        moments = _subsample(moments, rate)
    return moments, rate


def films_at(recording: Recording, moments: Array) -> dict[str, Film]:
    """Return the pictures of all cameras at times (n,) of a recording."""
    return {camera: RecordedFilm(recording, camera, moments) for camera in sorted(recording.pictures)}


def cameras_of(films: Mapping[str, Film]) -> dict[str, Camera]:
    """Return the formats of films, which have at least one picture."""
    return {camera: Camera(*next(iter(film)).shape[:2]) for camera, film in films.items()}


def rate_of(moments: Array, asked: float | None) -> float:
    """Return the frame rate of moments (n,): the requested rate if it agrees with them, else their mean rate.

    With pictures at 10 Hz and control at 25 Hz the intervals are 0.08 and 0.12 s, so neither a single interval nor the
    median gives the rate. Pauses are ignored.
    """
    steps = np.diff(moments)
    steps = steps[steps <= PAUSE * np.median(steps)]
    seconds = float(steps.sum())
    if asked is not None and abs(seconds - len(steps) / asked) <= max(RATE_TOLERANCE * seconds, float(steps.max())):
        return asked
    return len(steps) / seconds


def _requested_rate(recording: Recording) -> float | None:
    """Return the requested picture rate, limited to the control rate."""
    stamps = np.unique(recording.sent.stamps)
    return None if recording.fps is None else min(recording.fps, 1.0 / float(np.median(np.diff(stamps))))


def _whole_rate(rate: float) -> int:
    """Round to the whole frame rate of a data set. Raises SkippedEpisode if the rate is not close to a whole number."""
    rounded = max(1, round(rate))
    if abs(rounded - rate) > RATE_TOLERANCE * rate:
        below = f"give --fps {int(rate)}, or " if rate > 1.0 else ""
        raise SkippedEpisode(
            f"it was recorded at {rate:.3g} frames a second, which a data set cannot have: {below}record with a whole "
            "number of them"
        )
    return rounded


def _subsample(moments: Array, fps: int) -> Array:
    """Return from the moments (n,) the first at or after each due time. After a pause, due times restart at the next
    moment."""
    selected: list[float] = []
    due = -np.inf
    for moment in moments.tolist():
        if moment < due - 0.25 / fps:  # due times are missed by a little, as moments are sums of control periods
            continue
        selected.append(moment)
        next_due = due + 1.0 / fps
        due = next_due if next_due > moment else moment + 1.0 / fps
    return np.array(selected)


def values_at(series: Series, moments: Array) -> Array:
    """Return the values of a series at moments that it contains."""
    return series.values[np.searchsorted(series.stamps, moments)]


def _action_labels(recording: Recording) -> tuple[str, ...]:
    """Return the labels of all targets that a command may have, so that all recordings of a robot have the same
    labels."""
    has_base = any(label.startswith(BASE) for label in recording.sent.labels)
    controllable = [label for label in recording.measured.labels if label not in POSE]
    return tuple(label for label in controllable if has_base or not label.startswith(BASE))


def _commands(recording: Recording, labels: Sequence[str]) -> NDArray[np.float64]:
    """Return the targets at each command (n, len(labels)): without a target, a base stands still, and any other joint
    keeps its last target, or its measured position before the first target."""
    sent: Mapping[str, int] = {label: column for column, label in enumerate(recording.sent.labels)}
    measured = recording.measured.values[np.searchsorted(recording.measured.stamps, recording.sent.stamps)]
    commands = np.empty((len(recording.sent.stamps), len(labels)))
    for column, label in enumerate(labels):
        sent_values = recording.sent.values[:, sent[label]] if label in sent else np.full(len(commands), np.nan)
        if label.startswith(BASE):
            commands[:, column] = np.nan_to_num(sent_values)
            continue
        first = measured[:, recording.measured.labels.index(label)]
        last_index = np.maximum.accumulate(np.where(np.isnan(sent_values), -1, np.arange(len(sent_values))))
        commands[:, column] = np.where(last_index < 0, first, sent_values[np.maximum(last_index, 0)])
    return commands


def _stages(episode: Episode, records: Sequence[RoundRecord], moments: Array) -> tuple[Stage, ...]:
    """Return the subtasks, each beginning at the end of the one before it."""
    ends = [-np.inf, *(record.stamp for record in records)]
    return tuple(
        Stage(
            first=min(int(np.searchsorted(moments, began - 1e-6)), len(moments) - 1),
            subtask=step.subtask,
            feedback=step.feedback,
            analysis=step.analysis,
            model=step.model,
        )
        for step, began in zip(episode.steps, ends, strict=False)
    )
