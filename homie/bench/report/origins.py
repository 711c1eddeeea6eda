"""Provenance of a run's episodes for the page: settings, checkpoints and the full text of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homie.bench.run_versions import Batch
from homie.runtime.provenance import PartsFile, read_text


@dataclass(frozen=True, slots=True)
class Origin:
    """Provenance of some episodes.

    Attributes:
        episodes: Folder names.
        facts: Values by dotted name (`planner.sha256`).
        texts: Texts that some facts refer to by SHA-256.
    """

    episodes: tuple[str, ...]
    facts: Mapping[str, str]
    texts: Mapping[str, str]


def origins(run: Path, batches: Sequence[Batch]) -> tuple[Origin, ...]:
    """Return the provenance of every batch of a run that has a description."""
    return tuple(origin(run, batch.episodes, batch.parts) for batch in batches if batch.parts is not None)


def origin(run: Path, episodes: tuple[str, ...], parts: PartsFile) -> Origin:
    """Return the provenance of one batch, with the texts in the run folder."""
    facts = {name: value for name, value in parts.facts.items() if value not in ("", "{}", "[]", "None")}
    texts = {name: text for name, value in facts.items() if (text := read_text(run, value)) is not None}
    return Origin(episodes, facts, texts)
