"""Make the suite homie-100, and find out which of its experts reach their goals.

    python benchmarks/make_homie_100.py build
    python benchmarks/make_homie_100.py experts --tasks "apple-*,lemon-sofa"

`build` looks for a house for every task of homie_100_tasks.py and writes homie/bench/suites/homie-100.yaml. `experts`
plays the experts that docs/data/homie-100-experts.json does not tell about yet, one after the other, and writes that
file after each. A house in which the expert failed is passed over by the next `build`; other tasks keep theirs. So
`experts` and `build` in turn end with 100 experts that do their tasks. (Where the skills have become better: remove the
file, and all begins anew.)
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from homie_100_patterns import Draft
from homie_100_tasks import ENTRIES, TEST, Entry

from homie.bench.authoring import House
from homie.bench.goals import parse_goal, unknown_words
from homie.bench.play.runner import bench
from homie.bench.results import load_run
from homie.bench.suite import Task, read_suite
from homie.envs.mujoco.catalog_furniture import FURNITURE
from homie.envs.mujoco.catalog_objects import OBJECTS
from homie.envs.mujoco.generate import generate
from homie.errors import BadInput
from homie.options import BenchOptions
from homie.types import Subtask

ROOT = Path(__file__).parents[1]
SUITE = ROOT / "homie" / "bench" / "suites" / "homie-100.yaml"
EXPERTS = ROOT / "docs" / "data" / "homie-100-experts.json"
SIZES = ((2, 16), (3, 18), (4, 20), (3, 20))
"""Rooms and objects of the houses; fewer objects than there are kinds, so that most things are the only one."""
SEEDS = 600
LONG = 10
"""Subtasks from which a task is long-horizon (EMMOE, section 3.1)."""
LETTERS = {"o": "open-ended", "l": "logical", "h": "human-style"}
HEAD = """\
# homie-100: 100 household tasks in generated houses. Made by benchmarks/make_homie_100.py; docs/suites.md explains the
# fields. Change benchmarks/homie_100_tasks.py rather than this file.
"""


@cache
def house(seed: int) -> House | None:
    """The house of a seed, None if none fits."""
    rooms, objects = SIZES[seed % len(SIZES)]
    try:
        return House(generate(seed, rooms, objects))
    except BadInput:
        return None


def candidates(entry: Entry) -> Iterator[tuple[int, Draft]]:
    """Houses in which the task makes sense, in an order that depends on the task alone."""
    refused = known_experts().get(entry.id, {}).get("refused", [])
    first = zlib.crc32(entry.id.encode()) % SEEDS
    for step in range(SEEDS):
        seed = (first + step) % SEEDS
        here = house(seed)
        if here is None or seed in refused:
            continue
        found = entry.pattern(here)
        if found is None or unknown_words(goal := parse_goal(found.goal), here.spec.model_dump()):
            continue
        if not goal.holds(here.state):
            yield seed, found


def built(entry: Entry) -> dict[str, Any]:
    """The task as the suite file has it. Raises SystemExit if no house suits it."""
    seed, found = next(candidates(entry), (None, None))
    if seed is None or found is None:
        raise SystemExit(f"{entry.id}: none of the {SEEDS} houses suits it")
    rooms, objects = SIZES[seed % len(SIZES)]
    horizon = "long-horizon" if len(found.expert) >= LONG else "short-horizon"
    return {
        "id": entry.id,
        "text": entry.text.format_map(found.slots),
        "attributes": [horizon, *(LETTERS[letter] for letter in entry.letters)],
        "split": "test" if entry.id in TEST else "train",
        "scene": {"seed": seed, "rooms": rooms, "objects": objects},
        "keypaths": found.keypaths,
        "goal": found.goal,
        "expert": found.expert,
    }


def declared_names() -> dict[str, str]:
    """What else the kinds are called, where it is said of one kind only."""
    kinds = [*OBJECTS.values(), *FURNITURE.values()]
    count = Counter(alias for kind in kinds for alias in kind.aliases)
    own = {kind.name.replace("_", " ") for kind in kinds}
    return {
        alias: kind.name.replace("_", " ")
        for kind in kinds
        for alias in kind.aliases
        if count[alias] == 1 and alias not in own
    }


def build() -> None:
    """Write the suite."""
    tasks = [built(entry) for entry in ENTRIES]
    suite = {
        "format": 1,
        "name": "homie-100",
        "description": "100 household tasks in generated houses, in the proportions of EMMOE-100.",
        "protocol": {"rounds": 20, "trials": 3},
        "names": declared_names(),
        "tasks": tasks,
    }
    text = yaml.dump(suite, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=118, allow_unicode=True)
    SUITE.write_text(HEAD + text, encoding="utf-8")
    read_suite(SUITE)
    print(Counter(attribute for task in tasks for attribute in task["attributes"]))
    print(len(tasks), "tasks,", Counter(task["split"] for task in tasks))


class _Dumper(yaml.SafeDumper):
    """No anchors: a suite is read by people."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def known_experts() -> dict[str, Any]:
    """What is known of the experts, by the ids of the tasks."""
    known: dict[str, Any] = json.loads(EXPERTS.read_text("utf-8")) if EXPERTS.exists() else {}
    return known


