"""Implementation of `homie.bench`."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play.pool import UNGUARDED
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.kernel.errors import BadInput
from homie.kernel.registry import split


def run_bench(suite: str | Path, config: str | Path | None, progress: bool, values: Mapping[str, Any]) -> BenchSummary:
    """Run a bench from keyword arguments. Raises HomieError."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # the same check as in `multiprocessing`
        sys.exit(UNGUARDED)  # a worker process that imports the script: the pool reports it
    keywords, objects = split(values)
    if objects:
        (option, name), *_ = objects
        path = name.partition(":")[2]
        module, _, class_name = path.rpartition(".")
        module = "my_module" if module == "__main__" or "<" in module else module
        suggested_name = f"{module}:{class_name if class_name.isidentifier() else 'MyClass'}"
        raise BadInput(
            f"Worker processes of a bench make the {option} anew and cannot make {path}: put the class or function "
            f'into a module of its own and name it, as {option}="{suggested_name}".'
        )
    options = BenchOptions.build(None if config is None else Path(config), suite=str(suite), **keywords)
    if options.sweep:
        raise BadInput("homie.bench plays one bench: call it once for each value of the sweep.")
    return bench(options, Progress(Console(stderr=True, highlight=False, quiet=not progress)))
