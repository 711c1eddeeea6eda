"""How often "put the X on/in the Y" ends with the world as asked, over many houses.

    python benchmarks/put_success.py --seeds 50 --targets background --workers 2 --out docs/data/put_background.json

One episode per seed: house, object and destination follow from the seed. The verdict is read from `final_state.json`
(is an object of that kind in or on a receptacle of that name?), not from what the planner believes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from homie.bench.statistics import wilson
from homie.envs.mujoco.generate import generate
from homie.envs.mujoco.spec import SceneSpec
from homie.envs.mujoco.surfaces import surfaces_of


@dataclass(frozen=True)
class PutTask:
    """One task and how to tell that it is done."""

    seed: int
    text: str
    kind: str
    destinations: tuple[str, ...]


@dataclass
class Verdict:
    """One episode's outcome. `cause` is "" on success."""

    seed: int
    task: str
    success: bool
    cause: str
    rounds: int
    robot_seconds: float
    wall_seconds: float
    codes: list[str]


def task_of(seed: int, scene: SceneSpec) -> PutTask:
    """The task of a seed: a random object and a random place that is not where such an object already is."""
    rng = np.random.default_rng([seed, 50])
    at: dict[str, set[str]] = {}
    for thing in scene.objects:
        at.setdefault(thing.kind, set()).add(thing.receptacle)
    kinds = sorted(at)
    places = [piece for piece in scene.furniture if surfaces_of(scene, piece)]
    while True:
        kind = kinds[rng.integers(len(kinds))]
        piece = places[rng.integers(len(places))]
        same = [p for p in places if p.kind == piece.kind]
        name = piece.kind.replace("_", " ")
        if len(same) > 1 and len({p.colour for p in same}) > 1:
            same = [p for p in same if p.colour == piece.colour]
            name = f"{piece.colour} {name}"
        if at[kind] & {p.name for p in same}:
            continue
        inside = any(plan.inside for plan in surfaces_of(scene, piece)) or piece.kind in ("sink", "washbasin")
        text = f"put the {kind.replace('_', ' ')} {'in' if inside else 'on'} the {name}"
        return PutTask(seed, text, kind, tuple(p.name for p in same))


def run_one(seed: int, targets: str, grasp: str, keep: Path | None) -> Verdict:
    """Run the episode of a seed in a process of its own, as a user would."""
    task = task_of(seed, generate(seed))
    with tempfile.TemporaryDirectory() as scratch:
        out = (keep or Path(scratch)) / f"seed-{seed:03d}"
        began = time.perf_counter()
        command = [sys.executable, "-m", "homie", "run", task.text, "--seed", str(seed), "--targets", targets]
        command += ["--grasp", grasp, "--no-video", "--no-frames", "--json", "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        wall = time.perf_counter() - began
        states = list(out.glob("episodes/*/final_state.json"))
        steps = list(out.glob("episodes/*/steps.jsonl"))
        if done.returncode != 0 or not states:
            reason = (done.stderr.strip().splitlines() or ["?"])[-1]
            return Verdict(seed, task.text, False, f"exit {done.returncode}: {reason}", 0, 0.0, wall, [])
        state = json.loads(states[0].read_text())
        lines = [json.loads(line) for line in steps[0].read_text().splitlines()]
    success = any(
        thing["kind"] == task.kind and thing["at"] in task.destinations for thing in state["objects"].values()
    )
    codes = [line["execution"]["feedback"]["code"] for line in lines if line["execution"]["feedback"]["code"]]
    cause = "" if success else _cause(lines)
    rounds = lines[-1]["round"] if lines else 0
    return Verdict(seed, task.text, success, cause, rounds, lines[-1]["stamp"] if lines else 0.0, wall, codes)


def _cause(lines: list[dict]) -> str:  # type: ignore[type-arg]
    """The last error that was not overcome, with the reason of its last attempt."""
    for line in reversed(lines):
        done = line["execution"]
        if done["feedback"]["code"]:
            reasons = [attempt["reason"] for attempt in done["attempts"] if attempt["reason"]]
            why = reasons[-1] if reasons else done["feedback"]["message"]
            return f"{done['feedback']['code']} {done['subtask']['action']}: {why}"
    return "ended without an error, the object is elsewhere"


def _write_report(path: Path, targets: str, grasp: str, verdicts: list[Verdict]) -> None:
    good = sum(v.success for v in verdicts)
    low, high = (100 * bound for bound in wilson(good, len(verdicts)))
    walls, robot = [v.wall_seconds for v in verdicts], [v.robot_seconds for v in verdicts]
    share = f"{100 * good / len(verdicts):.0f} %, 95 % Wilson interval {low:.0f}-{high:.0f} %"
    rounds = np.median([v.rounds for v in verdicts])
    summary = (
        f"**{good} of {len(verdicts)}** ({share}) ended with the world as asked. Median {np.median(walls):.1f} s of "
        f"wall time and {np.median(robot):.0f} s of robot time per episode, {rounds:.0f} rounds."
    )
    lines = [f"## {targets.capitalize()} targets, grasp by {grasp}", "", summary, ""]
    if good < len(verdicts):
        lines += ["| seed | task | what stood in the way |", "|---|---|---|"]
        lines += [f"| {v.seed} | {v.task} | {v.cause} |" for v in verdicts if not v.success]
        lines.append("")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--targets", choices=("background", "sensors"), default="background")
    parser.add_argument("--grasp", choices=("weld", "friction"), default="weld")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="keep the run folders here")
    parser.add_argument("--out", type=Path, help="write the verdicts as JSON")
    parser.add_argument("--report", type=Path, help="write a section of Markdown")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(given.workers) as pool:
        for verdict in pool.map(lambda seed: run_one(seed, given.targets, given.grasp, given.keep), seeds):
            verdicts.append(verdict)
            print(
                f"{verdict.seed:3d} {'ok  ' if verdict.success else 'FAIL'} {verdict.wall_seconds:5.1f}s "
                f"{verdict.rounds:2d} rounds  {verdict.task}  {' '.join(verdict.codes)}  {verdict.cause}",
                flush=True,
            )
    good = sum(v.success for v in verdicts)
    print(
        f"\n{good}/{len(verdicts)} = {100 * good / len(verdicts):.0f} % with {given.targets} targets; "
        f"median {np.median([v.wall_seconds for v in verdicts]):.1f} s per episode"
    )
    for cause, count in Counter(v.cause for v in verdicts if v.cause).most_common():
        print(f"{count:3d}  {cause}")
    if given.report:
        _write_report(given.report, given.targets, given.grasp, verdicts)
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps([asdict(v) for v in verdicts], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
