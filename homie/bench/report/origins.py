"""Provenance of the episodes of a run, as the page shows it: settings, checkpoints and the full text of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.run_versions import Batch
from homie.runtime.provenance import PartsFile, read_text


@dataclass(frozen=True, slots=True)
class Origin:
    """The provenance of some episodes.

    Attributes:
        episodes: Names of their folders.
        facts: Values by dotted name (`planner.sha256`).
        texts: The texts that some facts name by a SHA-256.
    """

    episodes: tuple[str, ...]
    facts: Mapping[str, str]
    texts: Mapping[str, str]


def origins(run: Path, batches: Sequence[Batch]) -> tuple[Origin, ...]:
    """The provenance of every batch of a run that has a description."""
    return tuple(origin(run, batch.episodes, batch.parts) for batch in batches if batch.parts is not None)


def origin(run: Path, episodes: tuple[str, ...], parts: PartsFile) -> Origin:
    """One description with the texts that the run folder holds."""
    facts = {name: value for name, value in parts.facts.items() if value not in ("", "{}", "[]", "None")}
    texts = {name: text for name, value in facts.items() if (text := read_text(run, value)) is not None}
    return Origin(episodes, facts, texts)
