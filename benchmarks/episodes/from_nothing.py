"""Generate data, train a small planner from random weights on a CPU, and tabulate what training achieved.

    python -m benchmarks.episodes.from_nothing runs/from-nothing                          # most of an hour of one core
    python -m benchmarks.episodes.from_nothing runs/try --tasks 60 --each 3 --epochs 2    # ten minutes, and no figures

Samples errands, which experts play with ideal skills and occasional injected mistakes; trains a small randomly
initialized language model on the successful subtasks (SFT) and on preference pairs of subtasks (DPO); and evaluates it
before, between and after the two stages with `homie bench`, beside the planner `random`. Each step is a command of
`homie`, which is printed. The same command resumes a stopped run. Output: OUT/table.md, and loss.svg in OUT/sft and
OUT/dpo.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from homie.bench.score.compare_tables import Intervals
from homie.bench.score.paired_differences import paired_table
from homie.bench.score.results import load_run
from homie.bench.score.scores import Results
from homie.bench.table_formats import Cell, Column, Table, to_markdown
from homie.runtime.runstore import episode_folders, read_steps

TEMPLATE = Path(__file__).parents[2] / "examples/training/brief.md"
PROMPT = ("examples=0", "images=false", "reasons=false")
"""Prompt settings in training and in the bench: inputs that the model cannot use would only slow it down."""
ROUNDS = 20
"""Maximum rounds of an episode, as in EMMOE: the longest expert episode takes 19."""
PICTURE = 96
"""Side of a picture (pixels): only the simulated detector uses these pictures, and small ones render faster."""
LONGEST = 256
"""Maximum tokens of an answer: 40 are enough, but the tokens reserved for closing an answer are an upper bound."""
HELD_OUT = ("template", "object", "house")
RUNS = ("random", "untrained", "sft", "dpo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for everything")
    parser.add_argument("--tasks", type=int, default=400, help="errands that are drawn")
    parser.add_argument("--each", type=int, default=20, help="errands of each group that the bench plays")
    parser.add_argument("--epochs", type=int, default=2, help="times that the first training sees every line")
    parser.add_argument("--rename", type=int, default=12, help="versions of each episode with made-up names")
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    errands = out / "errands.json"
    if not errands.exists():
        share = str(arguments.each / arguments.tasks)
        homie("data", "tasks", errands, "--number", arguments.tasks, "--test", share, "--seed", arguments.seed)
    expert = ("--split", "train", "--failures", "0.2", "--no-frames", "--picture-size", PICTURE)
    homie("data", "generate", errands, "--out", out / "expert", *expert)
    for purpose in ("sft", "dpo"):
        if not (out / "data" / purpose / "data.json").exists():
            words = ("--no-explain", "--template", TEMPLATE, *settings("--prompt"))
            names = ("--rename", arguments.rename) if purpose == "sft" else ()
            homie("data", purpose, out / "expert", "--out", out / "data" / purpose, *words, *names)
    train("sft", out, "--epochs", arguments.epochs)
    train("dpo", out, "--model", out / "sft")
    tasks = ",".join(select_tasks(json.loads(errands.read_text())["tasks"], arguments.each))
    for name in RUNS:
        played = ("--tasks", tasks, "--trials", 1, "--rounds", ROUNDS, "--skills", "ideal", "--picture-size", PICTURE)
        homie("bench", errands, *played, *planner(name, out), "--out", out / "bench" / name)
    text = to_markdown(tables(out, errands))
    (out / "table.md").write_text(text, encoding="utf-8")
    print(text)


def homie(*words: object) -> None:
    """Print and run one command of homie. Exits if it fails."""
    line = [str(word) for word in words]
    print(f"\n$ homie {shlex.join(line)}", flush=True)
    if code := subprocess.run([sys.executable, "-m", "homie", *line], check=False).returncode:
        sys.exit(code)


def settings(option: str) -> Iterator[str]:
    for setting in PROMPT:
        yield from (option, setting)


def train(purpose: str, out: Path, *options: object) -> None:
    if not (out / purpose / "training.json").exists():
        homie("train", purpose, out / "data" / purpose, "--tiny", "--out", out / purpose, *options)


def planner(name: str, out: Path) -> list[object]:
    """Return the bench options that select a planner."""
    if name == "random":
        return ["--planner", name]
    folder = out / "sft" / "start" if name == "untrained" else out / "sft"
    adapter = ["--adapter", out / "dpo"] if name == "dpo" else []
    prompt_options = ["--template", TEMPLATE, *settings("--set"), "--set", f"max_new_tokens={LONGEST}"]
    return ["--planner", f"transformers:{folder}", *adapter, *prompt_options]


def select_tasks(tasks: Sequence[dict[str, Any]], each: int) -> list[str]:
    """Select `each` tasks of each group, training tasks evenly spaced over their group."""
    names: list[str] = []
    for group in ("train", *HELD_OUT):
        names_of_group = [task["id"] for task in tasks if group_of(task["id"]) == group]
        names += [names_of_group[place * len(names_of_group) // each] for place in range(each)]
    return names


def group_of(task: str) -> str:
    return task.partition("-")[0]


def tables(out: Path, errands: Path) -> list[Table]:
    """Tabulate success per planner by group and on all held-out tasks, and differences to the untrained model."""
    results = {name: load_run(out / "bench" / name).results for name in RUNS}
    ids = [task["id"] for task in json.loads(errands.read_text())["tasks"]]
    groups = {"train": [task for task in ids if group_of(task) == "train"]}
    groups |= {group: [task for task in ids if group_of(task) == group] for group in HELD_OUT}
    groups["held out"] = [task for group in HELD_OUT for task in groups[group]]
    intervals = Intervals()
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            *(intervals.of(result.only(tasks), "SR") for tasks in groups.values()),
            *readable(out / "bench" / name),
        )
        for name, result in results.items()
    )
    heads = (
        *(Column(group, "percent") for group in groups),
        Column("decisions", "count"),
        Column("unreadable", "count"),
    )
    note = f"Success rates (%), with 95 % intervals, of {len(results['sft'].scores)} episodes each."
    table = Table("Before and after training", (Column("planner"), *heads), rows, (note,))
    held_out = {name: results[name].only(groups["held out"]) for name in ("untrained", "random", "sft", "dpo")}
    trained = {name: held_out[name] for name in ("sft", "dpo")}
    return [table, *(against(held_out[name], name, trained, intervals) for name in ("untrained", "random"))]


def against(base: Results, name: str, others: dict[str, Results], intervals: Intervals) -> Table:
    return paired_table({name: base, **others}, intervals, left_out=0)


def readable(run: Path) -> tuple[int, int]:
    """Count the decisions of a run, and those that could not be parsed."""
    decisions = [record.decision for folder in episode_folders(run) for record in read_steps(folder)]
    return len(decisions), sum(not decision.subtasks for decision in decisions)


if __name__ == "__main__":
    main()
