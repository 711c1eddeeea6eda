"""Make the suite homie-100, and find out which of its experts reach their goals.

    python -m suites.authoring.make_homie_100 build
    python -m suites.authoring.make_homie_100 experts --tasks "apple-*,lemon-sofa"

`build` looks for a house for every task of homie_100/tasks.py and writes homie/bench/suite/homie-100.yaml and what a
second hand says of it, tests/bench/homie-100-second-hand.yaml. `experts` plays the experts that
docs/data/homie-100-experts.json does not tell about yet, and adds them there. A house in which the expert failed is
passed over by the next `build`; other tasks keep theirs. So `experts` and `build` in turn end with 100 experts that do
their tasks. (Where the skills have become better: remove the file, and all begins anew.)
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from homie.bench.episode import Episode
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import bench
from homie.bench.score.results import load_run
from homie.bench.suite.suite import Suite, Task, read_subtask, read_suite
from homie.envs.mujoco.blueprints.catalog import FURNITURE, YCB
from homie.envs.mujoco.blueprints.furniture_kind import FurnitureKind
from homie.envs.mujoco.blueprints.object_kind import ObjectKind
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json, write_atomically
from homie.kernel.types import Subtask
from homie.kernel.world.conditions import parse_condition, unknown_words
from suites.authoring.homie_100.all_tasks import ENTRIES, TEST
from suites.authoring.homie_100.draft import Draft, Plan, fingerprint
from suites.authoring.homie_100.entry import Entry
from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.states_script import UnsuitedHouse
from suites.authoring.suite_writing import write_yaml

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "homie" / "bench" / "suite" / "homie-100.yaml"
SECOND_HAND = ROOT / "tests" / "bench" / "homie-100-second-hand.yaml"
EXPERTS = ROOT / "docs" / "data" / "homie-100-experts.json"
SIZES = ((2, 16), (3, 18), (4, 20), (3, 20))
"""Rooms and objects of the houses; fewer objects than there are kinds, so that most are the only one of their kind."""
SEEDS = 600
LONG = 10
"""Subtasks from which a task is long-horizon (EMMOE, section 3.1)."""
LETTERS = {"o": "open-ended", "l": "logical", "h": "human-style"}
HEAD = """\
# homie-100: 100 household tasks in generated houses. Made by
# suites/authoring/make_homie_100.py; docs/suites.md explains the fields.
# Change suites/authoring/homie_100/ rather than this file.
"""
HEAD_SECOND = """\
# What a second hand says of every task of homie-100: another plan that is right, and plans that are wrong. Made by
# suites/authoring/make_homie_100.py; docs/results.md explains it. `unseen`: the world
# ends as it should, only the key paths can tell.
"""
VERSION = 2


@cache
def house(seed: int) -> GeneratedHouse | None:
    """Return the house of a seed, None if it cannot be generated."""
    rooms, objects = SIZES[seed % len(SIZES)]
    try:
        return GeneratedHouse(generate(seed, rooms, objects))
    except BadInput:
        return None


def make_house(entry: Entry, seed: int) -> tuple[GeneratedHouse, Variation]:
    """Return the house of a seed with the changes of a task. Raises UnsuitedHouse."""
    plain = house(seed)
    if plain is None:
        raise UnsuitedHouse("no house")
    variation = entry.variation(plain)
    if not variation:
        return plain, variation
    rooms, objects = SIZES[seed % len(SIZES)]
    try:
        return GeneratedHouse(generate(seed, rooms, objects, variation)), variation
    except BadInput as error:
        raise UnsuitedHouse(str(error)) from error


def candidates(entry: Entry) -> Iterator[tuple[int, Variation, Draft]]:
    """Yield houses in which the task makes sense, in an order that depends on the task alone."""
    refused = known_experts().get(entry.id, {}).get("refused", [])
    first = zlib.crc32(entry.id.encode()) % SEEDS
    for step in range(SEEDS):
        seed = (first + step) % SEEDS
        if seed in refused:
            continue
        try:
            here, variation = make_house(entry, seed)
            draft = entry.pattern(here)
        except UnsuitedHouse:
            continue
        goal = parse_condition(draft.goal)
        if not unknown_words(goal, here.state) and not goal.holds(here.state):
            yield seed, variation, draft


def build_task(entry: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the task in suite format, and the plans of its second hand. Raises SystemExit if no house suits it."""
    chosen = next(candidates(entry), None)
    if chosen is None:
        raise SystemExit(f"{entry.id}: none of the {SEEDS} houses suits it")
    seed, variation, draft = chosen
    rooms, objects = SIZES[seed % len(SIZES)]
    differs = {"start": variation.start, "opened": list(variation.opened), "added": list(variation.added)}
    horizon = "long-horizon" if len(draft.expert) >= LONG else "short-horizon"
    task = {
        "id": entry.id,
        "text": entry.text.format_map(draft.slots),
        "attributes": [horizon, *(LETTERS[letter] for letter in entry.letters)],
        "split": "test" if entry.id in TEST else "train",
        "scene": {
            "seed": seed,
            "rooms": rooms,
            "objects": objects,
            **{key: value for key, value in differs.items() if value},
        },
        "keypaths": draft.keypaths,
        **({"never": draft.never} if draft.never else {}),
        "goal": draft.goal,
        "expert": draft.expert,
    }
    return task, {"right": [_plan(plan) for plan in draft.right], "wrong": [_plan(plan) for plan in draft.wrong]}


