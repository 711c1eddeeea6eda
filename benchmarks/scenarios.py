"""Play scripted scenarios that a person would try, and report the outcome of each.

    python -m benchmarks.scenarios                       all of them, as a table
    python -m benchmarks.scenarios s01 s12               some
    python -m benchmarks.scenarios --targets sensors     located by what the robot has seen
    python -m benchmarks.scenarios s12 --shots build/shots   with a picture after every step

A step fails if its subtask does not end as the scenario says (nearly always: in success). The scenarios are in
benchmarks/scenario_scripts. The exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.scenario import read, scenarios
from benchmarks.scenario_play import Outcome, play


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ID")
    parser.add_argument("--targets", choices=("background", "sensors"), default="background")
    parser.add_argument("--grasp", choices=("weld", "friction"), default="weld")
    parser.add_argument("--shots", type=Path, help="save a picture after every step in this folder")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    options = parser.parse_args()
    every = scenarios()
    chosen = [name for name in every if not options.names or any(name.split("-")[0] == wish for wish in options.names)]
    unknown = [wish for wish in options.names if not any(name.split("-")[0] == wish for name in every)]
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}; there is {', '.join(n.split('-')[0] for n in every)}")
    results: dict[str, Outcome] = {}
    print("| scenario | steps | failed | robot s | what went wrong |\n|---|---|---|---|---|")
    for name in chosen:
        shots = None if options.shots is None else options.shots / name
        played = results[name] = play(read(every[name]), options.targets, options.grasp, shots)
        trouble = "; ".join([*played.failed, *played.wrong, *([f"crash: {played.crash}"] if played.crash else [])])
        print(
            f"| {name} | {played.steps} | {len(played.failed)} | {played.robot_seconds:.0f} | {trouble} |", flush=True
        )
    good = sum(played.good for played in results.values())
    print(f"\n{good} of {len(results)} without a failed step and with the world as it should be.")
    for action in ("Go to", "Pick", "Put", "Open", "Close"):
        seconds = [s for played in results.values() for done, s in played.seconds if done == action and s > 0]
        if seconds:
            print(f"{action}: {statistics.median(seconds):.1f} s of robot time in the median of {len(seconds)}")
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({name: asdict(p) for name, p in results.items()}, indent=1) + "\n")
    return 0 if good == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
