"""Are the results of a suite the same with one worker, and with four that are killed in the middle and started again?

    python -m suites.tables.repeatability OUT --planner random

Plays four tasks of each suite of numbered actions and poses, once by one worker, once by four: as soon as an episode of
these is finished, the whole bench is killed by SIGKILL, and the same command goes on. Everything that episodes leave is
compared but for wall-clock times: steps, commands, final state, ending.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from homie.bench.repeatable import repeatable
from homie.bench.suite.suite import find_suite
from suites.tables.suites import SMALL, SUITES

NAMES = ("homie-eb-house", "homie-eb-rearrange", "homie-eb-nav", "homie-eb-table", "homie-menu")
HOMIE = (sys.executable, "-c", "from homie.cli.main import main; main()")
TASKS, WORKERS = 4, 4
POLL = 0.02
"""Seconds between two checks for finished episodes: an episode takes half a second and more."""


def count_finished(run: Path) -> int:
    """Number of finished episodes."""
    return len(list((run / "episodes").glob("*/episode.json")))


def play_twice(name: str, planner: str, out: Path, tasks: Sequence[str]) -> tuple[Path, Path, int]:
    """Play tasks of a suite twice, the second time with a kill in the middle.

    Returns:
        Both run folders, and the number of episodes that were finished at the kill.
    """
    skills = next(played.skills for played in SUITES if played.suite == name)
    words = ["bench", name, "--planner", planner, "--trials", "1", "--tasks", ",".join(tasks), "--quiet", *SMALL]
    words += ["--skills", skills] if skills else []
    whole, killed = out / f"{name}-one", out / f"{name}-four"
    subprocess.run([*HOMIE, *words, "--workers", "1", "--out", str(whole)], check=True)
    again = [*HOMIE, *words, "--workers", str(WORKERS), "--out", str(killed)]
    process = subprocess.Popen(again, start_new_session=True)
    while process.poll() is None and not count_finished(killed):
        time.sleep(POLL)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = count_finished(killed)
    subprocess.run(again, check=True)
    return whole, killed, done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--planner", default="random")
    arguments = parser.parse_args()
    differing = 0
    for name in NAMES:
        ids = [task.id for task in find_suite(name).tasks]
        tasks = ids[:: len(ids) // TASKS][:TASKS]
        whole, killed, done = play_twice(name, arguments.planner, arguments.out, tasks)
        same = repeatable(whole) == repeatable(killed)
        differing += not same
        print(f"{name}: {done} of {TASKS} were finished at the kill; {'the same' if same else 'NOT THE SAME'}")
    raise SystemExit(differing)


if __name__ == "__main__":
    main()
