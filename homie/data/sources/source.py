"""Where episodes come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.data.episode import Episode


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An episode that there is, before it is read. The fields are those of `homie.data.episode.Episode`."""

    name: str
    task: str
    folder: Path
    split: str = ""


class Source(ABC):
    """A folder with episodes. label: what its episodes' names begin with."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """All its episodes, always in the same order. Raises BadInput."""

    @abstractmethod
    def read(self, entry: Entry) -> Episode:
        """One of them. Raises LeftOut for one that cannot be used."""

    def house(self, entry: Entry) -> str:
        """In which house it was, as `Episode.house`."""
        return ""

    @abstractmethod
    def describe(self) -> Mapping[str, str]:
        """What a data card says of it: what it is, what made it, with which versions."""
