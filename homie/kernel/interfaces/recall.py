"""Interface of the memory of past observations: the same in every setting, from pictures, depth and odometry alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.kernel.knowledge import Knowledge
from homie.kernel.types import Array, Detection, Observation, Pose2


@dataclass(frozen=True, slots=True)
class Landmark:
    """A remembered object, piece of furniture or room that a name in a planner's input refers to.

    Attributes:
        entity: Its name in the memory: the detector's instance name if the detector distinguishes instances.
        kind: Its name without colour and number.
        center (3,): Its position in the odometry frame, m; None if only a name is known.
        alone: Whether the name has a number and is therefore unambiguous; `drawer` may also refer to another drawer if
            the first one does not fit.
    """

    entity: str
    kind: str
    center: Array | None = None
    alone: bool = True


class Recall(ABC):
    """Memory of the objects seen in an episode, and of their names in a planner's input."""

    @abstractmethod
    def forget(self) -> None:
        """Forget the episode."""

    @abstractmethod
    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Add the current observation and its detections."""

    @abstractmethod
    def aim(self, entity: str, kind: str, center: Array) -> None:
        """Announce the object that is about to be picked up, its kind and position (3,) in the odometry frame, m: the
        next held object is assumed to be this one, seen or not. "" for none."""

    @abstractmethod
    def handles(self, entity: str) -> None:
        """Announce the entity that is about to be opened or closed, "" for none: until the next call only this one, and
        those that the hand comes near, can change their opening."""

    def brought_about(self, entity: str, state: str) -> None:
        """Note that a subtask has left an object in a state (`Action.result`)."""

    @abstractmethod
    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Return the detections of the last update with their names in a planner's input."""

    @abstractmethod
    def knowledge(self, round_number: int) -> Knowledge:
        """Return the knowledge in a round, as far as it does not depend on the setting. Objects seen since the last
        call are attributed to the previous round."""

    @abstractmethod
    def recognise(self, words: str, base: Pose2) -> tuple[Landmark, ...]:
        """Return the landmarks that a name refers to: none for unknown words, several if all landmarks of that name
        are numbered and the words have no number.

        Args:
            base: Where the robot is; of several doorways only the one that is meant from there is returned.
        """

    @abstractmethod
    def passage(self, entity: str, base: Pose2) -> tuple[float, float, float, float] | None:
        """Return the floor rectangle (x0, y0, x1, y1) at the far side of a doorway, as seen from a base pose; None if
        the entity is not a doorway."""

    @abstractmethod
    def is_passage(self, entity: str) -> bool:
        """Whether the entity is a doorway."""

    @abstractmethod
    def in_hand(self, observation: Observation) -> str | None:
        """Return the held object: the one known to be held, else the one about to be picked up; None if the hand holds
        nothing or the object is unknown."""

    @abstractmethod
    def objection(self, words: str) -> str:
        """Explain why words match no landmark: a sentence with the known objects of that kind, or a similar name; "" if
        there is neither."""

    @abstractmethod
    def called(self, entity: str, kind: str) -> str:
        """Return the name of an object in a planner's input. An object that was never seen is assigned one."""

    @abstractmethod
    def name_all(self, kinds: Mapping[str, str]) -> None:
        """Assign names to several objects, seen or not, at once, so that objects of one kind are numbered from the
        first.

        Args:
            kinds: By entity, its name without colour and number for an observer who has not seen it.
        """
