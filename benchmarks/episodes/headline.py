"""The headline table of README, all of its rows from one commit.

    python -m benchmarks.episodes.headline --out runs/headline

plays homie-100 once with each planner by `homie bench`, and prints the table with the commit and the number of tasks
that `rule` attempted. The same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from homie.bench.finished_episodes import read_bench
from homie.bench.intervals_and_tests import Estimate
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.results import BenchRun, load_run, splits
from homie.kernel.types import END

SUITE = "homie-100"
PLANNERS: Mapping[str, str] = {
    "expert": "scripted, knows the goal",
    "rule": "no weights, reads the instruction",
    "random": "valid subtasks, blind to the task",
}
"""The planners of the table, each with what it is."""


def play(planner: str, out: Path, workers: int | None) -> BenchRun:
    """The run of a planner, played as far as it is not there yet. Raises CalledProcessError."""
    command = [sys.executable, "-m", "homie", "bench", SUITE, "--planner", planner, "--trials", "1", "--out", str(out)]
    subprocess.run([*command, *(["--workers", str(workers)] if workers else [])], check=True)
    return load_run(out)


def row(planner: str, run: BenchRun) -> str:
    """The line of a planner: SR with its interval, TP, SR by split."""
    intervals = Intervals()
    parts = splits(run.suite)
    by_split = (intervals.of(run.results.only(parts[name]), "SR") for name in ("train", "test"))
    rate = intervals.of(run.results, "SR")
    low, high = rate.interval or (0.0, 0.0)
    cells = (
        f"`{planner}`, {PLANNERS[planner]}",
        f"{_percent(rate)} [{100 * low:.0f}, {100 * high:.0f}]",
        *(_percent(share) for share in (intervals.of(run.results, "TP"), *by_split)),
    )
    return f"| {' | '.join(cells)} |"


def attempted(run: Path) -> int:
    """Episodes in which something other than End was tried."""
    _, _, episodes = read_bench(run)
    endings = [episode.ending for episode in episodes]
    return sum(any(item.subtask.action != END.action for item in ending.history) for ending in endings if ending)


def table(rows: list[str]) -> str:
    """The table in Markdown."""
    head = ["| planner | success (SR) | progress (TP) | train tasks | test tasks |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def _percent(share: Estimate) -> str:
    return "-" if share.value is None else f"{100 * share.value:.0f} %"


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("runs/headline"))
    parser.add_argument("--workers", type=int, default=None)
    arguments = parser.parse_args()
    rows = [row(planner, play(planner, arguments.out / planner, arguments.workers)) for planner in PLANNERS]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    print(table(rows))
    print(f"\nCommit {commit.stdout.strip() or 'unknown'}; `rule` attempted {attempted(arguments.out / 'rule')} tasks.")


if __name__ == "__main__":
    main()
