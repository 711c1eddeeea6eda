"""The contract of a memory of what was seen: the same in every setting, from pictures, depth and odometry alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from homie.kernel.knowledge import Knowledge
from homie.kernel.types import Array, Detection, Observation, Pose2


@dataclass(frozen=True, slots=True)
class Landmark:
    """What a name that a planner has been given refers to.

    Attributes:
        entity: Its name in the memory, that of the detector where it tells things of a kind apart.
        kind: What it is called without colour and number.
        center (3,): Where it is, None where only a name is known.
        alone: Whether the name has a number, so that it can mean nothing else; `drawer` means another one where the one
            of that name cannot be meant.
    """

    entity: str
    kind: str
    center: Array | None = None
    alone: bool = True


class Recall(ABC):
    """What was seen in an episode, and the name that a planner sees."""

    @abstractmethod
    def forget(self) -> None:
        """Forget the episode."""

    @abstractmethod
    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        """Take in what is seen now."""

    @abstractmethod
    def aim(self, entity: str, kind: str, center: Array) -> None:
        """What the hand is about to pick up, its kind, and where it is (3,): the next held object is this, seen or not.
        "" for nothing."""

    @abstractmethod
    def handles(self, entity: str) -> None:
        """What the hand is about to open or close, "" for nothing: until the next call nothing else opens
        or closes, but for what the hand comes near."""

    def brought_about(self, entity: str, state: str) -> None:
        """The robot has done something to a thing, which is in a state now (`Action.result`)."""

    @abstractmethod
    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """The detections of the last update by the names that a planner sees."""

    @abstractmethod
    def knowledge(self, round_number: int) -> Knowledge:
        """The knowledge of a round, apart from the setting. What was seen since the last call counts to the round
        before."""

    @abstractmethod
    def recognise(self, words: str, base: Pose2) -> tuple[Landmark, ...]:
        """The landmarks that a name refers to: none for unknown words, several if all with that name have
        numbers and the words have none.

        Args:
            base: Where the robot is; of several doorways only the one that is meant from there comes back.
        """

    @abstractmethod
    def passage(self, entity: str, base: Pose2) -> tuple[float, float, float, float] | None:
        """Of a doorway the rectangle (x0, y0, x1, y1) on the floor at its far side, as seen from a base; None for what
        is not a doorway."""

    @abstractmethod
    def is_passage(self, entity: str) -> bool:
        """Whether it is a doorway."""

    @abstractmethod
    def in_hand(self, observation: Observation) -> str | None:
        """The held object now: what was known to be in it, else what it was about to pick up; None if it holds
        nothing, and where nobody knows."""

    @abstractmethod
    def objection(self, words: str) -> str:
        """For words that mean nothing: a sentence that says what of that kind is known, or which name they are like; ""
        where there is neither."""

    @abstractmethod
    def called(self, entity: str, kind: str) -> str:
        """The name of an object that a planner sees. One that was never seen gets a name here."""

    @abstractmethod
    def name_all(self, kinds: Mapping[str, str]) -> None:
        """Give several things, seen or not, their names at once, so that those of one kind are numbered from the first.

        Args:
            kinds: What each would be called by someone who has not seen it.
        """
