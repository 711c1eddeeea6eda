"""Sheets of run folders of any command that plays a protocol, read from its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from homie.bench.finished_episodes import is_bench
from homie.bench.intervals_and_tests import Estimate, Interval
from homie.bench.runs_inside import check_different
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.results import groups, load_run
from homie.bench.score.scores import Score
from homie.kernel.errors import BadInput
from homie.kernel.support.text import format_count
from homie.runtime.runstore import read_model
from homie.runtime.runstore.json_lines import read_complete_lines
from suites.leaderboard_questions import is_asked, is_judged, read_asked, read_judging
from suites.leaderboard_sheet import ALL, Episode, Share, Sheet, read_rows
from suites.published.vigil_score import Outcome
from suites.vigil.record import Record
from suites.vigil.results import EPISODES, HEAD, RESULTS, Head, Row

ROWS = TypeAdapter(list[Row])
"""The rows of the table of homie-vigil."""


def read_sheets(folders: Sequence[Path], profile: str = "homie", intervals: Intervals | None = None) -> list[Sheet]:
    """Read the results in some folders, with labels that distinguish two runs of one planner in one protocol.

    Args:
        folders: of `homie bench`, `homie questions ask`, `homie questions judge` and `homie vigil`, in any order.
        profile: `homie` or `strict-emmoe`, for benches.
        intervals: confidence, resamples and seed of the intervals of benches; None for the defaults.

    Raises:
        BadInput: a folder is of none of them, is damaged, is given twice, or no protocol would have two results apart.
    """
    check_different(folders)
    sheets = [_read(folder, profile, intervals or Intervals()) for folder in folders]
    return [replace(sheet, planner=f"{sheet.planner}{_label(sheet, sheets)}") for sheet in sheets]


def _label(sheet: Sheet, sheets: Sequence[Sheet]) -> str:
    """Return a label that distinguishes a sheet from others of the same planner and protocol: the folder's name, its
    whole path where the names are equal (judgings of two runs are), "" where there is no other."""
    alike = [other for other in sheets if (other.planner, other.protocol) == (sheet.planner, sheet.protocol)]
    if len(alike) == 1:
        return ""
    names = [other.folder.name for other in alike]
    return f" ({sheet.folder if names.count(sheet.folder.name) > 1 else sheet.folder.name})"


def _read(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    for belongs, read in READERS:
        if belongs(folder):
            return read(folder, profile, intervals)
    raise BadInput(
        f"There are no results of a protocol in {folder}: give folders of `homie bench`, `homie questions ask`, "
        "`homie questions judge` or `homie vigil`."
    )


def _bench(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    run = load_run(folder, profile)
    parts = {ALL: run.results} | {name: run.results.only(tasks) for name, tasks in groups(run.suite).items()}
    options = run.file.options
    settings = {"skills": options.skills, "targets": options.targets, "profile": profile}
    report = folder / "report.html"
    return Sheet(
        planner=options.planner,
        protocol=f"{run.suite.name}, version {run.suite.version}",
        measure="episodes that succeeded",
        settings=settings,
        shares=tuple(
            Share(name, len(part.scores), intervals.of(part, "SR")) for name, part in parts.items() if part.scores
        ),
        folder=folder,
        details=report if report.exists() else folder,
        episodes=tuple(_episode(folder, score) for score in run.in_order),
    )


def _episode(folder: Path, score: Score) -> Episode:
    name = f"{score.task_id}-{score.trial}"
    ending = "ended by the planner" if score.ended else "not ended by the planner"
    note = f"{format_count(score.length, 'subtask')}, {ending}"
    return Episode(name, None if score.lost else score.success, score.lost or note, folder / "episodes" / name)


def _vigil(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    """Return the sheet of homie-vigil, whose episodes have their own intervals, of 95 %, and no profile."""
    head = read_model(folder / HEAD, Head)
    rows = read_rows(folder / RESULTS, ROWS, f"The episodes of {folder} are not played", "homie vigil")
    return Sheet(
        planner=head.planner,
        protocol=f"{head.suite} {head.episodes[:8]}",
        measure="episodes with a reached goal and a true report (B)",
        settings={"feedback": head.feedback},
        shares=tuple(
            Share(
                row.family,
                row.n,
                Estimate(row.benchmark.value / 100, Interval(row.benchmark.low / 100, row.benchmark.high / 100)),
            )
            for row in sorted(rows, key=lambda row: row.family != ALL)
        ),
        folder=folder,
        details=folder / "results.md",
        episodes=tuple(_record(folder, record) for record in read_complete_lines(folder / EPISODES, Record)[0]),
    )


def _record(folder: Path, record: Record) -> Episode:
    outcome = record.score().outcome
    note = f"{outcome.value.replace('_', ' ')}, {format_count(len(record.steps), 'step')}"
    return Episode(record.id, outcome is Outcome.VERIFIED, note, folder / EPISODES)


def _is_vigil(folder: Path) -> bool:
    return (folder / HEAD).exists()


READERS: tuple[tuple[Callable[[Path], bool], Callable[[Path, str, Intervals], Sheet]], ...] = (
    (is_bench, _bench),
    (is_asked, read_asked),
    (is_judged, read_judging),
    (_is_vigil, _vigil),
)
"""For each command whose folders can be read: whether a folder is its own, and the reader."""
