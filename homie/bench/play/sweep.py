"""Sweeps: the same bench once for each value of an option, each with its own run folder.

RUN/sweep.json                 a `SweepFile`: the varied options, and their values in each folder
RUN/<option>-<value>/          a run folder (docs/compare.md)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from homie.bench.finished_episodes import PLANNER, SweepFile
from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import ready
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.bench.resume import INDECISIVE
from homie.bench.suite.suite import find_suite
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_yaml
from homie.kernel.support.files import reason_of, slug
from homie.kernel.support.text import split_commas
from homie.runtime.runstore import lock_folder, write_model

FIXED = (*INDECISIVE, "planner_settings", "skill_settings", "detector_settings", "robot_settings")
"""Options that cannot be swept: they do not affect results, or have no single value."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One bench of a sweep.

    Attributes:
        name: Folder name.
        values: Values of the varied options, by name.
    """

    name: str
    values: dict[str, Any]
    options: BenchOptions


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """Result of a sweep: the summary of every bench, by folder name."""

    run_folder: Path
    sweep: tuple[str, ...]
    runs: dict[str, BenchSummary]

    @property
    def infrastructure(self) -> int:
        """Number of episodes ended by infrastructure, over all benches."""
        return sum(run.infrastructure for run in self.runs.values())


def sweep(
    options: BenchOptions,
    make_progress: Callable[[], Progress] = Progress,
    announce: Callable[[str], None] = lambda name: None,
) -> SweepSummary:
    """Run a bench for every value, one after the other. An error in any value is raised before the first one begins.

    Args:
        announce: Called with the name of every bench before it begins. Raises the same errors as `bench`.
    """
    for variant in variants(options):
        ready(variant.options)
    path, lock = lock_folder(options.out, find_suite(options.suite).name)
    try:
        if (path / "run.json").exists():
            raise BadInput(f"The folder {path} holds a run, not a sweep: choose another --out.")
        benches = variants(options.model_copy(update={"out": path}))
        runs = {variant.name: variant.values for variant in benches}
        file = SweepFile(sweep=tuple(options.sweep), runs=runs)
        write_model(path / "sweep.json", file)
        summaries = {}
        for variant in benches:
            announce(variant.name)
            summaries[variant.name] = bench(variant.options, make_progress())
        return SweepSummary(path, tuple(options.sweep), summaries)
    except OSError as error:
        raise BadInput(f"Cannot write into the folder {path}: {reason_of(error)}.") from error
    finally:
        os.close(lock)


def variants(options: BenchOptions) -> list[Variant]:
    """Return the benches of a sweep, with the last option varying fastest. Raises BadInput."""
    axes = [_axis(text) for text in options.sweep]
    variants = []
    for combination in product(*([(name, value) for value in values] for name, values in axes)):
        values = dict(combination)
        name = "-".join(f"{slug(name.removeprefix(PLANNER))}-{_value_text(value)}" for name, value in combination)
        fields = options.model_dump(exclude_unset=True)
        settings = {**options.planner_settings}
        for key, value in combination:
            if key.startswith(PLANNER):
                settings[key.removeprefix(PLANNER)] = value
            else:
                fields[key] = value
        out = options.out / name if options.out else None
        bench_options = BenchOptions.build(**{**fields, "planner_settings": settings, "sweep": [], "out": out})
        variants.append(Variant(name, values, bench_options))
    names = [variant.name for variant in variants]
    if len(set(names)) < len(names):
        raise BadInput(f"--sweep has a value twice, or values that make one folder name ({', '.join(names)}).")
    return variants


def _axis(text: str) -> tuple[str, list[Any]]:
    """Parse `planner.examples=0,5` into a name and its values. Raises BadInput."""
    name, equals, value_list = text.partition("=")
    name = name.strip().replace("-", "_")
    values = split_commas(value_list)
    if not equals or not values:
        raise BadInput(f"--sweep needs NAME=A,B (got '{text}'), for example --sweep planner.examples=0,5.")
    known = [field for field in BenchOptions.model_fields if field not in FIXED]
    if not name.removeprefix(PLANNER) or (not name.startswith(PLANNER) and name not in known):
        raise BadInput(
            f"--sweep cannot vary '{name}': name a setting as planner.SETTING, or one of {', '.join(known)}."
        )
    try:
        return name, [parse_yaml(value) for value in values]
    except (ValueError, yaml.YAMLError) as error:
        raise BadInput(f"--sweep {name}: the values cannot be read (got '{value_list}').") from error


def _value_text(value: Any) -> str:
    # Keep the point of a number: 0.2 and 0.25 must give different names.
    return str(value).replace(".", "_") if isinstance(value, int | float) else slug(str(value))
