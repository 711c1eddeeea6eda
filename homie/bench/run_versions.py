"""Parts with which the episodes of a run were made, and whether they are the same for all of them.

Every finished episode refers to a description of its parts (`provenance`). A run with several descriptions is mixed:
its results are not those of a single planner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.table_formats import Column, Table
from homie.kernel.support.text import format_count
from homie.runtime.provenance import PartsFile, format_value, read_parts
from homie.runtime.runstore import EpisodeFile

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Batch:
    """Episodes of a run that were made with the same parts.

    Attributes:
        digest: Name of their description, "" before Homie 0.2, which kept none.
        parts: Description, None if unknown.
        episodes: Folder names.
    """

    digest: str
    episodes: tuple[str, ...]
    parts: PartsFile | None


@dataclass(frozen=True, slots=True)
class Makeup:
    """Batches of a run, the one with the first episode first.

    Attributes:
        unchecked: Number of episodes without checksums (before 0.2), for which only the consistency of their files can
            be checked.
    """

    batches: tuple[Batch, ...] = ()
    unchecked: int = 0

    @property
    def mixed(self) -> bool:
        """Whether the episodes were made with different parts."""
        return len(self.batches) > 1

    @property
    def differences(self) -> dict[str, tuple[str, ...]]:
        """Differences between the batches: the value in each batch, by dotted name (`planner.sha256`)."""
        facts = [batch.parts.facts if batch.parts is not None else {} for batch in self.batches]
        known = [index for index, batch in enumerate(self.batches) if batch.parts is not None]
        names = sorted({name for fact in facts for name in fact})
        values = {
            name: tuple(format_value(fact.get(name)) if index in known else UNKNOWN for index, fact in enumerate(facts))
            for name in names
        }
        return {name: row for name, row in values.items() if len({row[index] for index in known}) > 1}

    def notes(self) -> tuple[str, ...]:
        """Return notes that are needed to interpret the results of the run; none if it is consistent."""
        notes = []
        if self.mixed:
            sizes = " + ".join(str(len(batch.episodes)) for batch in self.batches)
            differences = ", ".join(self.differences) or "what the parts were is not known for all"
            notes.append(f"mixed: its episodes ({sizes}) were made with different parts ({differences})")
        missing = [batch for batch in self.batches if batch.digest and batch.parts is None]
        if missing:
            count = sum(len(batch.episodes) for batch in missing)
            episodes = format_count(count, "episode")
            notes.append(f"not known what {episodes} had been made with: parts/ is damaged or incomplete")
        if self.unchecked:
            notes.append(
                f"{format_count(self.unchecked, 'episode')} written before Homie kept checksums: only whether the files"
                " agree was checked, and what made them is not known"
            )
        return tuple(notes)


def mixed_table(makeups: Mapping[str, Makeup]) -> Table:
    """Return a table of the differences between the batches of mixed runs, by run label."""
    rows = tuple(
        (label, number, len(batch.episodes), name, values[number - 1])
        for label, run_makeup in makeups.items()
        for name, values in run_makeup.differences.items()
        for number, batch in enumerate(run_makeup.batches, 1)
    )
    columns = (
        Column("run"),
        Column("batch", "count"),
        Column("episodes", "count"),
        Column("what"),
        Column("value"),
    )
    note = "A batch: the episodes that were made with the same parts. Parts that are not listed were the same."
    return Table("Mixed runs", columns, rows, (note,))


def makeup(run: Path, finished: Iterable[tuple[str, EpisodeFile]]) -> Makeup:
    """Return the batches of a run folder.

    Args:
        finished: Names and endings of the episodes that ran, without lost ones.
    """
    names: dict[str, list[str]] = {}
    endings: Sequence[tuple[str, EpisodeFile]] = tuple(finished)
    for name, ending in endings:
        names.setdefault(ending.parts, []).append(name)
    batches = tuple(Batch(digest, tuple(episodes), read_parts(run, digest)) for digest, episodes in names.items())
    return Makeup(batches, sum(ending.format == 1 for _, ending in endings))
