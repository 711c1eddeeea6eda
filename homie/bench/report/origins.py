"""What the episodes of a run were made with, as the page shows it: settings, checkpoints, and every prompt whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.folder.makeup import Batch
from homie.runtime.provenance import PartsFile, read_text


@dataclass(frozen=True, slots=True)
class Origin:
    """Parts by their dotted name (`planner.sha256`), and the texts that some of them name by a SHA-256. episodes: the
    folders of those that were made with these."""

    episodes: tuple[str, ...]
    facts: Mapping[str, str]
    texts: Mapping[str, str]


def origins(run: Path, batches: Sequence[Batch]) -> tuple[Origin, ...]:
    """Of each batch of a run whose description is there."""
    return tuple(origin(run, batch.episodes, batch.parts) for batch in batches if batch.parts is not None)


def origin(run: Path, episodes: tuple[str, ...], parts: PartsFile) -> Origin:
    """One description, with the texts that the run folder has kept."""
    facts = {name: value for name, value in parts.facts.items() if value not in ("", "{}", "[]", "None")}
    texts = {name: text for name, value in facts.items() if (text := read_text(run, value)) is not None}
    return Origin(episodes, facts, texts)
