"""LeRobot data sets as sources of demonstrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from homie.data.episode import Episode, SkippedEpisode
from homie.data.lerobot.reader import LeRobotReader
from homie.data.recording.demonstration import Demonstration
from homie.data.sources.source import Entry, Source
from homie.kernel.errors import BadInput


class LeRobotSource(Source):
    """A folder with a LeRobot data set of version 3."""

    @cached_property
    def _reader(self) -> LeRobotReader:
        return LeRobotReader(self.path)

    def entries(self) -> Sequence[Entry]:
        reader = self._reader
        return tuple(
            Entry(name=f"{self.label}/{reader.name(index)}", task=reader.task(index), folder=self.path, number=index)
            for index in range(len(reader))
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        return self._reader.dropped

    def read(self, entry: Entry) -> Episode:
        raise SkippedEpisode("a LeRobot data set has no planner input: use it to train skills")

    def demonstration(self, entry: Entry, fps: int | None) -> Demonstration:
        if fps not in (None, self._reader.layout.fps):
            raise SkippedEpisode(f"it has {self._reader.layout.fps} frames a second, and --fps asks for {fps}")
        try:
            return replace(self._reader.episode(entry.number), name=entry.name)
        except BadInput as error:
            raise SkippedEpisode(f"damaged: {error}") from error

    def describe(self) -> Mapping[str, str]:
        return {"kind": "LeRobot data set", "planner": "", "versions": ""}
