"""Ablation of the parts of a prompt: success of a reader that uses the text of the prompt alone, by prompt setting.

    python -m benchmarks.prompt_ablation --out build/ablation --limit 4
    python -m benchmarks.prompt_ablation --out build/ablation --skills ideal --variants "default;nothing" --workers 2

The reader (`prompt_reader.py`) is an endpoint that gets the messages of `chat:reader` and uses their texts, never the
pictures. It knows the steps of the task, in words, from the task's expert: which objects to pick, put, open and close,
in which order. Their locations it must read or find. It plays the tasks of homie-100 whose experts name no object by
its number in the house, and is judged like any planner. Parts that it does not need (pictures, common sense,
deductions) have no value for it: the results measure the value of the texts to a planner that sees nothing.

Each variant is a run folder of `homie bench` in OUT; the same command resumes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.prompt_jobs import jobs_by_text, playable
from benchmarks.prompt_serving import EndpointServer
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.bench.suite.suite import Task, find_suite
from homie.kernel.errors import HomieError
from homie.runtime.runstore import read_episode

SUITE = "homie-100"
NOTHING: Mapping[str, object] = {"names": False, "rooms": False, "memory": False, "reasons": False}
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "default": {},
    "no names": {"names": False},
    "no memory": {"memory": False},
    "no rooms": {"rooms": False},
    "no reasons": {"reasons": False},
    "names alone": {**NOTHING, "names": True},
    "names and rooms": {**NOTHING, "names": True, "rooms": True},
    "names and memory": {**NOTHING, "names": True, "memory": True},
    "names and 3 turns": {**NOTHING, "names": True, "chat_turns": 3},
    "names, rooms and 3 turns": {**NOTHING, "names": True, "rooms": True, "chat_turns": 3},
    "nothing": NOTHING,
}
"""Prompt settings of each variant that differ from the defaults."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the run folders")
    parser.add_argument("--targets", choices=("background", "sensors", "both"), default="both")
    parser.add_argument(
        "--skills", default="classical", help="`ideal` is privileged: what it shows is of prompts alone"
    )
    parser.add_argument("--variants", default="all", help=f"of: {'; '.join(VARIANTS)} (with commas as ;)")
    parser.add_argument("--tasks", default="", help="only these tasks, by their ids, with commas")
    parser.add_argument("--limit", type=int, help="only so many of the tasks, spread over the suite")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--port", type=int, default=8810, help="of the reader; the same one when a run goes on")
    options = parser.parse_args()
    tasks = playable(find_suite(SUITE))
    if options.tasks:
        ids = options.tasks.split(",")
        if unknown := sorted(set(ids) - {task.id for task in tasks}):
            parser.error(f"the reader has no task {', '.join(unknown)}; it has {', '.join(task.id for task in tasks)}")
        tasks = [task for task in tasks if task.id in ids]
    tasks = _spread(tasks, options.limit or len(tasks))
    names = list(VARIANTS) if options.variants == "all" else [name.strip() for name in options.variants.split(";")]
    if unknown := [name for name in names if name not in VARIANTS]:
        parser.error(f"there is no variant {'; '.join(unknown)}; there are {'; '.join(VARIANTS)}")
    settings = ("background", "sensors") if options.targets == "both" else (options.targets,)
    print(
        "| targets | prompt | episodes | success | rounds | text tokens a round |\n|---|---|---:|---:|---:|---:|",
        flush=True,
    )
    with EndpointServer(jobs_by_text(tasks), options.port) as served:
        for targets in settings:
            for name in names:
                print(_row(targets, name, _play(options, targets, name, tasks, served.url())), flush=True)


def _play(options: argparse.Namespace, targets: str, name: str, tasks: Sequence[Task], url: str) -> BenchSummary:
    bench_options = BenchOptions.build(
        suite=SUITE,
        planner="chat:reader",
        planner_settings={"base_url": url, **VARIANTS[name]},
        targets=targets,
        skills=options.skills,
        tasks=",".join(task.id for task in tasks),
        trials=1,
        workers=options.workers,
        out=options.out / f"{targets}-{name.replace(', ', '-').replace(' ', '-')}",
    )
    return bench(bench_options, Progress())


def _row(targets: str, name: str, summary: BenchSummary) -> str:
    lines = summary.lines
    rounds = sum(line.rounds for line in lines)
    episodes = [read_episode(folder) for folder in (summary.run_folder / "episodes").iterdir()]
    tokens = sum(episode.usage.input_tokens for episode in episodes if episode is not None)
    share = f"{summary.success:.1%}" if summary.success is not None else "-"
    mean = f"{rounds / len(lines):.1f}" if lines else "-"
    each = f"{tokens / rounds:.0f}" if rounds else "-"
    return f"| {targets} | {name} | {len(lines)} | {share} | {mean} | {each} |"


def _spread(tasks: Sequence[Task], number: int) -> list[Task]:
    """Select `number` tasks spread evenly over the suite, which is ordered from short to long tasks."""
    if number >= len(tasks):
        return list(tasks)
    return [tasks[round(place * (len(tasks) - 1) / max(number - 1, 1))] for place in range(number)]


if __name__ == "__main__":
    try:
        main()
    except HomieError as error:  # Ctrl-C, too
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
