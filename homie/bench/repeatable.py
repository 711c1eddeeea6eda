"""The deterministic part of a bench's output, which must be equal when it is played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from homie.bench.finished_episodes import read_bench


def repeatable(run: Path) -> dict[str, tuple[list[Any], Any, list[bytes]]]:
    """Return all content of every finished episode that must be equal between repeated runs."""
    by_episode = {}
    for episode in read_bench(run)[2]:
        lines = [json.loads(line) for line in (episode.folder / "steps.jsonl").open(encoding="utf-8")]
        ending = json.loads((episode.folder / "episode.json").read_bytes())
        for line in lines:
            del line["timings"]
        # These checksums depend on wall time.
        del ending["wall_seconds"], ending["checksum"], ending["files"]["steps.jsonl"]
        contents = [(episode.folder / name).read_bytes() for name in ("commands.jsonl", "final_state.json")]
        by_episode[episode.name] = (lines, ending, contents)
    return by_episode
