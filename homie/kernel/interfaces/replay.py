"""The contract of what plays a recorded robot back, as from a bag of ROS 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Image, Proprioception


@dataclass(frozen=True, slots=True)
class ReplayedMoment:
    """What a robot felt at a time (s since 1970), and the commands it has received since the previous moment."""

    at: float
    body: Proprioception
    command: Command


@dataclass(frozen=True, slots=True)
class ReplayedWords:
    """What the agent announced at a time (s since 1970), see `homie.runtime.announcements`."""

    at: float
    text: str


class Replay(Protocol):
    """A recording of a robot that can be gone through again and again."""

    @property
    def spec(self) -> RobotSpec:
        """The body that was recorded."""

    @property
    def cameras(self) -> Mapping[str, float]:
        """The cameras that there are pictures of, with how many a second there are."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what could not be read; complete after an iteration to the end."""

    def __iter__(self) -> Iterator[ReplayedMoment | ReplayedWords]:
        """All of it in the order of time. Raises BadInput for a recording of another robot."""

    def look(self, camera: str) -> Image | None:
        """The newest picture (H, W, 3) at the moment that has been reached, None before the first. Raises BadInput for
        one that cannot be read."""
