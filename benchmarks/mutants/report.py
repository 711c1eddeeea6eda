"""Report on the mutants by folder and file, with Wilson intervals and the survivors."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import yaml

from benchmarks.mutants.mutations import Mutant
from homie.bench.intervals_and_tests import wilson

EQUIVALENT = Path(__file__).with_name("equivalent.yaml")


@cache
def equivalent() -> frozenset[str]:
    """Read the names of mutants that no test can detect; the file has the reason for each."""
    groups = yaml.safe_load(EQUIVALENT.read_text()) or []
    assert all(group["reason"] for group in groups)
    return frozenset(name for group in groups for name in group["mutants"])


def folder(file: str) -> str:
    """Return the folder of a file in the report: `homie/bench/play` for `homie/bench/play/pool.py`."""
    return file.rpartition("/")[0]


def write_report(
    path: Path, tested: list[Mutant], results: dict[str, dict[str, object]], seed: int, population: int
) -> str:
    """Write the full report; returns its first lines."""
    status = {mutant.name: str(results[mutant.name]["status"]) for mutant in tested}
    caught = sum(word in ("killed", "timeout") for word in status.values())
    timeouts = sum(word == "timeout" for word in status.values())
    low, high = wilson(caught, len(tested)) if tested else (0.0, 1.0)
    share = 100 * caught / max(len(tested), 1)
    head = (
        f"{caught} of {len(tested)} mutants killed ({timeouts} by a time limit): {share:.1f} % "
        f"[{100 * low:.1f}, {100 * high:.1f}], sample of {population} with seed {seed}"
    )
    lines = ["# Mutants", "", head, "", "| where | killed | of |", "|---|---|---|"]
    for key in (folder, str):
        total: Counter[str] = Counter(key(mutant.file) for mutant in tested)
        good: Counter[str] = Counter(
            key(mutant.file) for mutant in tested if status[mutant.name] in ("killed", "timeout")
        )
        lines += [f"| {name} | {good[name]} | {total[name]} |" for name in sorted(total)]
    lines += ["", "## Survivors", ""]
    lines += [
        f"- line {mutant.line}: `{mutant.name}`"
        for mutant in sorted(tested, key=lambda mutant: (mutant.file, mutant.line))
        if status[mutant.name] not in ("killed", "timeout")
    ]
    path.write_text("\n".join(lines) + "\n")
    return head