def _plan(plan: Plan) -> dict[str, Any]:
    return {"why": plan.why, **({"unseen": True} if plan.unseen else {}), "plan": plan.subtasks}


def declared_names() -> dict[str, str]:
    """Return the further names of kinds that belong to one kind only."""
    kinds: list[ObjectKind | FurnitureKind] = [*YCB.values(), *FURNITURE.values()]
    count = Counter(alias for kind in kinds for alias in kind.aliases)
    own = {kind.name.replace("_", " ") for kind in kinds}
    return {
        alias: kind.name.replace("_", " ")
        for kind in kinds
        for alias in kind.aliases
        if count[alias] == 1 and alias not in own
    }


def build() -> None:
    """Write the suite and its second hand."""
    both = [build_task(entry) for entry in ENTRIES]
    tasks = [task for task, _ in both]
    suite = {
        "format": 1,
        "name": "homie-100",
        "version": VERSION,
        "description": "100 household tasks in generated houses, in the proportions of EMMOE-100.",
        "protocol": {"rounds": 20, "trials": 3},
        "names": declared_names(),
        "tasks": tasks,
    }
    write_yaml(SUITE, HEAD, suite)
    write_yaml(SECOND_HAND, HEAD_SECOND, {task["id"]: second for task, second in both})
    read_suite(SUITE)
    print(Counter(attribute for task in tasks for attribute in task["attributes"]))
    skeletons = {tuple(read_subtask(words).action for words in task["expert"]) for task in tasks}
    print(len(tasks), "tasks,", Counter(task["split"] for task in tasks), len(skeletons), "skeletons")


def known_experts() -> dict[str, Any]:
    """Return the recorded results of the experts, by the ids of the tasks."""
    records: dict[str, Any] = json.loads(EXPERTS.read_text("utf-8")) if EXPERTS.exists() else {}
    return records


def experts(patterns: str | None, limit: int | None, workers: int) -> None:
    """Play the experts without a recorded result, and record the result of each when its episode is over."""
    suite = read_suite(SUITE)
    records = known_experts()
    left = [task for task in suite.select(patterns) if records.get(task.id, {}).get("task") != fingerprint(task)][
        :limit
    ]
    if left:
        with tempfile.TemporaryDirectory() as folder:
            _play(suite, left, Path(folder) / "run", workers)
    records = known_experts()
    current = [records[task.id] for task in suite.tasks if records.get(task.id, {}).get("task") == fingerprint(task)]
    good = sum(entry["goal"] and entry["keypath"] for entry in current)
    print(f"{len(suite.tasks)} tasks; {len(current)} of their experts were played, {good} did what was asked")


def _play(suite: Suite, tasks: list[Task], out: Path, workers: int) -> None:
    """Play experts in one bench."""
    ids = ",".join(task.id for task in tasks)
    options = BenchOptions.build(
        suite=str(SUITE), tasks=ids, planner="expert", trials=1, retries=0, workers=workers, recycle=1000, out=out
    )
    bench(options, _Recorder(suite, out))


class _Recorder(Progress):
    """Records the result of an expert when its episode is over: stopping the command loses only what runs."""

    def __init__(self, suite: Suite, out: Path) -> None:
        super().__init__()
        self._suite, self._out = suite, out

    def finished(self, episode: Episode, seconds: float) -> None:
        super().finished(episode, seconds)
        task, ending = episode.task, episode.ending
        assert ending is not None
        score = next(score for score in load_run(self._out).in_order if score.task_id == task.id)
        self._write(task, bool(score.success), ending.rounds, _failures(episode.folder))

    def gave_up(self, episode: Episode, seconds: float) -> None:
        super().gave_up(episode, seconds)
        print(episode.task.id, "could not be played")

    def _write(self, task: Task, done: bool, rounds: int, failed: list[str]) -> None:
        records = known_experts()  # read anew: another process may have added its own meanwhile
        refused = set(records.get(task.id, {}).get("refused", [])) | (set() if done else {task.scene.seed})
        records[task.id] = {
            "task": fingerprint(task),
            "seed": task.scene.seed,
            "goal": done,
            "keypath": done,
            "rounds": rounds,
            "failed": failed,
            "refused": sorted(refused),
        }
        records = {
            suite_task.id: records[suite_task.id] for suite_task in self._suite.tasks if suite_task.id in records
        }
        EXPERTS.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(EXPERTS, to_json(records, indent=1))
        print(task.id, "done" if done else "NOT done", rounds, *failed, flush=True)


def _failures(episode: Path) -> list[str]:
    """Return the subtasks that failed, with their error codes."""
    failures = []
    for line in (episode / "steps.jsonl").read_text("utf-8").splitlines():
        execution = json.loads(line)["execution"]
        if execution["feedback"]["status"] != "success":
            failures.append(f"{Subtask(**execution['subtask'])} {execution['feedback']['code']}")
    return failures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="write the suite")
    play = commands.add_parser("experts", help="play experts that were not played yet")
    play.add_argument("--tasks", help="ids or patterns, separated by commas")
    play.add_argument("--limit", type=int, help="at most so many")
    play.add_argument("--workers", type=int, default=1, help="processes at the same time")
    arguments = parser.parse_args()
    if arguments.command == "build":
        build()
    else:
        experts(arguments.tasks, arguments.limit, arguments.workers)


if __name__ == "__main__":
    main()
