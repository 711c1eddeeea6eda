"""What a robot can be asked to do by itself, by software of its own, while a skill waits for it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from homie.kernel.types import Outcome, Pose2


class Errand(Protocol):
    """Something that a robot does by itself, until it is over. Stopping the robot ends it, too."""

    @property
    def outcome(self) -> Outcome:
        """RUNNING until it is over; STOPPED where it was cancelled."""

    @property
    def reason(self) -> str:
        """Why it did not succeed, in the words of a skill's reason."""

    def cancel(self) -> None:
        """End it early; its outcome says when that has happened. Of one that is over nothing comes."""


@runtime_checkable
class Navigator(Protocol):
    """A robot that finds its own way, as one that runs Nav2. The skill set `nav2` asks it."""

    def navigate(self, place: Pose2) -> Errand:
        """Drive to a place in the odometry frame (m, rad), around what the robot's own software knows of.

        Raises CommandRefused where it may not move. Until it is over no velocity is taken.
        """