def fingerprint(task: Task) -> str:
    """Changes when anything does on which the expert's success depends."""
    parts = task.model_dump_json(include={"scene", "goal", "expert"}, by_alias=True)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def experts(patterns: str | None, limit: int | None) -> None:
    """Play the experts of which nothing is known yet, and write down which reached their goal."""
    suite = read_suite(SUITE)
    known = known_experts()
    left = [task for task in suite.select(patterns) if known.get(task.id, {}).get("task") != fingerprint(task)]
    for task in left[:limit]:
        with tempfile.TemporaryDirectory() as folder:
            options = BenchOptions(
                suite=str(SUITE), tasks=task.id, planner="expert", trials=1, retries=0, out=Path(folder) / "run"
            )
            line = bench(options).lines[0]
            run = load_run(Path(folder) / "run")
            feedback = _failures(run.path / "episodes")
        if line.ended_by == "infrastructure":
            print(task.id, "could not be played:", line.cause, flush=True)
            continue
        keypath = bool(run.results.scores[0].success)
        done = bool(line.success) and keypath
        refused = set(known.get(task.id, {}).get("refused", [])) | (set() if done else {task.scene.seed})
        known[task.id] = {
            "task": fingerprint(task),
            "seed": task.scene.seed,
            "goal": bool(line.success),
            "keypath": keypath,
            "rounds": line.rounds,
            "failed": feedback,
            "refused": sorted(refused),
        }
        known = {one.id: known[one.id] for one in suite.tasks if one.id in known}
        EXPERTS.parent.mkdir(parents=True, exist_ok=True)
        EXPERTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        print(task.id, "done" if done else "NOT done", line.rounds, *feedback, flush=True)
    current = [known[task.id] for task in suite.tasks if known.get(task.id, {}).get("task") == fingerprint(task)]
    good = sum(entry["goal"] and entry["keypath"] for entry in current)
    print(f"{len(suite.tasks)} tasks; {len(current)} of their experts were played, {good} did what was asked")


def _failures(episodes: Path) -> list[str]:
    """The subtasks that failed, with their error codes."""
    found = []
    for steps in sorted(episodes.glob("*/steps.jsonl")):
        for line in steps.read_text("utf-8").splitlines():
            execution = json.loads(line)["execution"]
            if execution["feedback"]["status"] != "success":
                found.append(f"{Subtask(**execution['subtask'])} {execution['feedback']['code']}")
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="write the suite")
    play = commands.add_parser("experts", help="play experts that were not played yet")
    play.add_argument("--tasks", help="ids or patterns, separated by commas")
    play.add_argument("--limit", type=int, help="at most so many")
    given = parser.parse_args()
    if given.command == "build":
        build()
    else:
        experts(given.tasks, given.limit)


if __name__ == "__main__":
    main()
