"""Abstract source of episodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from homie.data.episode import Episode, SkippedEpisode
from homie.data.recording.demonstration import Demonstration
from homie.kernel.support.files import reason_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Reference to an episode that was not read yet. The fields are those of `homie.data.episode.Episode`.

    Attributes:
        folder: Folder with the episode's files.
        number: Index of the episode, if several are in the same files.
    """

    name: str
    task: str
    folder: Path
    split: str = ""
    number: int = 0


@contextmanager
def reading_episode(entry: Entry) -> Iterator[None]:
    """Turn an OSError of an episode's files, as opposed to those of the output, into SkippedEpisode."""
    try:
        yield
    except OSError as error:
        raise SkippedEpisode(f"damaged: {error.filename or entry.folder} cannot be read: {reason_of(error)}") from error


class Source(ABC):
    """A folder with episodes.

    Args:
        label: Prefix of its episodes' names.
    """

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """Return all its episodes, always in the same order. Raises BadInput."""

    @abstractmethod
    def read(self, entry: Entry) -> Episode:
        """Read an episode. Raises SkippedEpisode if it cannot be used."""

    def demonstration(self, entry: Entry, fps: int | None) -> Demonstration:
        """Return measurements, pictures and commands of an episode, for training skills.

        Args:
            entry: The episode.
            fps: Frames per second, None for the recorded rate.

        Raises:
            SkippedEpisode: It was not recorded, or cannot be used.
        """
        raise SkippedEpisode("body and commands were not recorded")

    def subtasks(self, entry: Entry, action: str, fps: int | None) -> Iterator[Demonstration]:
        """Yield the subtasks of an action that succeeded at the first attempt, as motions of the hand. Arguments and
        errors as for `demonstration`."""
        raise SkippedEpisode("the hand was not recorded")

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of the source that its demonstrations do not hold. Raises BadInput."""
        return ()

    def house(self, entry: Entry) -> str:
        """Return the house of an episode, as `Episode.house`. Raises BadInput if its scene is damaged."""
        return ""

    @abstractmethod
    def describe(self) -> Mapping[str, str]:
        """Return the description for a data card: kind, planner, versions."""
