"""What a bench leaves that has to be the same whenever it is played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from homie.bench.finished_episodes import read_bench


def repeatable(run: Path) -> dict[str, tuple[list[Any], Any, list[bytes]]]:
    """Everything of every finished episode that may not differ between equal runs."""
    by_episode = {}
    for episode in read_bench(run)[2]:
        lines = [json.loads(line) for line in (episode.folder / "steps.jsonl").open(encoding="utf-8")]
        ending = json.loads((episode.folder / "episode.json").read_bytes())
        for line in lines:
            del line["timings"]
        # The checksums of these follow from wall time.
        del ending["wall_seconds"], ending["checksum"], ending["files"]["steps.jsonl"]
        contents = [(episode.folder / name).read_bytes() for name in ("commands.jsonl", "final_state.json")]
        by_episode[episode.name] = (lines, ending, contents)
    return by_episode
