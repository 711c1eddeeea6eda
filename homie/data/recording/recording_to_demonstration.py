"""Demonstrations from recordings (`homie.data.recording`): what came at its own times, on the frames of one rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from homie.data.episode import Episode, LeftOut
from homie.data.recording.demonstration import Camera, Demonstration, Film, Layout, Stage
from homie.data.recording.reader import Recording, Series, read_recording
from homie.data.recording.recorder import RECORDING
from homie.kernel.errors import BadInput
from homie.kernel.types import Array, Image, RoundRecord

POSE = ("base.x", "base.y", "base.yaw")
"""What is measured of a base and cannot be commanded."""
BASE = "base."
END_STATE = "final_state.json"
RATE_TOLERANCE = 0.03
"""By which share a rate may differ from the whole number that a data set says: cameras that should give 30 pictures a
second give 29.97, and their drivers lose some; at 12.5 a whole number would tell wrong speeds by 4 %."""
PAUSE = 2.5
"""Times the median: a longer step between two frames is a pause. Steps of one rate are one or two control periods more
or less than each other: at 20 Hz of 25 they are 0.04 and 0.08 s."""


class RecordedFilm(Film):
    """The pictures of a camera at some of the moments (n,) at which a recording has them."""

    def __init__(self, recording: Recording, camera: str, stamps: Array) -> None:
        self._recording, self._camera, self._stamps = recording, camera, frozenset(stamps.tolist())

    def __iter__(self) -> Iterator[Image]:
        return (picture for stamp, picture in self._recording.frames(self._camera) if stamp in self._stamps)


def is_recorded(folder: Path) -> bool:
    """Whether an episode folder has a recording."""
    return (folder / RECORDING).exists()


def demonstration_of(
    folder: Path, episode: Episode, records: Sequence[RoundRecord], *, robot: str, fps: int | None, origin: str = ""
) -> Demonstration:
    """A recorded episode as a demonstration.

    Frames are the moments of its pictures, or of its commands where no camera was recorded. All of them are kept,
    unless `fps` asks for fewer.

    Args:
        folder: The episode folder.
        episode: What is known of it.
        records: Its rounds; those that could not be read are not steps of the episode.
        robot: Name of the body.
        fps: Frames in a second, None for as many as there are pictures.
        origin: How it was collected.

    Raises:
        LeftOut: It was not recorded, its recording cannot be used, or its rate is not a whole number.
    """
    if not is_recorded(folder):
        raise LeftOut("body and commands were not recorded: drive with `homie teleop --record FOLDER`")
    try:
        recording = read_recording(folder)
        seen = {camera: _stamps(recording, camera) for camera in recording.pictures}
    except BadInput as error:
        raise LeftOut(f"damaged: {error}") from error
    moments = recording.sent.stamps
    for stamps in seen.values():
        moments = np.intersect1d(moments, stamps)
    if len(moments) < 2:
        raise LeftOut("it has less than two frames")
    recorded = rate_of(moments, _asked(recording) if seen else None)
    rate = _whole_rate(recorded) if fps is None else fps
    if rate > recorded * (1.0 + RATE_TOLERANCE):
        raise LeftOut(f"it was recorded at {recorded:.3g} frames a second, and --fps asks for {rate}")
    if rate < recorded * (1.0 - RATE_TOLERANCE):
        moments = _thinned(moments, rate)
    films = {camera: RecordedFilm(recording, camera, moments) for camera in sorted(seen)}
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
            cameras={camera: Camera(*next(iter(film)).shape[:2]) for camera, film in films.items()},
        ),
        stamps=moments,
        states=_at(recording.measured, moments).astype(np.float32),
        actions=_commands(recording, action)[np.searchsorted(recording.sent.stamps, moments)].astype(np.float32),
        films=films,
        stages=_stages(episode, [record for record in records if not record.decision.problem], moments),
        success=episode.done,
        origin=origin,
        simulated=True if (folder / END_STATE).exists() else None,  # only a simulator knows its world
    )


def _stamps(recording: Recording, camera: str) -> Array:
    return np.array([stamp for stamp, _ in recording.jpegs(camera)])


def rate_of(moments: Array, asked: float | None) -> float:
    """How many frames a second moments (n,) have: as many as were asked for if that is so, else their mean.

    Pictures at 10 Hz of a robot with 25 control periods a second come 0.08 and 0.12 s after each other, so no single
    step tells the rate, nor does their median. Pauses do not count.
    """
    steps = np.diff(moments)
    steps = steps[steps <= PAUSE * np.median(steps)]
    seconds = float(steps.sum())
    if asked is not None and abs(seconds - len(steps) / asked) <= max(RATE_TOLERANCE * seconds, float(steps.max())):
        return asked
    return len(steps) / seconds


def _asked(recording: Recording) -> float | None:
    """The rate of pictures that was asked for; there are no more of them than control periods."""
    stamps = np.unique(recording.sent.stamps)
    return None if recording.fps is None else min(recording.fps, 1.0 / float(np.median(np.diff(stamps))))


def _whole_rate(rate: float) -> int:
    """The frames in a second of a data set, which are a whole number. Raises LeftOut where that is another rate."""
    whole = max(1, round(rate))
    if abs(whole - rate) > RATE_TOLERANCE * rate:
        below = f"give --fps {int(rate)}, or " if rate > 1.0 else ""
        raise LeftOut(
            f"it was recorded at {rate:.3g} frames a second, which a data set cannot have: {below}record with a whole "
            "number of them"
        )
    return whole


def _thinned(moments: Array, fps: int) -> Array:
    """Of the moments (n,) the first at or after each that is due. A pause is not filled: after it the time is anew."""
    kept: list[float] = []
    due = -np.inf
    for moment in moments.tolist():
        if moment < due - 0.25 / fps:  # moments are sums of control periods: they miss what is due by a little
            continue
        kept.append(moment)
        following = due + 1.0 / fps
        due = following if following > moment else moment + 1.0 / fps
    return np.array(kept)


def _at(series: Series, moments: Array) -> Array:
    """The values of a series at moments that it has."""
    return series.values[np.searchsorted(series.stamps, moments)]


def _action_labels(recording: Recording) -> tuple[str, ...]:
    """All targets that a command can have, so that all recordings of a robot have the same labels."""
    based = any(label.startswith(BASE) for label in recording.sent.labels)
    can_be = [label for label in recording.measured.labels if label not in POSE]
    return tuple(label for label in can_be if based or not label.startswith(BASE))


def _commands(recording: Recording, labels: Sequence[str]) -> NDArray[np.float64]:
    """The targets at each command (n, len(labels)): a base without a target stands, all else keeps its last
    target, and is where it was measured before it has one."""
    sent: Mapping[str, int] = {label: column for column, label in enumerate(recording.sent.labels)}
    measured = recording.measured.values[np.searchsorted(recording.measured.stamps, recording.sent.stamps)]
    commands = np.empty((len(recording.sent.stamps), len(labels)))
    for column, label in enumerate(labels):
        sent_values = recording.sent.values[:, sent[label]] if label in sent else np.full(len(commands), np.nan)
        if label.startswith(BASE):
            commands[:, column] = np.nan_to_num(sent_values)
            continue
        first = measured[:, recording.measured.labels.index(label)]
        last = np.maximum.accumulate(np.where(np.isnan(sent_values), -1, np.arange(len(sent_values))))
        commands[:, column] = np.where(last < 0, first, sent_values[np.maximum(last, 0)])
    return commands


def _stages(episode: Episode, records: Sequence[RoundRecord], moments: Array) -> tuple[Stage, ...]:
    """The subtasks, each from where the one before it ended."""
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
