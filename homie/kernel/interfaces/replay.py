"""Interface of recordings of a robot that can be replayed, such as ROS 2 bags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Image, Proprioception


@dataclass(frozen=True, slots=True)
class ReplayedMoment:
    """Proprioception of a robot at a time (s since 1970), and the commands it received since the previous moment."""

    at: float
    body: Proprioception
    command: Command


@dataclass(frozen=True, slots=True)
class ReplayedWords:
    """An announcement of the agent at a time (s since 1970), see `homie.runtime.announcements`."""

    at: float
    text: str


class Replay(Protocol):
    """Recording of a robot that can be iterated over repeatedly."""

    @property
    def spec(self) -> RobotSpec:
        """Spec of the recorded robot."""

    @property
    def cameras(self) -> Mapping[str, float]:
        """Frame rates (Hz) of the recorded cameras, by name."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about unreadable parts; complete after an iteration to the end."""

    def __iter__(self) -> Iterator[ReplayedMoment | ReplayedWords]:
        """Iterate over the recording in chronological order. Raises BadInput for a recording of another robot."""

    def look(self, camera: str) -> Image | None:
        """Return the newest picture (H, W, 3) at the current moment of the iteration, None before the first. Raises
        BadInput for a picture that cannot be read."""
