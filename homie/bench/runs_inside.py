"""The run folders that a folder means: itself, or those in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from homie.bench.finished_episodes import is_bench, read_bench
from homie.kernel.errors import BadInput
from homie.kernel.support.files import place_of
from homie.runtime.runstore import read_run

RECORDS = (".json", ".jsonl")
"""How files end in which a run keeps what happened."""


def is_run(folder: Path) -> bool:
    """Whether a folder was written by `homie run` or `homie bench`."""
    return (folder / "run.json").exists() or is_bench(folder)


def runs_inside(folders: Iterable[Path], is_run: Callable[[Path], bool] = is_run) -> list[Path]:
    """The folders, with the runs in it for one that is not a run itself, one level down, in the order of their names.

    A folder without a run in it stays as it is: who reads it refuses it.

    Raises:
        BadInput: The runs in a folder are of several suites, so that they cannot be shown together.
    """
    runs: list[Path] = []
    for folder in folders:
        nested_runs = [] if is_run(folder) or not folder.is_dir() else sorted(filter(is_run, folder.iterdir()))
        _check_one_suite(folder, nested_runs)
        runs += nested_runs or [folder]
    return runs


def readable(folders: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """The folders without the runs whose `run.json` or suite cannot be read, and for each of those why, in a sentence.

    Raises:
        BadInput: None of them can be read.
    """
    runs: list[Path] = []
    unread: dict[str, BadInput] = {}
    for folder in folders:
        try:
            if is_bench(folder):
                read_bench(folder)
            elif is_run(folder):
                read_run(folder)
            runs.append(folder)
        except BadInput as error:
            unread[str(error)] = error
    if not runs and unread:
        raise next(iter(unread.values()))
    return runs, tuple(unread)


def check_apart(out: Path | None, runs: Iterable[Path]) -> None:
    """Raises BadInput for a file to write that a run has written already, which would be lost."""
    for run in runs:
        if out is not None and out.suffix in RECORDS and out.is_file() and out.resolve().is_relative_to(run.resolve()):
            raise BadInput(f"{out} is a file of the run {run}, which would be lost: choose another file.")


def _check_one_suite(folder: Path, runs: list[Path]) -> None:
    suites: dict[str, list[str]] = {}
    for run in filter(is_bench, runs):
        with suppress(BadInput):  # of a damaged run, which `readable` leaves out
            suites.setdefault(read_bench(run)[1].name, []).append(str(run))
    if len(suites) > 1:
        suites_text = "; ".join(f"{name}: {' '.join(names)}" for name, names in suites.items())
        raise BadInput(f"{folder} holds runs of several suites, give those of one ({suites_text}).")


def check_different(folders: Sequence[Path]) -> None:
    """Raises BadInput for a folder that occurs twice: its episodes would be counted twice."""
    seen: set[Path] = set()
    for folder in folders:
        if place_of(folder) in seen:
            raise BadInput(f"The run {folder} is given twice: give each run once.")
        seen.add(place_of(folder))
