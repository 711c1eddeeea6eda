"""Run folders given by a folder: itself, or those in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from homie.bench.finished_episodes import is_bench, read_bench
from homie.kernel.errors import BadInput
from homie.kernel.support.files import place_of
from homie.runtime.runstore import read_run

RECORDS = (".json", ".jsonl")
"""Suffixes of files in which a run records results."""


def is_run(folder: Path) -> bool:
    """Return whether a folder was written by `homie run` or `homie bench`."""
    return (folder / "run.json").exists() or is_bench(folder)


def runs_inside(folders: Iterable[Path], is_run: Callable[[Path], bool] = is_run) -> list[Path]:
    """Return the folders, with one that is not a run replaced by the runs in it, one level down, sorted by name.

    A folder without any run is kept, so that its reader reports the error.

    Raises:
        BadInput: A folder contains runs of several suites, which cannot be shown together.
    """
    runs: list[Path] = []
    for folder in folders:
        nested_runs = [] if is_run(folder) or not folder.is_dir() else sorted(filter(is_run, folder.iterdir()))
        _check_one_suite(folder, nested_runs)
        runs += nested_runs or [folder]
    return runs


def readable(folders: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """Return the folders except unreadable runs, and for each of those a sentence with the reason.

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
    """Raise BadInput if a file to write exists as a part of a run, because it would be overwritten."""
    for run in runs:
        if out is not None and out.suffix in RECORDS and out.is_file() and out.resolve().is_relative_to(run.resolve()):
            raise BadInput(f"{out} is a file of the run {run}, which would be lost: choose another file.")


def _check_one_suite(folder: Path, runs: list[Path]) -> None:
    suites: dict[str, list[str]] = {}
    for run in filter(is_bench, runs):
        with suppress(BadInput):  # a damaged run, which `readable` leaves out
            suites.setdefault(read_bench(run)[1].name, []).append(str(run))
    if len(suites) > 1:
        suites_text = "; ".join(f"{name}: {' '.join(names)}" for name, names in suites.items())
        raise BadInput(f"{folder} holds runs of several suites, give those of one ({suites_text}).")


def check_different(folders: Sequence[Path]) -> None:
    """Raise BadInput for a duplicate folder, whose episodes would be counted twice."""
    seen: set[Path] = set()
    for folder in folders:
        if place_of(folder) in seen:
            raise BadInput(f"The run {folder} is given twice: give each run once.")
        seen.add(place_of(folder))
