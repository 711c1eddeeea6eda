"""Conversion of recorded subtasks to demonstrations of the hand: where it is, where the target is, where it goes next.

Joint targets differ between robots, and between two ways of bending one arm; poses of the hand and of the target do
not. So a policy of few numbers learns from few demonstrations.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from homie.data.episode import SkippedEpisode
from homie.data.recording.demonstration import Demonstration, Layout, Stage
from homie.data.recording.reader import Event, Recording
from homie.data.recording.recording_to_demonstration import (
    END_STATE,
    POSE,
    cameras_of,
    films_at,
    frame_times,
    recording_in,
    values_at,
)
from homie.data.recording.topics import read_numbers
from homie.kernel.interfaces import kind_of
from homie.kernel.robot.hand_numbers import ACTION_LABELS, GOAL_LABELS, STATE_LABELS, goal_numbers, state_numbers
from homie.kernel.types import SUCCESS, Array, Box, Goal, Pose, Pose2, Subtask

LABELS = (*(f"effector.{number}" for number in range(12)), "opening", "commanded", "holding")


def hand_demonstrations(
    folder: Path, *, name: str, action: str, robot: str, fps: int | None, origin: str = ""
) -> Iterator[Demonstration]:
    """Yield a demonstration for each subtask of an action in a recorded episode that succeeded at the first attempt.

    State, action and environment are described in `homie.kernel.robot.hand_numbers`. Frames are at the times of
    `demonstration_of`; the action of a frame is the pose that the hand had at the next one, and the opening that was
    commanded by then.

    Args:
        folder: Episode folder.
        name: Name of the episode.
        action: Action, such as `Pick`.
        robot: Name of the robot.
        fps: Frames per second, None for the rate of the pictures.
        origin: How it was collected.

    Raises:
        SkippedEpisode: It was not recorded, or by a Homie that did not record the hand, or cannot be used.
    """
    recording = recording_in(folder)
    if missing := sorted(set(LABELS) - set(recording.hand.labels)):
        what = "the hand" if len(missing) == len(LABELS) else f"{missing[0]} of the hand"
        raise SkippedEpisode(f"{what} was not recorded: the robot has no arm, or an older Homie recorded it")
    moments, rate = frame_times(recording, fps)
    moments = np.intersect1d(moments, recording.hand.stamps)
    for goal, subtask in _first_attempts(recording, action):
        inside = moments[(moments >= goal.ended) & (moments <= subtask.ended)]
        if len(inside) < 2:
            continue
        films = films_at(recording, inside)
        hand = _hand_values(recording, inside)
        goals = _goals(recording, goal, inside)
        states = np.stack(
            [state_numbers(_pose(row), row[12], bool(row[14]), near) for row, near in zip(hand, goals, strict=True)]
        )
        following = np.minimum(np.arange(len(inside)) + 1, len(inside) - 1)
        done = Subtask(subtask.about["action"], subtask.about["target"], subtask.about["destination"])
        yield Demonstration(
            name=f"{name}/{subtask.about['round']}",
            task=" ".join(filter(None, (action.lower(), kind_of(done.target), kind_of(done.destination)))),
            layout=Layout(
                robot=robot,
                fps=rate,
                state=STATE_LABELS,
                action=ACTION_LABELS,
                cameras=cameras_of(films),
                environment=GOAL_LABELS,
            ),
            stamps=inside,
            states=states.astype(np.float32),
            actions=np.column_stack([states[following, :9], hand[following, 13]]).astype(np.float32),
            environments=goals.astype(np.float32),
            films=films,
            stages=(Stage(first=0, subtask=done, feedback=SUCCESS),),
            success=True,
            origin=origin,
            simulated=True if (folder / END_STATE).exists() else None,
        )


def _first_attempts(recording: Recording, action: str) -> Iterator[tuple[Event, Event]]:
    """Yield goal and end of each subtask of an action that succeeded at the first attempt."""
    goals: list[Event] = []
    for event in recording.events:
        if event.kind == "begin":
            goals = []
        elif event.kind == "goal":
            goals.append(event)
        has_succeeded = event.kind == "subtask" and event.about.get("status") == "success"
        if has_succeeded and event.about.get("action") == action and len(goals) == 1:
            yield goals[0], event


def _hand_values(recording: Recording, moments: Array) -> Array:
    """Return the values (n, 15) of `LABELS` at moments (n,)."""
    columns = [recording.hand.labels.index(label) for label in LABELS]
    return values_at(recording.hand, moments)[:, columns]


def _pose(row: Array) -> Pose:
    return Pose(row[:3], row[3:12].reshape(3, 3))


def _goals(recording: Recording, event: Event, moments: Array) -> Array:
    """Return the numbers (n, 8) of a goal as seen from the base at moments (n,). Raises SkippedEpisode."""
    try:
        position = np.array(read_numbers(event.about["position"], 3))
        numbers = read_numbers(event.about["box"], 7) if "box" in event.about else None
    except (KeyError, ValueError) as error:
        raise SkippedEpisode(f"damaged: a goal of the recording cannot be read: {error}") from error
    box = None if numbers is None else Box(np.array(numbers[:3]), np.array(numbers[3:6]), numbers[6])
    goal = Goal(name=event.about.get("name", ""), text="", position=position, box=box)
    measured = values_at(recording.measured, moments)
    bases = measured[:, [recording.measured.labels.index(label) for label in POSE]]
    return np.stack([goal_numbers(goal, Pose2(*base)) for base in bases.tolist()])
