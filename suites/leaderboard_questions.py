"""Sheets of questions: answers (`homie questions ask`), and their judgings (`homie questions judge`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from homie.bench.intervals_and_tests import Estimate, Interval
from homie.bench.score.compare_tables import Intervals
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json
from homie.runtime.runstore import read_model
from suites.leaderboard_sheet import ALL, Answer, Share, Sheet, read_rows
from suites.questions.asking import ANSWERS, ASKED, RESULTS, Asked
from suites.questions.judging.judge_run import REPLIES, WORLD
from suites.questions.judging.releases import share
from suites.questions.judging.verdict import AGAIN, JUDGING, Judging, read_judged_run
from suites.questions.judging.world import ROLLOUTS, PlanRow, WorldFigures
from suites.questions.marked_answers import read_marks
from suites.questions.table import Row

ROWS, WORLD_FIGURES, REPORTS = (
    TypeAdapter(list[Row]),
    TypeAdapter(WorldFigures),
    TypeAdapter(dict[str, dict[str, object]]),
)
DIGITS = 8
"""Digits of a checksum that distinguishes questions or judges: as many as Git shows of a commit."""


def is_asked(folder: Path) -> bool:
    """Return whether a folder has answers."""
    return (folder / ASKED).exists()


def is_judged(folder: Path) -> bool:
    """Return whether a folder has a judging of answers."""
    return (folder / JUDGING).exists()


def read_asked(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    """Return the sheet of answers. Questions have their own intervals, of 95 %, and no profile of benches.

    Raises:
        BadInput: the folder is damaged, or not answered to the end.
    """
    asked = read_model(folder / ASKED, Asked)
    unfinished = f"The questions of {folder} are not answered"
    rows = read_rows(folder / RESULTS, ROWS, unfinished, "homie questions ask")
    return Sheet(
        planner=asked.planner,
        protocol=f"questions {asked.questions[:DIGITS]}",
        measure="questions answered right",
        settings=_settings(asked.dimension),
        shares=_shares(rows),
        folder=folder,
        details=folder / "results.md",
        answers=_answers(folder),
        words=folder / ANSWERS,
    )


def read_judging(folder: Path, profile: str, intervals: Intervals) -> Sheet:
    """Return the sheet of a judging. Its protocol names judge and rules, so that other judgings are another protocol.

    Raises:
        BadInput: the folder is damaged, or not judged to the end.
    """
    judging, judged = read_judged_run(folder)
    world = judging.judge.partition(":")[0] == WORLD
    try:
        measure, shares = _judged_shares(judging, judged.figures, world=world)
    except ValidationError as error:
        raise BadInput(f"{folder / RESULTS} is damaged: {AGAIN}.") from error
    judge = judging.judge if world else f"{judging.judge} {_identity(judging)}"
    return Sheet(
        planner=judged.planner,
        protocol=f"questions {judged.questions[:DIGITS]}, judge {judge}, profile {judging.profile}",
        measure=measure,
        settings=_settings(judged.dimension),
        shares=shares,
        folder=folder,
        details=folder / "results.md",
        answers=_answers(folder),
        words=folder / (ROLLOUTS if world else REPLIES),
    )


def _judged_shares(judging: Judging, figures: object, *, world: bool) -> tuple[str, tuple[Share, ...]]:
    """Return what the shares measure, and the shares. Raises ValidationError for invalid figures."""
    if world:
        both = WORLD_FIGURES.validate_python(figures)
        shares = (*_shares(both.rows), *_plans(both.plans))
        return "questions right, plans by what they bring about in their worlds", shares
    if judging.profile == "homie":
        return "questions right by the judge", _shares(ROWS.validate_python(figures))
    reports = {name: share(report) for name, report in REPORTS.validate_python(figures).items()}
    short = {name: "/".join(name.split("/")[-2:]) for name in reports}
    names = short if len(set(short.values())) == len(short) else {name: name for name in reports}
    release = judging.profile.partition("@")[2]
    measure = f"questions as release {release} counts them: choices right, of plans the mean score, of places none"
    return measure, tuple(
        Share(_words(names[name]), number, Estimate(value)) for name, (number, value) in reports.items()
    )


def _shares(rows: Sequence[Row]) -> tuple[Share, ...]:
    return tuple(
        Share(_words(row.dimension), row.n, Estimate(row.accuracy, Interval(row.low, row.high)), row.chance)
        for row in sorted(rows, key=lambda row: row.dimension != ALL)
    )


def _plans(rows: Sequence[PlanRow]) -> list[Share]:
    """Return the shares of plans alone, in both ways of execution."""
    shares = []
    for row in rows:
        if row.template == ALL:
            for way, right, interval in (
                ("ideal", row.right, row.right_interval),
                ("motion", row.motion_right, row.motion_right_interval),
            ):
                if right is not None:
                    shares.append(Share(f"plans, {way}", row.n, Estimate(right, interval and Interval(*interval))))
    return shares


def _answers(folder: Path) -> tuple[Answer, ...]:
    return tuple(
        Answer(
            name=marked.id,
            group=_words(marked.dimension),
            text=marked.text,
            truth=marked.truth,
            words=marked.answer,
            good=marked.right if marked.read else None,
            score=marked.score,
            note=marked.note,
        )
        for marked in read_marks(folder)
    )


def _settings(dimension: str | None) -> dict[str, str]:
    return {} if dimension is None else {"dimension": dimension}


def _identity(judging: Judging) -> str:
    """Return a checksum of a judge without its name: its settings and its prompts."""
    identity = to_json([judging.described, judging.words], indent=None)
    return hashlib.sha256(identity).hexdigest()[:DIGITS]


def _words(dimension: str) -> str:
    return dimension.replace("_", " ")
