"""The page: a panel for each protocol, with a bar for each group and planner, and links to every episode."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from homie.bench.report.page import template_environment
from homie.bench.report.svg_drawing import Bar, legend, share_bars
from homie.bench.score.compare_tables import Intervals
from homie.bench.table_formats import Column, Table
from homie.kernel.support.files import write_atomically, writing
from homie.kernel.support.version import __version__
from suites.leaderboard_drilldown import CHARACTERS, QuestionGroup, brief, question_groups
from suites.leaderboard_results import read_sheets
from suites.leaderboard_sheet import Episode, Sheet

COLOURS = 9
"""Colours of bars in the style sheet of reports, `s0` to `s8`; the tenth planner has the first one again."""
NOTE = "Shares of different protocols measure different things: compare planners within a panel, never panels."


@dataclass(frozen=True, slots=True)
class Panel:
    """One protocol.

    Attributes:
        chances: Chance levels by group, where guessing can be right.
    """

    protocol: str
    measure: str
    drawing: Markup
    chances: dict[str, float]
    sheets: tuple[Sheet, ...]

    @property
    def episodes(self) -> list[tuple[str, list[Episode | None]]]:
        """Each episode of the protocol with its result by planner, None where it was not played."""
        by_planner = [{episode.name: episode for episode in sheet.episodes} for sheet in self.sheets]
        names = dict.fromkeys(name for episodes in by_planner for name in episodes)
        return [(name, [episodes.get(name) for episodes in by_planner]) for name in names]

    @property
    def intervals(self) -> bool:
        """Whether its shares have intervals."""
        return any(share.estimate.interval is not None for sheet in self.sheets for share in sheet.shares)

    @property
    def listed(self) -> tuple[Sheet, ...]:
        """The sheets whose answers were kept."""
        return tuple(sheet for sheet in self.sheets if sheet.answers)

    @property
    def questions(self) -> tuple[QuestionGroup, ...]:
        """Each question of the protocol with the kept answers, by group."""
        return question_groups(self.listed)


def page_across(folders: Sequence[Path], profile: str, intervals: Intervals, out: Path) -> tuple[Table, int]:
    """Write the page about some run folders; return its table, and its size in bytes. Raises BadInput."""
    sheets = read_sheets(folders, profile, intervals)
    return table(sheets), write_page(sheets, out)


def table(sheets: Sequence[Sheet]) -> Table:
    """Return a table with a row for each planner and group of each protocol."""
    columns = (
        Column("protocol"),
        Column("group"),
        Column("planner"),
        Column("n", "count"),
        Column("share", "percent"),
        Column("chance", "percent"),
    )
    rows = tuple(
        (sheet.protocol, share.group, sheet.planner, share.n, share.estimate, share.chance)
        for protocol in protocols(sheets)
        for group in _groups(protocol, sheets)
        for sheet in sheets
        if sheet.protocol == protocol
        for share in sheet.shares
        if share.group == group
    )
    return Table("Across protocols", columns, rows, (NOTE,))


def write_page(sheets: Sequence[Sheet], out: Path) -> int:
    """Write the page; return its size in bytes. Raises BadInput where it cannot be written."""
    page = render(sheets, out.parent).encode()
    with writing(out, "the page to"):
        write_atomically(out, page)
    return len(page)


def render(sheets: Sequence[Sheet], beside: Path) -> str:
    """Render the page as HTML that fetches nothing.

    Args:
        beside: The folder of the page, which its links are relative to.
    """
    styles = {planner: f"s{index % COLOURS}" for index, planner in enumerate(planners(sheets))}
    environment = template_environment(_template)
    environment.filters.update({name: partial(brief, most=most) for name, most in CHARACTERS.items()})
    return environment.get_template("leaderboard.html").render(
        style=Markup((files("homie.bench.report") / "templates" / "page.css").read_text(encoding="utf-8")),
        planners=tuple(styles),
        legend=legend([(style, planner) for planner, style in styles.items()]),
        panels=[_panel(protocol, sheets, styles) for protocol in protocols(sheets)],
        table=table(sheets),
        link=lambda path: quote(os.path.relpath(path.resolve(), beside.resolve())),
        version=__version__,
    )


def planners(sheets: Sequence[Sheet]) -> tuple[str, ...]:
    """Return the planners in the order in which they appear."""
    return tuple(dict.fromkeys(sheet.planner for sheet in sheets))


def protocols(sheets: Sequence[Sheet]) -> tuple[str, ...]:
    """Return the protocols in the order in which they appear."""
    return tuple(dict.fromkeys(sheet.protocol for sheet in sheets))


def _groups(protocol: str, sheets: Sequence[Sheet]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(share.group for sheet in sheets if sheet.protocol == protocol for share in sheet.shares))


def _panel(protocol: str, sheets: Sequence[Sheet], styles: dict[str, str]) -> Panel:
    played = tuple(sheet for sheet in sheets if sheet.protocol == protocol)
    bars: list[Bar] = []
    chances: dict[str, float] = {}
    for group in _groups(protocol, sheets):
        label = group
        for sheet in played:
            for share in sheet.shares:
                if share.group != group:
                    continue
                note = sheet.planner
                bars.append(
                    Bar(
                        label=label,
                        value=share.estimate.value,
                        interval=share.estimate.interval,
                        note=note,
                        count=share.n,
                        style=styles[sheet.planner],
                    )
                )
                label = ""  # a bar without a label belongs to the one above it
                if share.chance is not None:
                    chances[group] = share.chance
    title = f"{protocol}: {played[0].measure}"
    return Panel(protocol, played[0].measure, share_bars(title, bars), chances, played)


def _template(name: str) -> str:
    return (files("suites") / "templates" / name).read_text(encoding="utf-8")
