"""Play two planners on the same tasks and compare them in tables.

    python examples/compare_two_planners.py

The tasks are in a file: an instruction, a house, and the goal that decides whether the task was done. The same command
resumes a stopped run.
"""

from __future__ import annotations

from pathlib import Path

import homie

SUITE = Path(__file__).parent / "suites/first-six.yaml"


def main() -> None:
    folders = []
    for planner in ("rule", "random"):
        summary = homie.bench(
            SUITE,
            planner=planner,
            trials=1,
            rounds=10,
            skills="ideal",
            picture_size=64,
            workers=1,
            out=f"runs/compare_two_planners/{planner}",
        )
        folders.append(summary.run_folder)
        print(f"{planner}: {summary.successes} of {summary.episodes} tasks")
    first_table, *_ = homie.compare(folders)
    print(homie.to_markdown([first_table]))


if __name__ == "__main__":  # needed: worker processes import this file
    main()
