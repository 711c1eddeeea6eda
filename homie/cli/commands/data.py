"""`homie data`: training data from episodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from typing import Any

import typer
from pydantic import TypeAdapter

from homie.bench.play.progress import Progress as BenchProgress
from homie.cli.output import columns, print_json, progress_console, say, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.cli.progress import bar
from homie.data.data_set_checks import validate
from homie.data.emmoe_export import export_emmoe
from homie.data.episode_counts import count
from homie.data.examples.data_json import DataFile, read_data_file
from homie.data.examples.forms import Purpose
from homie.data.generate import draw_tasks, generate
from homie.data.options import (
    DetectionsOptions,
    EmmoeOptions,
    GenerateOptions,
    LeRobotOptions,
    ShowOptions,
    SplitOptions,
    StatsOptions,
    TasksOptions,
    TrainingOptions,
    ValidateOptions,
)
from homie.data.read_data_set import format_line, read_lines
from homie.data.sources.source import Entry
from homie.data.sources.source_kinds import open_sources
from homie.data.split import make_split, write_split
from homie.data.training_examples import EpisodeOver, make_dataset
from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.support.text import format_count

MOST = 5
"""Most lines about single episodes on stderr."""


@options_from(TrainingOptions)
def sft_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Make conversations for supervised fine-tuning."""
    _training("sft", build(TrainingOptions, config, values), json)


@options_from(TrainingOptions)
def dpo_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Make pairs of answers for DPO."""
    _training("dpo", build(TrainingOptions, config, values), json)


@options_from(EmmoeOptions)
def emmoe_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Write episodes as files of EMMOE-100."""
    options = build(EmmoeOptions, config, values)
    with _progress(options.sources) as progress:
        export = export_emmoe(options, progress)
    if json:
        print_json({**asdict(export), "path": str(export.path)})
        return
    tell(f"{export.path}  ({format_count(export.episodes, 'episode')}, {format_count(export.subtasks, 'subtask')})")


@options_from(LeRobotOptions)
def lerobot_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Write recorded episodes as a LeRobot data set, or add them to one."""
    options = build(LeRobotOptions, config, values)
    try:
        from homie.data.lerobot_export import export_lerobot
    except ModuleNotFoundError as error:
        raise missing_part("A LeRobot data set", error.name, "lerobot") from error
    with _progress(options.sources) as progress:
        export = export_lerobot(options, progress)
    if json:
        print_json({**asdict(export), "path": str(export.path)})
        return
    tell(
        f"{export.path}  ({format_count(export.added, 'episode')} added; "
        f"it has {format_count(export.episodes, 'episode')} of "
        f"{format_count(export.frames, 'frame')})"
    )
    if export.dropped:
        tell(f"not taken over, as a demonstration has no place for it: {', '.join(export.dropped)}")


@options_from(TasksOptions)
def tasks_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Sample errands in generated houses, as a suite, with some of them held out for tests."""
    options = build(TasksOptions, config, values)
    summary = draw_tasks(options)
    if json:
        held_out = {"templates": summary.templates, "objects": summary.objects}
        print_json({"file": str(options.out), "tasks": summary.counts, "held_out": held_out})
        return
    tell(f"{options.out}  ({_counts(summary.counts)})")


@options_from(GenerateOptions)
def generate_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Play the expert of a suite, with mistakes and recoveries where they are wanted."""
    options = build(GenerateOptions, config, values)
    summary = generate(options, BenchProgress(progress_console()))
    if json:
        print_json(TypeAdapter(type(summary)).dump_python(summary, mode="json"))
        return
    tell(f"{summary.run_folder}  ({format_count(summary.episodes, 'episode')}, {summary.successes} of them done)")


@options_from(DetectionsOptions)
def detections_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Make labelled pictures of generated houses, for training detectors."""
    options = build(DetectionsOptions, config, values)
    try:
        from homie.data.detections.making import make_detections
    except ModuleNotFoundError as error:
        raise missing_part("A data set of labelled pictures", error.name, "detections") from error
    with bar(options.houses, "houses") as advance:
        data = make_detections(options, lambda done, houses: advance("", done=done, total=houses))
    if json:
        print_json({"folder": str(options.out), **data.model_dump(mode="json", exclude={"recipe"})})
        return
    tell(f"{options.out}  ({_counts(data.pictures)}; {len(data.classes)} classes)")


