"""Train the weights of the planner `homiebot`: data, training in stages, and a table of the success after each stage.

    python -m benchmarks.episodes.homiebot runs/homiebot --base FILE.gguf                        # many hours of a core
    python -m benchmarks.episodes.homiebot runs/try --base FILE.gguf --tasks 60 --each 2 --experts 8 --detours 8 \
        --names 4 --corrections 4                                                                # to see the parts fit

Stages: `sft` learns from experts with injected mistakes; `detours` from states off the expert's trajectory, labelled by
the expert; `names` from more such states, half with made-up names; `corrections` from states that the model itself
visited, labelled by the expert, mixed with those of the stage `detours`: trained on its own states alone it forgets
what it did well. Each stage continues with the adapter of the previous one. Every step is a command of `homie`, which
is printed; the same command resumes a stopped run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from benchmarks.episodes.from_nothing import homie, readable
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.results import load_run
from homie.bench.table_formats import Cell, Column, Table, to_markdown
from homie.kernel.support.files import to_json, write_atomically
from planners.homiebot.planner import WEIGHTS
from planners.llm.local.adapters import ADAPTER_CONFIG, ADAPTER_WEIGHTS
from planners.llm.local.planner import TRAINING

PROMPT = ("--no-explain", "--template", "compact", "--prompt", "images=false")
GROUPS = ("template", "object", "house", "wording")
HELD_OUT = (
    *("--held-out-templates", "exchange,pair,shut"),
    *("--held-out-objects", "potted_meat_can,master_chef_can,gelatin_box,pudding_box"),
)
"""Held-out entities, the same for every seed, so that weights trained further from earlier ones have not seen them."""
ROUNDS = 25
"""Maximum rounds of an episode: the longest expert episode takes 19."""
PATHS = ("data", "model", "adapter", "out")
"""Training options that are paths on one machine."""
STAGES = ("sft", "detours", "names", "corrections")
RATES = {"sft": 1e-3, "detours": 7e-4, "names": 5e-4, "corrections": 3e-4}
"""Learning rates, decreasing from stage to stage: each starts from an adapter that is already trained."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for everything")
    parser.add_argument("--base", required=True, help="the base model: a folder or a GGUF file")
    parser.add_argument("--tasks", type=int, default=3000, help="tasks that are sampled")
    parser.add_argument("--each", type=int, default=100, help="test tasks of each group")
    parser.add_argument("--experts", type=int, default=600, help="episodes of experts with mistakes")
    parser.add_argument("--detours", type=int, default=800, help="episodes of experts with detours")
    parser.add_argument("--names", type=int, default=300, help="episodes of experts with detours, once more renamed")
    parser.add_argument("--corrections", type=int, default=200, help="training tasks that the model itself plays")
    parser.add_argument("--split", choices=("validation", "test"), default="validation", help="split of the table")
    parser.add_argument(
        "--ship", nargs="+", metavar="FOLDER", help="put the mean of trained adapters into the package, and end"
    )
    parser.add_argument("--seed", type=int, default=33)
    arguments = parser.parse_args()
    out: Path = arguments.out
    if arguments.ship:
        ship([out / name for name in arguments.ship])
        return
    out.mkdir(parents=True, exist_ok=True)
    suite = out / "tasks.json"
    if not suite.exists():
        test, validation = arguments.each / arguments.tasks, max(1, arguments.each // 3) / arguments.tasks
        shares = ("--test", f"{test:.5f}", "--validation", f"{validation:.5f}")
        homie("data", "tasks", suite, "--number", arguments.tasks, *shares, *HELD_OUT, "--seed", arguments.seed)
    played = {"sft": arguments.experts, "detours": arguments.detours, "names": arguments.names}
    for stage, previous in zip(STAGES, (None, *STAGES), strict=False):
        source = out / "episodes" / stage
        if stage == "corrections":
            names = [task["id"] for task in json.loads(suite.read_text())["tasks"] if task["split"] == "train"]
            selected = names[:: max(1, len(names) // arguments.corrections)]
            bench(suite, source, ",".join(selected), model(arguments.base, out / "names"))
        else:
            mistakes = ("--failures", 0.2) if stage == "sft" else ("--failures", 0.1, "--detours", 0.2)
            counted = ("--split", "train", "--episodes", played[stage], "--seed", STAGES.index(stage))
            homie("data", "generate", suite, "--out", source, "--no-frames", *mistakes, *counted)
        sources, how = (source,), ("--label-by", "planner" if stage == "sft" else "expert")
        if stage == "corrections":
            sources, how = (out / "episodes" / "detours", source), (*how, "--keep", "all")
        if stage in ("names", "corrections"):
            how = (*how, "--rename", 1)
        if not (out / "data" / stage / "data.json").exists():
            homie("data", "sft", *sources, "--out", out / "data" / stage, *PROMPT, *how)
        if not (out / stage / "training.json").exists():
            begin = ("--adapter", out / previous) if previous else ()
            small = ("--small", "--batch", 8, "--epochs", 1, "--rate", RATES[stage])
            homie("train", "sft", out / "data" / stage, "--model", arguments.base, *begin, *small, "--out", out / stage)
    prefix = "validation-" if arguments.split == "validation" else ""
    tasks = ",".join(f"{prefix}{group}-*" for group in GROUPS)
    planners = {"random": ("--planner", "random"), "rule": ("--planner", "rule")}
    planners["untrained"] = model(arguments.base, None)
    planners |= {stage: model(arguments.base, out / stage) for stage in STAGES}
    for name, options in planners.items():
        bench(suite, out / arguments.split / name, tasks, options)
    ids = [task["id"] for task in json.loads(suite.read_text())["tasks"]]
    groups = {group: [name for name in ids if name.startswith(f"{prefix}{group}-")] for group in GROUPS}
    text = to_markdown([table(out / arguments.split, tuple(planners), groups)])
    (out / f"{arguments.split}.md").write_text(text, encoding="utf-8")
    print(text)


def ship(trained: Sequence[Path], folder: Path = WEIGHTS) -> None:
    """Write an adapter to the planner's folder, in bfloat16 and without local paths. Its model card is hand-written.

    Args:
        trained: Folders of successive stages, each trained further from the previous one. Their weights are averaged:
            the mean forgets less of the first stage than the last one does.
        folder: Destination.
    """
    folder.mkdir(exist_ok=True)
    adapters = [load_file(stage / ADAPTER_WEIGHTS) for stage in trained]
    means = {name: torch.stack([adapter[name].float() for adapter in adapters]).mean(0) for name in adapters[0]}
    tensors = {name: tensor.to(torch.bfloat16) for name, tensor in means.items()}
    save_file(tensors, folder / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (folder / ADAPTER_WEIGHTS).chmod(0o644)  # safetensors writes for its owner alone
    config = json.loads((trained[-1] / ADAPTER_CONFIG).read_text())
    write_atomically(folder / ADAPTER_CONFIG, to_json({**config, "base_model_name_or_path": None}))
    training = json.loads((trained[-1] / TRAINING).read_text())
    options = {name: value for name, value in training["options"].items() if name not in PATHS}
    write_atomically(folder / TRAINING, to_json({**training, "options": options}))


def model(base: str, adapter: Path | None) -> tuple[object, ...]:
    """Return the bench options for a model with an adapter, or with the template alone."""
    asked = ("--adapter", adapter) if adapter else ("--template", "compact", "--set", "images=false")
    return ("--planner", f"transformers:{base}", *asked)


def bench(suite: Path, out: Path, tasks: str, planner: tuple[object, ...]) -> None:
    ideal = ("--trials", 1, "--rounds", ROUNDS, "--skills", "ideal", "--no-video")
    homie("bench", suite, "--tasks", tasks, *planner, *ideal, "--out", out)


def table(runs: Path, names: tuple[str, ...], groups: Mapping[str, Sequence[str]]) -> Table:
    """Tabulate success by group and overall, with the numbers of decisions and of those that could not be parsed.

    Args:
        runs: The folder of the benches.
        names: Names of the planners.
        groups: The tasks of each group.
    """
    groups = {**groups, "all": [task for tasks in groups.values() for task in tasks]}
    intervals = Intervals()
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        results = load_run(runs / name).results
        cells = (intervals.of(results.only(tasks), "SR") for tasks in groups.values())
        rows.append((name, *cells, *readable(runs / name)))
    heads = [Column(group, "percent") for group in groups]
    counts = [Column("decisions", "count"), Column("unreadable", "count")]
    note = "Success rates (%) with 95 % intervals, ideal skills. What the groups hold out: docs/data.md."
    return Table("Stages of the training", (Column("planner"), *heads, *counts), tuple(rows), (note,))


if __name__ == "__main__":
    main()
