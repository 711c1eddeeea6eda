"""Opening sources from paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from homie.bench.finished_episodes import is_bench
from homie.bench.runs_inside import check_different
from homie.bench.suite.emmoe_files import is_emmoe
from homie.data.lerobot.info import is_lerobot
from homie.data.sources.emmoe_episodes import EmmoeSource
from homie.data.sources.runs import BenchSource, RunSource
from homie.data.sources.source import Source
from homie.kernel.errors import BadInput
from homie.kernel.support.files import entries_of, place_of, reading
from homie.kernel.support.packages import missing_part


def open_sources(paths: Sequence[Path]) -> tuple[Source, ...]:
    """Open the sources in folders; each run of a sweep is a source.

    Raises:
        BadInput: A folder has no episodes, or is given twice.
    """
    check_different(paths)
    folders = [folder for path in paths for folder in _run_folders(path)]
    sources: list[Source] = []
    for folder in folders:
        name = place_of(folder).name
        same = sum(source.label.partition("~")[0] == name for source in sources)
        sources.append(_open(folder, f"{name}~{same + 1}" if same else name))
    return tuple(sources)


def _run_folders(path: Path) -> list[Path]:
    """Return the run folder, or those inside a sweep or a folder of recordings by `homie teleop`."""
    with reading(path):
        children = [] if (path / "run.json").exists() else entries_of(path)
    return [folder for folder in children if _is_run(folder)] or [path]


def _is_run(folder: Path) -> bool:
    with reading(folder):
        return (folder / "run.json").exists()


def _open(path: Path, label: str) -> Source:
    if is_bench(path):
        return BenchSource(path, label)
    if (path / "run.json").exists():
        return RunSource(path, label)
    if is_emmoe(path):
        return EmmoeSource(path, label)
    if is_lerobot(path):
        try:
            from homie.data.sources.lerobot import LeRobotSource
        except ModuleNotFoundError as error:
            raise missing_part("A LeRobot data set", error.name, "lerobot") from error
        return LeRobotSource(path, label)
    raise BadInput(
        f"There are no episodes in {path}: give a run folder of `homie bench` or `homie run`, a folder of EMMOE-100 "
        "(keypath.json and info.txt for each task), or a LeRobot data set (meta/info.json)."
    )
