"""Success rates of the expert on the Panda table tasks: `python benchmarks/episodes/franka_expert.py --workers 2`.

Runs `homie bench table-FAMILY --planner expert` for each family and writes a summary of the runs to
docs/data/franka-expert.json. The same command resumes a stopped run; `--seeds` and `--families` select a subset.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from homie.bench.finished_episodes import read_bench
from homie.bench.intervals_and_tests import wilson
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import bench
from homie.bench.suite.suite import find_suite
from homie.kernel.support.files import to_json, write_atomically

FILE = Path(__file__).parents[2] / "docs" / "data" / "franka-expert.json"
FAMILIES = ("pick", "stack", "sort", "wipe")


def play_family(family: str, seeds: int, runs: Path, workers: int) -> list[dict[str, Any]]:
    """Play the episodes of a family; return success, number of actions, robot time and errors of each."""
    tasks = [task.id for task in find_suite(f"table-{family}").tasks if task.scene.seed < seeds]
    options = BenchOptions.build(
        suite=f"table-{family}", planner="expert", tasks=",".join(tasks), out=runs / family, workers=workers
    )
    _, _, episodes = read_bench(bench(options, Progress(Console(file=sys.stderr))).run_folder)
    rows = []
    for episode in episodes:
        finished = episode.finished
        assert finished is not None, "the bench has played all of them"
        done = [item for item in finished.ending.history if item.subtask.action != "End"]
        failed = [item.feedback.message for item in done if not item.feedback.ok]
        rows.append(
            {
                "seed": episode.task.scene.seed,
                "success": bool(finished.verdict),
                "actions": len(done) - len(failed),
                "robot_seconds": round(finished.ending.robot_seconds, 2),
                "wrong": failed[0] if failed else finished.ending.cause,
                "instruction": episode.task.text,
            }
        )
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Summarize the episodes of one family."""
    successes, count = sum(row["success"] for row in rows), len(rows)
    low, high = wilson(successes, count)
    return {
        "episodes": count,
        "successes": successes,
        "rate": round(successes / count, 4),
        "interval_95": [round(low, 4), round(high, 4)],
        "mean_actions": round(sum(row["actions"] for row in rows) / count, 2),
        "mean_robot_seconds": round(sum(row["robot_seconds"] for row in rows) / count, 2),
        "failures": [{"seed": row["seed"], "wrong": row["wrong"]} for row in rows if not row["success"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "franka-expert")
    parser.add_argument("--out", type=Path, default=FILE)
    arguments = parser.parse_args()
    episodes = {
        family: play_family(family, arguments.seeds, arguments.runs, arguments.workers) for family in arguments.families
    }
    families = {family: summary(rows) for family, rows in episodes.items()}
    write_atomically(arguments.out, to_json({"families": families, "episodes": episodes}))
    for family, counted in families.items():
        print(family, counted["successes"], "of", counted["episodes"])


if __name__ == "__main__":
    main()
