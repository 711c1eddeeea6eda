"""How often "put the X on/in the Y" ends with the world as asked, over many houses.

    python benchmarks/episodes/put_success.py --out put.jsonl --report put.md
    python benchmarks/episodes/put_success.py --seeds 100 --grasp friction --out friction.jsonl --report friction.md
    python benchmarks/episodes/put_success.py --clutter messy --out messy.jsonl --report messy.md
    python benchmarks/episodes/put_success.py --seeds 30 --body panda-base --out panda.jsonl --report panda.md

One episode per seed (10000 to 10199): the seed determines house, object and destination, which may be a bowl or an
object to stack on. The verdict is computed from `final_state.json`: an object of that kind must be at the destination,
directly or nested, and doors and drawers must be as they were at the start, or closed. With `--out` each verdict is
saved when its episode ends, and the same command resumes a stopped run. Prints a line per episode to stderr.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.episodes.put_table import report
from benchmarks.episodes.put_tasks import task_of
from benchmarks.episodes.put_verdicts import Verdict, verdict_of
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.kernel import registry

LONGEST = 1800.0
"""Timeout of an episode (wall-clock seconds)."""


def play(
    seed: int,
    targets: str,
    grasp: str,
    clutter: str,
    body: str,
    detector: str = "simulated",
    detector_option: str = "",
    *,
    keep: Path | None,
) -> Verdict:
    """Run the episode of a seed in its own process, as a user would."""
    task = task_of(seed, generate(seed, variation=Variation(clutter=clutter)))
    with tempfile.TemporaryDirectory() as scratch:
        out = (keep or Path(scratch)) / f"seed-{seed:05d}"
        command = [sys.executable, "-m", "homie", "run", task.text, "--seed", str(seed), "--targets", targets]
        command += ["--grasp", grasp, "--clutter", clutter, "--robot-option", f"body={body}"]
        command += ["--detector", detector, *(["--detector-option", detector_option] if detector_option else [])]
        command += ["--no-video", "--no-frames", "--json", "--out", str(out)]
        start = time.perf_counter()
        try:
            completed = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
            ending = f"exit {completed.returncode}: {(completed.stderr.strip().splitlines() or ['?'])[-1]}"
        except subprocess.TimeoutExpired:
            ending = f"not done after {LONGEST:.0f} s"
        wall = time.perf_counter() - start
        if not ending.startswith("exit 0"):
            return Verdict(seed, task.text, task.sort, False, (), 0, ending, 0, 0.0, wall, ())
        return verdict_of(task, out, wall)


def read(path: Path, settings: dict[str, str]) -> list[Verdict]:
    """Read the verdicts already in a file. Exits if it was written with other settings."""
    if not path.exists():
        return []
    first, *lines = path.read_text(encoding="utf-8").splitlines() or ["{}"]
    defaults = {"body": "fetch", "detector": "simulated", "detector_option": ""}
    if {**defaults, **json.loads(first)} != settings:
        sys.exit(f"{path} is of {first}, not of {json.dumps(settings)}: give --out another name.")
    loaded = (json.loads(line) for line in lines)
    return [Verdict(**{**entry, "open": tuple(entry["open"]), "codes": tuple(entry["codes"])}) for entry in loaded]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--first", type=int, default=10_000, help="the first of them (default: 10000)")
    parser.add_argument("--targets", choices=("background", "sensors"), default="background")
    parser.add_argument("--grasp", choices=("weld", "friction"), default="weld")
    parser.add_argument("--clutter", choices=("tidy", "messy"), default="tidy")
    parser.add_argument("--body", choices=registry.names("bodies"), default="fetch")
    parser.add_argument("--detector", default="simulated", help="with --targets sensors (default: simulated)")
    parser.add_argument("--detector-option", default="", help="one option of the detector, as NAME=VALUE")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="keep the run folders here")
    parser.add_argument("--out", type=Path, help="keep the verdicts here, a line each, and go on from what is there")
    parser.add_argument("--report", type=Path, help="write a section of Markdown instead of printing it")
    arguments = parser.parse_args()
    values = vars(arguments)
    setting_names = ("targets", "grasp", "clutter", "body", "detector", "detector_option")
    settings = {name: str(values[name]) for name in setting_names}
    earlier = read(arguments.out, settings) if arguments.out else []
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    verdicts = {verdict.seed: verdict for verdict in earlier if verdict.seed in seeds}
    if arguments.out and not earlier:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(settings) + "\n", encoding="utf-8")
    remaining = [seed for seed in seeds if seed not in verdicts]
    with ThreadPoolExecutor(arguments.workers) as pool:
        for verdict in pool.map(lambda seed: play(seed, **settings, keep=arguments.keep), remaining):
            verdicts[verdict.seed] = verdict
            if arguments.out:
                with arguments.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(verdict)) + "\n")
            state = "ok  " if verdict.success else "FAIL"
            line = f"{verdict.seed:5d} {state} {verdict.wall_seconds:5.1f}s {verdict.rounds:2d} rounds  {verdict.task}"
            print(f"{line}  {' '.join(verdict.codes)}  {verdict.cause}", file=sys.stderr, flush=True)
    title = f"{arguments.clutter.capitalize()} houses, {arguments.targets} targets, grasp by {arguments.grasp}"
    title += f", {arguments.body}" if arguments.body != "fetch" else ""
    title += f", detector {arguments.detector}" if arguments.detector != "simulated" else ""
    text = report(title, [verdicts[seed] for seed in seeds])
    if arguments.report:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
