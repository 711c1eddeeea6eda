"""Where episodes come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from homie.data.episode import Episode, LeftOut
from homie.data.recording.demonstration import Demonstration
from homie.kernel.support.files import reason_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An episode that there is, before it is read. The fields are those of `homie.data.episode.Episode`.

    Attributes:
        folder: With its files.
        number: Which it is, where a folder has several in the same files.
    """

    name: str
    task: str
    folder: Path
    split: str = ""
    number: int = 0


@contextmanager
def reading_episode(entry: Entry) -> Iterator[None]:
    """An OSError in here is of the files of an episode, not of what is made of it. Raises LeftOut."""
    try:
        yield
    except OSError as error:
        raise LeftOut(f"damaged: {error.filename or entry.folder} cannot be read: {reason_of(error)}") from error


class Source(ABC):
    """A folder with episodes.

    Args:
        label: What its episodes' names begin with.
    """

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """All its episodes, always in the same order. Raises BadInput."""

    @abstractmethod
    def read(self, entry: Entry) -> Episode:
        """One of them. Raises LeftOut for one that cannot be used."""

    def demonstration(self, entry: Entry, fps: int | None) -> Demonstration:
        """Measurements, pictures and commands of a subtask, for training skills.

        Args:
            entry: The episode.
            fps: Frames in a second, None for as many as were recorded.

        Raises:
            LeftOut: It was not recorded, or cannot be used.
        """
        raise LeftOut("body and commands were not recorded")

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of it that its demonstrations have not. Raises BadInput."""
        return ()

    def house(self, entry: Entry) -> str:
        """In which house it was, as `Episode.house`. Raises BadInput where its scene is damaged."""
        return ""

    @abstractmethod
    def describe(self) -> Mapping[str, str]:
        """What a data card says of it: what it is, what made it, with which versions."""