@options_from(SplitOptions)
def split_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Split episodes into train and test, by task or by house."""
    options = build(SplitOptions, config, values)
    split, sizes = make_split(open_sources(options.sources), options.by, options.share, options.seed)
    write_split(options.out, split)
    if json:
        print_json({"file": str(options.out), "episodes": dict(sizes), **split.model_dump(mode="json")})
        return
    tell(f"{options.out}  ({format_count(sizes['train'], 'episode')} train, {sizes['test']} test)")


@options_from(StatsOptions)
def stats_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Count what is in episodes."""
    options = build(StatsOptions, config, values)
    with _progress(options.sources) as progress:
        counts = count(open_sources(options.sources), progress).report()
    if json:
        print_json(counts)
        return
    say(columns((name.replace("_", " "), _counts(value)) for name, value in counts.items()))


@options_from(ShowOptions)
def show_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Show a line of a data set as a model gets it."""
    options = build(ShowOptions, config, values)
    splits = read_data_file(options.dataset).splits
    line = next(islice(read_lines(options.dataset, options.split), options.line - 1, None), None)
    if line is None:
        raise BadInput(
            f"The split '{options.split}' has {format_count(splits[options.split].lines, 'line')}: give another --line."
        )
    if json:
        print_json(line)
    else:
        say(format_line(line))


@options_from(ValidateOptions)
def validate_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Check a data set: files, pictures, and that a planner reads every answer."""
    options = build(ValidateOptions, config, values)
    data = read_data_file(options.dataset)
    total = sum(share.lines for share in data.splits.values())
    with bar(total, "lines") as advance:
        problems = list(validate(options.dataset, lambda number: advance(f"{number}")))
    sentences = [f"{problem.where}: {problem.what}" for problem in problems]
    if json:
        print_json({"lines": total, "sha256": data.sha256, "problems": sentences})
    else:
        for sentence in sentences:
            say(sentence)
        tell(f"{format_count(total, 'line')} checked, {format_count(len(problems), 'problem')}")
    if problems:
        raise typer.Exit(BadInput.exit_code)


data_command = {
    "sft": sft_command,
    "dpo": dpo_command,
    "emmoe": emmoe_command,
    "lerobot": lerobot_command,
    "tasks": tasks_command,
    "generate": generate_command,
    "detections": detections_command,
    "split": split_command,
    "stats": stats_command,
    "show": show_command,
    "validate": validate_command,
}


def _training(purpose: Purpose, options: TrainingOptions, json: bool) -> None:
    with _progress(options.sources) as progress:
        data = make_dataset(options, purpose, progress)
    if json:
        print_json({"folder": str(options.out), "sha256": data.sha256, **data.model_dump(mode="json")})
        return
    tell(f"{options.out}  ({_summary(data)})")


def _summary(data: DataFile) -> str:
    return ", ".join(
        f"{split}: {format_count(share.lines, 'line')} of {format_count(share.episodes, 'episode')}"
        for split, share in data.splits.items()
    )


@contextmanager
def _progress(sources: Any) -> Iterator[EpisodeOver]:
    """Show a bar of episodes on stderr, and a line for each of the first few that are left out."""
    total = sum(len(source.entries()) for source in open_sources(sources))
    left_out = 0

    with bar(total, "episodes") as advance:

        def progress(entry: Entry, reason: str) -> None:
            nonlocal left_out
            advance(entry.name)
            if reason:
                left_out += 1
                if left_out <= MOST:
                    tell(f"left out: {entry.name}: {reason}")

        yield progress
    if left_out > MOST:
        tell(f"left out: {left_out - MOST} more")


def _counts(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items()) or "-"
    return str(value)
