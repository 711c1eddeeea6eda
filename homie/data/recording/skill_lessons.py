"""Lessons for skills from recordings: successful subtasks at the times of their depth pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from homie.data.episode import SkippedEpisode
from homie.data.recording.reader import Recording, read_recording
from homie.data.recording.recording_to_demonstration import END_STATE, POSE
from homie.kernel.errors import BadInput
from homie.kernel.robot.lessons import Distances, Lesson
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.types import Array, RoundRecord
from homie.kernel.world.snapshot import WorldSnapshot, read_snapshot


def lessons_of(
    folder: Path, name: str, records: Sequence[RoundRecord], action: str, cameras: Collection[str]
) -> Iterator[Lesson]:
    """Yield the lessons of a recorded episode.

    A subtask is a lesson if it succeeded at the first attempt and the end state of the episode gives the position of
    its target: targets that were picked later are excluded.

    Args:
        folder: Episode folder.
        name: Name of the episode.
        records: Rounds of the episode.
        action: Action of the lessons, such as `Go to`.
        cameras: Cameras whose depth pictures the lessons contain.

    Raises:
        SkippedEpisode: The recording cannot be used, or lacks these pictures.
    """
    try:
        recording = read_recording(folder)
        world = _world(folder / END_STATE)
    except BadInput as error:
        raise SkippedEpisode(f"damaged: {error}") from error
    if missing := sorted(set(cameras) - set(recording.depths)):
        raise SkippedEpisode(f"it has no depth of the camera {missing[0]}: record with --depths {missing[0]}")
    if set(POSE) - set(recording.measured.labels):
        raise SkippedEpisode("its robot has no base")
    depths = {
        camera: [(stamp, Distances(depth, lens)) for stamp, depth, lens in recording.distances(camera)]
        for camera in cameras
    }
    for start, record in enumerate(records):
        execution = record.execution
        target = _final_position(world, execution.target or "")
        first_try = execution.feedback.status == "success" and len(execution.attempts) == 1
        if execution.subtask.action != action or not first_try or target is None or _is_picked_later(records[start:]):
            continue
        stamps = [stamp for stamp, _ in next(iter(depths.values()))]
        in_subtask = [number for number, stamp in enumerate(stamps) if record.began <= stamp <= record.stamp]
        if len(in_subtask) < 2:
            continue
        yield Lesson(
            name=f"{name}/{record.round}",
            action=action,
            target=target,
            # The last picture is also used for the end, which follows in less than the picture interval.
            poses=_poses(recording, np.array([*(stamps[number] for number in in_subtask), record.stamp])),
            depths={
                camera: [pictures[number][1] for number in (*in_subtask, in_subtask[-1])]
                for camera, pictures in depths.items()
            },
        )


def _world(path: Path) -> WorldSnapshot:
    with reading(path):
        return read_snapshot(load_json(path), str(path))


def _final_position(world: WorldSnapshot, entity: str) -> Array | None:
    """Return the position (3,) of an entity at the end, the centre of the floor for a room; None if unknown."""
    room = world.rooms.get(entity)
    if room is not None and room.floor is not None:
        x0, y0, x1, y1 = room.floor
        return np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0])
    thing = world.things.get(entity)
    return None if thing is None or thing.position is None else np.array(thing.position)


def _is_picked_later(records: Sequence[RoundRecord]) -> bool:
    """Return whether the target of the first of these rounds is picked in a later one."""
    target = records[0].execution.target
    return any(
        record.execution.target == target and record.execution.subtask.action == "Pick" for record in records[1:]
    )


def _poses(recording: Recording, stamps: Array) -> Array:
    """Return the last base poses (n, 3), x, y, yaw, measured before the given times (n,)."""
    columns = [recording.measured.labels.index(label) for label in POSE]
    rows = np.searchsorted(recording.measured.stamps, stamps, side="right") - 1
    return np.asarray(recording.measured.values[np.maximum(rows, 0)][:, columns])
