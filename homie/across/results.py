"""Results of one planner in one protocol, read from the folder that its command wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from homie.bench.compare.summary import Intervals
from homie.bench.folder.ledger import is_bench
from homie.bench.protocols.vigil.score import Outcome
from homie.bench.score.results import check_different, groups, load_run
from homie.bench.score.scores import Score
from homie.bench.statistics import Estimate, Interval
from homie.kernel.errors import BadInput
from homie.questions.asking import Asked
from homie.questions.table import Row
from homie.runtime.lines import kept_lines
from homie.runtime.runstore import read_model
from homie.vigil.record import Record
from homie.vigil.results import EPISODES, HEAD, RESULTS, Head
from homie.vigil.results import Row as VigilRow

ALL = "all"


@dataclass(frozen=True, slots=True)
class Share:
    """One group of a protocol. n: episodes or questions. chance: what can be had by guessing, where it is known."""

    group: str
    n: int
    estimate: Estimate
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode. good: whether it counts as reached, None where it was lost. note: how it ended, in words. details:
    the folder or file that has its steps."""

    name: str
    good: bool | None
    note: str
    details: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What one planner reached in one protocol.

    planner: as on the command line. protocol: name and version. measure: what the shares are shares of. settings: what
    it was played with, by name. shares: the groups, `all` first. details: the page or file with every episode, or the
    folder where none is written yet. episodes: each of them, where the protocol has episodes.
    """

    planner: str
    protocol: str
    measure: str
    settings: Mapping[str, str]
    shares: tuple[Share, ...]
    folder: Path
    details: Path
    episodes: tuple[Episode, ...] = ()


def read_sheets(folders: Sequence[Path], profile: str = "homie", intervals: Intervals | None = None) -> list[Sheet]:
    """The results in some folders, with labels that tell two runs of one planner in one protocol apart.

    Args:
        folders: of `homie bench`, `homie questions ask` and `homie vigil`, in any order.
        profile: `homie` or `strict-emmoe`, for benches.
        intervals: confidence, resamples and seed of the intervals of benches; None for the defaults.

    Raises:
        BadInput: a folder is of none of them, is damaged, is given twice, or no protocol would have two results apart.
    """
    check_different(folders)
    sheets = [_read(folder, profile, intervals or Intervals()) for folder in folders]
    keys = [(sheet.planner, sheet.protocol) for sheet in sheets]
    return [
        replace(sheet, planner=f"{sheet.planner} ({sheet.folder.name})") if keys.count(key) > 1 else sheet
        for sheet, key in zip(sheets, keys, strict=True)
    ]


def _read(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    for belongs, read in READERS:
        if belongs(folder):
            return read(folder, profile, intervals)
    raise BadInput(
        f"There are no results of a protocol in {folder}: give folders of `homie bench`, `homie questions ask` or "
        "`homie vigil`."
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
    note = f"{score.length} subtasks, {'ended by the planner' if score.ended else 'not ended by the planner'}"
    return Episode(name, None if score.lost else score.success, score.lost or note, folder / "episodes" / name)


def _questions(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    """Questions have intervals of their own, of 95 %, and know no profile."""
    asked = read_model(folder / "asked.json", Asked)
    results = folder / "results.json"
    if not results.exists():
        raise BadInput(
            f"The questions of {folder} are not answered to the end: run the same `homie questions ask` again."
        )
    try:
        rows = TypeAdapter(list[Row]).validate_json(results.read_bytes())
    except ValidationError as error:
        raise BadInput(f"{results} is damaged: remove it and run the same `homie questions ask` again.") from error
    ordered = sorted(rows, key=lambda row: row.dimension != ALL)
    return Sheet(
        planner=asked.planner,
        protocol=f"questions {asked.questions[:8]}",
        measure="questions answered right",
        settings={} if asked.dimension is None else {"dimension": asked.dimension},
        shares=tuple(
            Share(
                row.dimension.replace("_", " "),
                row.n,
                Estimate(row.accuracy, Interval(row.low, row.high)),
                row.chance,
            )
            for row in ordered
        ),
        folder=folder,
        details=folder / "results.md",
    )


def _vigil(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    """Episodes of homie-vigil have intervals of their own, of 95 %, and know no profile."""
    head = read_model(folder / HEAD, Head)
    results = folder / RESULTS
    if not results.exists():
        raise BadInput(f"The episodes of {folder} are not played to the end: run the same `homie vigil` again.")
    try:
        rows = TypeAdapter(list[VigilRow]).validate_json(results.read_bytes())
    except ValidationError as error:
        raise BadInput(f"{results} is damaged: remove it and run the same `homie vigil` again.") from error
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
        episodes=tuple(_record(folder, record) for record in kept_lines(folder / EPISODES, Record)[0]),
    )


def _record(folder: Path, record: Record) -> Episode:
    outcome = record.score().outcome
    note = f"{outcome.value.replace('_', ' ')}, {len(record.steps)} steps"
    return Episode(record.id, outcome is Outcome.VERIFIED, note, folder / EPISODES)


def _played(folder: Path) -> bool:
    return (folder / HEAD).exists()


def _asked(folder: Path) -> bool:
    return (folder / "asked.json").exists()


READERS: tuple[tuple[Callable[[Path], bool], Callable[[Path, str, Intervals], Sheet]], ...] = (
    (is_bench, _bench),
    (_asked, _questions),
    (_played, _vigil),
)
"""For each command whose folders can be read: whether a folder is its, and what is in it."""
